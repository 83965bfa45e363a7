// Package conformance tests a server against the contract: [Run] drives the generated client against any base URL and
// reports, rule by rule, whether the server complies. It knows the contract and nothing about this project's server.
//
// Its subpackages: probe, the building blocks of a check; checks, the rules; coverage, which parts of the contract a run has
// exercised; report, the formats of a report; conform, the program; and mutants, broken servers that test the suite.
package conformance
