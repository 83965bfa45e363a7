// Package conformance proves a server against the contract: [Run] drives the generated client against any base URL and
// reports, rule by rule, what the server keeps. It knows the contract and nothing of this project's server.
//
// Below it are probe, what a check is made of; checks, the rules; coverage, what of the contract a run has touched; report,
// the forms of a report; conform, the program; and mutants, broken servers that prove the suite itself.
package conformance
