package checks

import (
	"strings"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// transactionSenders are rules 1, 3a and 3b of section 1.
func transactionSenders() []probe.Check {
	create := []string{"createTransaction"}
	checks := []probe.Check{
		{
			ID: "transactions.sender.corridor", Title: "A user outside the originating corridors creates no transaction, and learns that first",
			Clauses: []string{"1-rule-1", "D-09"}, Operations: create,
			Fix: "Answer CORRIDOR_NOT_ENABLED for a user whose country is no originating corridor of the client, before any other rule.",
			Run: func(t *probe.T) {
				u := t.NewUser(func(r *api.UserRequest) { r.Country, r.Type = t.Target().Facts.DisabledCountry, nil })
				r, err := t.Create(u.ID, "", unmet(t, probe.Sender{UserID: u.ID, FundID: unknownID()}))
				t.Refused(r, err, 422, api.ErrorCodeCorridorNotEnabled)
			},
		},
		{
			ID: "transactions.sender.capability", Title: "A user without sending capability creates no transaction",
			Clauses: []string{"1-rule-1", "D-09", "D-34"}, Operations: create, Needs: probe.Extensions,
			Fix: "Answer SENDING_NOT_ENABLED for a user that was registered without type SEND, whatever the rest of the request.",
			Run: func(t *probe.T) {
				s := t.NewSender(func(r *api.UserRequest) { r.Type = nil })
				r, err := t.Create(s.UserID, "", t.Payout(s, t.Receiver(s, api.PayoutMethodBankDeposit), "1.00"))
				t.Refused(r, err, 422, api.ErrorCodeSendingNotEnabled)
			},
		},
		{
			ID: "transactions.sender.reinstated", Title: "A user that is verified again after a suspension creates transactions",
			Clauses: []string{"1-rule-3a", "D-24"}, Operations: create, Needs: probe.Extensions,
			Fix: "Judge the KYC status as it is when the transaction is created.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				t.Verify(s.UserID, api.KycStatusSuspended, nil)
				t.Verify(s.UserID, api.KycStatusVerified, nil)
				r, err := t.Create(s.UserID, "", body)
				probe.OK(t, r, err)
			},
		},
		{
			ID: "transactions.sender.business", Title: "A business that is verified creates transactions",
			Clauses: []string{"1-rule-1", "1-rule-3a", "2.7-business", "D-24"}, Operations: create, Needs: probe.Extensions,
			Fix: "Hold the same rules for both kinds of sending users.",
			Run: func(t *probe.T) {
				s := t.NewSender(asBusiness(t))
				createTransaction(t, s, t.Payout(s, t.Receiver(s, api.PayoutMethodBankDeposit), "1.00"))
			},
		},
		{
			ID: "transactions.sender.unverified", Title: "A sender that is UNVERIFIED creates no transaction",
			Clauses: []string{"1-rule-3a", "D-09"}, Operations: create,
			Fix: "Answer KYC_NOT_ELIGIBLE while the KYC status of the user is UNVERIFIED.",
			Run: func(t *probe.T) {
				s := unverified(t)
				r, err := t.Create(s.UserID, "", t.Payout(s, t.Receiver(s, api.PayoutMethodBankDeposit), "1.00"))
				t.Refused(r, err, 422, api.ErrorCodeKycNotEligible)
			},
		},
	}
	for _, status := range []api.KycStatus{api.KycStatusInProgress, api.KycStatusSuspended} {
		name := strings.ToLower(strings.ReplaceAll(string(status), " ", "-"))
		checks = append(checks, refusedTransaction{
			id: "transactions.sender." + name, title: "A sender that is " + string(status) + " creates no transaction",
			clauses: []string{"1-rule-3a"}, needs: probe.Extensions, code: api.ErrorCodeKycNotEligible,
			fix: "Answer KYC_NOT_ELIGIBLE while the KYC status of the user is " + string(status) + ".",
			spoil: func(t *probe.T, s probe.Sender, _ probe.Receiver, _ *api.TransactionRequest) {
				t.Verify(s.UserID, status, nil)
			},
		}.check())
	}
	return append(checks, fundingAccounts()...)
}

