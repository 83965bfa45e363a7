package checks

import (
	"strings"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// idempotencyKeys is what a key is: its characters (D-16).
func idempotencyKeys() []probe.Check {
	const characters = "Count characters of UTF-8, not bytes, and compare keys character by character."
	check := func(id, title string, run func(t *probe.T, s probe.Sender, body api.TransactionRequest), clauses ...string) probe.Check {
		return probe.Check{
			ID: "idempotency.key." + id, Title: title, Clauses: append(clauses, "D-16"), Operations: []string{"createTransaction"},
			Fix: characters,
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				run(t, s, body)
			},
		}
	}
	// two expects that two keys are two; they are made of an unused one.
	two := func(id, title string, keys func(unused string) (string, string)) probe.Check {
		return check(id, title, func(t *probe.T, s probe.Sender, body api.TransactionRequest) {
			one, other := keys(probe.NewKey())
			r, err := t.Create(s.UserID, one, body)
			created := probe.Setup(t, r, err)
			r, err = t.Create(s.UserID, other, body)
			again := probe.OK(t, r, err)
			t.Expect(again.ID != created.ID, "the second key answers the transaction of the first one")
		})
	}
	return []probe.Check{
		check("characters", "A key of 255 characters of up to 4 bytes is accepted, and repeats", func(
			t *probe.T, s probe.Sender, body api.TransactionRequest,
		) {
			key := longKey("🔑", 255)
			r, err := t.Create(s.UserID, key, body)
			first := probe.OK(t, r, err)
			r, err = t.Create(s.UserID, key, body)
			again := probe.OK(t, r, err)
			t.Expect(again.ID == first.ID, "the repeat is answered with another transaction")
		}, "8-key-length"),
		check("characters-too-many", "A key of 256 characters is refused, whatever their bytes", func(
			t *probe.T, s probe.Sender, body api.TransactionRequest,
		) {
			r, err := t.Create(s.UserID, longKey("é", 256), body)
			t.Refused(r, err, 400, api.ErrorCodeBadRequest, keyHeader)
		}, "7-key-too-long", "8-key-length"),
		two("case", "Keys that differ in case are two keys", func(key string) (string, string) { return key, strings.ToUpper(key) }),
		two("quotes", "Quotes around a key are part of it", func(key string) (string, string) { return key, `"` + key + `"` }),
		two("end", "Keys that differ in the last of 254 characters are two keys", func(key string) (string, string) {
			long := key + strings.Repeat("k", 253-len(key)) // that 255 are accepted is another rule
			return long + "a", long + "b"
		}),
		two("comma", "A comma in a key is part of it, and so is what follows", func(key string) (string, string) { return key + ",a", key + ",b" }),
		two("percent", "A key is not percent-decoded", func(key string) (string, string) { return key + "%41", key + "A" }),
		two("plus", "A plus sign in a key is no space", func(key string) (string, string) { return key + "+k", key + " k" }),
		two("composed", "é as one character and as two makes two keys", func(key string) (string, string) { return key + "\u00e9", key + "e\u0301" }),
	}
}

// replaysLater is what a repeat answers when the world has changed.
func replaysLater() []probe.Check {
	check := func(id, title string, change func(*probe.T, probe.Sender)) probe.Check {
		return probe.Check{
			ID: "idempotency.later." + id, Title: title, Clauses: []string{"4-note-3", "D-16"}, Operations: []string{"createTransaction"},
			Needs: probe.Extensions, Fix: "Answer a repeat before the rules of section 1 are looked at.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				key := probe.NewKey()
				r, err := t.Create(s.UserID, key, body)
				first := probe.Setup(t, r, err)
				change(t, s)
				r, err = t.Create(s.UserID, key, body)
				again := probe.OK(t, r, err)
				t.Expect(again.ID == first.ID, "the repeat is answered with another transaction")
			},
		}
	}
	return []probe.Check{
		check("suspended", "A repeat is answered though the sender was suspended meanwhile", func(t *probe.T, s probe.Sender) {
			t.Verify(s.UserID, api.KycStatusSuspended, nil)
		}),
		check("inactive", "A repeat is answered though the funding account is no longer active", func(t *probe.T, s probe.Sender) {
			r, err := t.Client().SetFundingAccountStatusWithResponse(t.Context(), s.UserID, s.FundID,
				api.FundingAccountStatusRequest{Status: api.FundingAccountStatusInactive})
			probe.Setup(t, r, err)
		}),
		{
			ID: "idempotency.later.whole", Title: "A repeat answers every member of the first transaction",
			Clauses: []string{"4-note-3", "D-16"}, Operations: []string{"createTransaction"},
			Fix: "Answer a repeat with the transaction as it is stored, complete.",
			Run: func(t *probe.T) {
				s := t.Sender()
				body, key := fullTransaction(t, s, t.Receiver(s, deposit)), probe.NewKey()
				r, err := t.Create(s.UserID, key, body)
				first := probe.Setup(t, r, err)
				r, err = t.Create(s.UserID, key, body)
				again := probe.OK(t, r, err)
				again.ID = first.ID // which is another rule
				t.Expect(equalTransactions(t, again, first), "the repeat differs from the first answer")
			},
		},
		{
			ID: "idempotency.later.user-status", Title: "A repeat of a registration answers the user as it is now",
			Clauses: []string{"D-54"}, Operations: []string{"createUser"}, Needs: probe.Extensions,
			Fix: "Read what a key created when it is asked for again; do not store the answer.",
			Run: func(t *probe.T) {
				params := &api.CreateUserParams{XIdempotencyKey: probe.Ptr(probe.NewKey())}
				r, err := t.Client().CreateUserWithResponse(t.Context(), params, t.UserRequest())
				t.Verify(probe.Setup(t, r, err).ID, api.KycStatusVerified, nil)
				r, err = t.Client().CreateUserWithResponse(t.Context(), params, t.UserRequest())
				again := probe.OK(t, r, err)
				t.Expect(again.Status == api.KycStatusVerified, "the repeat answers status %q, want VERIFIED", again.Status)
			},
		},
		{
			ID: "idempotency.later.funding-account-status", Title: "A repeat of linking a funding account answers the account as it is now",
			Clauses: []string{"D-54"}, Operations: []string{"createFundingAccount"}, Needs: probe.Extensions,
			Fix: "Read what a key created when it is asked for again; do not store the answer.",
			Run: func(t *probe.T) {
				user, body := t.NewUser().ID, api.FundingAccountRequest{FundingSourceType: "CARD"}
				params := &api.CreateFundingAccountParams{XIdempotencyKey: probe.Ptr(probe.NewKey())}
				r, err := t.Client().CreateFundingAccountWithResponse(t.Context(), user, params, body)
				set, err := t.Client().SetFundingAccountStatusWithResponse(t.Context(), user, probe.Setup(t, r, err).ID,
					api.FundingAccountStatusRequest{Status: api.FundingAccountStatusActive})
				probe.Setup(t, set, err)
				r, err = t.Client().CreateFundingAccountWithResponse(t.Context(), user, params, body)
				again := probe.OK(t, r, err)
				t.Expect(again.Status == api.FundingAccountStatusActive, "the repeat answers status %q, want ACTIVE", again.Status)
			},
		},
	}
}
