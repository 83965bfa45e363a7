// Package server wires everything into one running service: store, domain, transport, reference data and sandbox.
//
// What belongs here: New, Serve and Close, their configuration, and what the sandbox holds. What does not: rules, SQL,
// HTTP; flags and environment are those of payoutd.
package server
