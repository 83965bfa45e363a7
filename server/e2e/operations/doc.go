// Package operations tests what holds for every operation of the contract, and for every path: credentials, malformed
// requests, isolation of clients, faults of the database, the rate limit, pages.
//
// Its tests alone must reach every status that the contract declares for an operation. What belongs here: tests that walk
// through the contract, and the tables of requests that break it. What does not: rules of the domain.
package operations
