//go:build !race

package concurrency_test

// How long the longest tests go on.
const (
	replicasRounds     = 500 // that replicas are raced for a key, each time by callers
	replicasLastRounds = 100 // that replicas are raced for the last of a limit, each time by callers
)
