// Package payout is the domain: what a sender, a limit, a payer and a transaction are, and every rule about them.
//
// What belongs here: types, rules, the use cases (Service) and the Store interface that they need. What does not: echo,
// SQL, generated types, files, the clock and the source of ids (both are injected). It imports nothing of ours.
package payout
