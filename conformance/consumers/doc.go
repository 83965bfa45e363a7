// Command consumers gives the contract to programs of other projects: client generators, a mock, validators, verifiers of
// webhooks. Each one generates code from openapi.yaml, compiles it, and runs the same story against a fresh sandbox.
//
// What belongs here: one row per consumer in list.go, and a folder of the same name with its story and its pinned
// dependencies. What does not: generated code, which goes to .tmp/consumers/NAME, and our own SDK (server/demo).
package main
