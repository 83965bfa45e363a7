package main

// clients is `payoutd clients`.
type clients struct{}
