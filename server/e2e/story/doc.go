// Package story tells the whole story of payouts in production: the payoutd program without its sandbox, its commands, its API,
// and a receiver of webhooks that has nothing but the SDK. Production sends webhooks to https and to public addresses only, so
// the story takes place in a network namespace of its own, in which an address of the loopback interface is public, with name
// server and certificate authority: no flag makes the program another one than that of production.
package story
