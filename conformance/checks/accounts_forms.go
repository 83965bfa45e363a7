package checks

import (
	"slices"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// accountsForms is about what the addition of a receive user must not refuse and not change.
func accountsForms() []probe.Check {
	adding := []string{"createReceiveUser"}
	return []probe.Check{
		{
			ID: "accounts.receive-users.emails", Title: "The email address of a receive user may have signs in its local part and several labels in its domain",
			Clauses: []string{"D-20", "D-50"}, Operations: adding, Needs: probe.Extensions,
			Fix: "Accept for a receive user what is accepted for a user.",
			Run: func(t *probe.T) {
				for _, email := range allowedEmails {
					keepsReceiver(t, t.Target().Facts.Destination, func(r *api.ReceiveUserRequest) { r.Email = &email })
				}
			},
		},
		{
			ID: "accounts.receive-users.phones", Title: "The phone number of a receive user may have 4 to 20 digits",
			Clauses: []string{"D-20", "D-41"}, Operations: adding, Needs: probe.Extensions,
			Fix: "Accept every mobile_phone of 4 to 20 digits: the bounds are wider than those of E.164.",
			Run: func(t *probe.T) {
				for _, phone := range allowedPhones {
					keepsReceiver(t, t.Target().Facts.Destination, func(r *api.ReceiveUserRequest) { r.MobilePhone = &phone })
				}
			},
		},
		{
			ID: "accounts.receive-users.state-codes", Title: "The state of a receive user may have the code that the lists of states give it, of 1 or 3 characters too",
			Clauses: []string{"D-20", "D-33"}, Operations: adding, Needs: probe.Extensions,
			Fix: "Accept codes of one and of three characters as well as those of two.",
			Run: statesOfReceivers,
		},
		{
			ID: "accounts.receive-users.origin", Title: "A receive user may be in the originating country only where that is a destination too",
			Clauses: []string{"1-rule-5", "D-09", "D-18", "D-32"}, Operations: []string{"createReceiveUser", "getTransactionLimit"}, Needs: probe.Extensions,
			Fix: "Look for the country of a receive user among the enabled destinations, not among the originating corridors.",
			Run: receiveInOrigin,
		},
	}
}

// keepsReceiver adds a receive user to a new user and expects all that was sent in the answer.
func keepsReceiver(t *probe.T, country string, edit func(*api.ReceiveUserRequest)) {
	body := probe.ReceiveUserRequest(country, edit)
	r, err := t.Client().CreateReceiveUserWithResponse(t.Context(), t.NewUser().ID, nil, body)
	probe.OK(t, r, err)
	echoes(t, body, r)
}

// statesOfReceivers takes a state of each other length in a country with payers, which is a destination.
func statesOfReceivers(t *probe.T) {
	countries := map[string]string{} // by number
	for _, p := range t.Payers() {
		countries[numeric(t, p.Country)] = p.Country
	}
	states, found := allStatesV2(t), false
	for _, length := range []int{1, 3} {
		i := slices.IndexFunc(states, func(s api.StateV2) bool { return len(s.Code) == length && countries[s.CountryID] != "" })
		if i >= 0 {
			found = true
			keepsReceiver(t, countries[states[i].CountryID], func(r *api.ReceiveUserRequest) { r.State = &states[i].Code })
		}
	}
	if !found {
		t.Skipf("the server has no state with a code of 1 or 3 characters in a country with payers")
	}
}

// receiveInOrigin learns from the limits whether the originating country is a destination.
func receiveInOrigin(t *probe.T) {
	user, origin := t.NewUser().ID, t.Target().Facts.OriginCountry
	limit, err := t.Client().GetTransactionLimitWithResponse(t.Context(), user, to(origin))
	if err != nil || limit.StatusCode() != 200 && limit.StatusCode()/100 != 4 {
		t.Brokenf("set-up: the limits do not tell whether the originating country is a destination")
	}
	r, err := t.Client().CreateReceiveUserWithResponse(t.Context(), user, nil, probe.ReceiveUserRequest(origin))
	if limit.StatusCode() == 200 {
		probe.OK(t, r, err)
		return
	}
	t.Refused(r, err, 422, api.ErrorCodeCorridorNotEnabled)
}
