// Package openapi holds the contract: openapi.yaml, written by hand, from which everything else follows. decisions.md
// says what was decided where the interface document is silent or ambiguous, CHANGELOG.md how the contract changed.
//
// What belongs here: the document, its text forms, and tests that read as the rules that the document follows. What
// does not: enforcing it on messages (openapi/contract), Go types of the wire (openapi/wire, gen), and behaviour (server).
package openapi
