package httpapi

import (
	"net/http"
	"strings"
	"testing"
)

// D-28: a refusal says that nothing is left, even if a token has come in since.
func TestARefusalLeavesNothing(t *testing.T) {
	t.Parallel()
	l := newRateLimits(10_000)
	refused := 0
	for range 1_000_000 {
		h := http.Header{}
		if l.take("acme", h) == nil {
			continue
		}
		if refused++; !strings.HasPrefix(h.Get("RateLimit"), `"client";r=0;`) {
			t.Fatalf("refused with RateLimit %s", h.Get("RateLimit"))
		}
		if refused == 100_000 {
			return
		}
	}
	if refused == 0 {
		t.Error("no call was refused")
	}
}
