//go:build race

package server_test

// replicasRounds is how often replicas are raced for a key, each time by idempotencyCallers: fewer with the race detector,
// which makes each many times slower.
const replicasRounds = 150
