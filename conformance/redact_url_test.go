package conformance

import "testing"

func TestLocation(t *testing.T) {
	t.Parallel()
	const id = "/users/0190a0b1-0000-7000-8000-000000000001"
	for sent, want := range map[string]string{
		"/users": "/users",
		id + "/transactions?limit=2&cursor=b3BhcXVl":      id + "/transactions?limit=2&cursor=[redacted, 8 characters]",
		"/payers?country=NP&payout_method=BANK_DEPOSIT":   "/payers?country=NP&payout_method=BANK_DEPOSIT",
		"/webhook-endpoints/hester@example.org":           "/webhook-endpoints/[redacted, 18 characters]",
		"/webhook-endpoints/https://example.org":          "/webhook-endpoints/[redacted, 6 characters]//[redacted, 11 characters]",
		"/users?client_reference=Hester%20Prynne&=Hester": "/users?client_reference=[redacted, 13 characters]&=[redacted, 6 characters]",
		"/users/%zz": "/users/[redacted, 3 characters]",
	} {
		if got := location(sent); got != want {
			t.Errorf("%s: %s, want %s", sent, got, want)
		}
	}
}
