package payouttest_test

import (
	"testing"

	"go.uber.org/goleak"
)

// A sandbox leaks no goroutine.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
