package store

import (
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

func TestWhatIsRememberedDoesNotChange(t *testing.T) {
	t.Parallel()
	const profile = `{"corridors":[{"country":"US","currency":"USD"}],"destinations":[{"country":"NP","tiers":[
		{"limits":[{"currency":"USD","daily":1,"monthly":2,"annual":3}],"required_tags":{"individual":["ID_DOC"],"business":[]}}]}]}`
	read := func() (c payout.Client) {
		t.Helper()
		if err := profileOf(&c).Scan(profile); err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := read()
	c.Corridors[0].Country, c.Destinations[0].Tiers[0].Limits[0].Daily = "XX", 0
	c.Destinations[0].Tiers[0].RequiredTags.Individual[0] = "XX"
	if again := profileText(read()); strings.Contains(again, "XX") || !strings.Contains(again, `"daily":1,`) {
		t.Errorf("a caller changed it: %s", again)
	}
}

func TestWhatIsNoJSONIsNotRemembered(t *testing.T) {
	t.Parallel()
	for range 2 {
		var texts []string
		if err := textsColumn(&texts).Scan(`["a"`); err == nil {
			t.Errorf("read as %q", texts)
		}
	}
}
