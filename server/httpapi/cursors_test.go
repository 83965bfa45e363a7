package httpapi

import (
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// A cursor is read back as the position that it was made of; the end of a list has none (D-29).
func TestCursors(t *testing.T) {
	t.Parallel()
	position := payout.Position{CreatedAt: time.UnixMicro(1773500966535897).UTC(), ID: "01990000-0000-7000-8000-000000000000"}
	if got, err := fromCursor(toCursor(position)); err != nil || got != position {
		t.Errorf("%v, %v, want %v", got, err, position)
	}
	if c := toCursor(payout.Position{}); c != nil {
		t.Errorf("the end has the cursor %s", *c)
	}
	if got, err := fromCursor(nil); err != nil || got != (payout.Position{}) {
		t.Errorf("no cursor is %v, %v", got, err)
	}
	for _, text := range []string{"", "!", "abcd", "MTIzNA", "MTc3MzUwMDk2NjUzNTg5Ny5ub3QtYW4taWQ"} {
		if got, err := fromCursor(&text); payout.CodeOf(err) != payout.CodeBadRequest {
			t.Errorf("%q is %v, %v, want %s", text, got, err, payout.CodeBadRequest)
		}
	}
}
