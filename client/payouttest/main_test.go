package payouttest_test

import (
	"testing"

	"go.uber.org/goleak"
)

// A sandbox leaves nothing behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
