package main

// A consumer is a program of another project that reads the contract.
//
// Its steps are shell commands, run with `sh -ec` in a copy of the folder conformance/consumers/NAME; an empty one does not
// exist for this consumer. They find in their environment:
//
//	PAYOUTS_CONTRACT       path of openapi.yaml
//	PAYOUTS_URL            address of a sandbox that nobody has used before; story only
//	PAYOUTS_CLIENT_ID      its credentials; story only
//	PAYOUTS_CLIENT_SECRET
//
// A step that fails says why in the last line that it prints.
type consumer struct {
	Name    string
	Version string
	Needs   []string // programs that must be on PATH

	Install  string // fetch the pinned tools and libraries
	Generate string
	Compile  string // with the strictest settings that the language's users have
	Story    string

	Remark string // for the table; details are in README.md
}

var consumers = []consumer{}
