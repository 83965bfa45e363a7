// Package servertest runs the real server for tests: on a free port, on a database of its own, with typed clients whose
// transport checks every response against the contract.
//
// What belongs here: starting and stopping, the clock, users and transactions, raw requests, damage to the database, and
// checks that several packages of server/e2e need. What does not: checks of a single subject, and fakes.
package servertest
