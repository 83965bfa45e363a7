//go:build !race

package server_test

// replicasRounds is how often replicas are raced for a key, each time by idempotencyCallers.
const replicasRounds = 500
