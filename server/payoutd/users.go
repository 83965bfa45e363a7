package main

// users is `payoutd users`.
type users struct{}
