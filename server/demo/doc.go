// Command demo runs a whole payout with the SDK against a fresh sandbox.
//
// What belongs here: what an integrator does, in order. What does not: tests (server/e2e), and anything that the SDK
// cannot do.
package main