// unverified gives a sender that nobody has verified yet, with an active funding account.
func unverified(t *probe.T) probe.Sender {
	if t.Full() {
		u := t.NewUser()
		return probe.Sender{UserID: u.ID, FundID: t.NewFundingAccount(u.ID, api.FundingAccountStatusActive)}
	}
	f := t.Target().Fixtures.Unverified
	if f == nil {
		t.Skipf("the fixtures name no unverified sender")
	}
	return probe.Sender{UserID: f.UserID, FundID: f.FromFundID}
}

// unmet is a well-formed transaction that meets no rule about the receive side.
func unmet(t *probe.T, s probe.Sender) api.TransactionRequest {
	fund, id := unknownID(), unknownID()
	return t.Payout(s, probe.Receiver{
		ID: id, To: t.To(api.PayoutMethodBankDeposit, id, &fund, 0), Currency: otherCurrency(),
	}, "1.00", func(r *api.TransactionRequest) { r.FromCurrency = otherCurrency(r.FromCurrency) })
}

func fundingAccounts() []probe.Check {
	status := func(status api.FundingAccountStatus) func(*probe.T, probe.Sender, probe.Receiver, *api.TransactionRequest) {
		return func(t *probe.T, s probe.Sender, _ probe.Receiver, body *api.TransactionRequest) {
			body.FromFundID = t.NewFundingAccount(s.UserID, status)
		}
	}
	return append(refusals(
		refusedTransaction{
			id: "transactions.funding-account.unknown", title: "A funding account that does not exist funds no transaction",
			clauses: []string{"1-rule-3b"}, code: api.ErrorCodeFundingAccountNotFound,
			fix: "Answer FUNDING_ACCOUNT_NOT_FOUND where from_fund_id names no funding account.",
			spoil: func(_ *probe.T, _ probe.Sender, _ probe.Receiver, body *api.TransactionRequest) {
				body.FromFundID = unknownID()
			},
		},
		refusedTransaction{
			id: "transactions.funding-account.other-user", title: "The funding account of another user funds no transaction",
			clauses: []string{"1-rule-3b"}, needs: probe.Extensions, code: api.ErrorCodeFundingAccountNotFound,
			fix: "Look for from_fund_id among the funding accounts of the sender only, active or not.",
			spoil: func(t *probe.T, _ probe.Sender, _ probe.Receiver, body *api.TransactionRequest) {
				body.FromFundID = t.NewFundingAccount(t.NewUser().ID, api.FundingAccountStatusActive)
			},
		},
		refusedTransaction{
			id: "transactions.funding-account.pending", title: "A funding account that is PENDING funds no transaction, though another one is ACTIVE",
			clauses: []string{"1-rule-3b", "D-20"}, needs: probe.Extensions, code: api.ErrorCodeFundingAccountNotActive,
			fix:   "Answer FUNDING_ACCOUNT_NOT_ACTIVE unless the account of from_fund_id itself is ACTIVE.",
			spoil: status(api.FundingAccountStatusPending),
		},
		refusedTransaction{
			id: "transactions.funding-account.inactive", title: "A funding account that is INACTIVE funds no transaction, though another one is ACTIVE",
			clauses: []string{"1-rule-3b", "D-20"}, needs: probe.Extensions, code: api.ErrorCodeFundingAccountNotActive,
			fix:   "Answer FUNDING_ACCOUNT_NOT_ACTIVE unless the account of from_fund_id itself is ACTIVE.",
			spoil: status(api.FundingAccountStatusInactive),
		},
	), probe.Check{
		ID: "transactions.funding-account.each-active", Title: "Several funding accounts of a user are ACTIVE at once, and each funds transactions",
		Clauses: []string{"1-rule-3b", "2.6-response", "D-20"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
		Fix: "Leave the other funding accounts alone when one becomes ACTIVE, and take that of from_fund_id.",
		Run: func(t *probe.T) {
			s, body := t.Deposit()
			for _, fund := range []openapi_types.UUID{t.NewFundingAccount(s.UserID, api.FundingAccountStatusActive), s.FundID} {
				body.FromFundID = fund
				x := createTransaction(t, s, body)
				t.Expect(x.FromFundID == fund, "answered another from_fund_id than was sent")
			}
		},
	})
}
