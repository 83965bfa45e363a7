// Command demo tells the story of a payout: it starts a fresh sandbox and walks through it with the SDK.
//
// What belongs here: what an integrator does, in the order in which one does it. What does not: checks (package
// server/e2e) and anything that the SDK cannot do.
package main
