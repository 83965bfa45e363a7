// Package servertest runs the real server for tests: on a free port, on a database of its own, with typed clients whose
// transport holds every response against the contract.
//
// What belongs here: starting and stopping, the clock, and the shortest way to a sender or a receive user. What does not:
// assertions about behaviour, and fakes of anything.
package servertest
