//go:build race

package concurrency_test

// How long the longest tests go on: less with the race detector, which makes them many times slower.
const (
	replicasRounds     = 150
	replicasLastRounds = 20
)
