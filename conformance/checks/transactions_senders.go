package checks

import (
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// transactionSenders are rules 1, 3a and 3b of section 1.
func transactionSenders() []probe.Check {
	create := []string{"createTransaction"}
	status := func(status api.KycStatus) refusal {
		return refusal{"the sender is " + string(status), probe.Extensions, "", api.ErrorCodeKycNotEligible,
			func(a attempt) { a.Verify(a.sender.UserID, status, nil) }}
	}
	account := func(status api.FundingAccountStatus) refusal {
		return refusal{"the funding account is " + string(status), probe.Extensions, "", api.ErrorCodeFundingAccountNotActive,
			func(a attempt) { a.body.FromFundID = a.NewFundingAccount(a.sender.UserID, status) }}
	}
	return []probe.Check{
		{
			ID: "transactions.sender.corridor", Title: "A user outside the originating corridors creates no transaction, and learns that first",
			Clauses: []string{"1-rule-1", "D-09"}, Operations: create,
			Fix: "Answer CORRIDOR_NOT_ENABLED for a user whose country is no originating corridor of the client, before any other rule.",
			Run: func(t *probe.T) {
				u := t.NewUser(func(r *api.UserRequest) { r.Country, r.Type = t.Target().Facts.DisabledCountry, nil })
				r, err := t.Create(u.ID, "", unmet(t, u.ID))
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
			ID: "transactions.sender.unverified", Title: "A sender that is UNVERIFIED creates no transaction",
			Clauses: []string{"1-rule-3a", "D-09"}, Operations: create,
			Fix: "Answer KYC_NOT_ELIGIBLE while the KYC status of the user is UNVERIFIED.",
			Run: func(t *probe.T) {
				s := unverified(t)
				r, err := t.Create(s.UserID, "", t.Payout(s, t.Receiver(s, api.PayoutMethodBankDeposit), "1.00"))
				t.Refused(r, err, 422, api.ErrorCodeKycNotEligible)
			},
		},
		{
			ID: "transactions.sender.kyc", Title: "A sender that is IN PROGRESS or SUSPENDED creates no transaction",
			Clauses: []string{"1-rule-3a", "D-09"}, Operations: create, Needs: probe.Extensions,
			Fix: "Answer KYC_NOT_ELIGIBLE while the KYC status of the user is IN PROGRESS or SUSPENDED.",
			Run: refused(status(api.KycStatusInProgress), status(api.KycStatusSuspended)),
		},
		{
			ID: "transactions.sender.verified", Title: "A verified business, and a user that is verified again after a suspension, create transactions",
			Clauses: []string{"1-rule-1", "1-rule-3a", "2.7-business", "D-24"}, Operations: create, Needs: probe.Extensions,
			Fix: "Judge the KYC status as it is when the transaction is created, by the same rules for both kinds of user.",
			Run: each(
				of("a user after a suspension", func(t *probe.T) {
					s, body := t.Deposit()
					t.Verify(s.UserID, api.KycStatusSuspended, nil)
					t.Verify(s.UserID, api.KycStatusVerified, nil)
					createTransaction(t, s, body)
				}),
				of("a business", func(t *probe.T) {
					s := t.NewSender(asBusiness(t))
					createTransaction(t, s, t.Payout(s, t.Receiver(s, api.PayoutMethodBankDeposit), "1.00"))
				}),
			),
		},
		{
			ID: "transactions.funding-account.not-found", Title: "A funding account that does not exist, or is another user's, funds no transaction",
			Clauses: []string{"1-rule-3b", "D-09"}, Operations: create,
			Fix: "Look for from_fund_id among the funding accounts of the sender, and answer FUNDING_ACCOUNT_NOT_FOUND where it is none of them.",
			Run: refused(
				refusal{"unknown", 0, "", api.ErrorCodeFundingAccountNotFound, func(a attempt) { a.body.FromFundID = unknownID() }},
				refusal{"of another user", probe.Extensions, "", api.ErrorCodeFundingAccountNotFound, func(a attempt) {
					a.body.FromFundID = a.NewFundingAccount(a.NewUser().ID, api.FundingAccountStatusActive)
				}},
			),
		},
		{
			ID: "transactions.funding-account.not-active", Title: "A funding account that is PENDING or INACTIVE funds no transaction, though another one is ACTIVE",
			Clauses: []string{"1-rule-3b", "D-09", "D-20"}, Operations: create, Needs: probe.Extensions,
			Fix: "Answer FUNDING_ACCOUNT_NOT_ACTIVE unless the account of from_fund_id itself is ACTIVE.",
			Run: refused(account(api.FundingAccountStatusPending), account(api.FundingAccountStatusInactive)),
		},
		{
			ID: "transactions.funding-account.each-active", Title: "Several funding accounts of a user are ACTIVE at once, and each funds transactions",
			Clauses: []string{"1-rule-3b", "2.6-response", "D-20"}, Operations: create, Needs: probe.Extensions,
			Fix: "Leave the other funding accounts alone when one becomes ACTIVE, and take that of from_fund_id.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				for _, fund := range []openapi_types.UUID{t.NewFundingAccount(s.UserID, api.FundingAccountStatusActive), s.FundID} {
					body.FromFundID = fund
					x := createTransaction(t, s, body)
					t.Expect(x.FromFundID == fund, "answered another from_fund_id than was sent")
				}
			},
		},
	}
}

// unverified returns a sender that nobody has verified yet, with an active funding account.
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

// unmet is a well-formed transaction that meets no rule about the funding account and the receive side.
func unmet(t *probe.T, user openapi_types.UUID) api.TransactionRequest {
	fund, id := unknownID(), unknownID()
	return t.Payout(probe.Sender{UserID: user, FundID: unknownID()}, probe.Receiver{
		ID: id, To: t.To(api.PayoutMethodBankDeposit, id, &fund, 0), Currency: otherCurrency(),
	}, "1.00", func(r *api.TransactionRequest) { r.FromCurrency = otherCurrency(r.FromCurrency) })
}
