// Command demo runs payouts to their end with the SDK against a fresh sandbox: one that is paid, one that fails, and one that is
// held until its sender is verified. It prints the webhooks that arrive meanwhile.
//
// What belongs here: what an integrator does, in order. What does not: tests (server/e2e), and anything that the SDK
// cannot do.
package main
