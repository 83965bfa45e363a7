// Command payoutd is the daemon, with the commands of its operators: clients, users, funding-accounts, transactions,
// reference, audit, migrate and check work on the same database; version and completion need none. None of them is
// reachable from the network (D-20).
//
// Exit codes: 0 success; 1 failure, or not found; 2 an invalid flag, variable, argument or input file.
//
// The service reads clients and secrets from the database once in some seconds, so that a change of them takes effect within
// that time on every replica (D-74).
//
// What belongs here: flags, the environment, signals and output. What does not: everything else (package server).
package main
