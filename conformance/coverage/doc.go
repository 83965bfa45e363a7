// Package coverage tells what of the contract a run has touched: operations with their statuses and codes, members of
// requests and responses, parameters with good and bad values. It judges nothing.
package coverage
