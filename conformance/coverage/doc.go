// Package coverage records which parts of the contract a run has exercised: operations with their statuses and codes, members
// of requests and responses, parameters with valid and invalid values. It judges nothing.
package coverage
