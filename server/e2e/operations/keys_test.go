package operations_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Sections 4 and 8, D-16: an idempotency key has 1 to 255 characters and is sent once.
func TestIdempotencyKeysThatBreakTheContract(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	watch := servertest.NewWatch(s.Beside(t))
	for i, op := range servertest.Creations(t, s) {
		t.Run(op.ID, func(t *testing.T) { sendKeys(t, s, w, watch, op, rune(i)) })
	}
}

// sendKeys sends valid and invalid keys to an operation; i makes the valid ones unique.
func sendKeys(t *testing.T, s *servertest.Server, w servertest.World, watch servertest.Watch, op *contract.Operation, i rune) {
	t.Helper()
	body := string(w.Body(t, op))
	send := func(t *testing.T, keys ...string) servertest.Answer {
		h := servertest.Headers()
		h["X-Idempotency-Key"] = keys
		return servertest.Do(t, s, op.Method, w.Path(t, op), h, strings.NewReader(body), int64(len(body)))
	}
	for name, keys := range map[string][]string{
		"256 characters":            {strings.Repeat("k", 256)},
		"256 multi-byte characters": {strings.Repeat("é", 256)},
		"empty":                     {""},
		"white space":               {"  "},
		"sent twice":                {"a", "b"},
		"the same sent twice":       {"a", "a"},
		"tab inside":                {"a\tb"},
		"no UTF-8":                  {"a\xff"},
	} {
		t.Run("refused/"+name, func(t *testing.T) {
			watch.Unchanged(t, func() {
				e := send(t, keys...).Refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
				wantViolations(t, e, violation{api.ErrorDetailInHeader, "X-Idempotency-Key"})
			})
		})
	}
	for name, key := range map[string]string{
		"1 character":               string('k' + i),
		"255 characters":            strings.Repeat(string('k'+i), 255),
		"255 multi-byte characters": strings.Repeat(string('é'+i), 255),
		"255 characters of 4 bytes": strings.Repeat(string('💸'+i), 255),
	} {
		t.Run("accepted/"+name, func(t *testing.T) {
			before := watch.Version(t)
			for _, replayed := range []string{"", "true"} {
				a := send(t, key)
				if a.Status != http.StatusOK || a.Header.Get("Idempotent-Replayed") != replayed {
					t.Fatalf("status %d, Idempotent-Replayed %q, want 200 and %q: %s", a.Status, a.Header.Get("Idempotent-Replayed"), replayed, a.Body)
				}
			}
			if watch.Version(t) == before {
				t.Error("an accepted request was not seen to be written; the watch of the refused ones sees nothing")
			}
		})
	}
}
