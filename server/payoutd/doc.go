// Command payoutd is the daemon, and what its operators work with: clients, users, funding-accounts, transactions,
// reference, migrate and check on the same database. Nothing of that is reachable from the network (D-20).
//
// It exits with 0 when a thing is done; 1 when it was tried and failed, or there is no such thing; 2 when a flag, a
// variable, an argument or the file that one names is wrong.
//
// The service keeps no client or secret in memory: it reads them for each request, so that a secret that is made or
// revoked, and a client that is changed, disabled or enabled, count from the next request on every replica (D-19).
//
// What belongs here: flags, the environment, signals, and what is printed. What does not: everything else (package
// server).
package main
