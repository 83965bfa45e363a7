package client_test

import (
	"io"
	"log"
	"testing"

	"go.uber.org/goleak"
)

// Calls leak no goroutine, however they end.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // net/http prints what our broken servers send, thousands of lines around the one that failed
	goleak.VerifyTestMain(m)
}
