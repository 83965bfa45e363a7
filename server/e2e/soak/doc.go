// Package soak runs payoutd on PostgreSQL at half of its load for a long time, and wants its memory, goroutines and file
// descriptors to stay flat. `make soak` runs it.
//
// What belongs here: the mixture of requests, the samples of the process and the judgement of both. What does not: how fast
// a request is, which benchmarks measure.
package soak
