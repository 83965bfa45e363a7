package main

// referenceData is `payoutd reference`.
type referenceData struct{}
