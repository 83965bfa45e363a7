// Package openapi embeds the contract, openapi.yaml, which is written by hand and is the source of everything else.
// decisions.md has the decisions where the interface document is silent or ambiguous, CHANGELOG.md the changes.
//
// What belongs here: the document, its text forms, and tests of the rules that it follows. What does not: enforcing it
// (openapi/contract), Go types (openapi/wire, gen), and behaviour (server).
package openapi
