// Package lifecycle says in words what a payout waits for, and who can move it: for the console, and for the command that support
// uses. The moves are those of the table in the contract, which is that of the domain.
//
// What belongs here: the table as it is published, and the words. What does not: the rules, and anything that reads a database
// or calls the API.
package lifecycle
