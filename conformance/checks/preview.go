package checks

import (
	"cmp"
	"maps"
	"slices"

	exact "github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

var previewing = []string{"previewTransaction", "createTransaction"}

// previews are about previews of transactions (D-71): whatever a creation answers, the preview before has answered.
func previews() []probe.Check {
	return []probe.Check{
		{
			ID: "preview.same", Title: "A preview answers each member of the transaction that is created next, but its identifiers and times",
			Clauses: []string{"D-71"}, Operations: previewing, Needs: probe.Extensions,
			Fix: "Make the preview from the same values as the transaction: amounts, defaults, the receive user, the information that is required.",
			Run: func(t *probe.T) {
				for _, method := range []api.PayoutMethod{deposit, wallet, cash, home} {
					t.Case(string(method), func() {
						s := t.Sender()
						body := t.Payout(s, t.Receiver(s, method), "1.00", func(b *api.TransactionRequest) {
							b.Note, b.Purpose, b.CustomPurpose, b.IPAddress = probe.Ptr("A note"), probe.Ptr("OTHER"), probe.Ptr("School fee"), probe.Ptr("203.0.113.7")
							b.FeeAmount, b.RemittancePurpose = probe.Ptr(wire.MustAmount("0")), probe.Ptr("Family support")
							b.To = withMember(t, b.To, "calculation_mode", api.CalculationModeSenderAmount)
							b.ClientReference, b.FundingSourceType = probe.Ptr("order-1"), probe.Ptr("CARD")
							b.PhysicalDocuments = []api.TransactionDocumentRequest{{DocumentType: "INVOICE", DocumentValue: "data:image/png;base64,iVBORw0KGgo="}}
						})
						previewThenCreate(t, s, body)
					})
				}
				t.Case("the payer of a wallet", func() {
					s := t.Sender()
					body := t.Payout(s, t.Receiver(s, wallet), "1.00")
					body.To = withMember(t, body.To, "payer_id", t.AnyPayer(wallet).ID)
					previewThenCreate(t, s, body)
				})
				t.Case("a pick-up location", func() {
					s, p := t.Sender(), payerWithLocations(t)
					body := t.Payout(s, t.At(t.Receiver(s, cash).ID, p), "1.00")
					body.To = withMember(t, body.To, "pickup_location", p.PickupLocation[0].ID)
					previewThenCreate(t, s, body)
				})
				for _, method := range []api.PayoutMethod{deposit, wallet, cash, home} {
					t.Case("RECEIVER_AMOUNT by "+string(method), func() {
						s := t.Sender()
						body := t.Payout(s, t.Receiver(s, method), "1.00")
						amount := preview(t, s, body).ToAmount
						body.ToAmount = &amount
						body.To = withMember(t, body.To, "calculation_mode", "RECEIVER_AMOUNT")
						previewThenCreate(t, s, body)
					})
				}
				t.Case("a receive user with a first name alone", func() {
					s := t.Sender()
					previewThenCreate(t, s, t.Payout(s, t.At(plainReceiveUser(t, s), t.AnyPayer(cash)), "1.00"))
				})
			},
		},
		{
			ID: "preview.limits", Title: "A preview answers what remains after the transaction, and the information that it will require, and uses up nothing",
			Clauses: []string{"D-71", "D-17", "D-25", "D-66"}, Operations: append([]string{"getTransactionLimit", "getCipInfo", "listTransactions"}, previewing...), Needs: probe.Extensions,
			Fix: "Calculate remaining_limit as GET transaction-limit will after the creation, required_information by the rule of the creation, and write nothing: no transaction, no counter, no tag.",
			Run: func(t *probe.T) {
				t.Case("within the tier", func() {
					p := newPurse(t)
					previewChangesNothing(t, p, t.Payout(p.Sender, p.receiver, "1.00", rateOne))
				})
				t.Case("above the tier", func() {
					p := newPurse(t)
					above := plus(t, smallest(p.remaining()), cent).String()
					body := t.Payout(p.Sender, p.receiver, above, rateOne)
					r, err := t.Client().PreviewTransactionWithResponse(t.Context(), p.UserID, body)
					if err == nil && r.StatusCode() == 422 {
						t.Refused(r, err, 422, api.ErrorCodeLimitExceeded) // the highest tier
						return
					}
					previewChangesNothing(t, p, body)
				})
				t.Case("above the highest tier", func() {
					p := newTopPurse(t)
					body := t.Payout(p.Sender, p.receiver, plus(t, smallest(p.remaining()), cent).String(), rateOne)
					r, err := t.Client().PreviewTransactionWithResponse(t.Context(), p.UserID, body)
					t.Refused(r, err, 422, api.ErrorCodeLimitExceeded)
				})
			},
		},
		{
			ID: "preview.refusals", Title: "A preview is refused as the creation is, with the code of the first rule that is not met",
			Clauses: []string{"D-71", "D-09"}, Operations: previewing, Needs: probe.Extensions,
			Fix: "Run the rules of the creation, all of them and in its order.",
			Run: func(t *probe.T) {
				for _, r := range pairs {
					t.Case(r.name, func() {
						s := t.Sender()
						receiver := t.Receiver(s, cmp.Or(r.method, deposit))
						body := t.Payout(s, receiver, "1.00")
						r.change(attempt{t, s, receiver, &body})
						res, err := t.Client().PreviewTransactionWithResponse(t.Context(), s.UserID, body)
						refused := t.Refused(res, err, 422, r.code)
						created, err := t.Create(s.UserID, "", body)
						same := t.Refused(created, err, 422, r.code)
						t.Expect(slices.Equal(refused.Details, same.Details), "the creation has other details than the preview")
					})
				}
				t.Case("a user that is not VERIFIED", func() {
					s, body := t.Deposit()
					t.Verify(s.UserID, api.KycStatusSuspended, nil)
					res, err := t.Client().PreviewTransactionWithResponse(t.Context(), s.UserID, body)
					t.Refused(res, err, 422, api.ErrorCodeKycNotEligible)
				})
				t.Case("a user that cannot send", func() {
					user := t.NewUser(func(r *api.UserRequest) { r.Type = nil }).ID
					res, err := t.Client().PreviewTransactionWithResponse(t.Context(), user, unmet(t, user))
					t.Refused(res, err, 422, api.ErrorCodeSendingNotEnabled)
				})
				t.Case("a rate outside of its bounds", func() {
					b := newBoundedRate(t)
					b.body.ExchangeRate = wire.AmountOf(exact.MustNew(1, 19))
					res, err := t.Client().PreviewTransactionWithResponse(t.Context(), b.sender.UserID, b.body)
					t.Refused(res, err, 422, api.ErrorCodeExchangeRateNotAllowed)
				})
				t.Case("nothing to pay out", func() {
					s, body := t.Deposit()
					payNothing(&body)
					res, err := t.Client().PreviewTransactionWithResponse(t.Context(), s.UserID, body)
					t.Refused(res, err, 422, api.ErrorCodeAmountNotAllowed)
				})
				t.Case("a country that is not enabled", func() {
					user := t.NewUser(func(r *api.UserRequest) { r.Type, r.Country = nil, t.Target().Facts.DisabledCountry }).ID
					res, err := t.Client().PreviewTransactionWithResponse(t.Context(), user, unmet(t, user))
					t.Refused(res, err, 422, api.ErrorCodeCorridorNotEnabled)
				})
				t.Case("amounts that are not equivalent", func() {
					s, body := t.Deposit()
					body.To = withMember(t, body.To, "calculation_mode", "RECEIVER_AMOUNT")
					res, err := t.Client().PreviewTransactionWithResponse(t.Context(), s.UserID, body)
					t.Refused(res, err, 400, badRequest, "body /to_amount")
				})
			},
		},
	}
}

func preview(t *probe.T, s probe.Sender, body api.TransactionRequest) api.TransactionPreview {
	r, err := t.Client().PreviewTransactionWithResponse(t.Context(), s.UserID, body)
	return probe.OK(t, r, err)
}

// previewThenCreate compares a preview with the transaction that is created from the same body.
func previewThenCreate(t *probe.T, s probe.Sender, body api.TransactionRequest) {
	r, err := t.Client().PreviewTransactionWithResponse(t.Context(), s.UserID, body)
	probe.OK(t, r, err)
	promised := members(t, r)
	c, err := t.Create(s.UserID, "", body)
	probe.OK(t, c, err)
	made := members(t, c)
	for _, name := range []string{"id", "created_at", "updated_at"} {
		_, there := promised[name]
		t.Expect(!there, "a preview has %s", name)
		delete(made, name)
	}
	delete(promised, "remaining_limit")
	if documents, ok := made["physical_documents"].([]any); ok {
		for _, d := range documents {
			if object, ok := d.(map[string]any); ok {
				delete(object, "id")
			}
		}
	}
	t.Expect(slices.Equal(slices.Sorted(maps.Keys(promised)), slices.Sorted(maps.Keys(made))),
		"the preview has the members %q, the transaction %q", slices.Sorted(maps.Keys(promised)), slices.Sorted(maps.Keys(made)))
	for _, differs := range append(notEchoed("", made, promised), notEchoed("", promised, made)...) {
		t.Failf("the preview differs from the transaction at %s", differs)
	}
}

// previewChangesNothing expects that a preview leaves limits, tags and transactions alone, and promises what they are after the
// creation.
func previewChangesNothing(t *probe.T, p purse, body api.TransactionRequest) {
	limit, tags := p.limit(), p.tags()
	promised := preview(t, p.Sender, body)
	t.Expect(p.limit() == limit, "a preview uses up the limit")
	t.Expect(maps.Equal(p.tags(), tags), "a preview changes tags")
	t.Expect(len(transactionPage(t, p.UserID, nil, nil).Items) == 0, "a preview is listed as a transaction")
	made := prepareTransaction(t, p.Sender, body)
	after := p.remaining()
	t.Expect(promised.RemainingLimit.DailyLimit.Equal(after.DailyLimit) && promised.RemainingLimit.MonthlyLimit.Equal(after.MonthlyLimit) &&
		promised.RemainingLimit.AnnualLimit.Equal(after.AnnualLimit), "the preview promises %v, and %v remains", promised.RemainingLimit, after)
	t.Expect(slices.Equal(promised.RequiredInformation, made.RequiredInformation),
		"the preview requires %q, the transaction %q", promised.RequiredInformation, made.RequiredInformation)
}
