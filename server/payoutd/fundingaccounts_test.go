package main

import "testing"

// D-20: in production operators do what the sandbox operation does.
func TestSetFundingAccountStatus(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		set := []string{"funding-accounts", "set-status", "--client=acme", "--user=" + ashaID, fundID}
		o.prints(t, "funding_active.txt", append(set, "ACTIVE")...)
		o.prints(t, "funding_active.txt", "funding-accounts", "list", "--client=acme", "--user="+ashaID)
		o.prints(t, "funding_inactive.json", append(set, "INACTIVE", "--json")...)
	})
}
