package main

// transactions is `payoutd transactions`.
type transactions struct{}
