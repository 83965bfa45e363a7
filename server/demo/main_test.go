package main

import (
	"strings"
	"testing"
)

func TestDemo(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"replayed: true", "409 IDEMPOTENCY_KEY_REUSED", "tier 1: 878.28 USD today"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("%q is missing in\n%s", line, &out)
		}
	}
}
