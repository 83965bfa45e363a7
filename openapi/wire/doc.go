// Package wire holds the scalars of the contract that no generator can make: the exact decimal number and the
// zone-less UTC timestamp.
//
// What belongs here: Go types that gen/api refers to. What does not: currencies, rounding and every other rule about
// money (server/payout), and validation of whole requests (openapi/contract).
package wire
