package main

// check is `payoutd check`.
type check struct{}
