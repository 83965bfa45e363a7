// Package console is the console of a sandbox: pages that show its users, payouts, webhooks and requests, and that do by a click
// what the API offers.
//
// It is a client as any other: it calls the API through the SDK, with the public credentials of the sandbox. What belongs here:
// pages, forms, and the requests that it is told of. What does not: rules, which forms take from the contract, the store, and
// anything that production has.
package console
