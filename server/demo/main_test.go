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
	rest := out.String()
	for _, line := range []string{
		"replayed: true", "409 IDEMPOTENCY_KEY_REUSED", "is PROCESSING", "is COMPLETED", "tier 1: 900.00 USD today", // paid
		"transaction.created", "tier 1: 878.28 USD today", "is FAILED", "tier 1: 900.00 USD today", // failed
		"422 INFORMATION_REQUIRED", "ID_DOC, now SUBMIT", "is PROCESSING", "is COMPLETED", "tier 2: 3400.00 USD today", // held
	} {
		_, after, found := strings.Cut(rest, line)
		if !found {
			t.Fatalf("%q is missing, or not where it belongs, in\n%s", line, &out)
		}
		rest = after
	}
}
