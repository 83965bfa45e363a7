//go:build !race

package server_test

// How long the longest tests go on.
const (
	replicasRounds     = 500 // that replicas are raced for a key, each time by idempotencyCallers
	replicasLastRounds = 100 // that replicas are raced for the last of a limit, each time by idempotencyCallers
	recountSteps       = 250 // of the walk that is recounted
)
