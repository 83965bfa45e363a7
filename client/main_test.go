package client_test

import (
	"testing"

	"go.uber.org/goleak"
)

// A call leaves no goroutine behind, however it ends.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
