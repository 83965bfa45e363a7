// Package e2e holds the tests that speak to a running service, over real HTTP and on a real database.
//
// What belongs here: a folder for each subject; helpers that several of them need are in servertest. What does not: rules
// that payout can test by itself, and the conformance of any server, which is what conformance is for.
package e2e
