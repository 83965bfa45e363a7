package client_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Calls leak no goroutine, however they end.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
