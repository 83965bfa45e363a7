// Package wire has the scalars of the contract that are not generated: the exact decimal number and the UTC timestamp
// without a zone.
//
// What belongs here: Go types that gen/api refers to. What does not: currencies, rounding and every other rule about
// money (server/payout), and validation of whole requests (openapi/contract).
package wire
