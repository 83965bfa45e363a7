package checks

import (
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// methodName is a payout method as it is written in the id of a check.
func methodName(m api.PayoutMethod) string {
	return strings.ReplaceAll(strings.ToLower(string(m)), "_", "-")
}

// receiverAmountMethods is RECEIVER_AMOUNT with each payout method: what is given is compared, and paid out.
func receiverAmountMethods() []probe.Check {
	var checks []probe.Check
	for _, m := range allMethods {
		checks = append(checks, probe.Check{
			ID:      "transactions.receiver-amount." + methodName(m),
			Title:   "A " + string(m) + " with RECEIVER_AMOUNT is compared too, and pays out what was given",
			Clauses: []string{"2.6-receiver-amount", "4-note-4", "7-not-equivalent", "8-tolerance", "D-06", "D-37"}, Operations: []string{"createTransaction"},
			Fix: "Look at calculation_mode whatever the payout_method: compare from_amount, and pay out to_amount as it was sent.",
			Run: func(t *probe.T) {
				s := t.Sender()
				r := t.Receiver(s, m)
				body := t.Payout(s, r, "1.02")
				body.To = withMember(t, body.To, "calculation_mode", api.CalculationModeReceiverAmount)
				body.ExchangeRate = payable(body.ExchangeRate, r.Currency)
				body.ToAmount = &body.ExchangeRate // calculated: 1.00
				x, err := t.Create(s.UserID, "", body)
				t.Refused(x, err, 400, badRequest, "body /from_amount")
				body.FromAmount = wire.MustAmount("1.01")
				made := createTransaction(t, s, body)
				t.Expect(made.ToAmount.Equal(*body.ToAmount), "answered to_amount %s, want %s", made.ToAmount, body.ToAmount)
			},
		})
	}
	return checks
}

// payable cuts what its currency cannot say of an amount.
func payable(amount wire.Amount, currency string) wire.Amount {
	if digits := minorDigits(currency); digits >= 0 {
		return wire.AmountOf(amount.Decimal().Trunc(digits))
	}
	return amount
}

// transactionEchoMethods is what comes back with the payout methods that the other checks of it do not use.
func transactionEchoMethods() probe.Check {
	return probe.Check{
		ID: "transactions.creation.echo-each-method", Title: "What was sent comes back, and what is known of the receive user, whatever the payout method",
		Clauses: []string{"2.6-response", "2.6-to-response", "D-46"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
		Fix: "Store and answer the members of a transaction, its documents and the receive side in one way for all payout methods.",
		Run: func(t *probe.T) {
			s := t.NewSender()
			known := probe.Object(t, probe.ReceiveUserRequest(t.Target().Facts.Destination))
			for _, m := range []api.PayoutMethod{api.PayoutMethodWallet, api.PayoutMethodCashPickup, api.PayoutMethodHomeDelivery} {
				r := t.Receiver(s, m)
				body := fullTransaction(t, s)
				body.To, body.ToCurrency, body.ExchangeRate = r.To, r.Currency, t.Payout(s, r, "1.00").ExchangeRate
				x := createTransaction(t, s, body)
				sent, got := probe.Object(t, body), probe.Object(t, x)
				for _, name := range []string{
					"from_amount", "fee_amount", "exchange_rate", "from_currency", "to_currency", "from_fund_id", "funding_source_type",
					"note", "purpose", "custom_purpose", "ip_address",
				} {
					t.Expect(sameValue(sent[name], got[name]), "%s: answered another %s than was sent, or none", m, name)
				}
				t.Expect(len(x.PhysicalDocuments) == len(body.PhysicalDocuments),
					"%s: answered %d documents, %d were sent", m, len(x.PhysicalDocuments), len(body.PhysicalDocuments))
				to := probe.Object(t, x.To)
				for _, name := range []string{"first_name", "last_name", "email", "mobile_phone", "address_line1"} {
					t.Expect(known[name] == to[name], "%s: answered another to.%s than that of the receive user, or none", m, name)
				}
			}
		},
	}
}

// otherUsersReceivers is rule 3c between two users: with each method one sends to what the other has added.
func otherUsersReceivers() probe.Check {
	return probe.Check{
		ID: "transactions.receive-user.other-user", Title: "The receive user of another user receives nothing, whatever the payout method",
		Clauses: []string{"1-rule-3c", "D-09", "D-10"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
		Fix: "Look for to.id among the receive users of the sender only.",
		Run: func(t *probe.T) {
			s, other := t.NewSender(), t.NewSender()
			t.NewReceiveUser(s.UserID, t.Target().Facts.Destination)
			for _, m := range allMethods {
				r, err := t.Create(s.UserID, "", t.Payout(s, t.Receiver(other, m), "1.00"))
				t.Refused(r, err, 422, api.ErrorCodeReceiveUserNotFound)
			}
		},
	}
}

// anyAccounts is which accounts receive: each of two of one kind, and those at any bank.
func anyAccounts() []probe.Check {
	var checks []probe.Check
	for _, m := range []struct {
		method             api.PayoutMethod
		name, what, clause string
	}{
		{api.PayoutMethodBankDeposit, "bank-account", "bank account", "1-rule-4-bank-deposit"},
		{api.PayoutMethodWallet, "wallet-account", "wallet account", "1-rule-4-wallet"},
	} {
		checks = append(checks, probe.Check{
			ID:      "transactions." + m.name + ".each",
			Title:   "A " + string(m.method) + " goes to the " + m.what + " that it names, whichever of the receive user's that is",
			Clauses: []string{m.clause, "2.6-to-response", "D-20"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
			Fix: "Take the account of to.fund_id: a receive user may have several " + m.what + "s.",
			Run: func(t *probe.T) {
				s := t.NewSender()
				r := t.Receiver(s, m.method)
				body := t.Payout(s, r, "1.00")
				second := func() any {
					if m.method == api.PayoutMethodWallet {
						return t.NewWalletAccount(s.UserID, r.ID, t.AnyPayer(m.method))
					}
					return t.NewBankAccount(s.UserID, r.ID, t.Bank(t.Target().Facts.Destination))
				}()
				for _, to := range []api.ReceiveSide{body.To, withMember(t, body.To, "fund_id", second)} {
					body.To = to
					got := probe.Object(t, createTransaction(t, s, body).To)
					t.Expect(sameValue(probe.Object(t, to)["fund_id"], got["fund_id"]), "answered another to.fund_id than was sent")
				}
			},
		})
	}
	return append(checks, depositsOfAnyType())
}

// depositsOfAnyType is D-49: what a bank says of transaction types refuses nothing.
func depositsOfAnyType() probe.Check {
	return probe.Check{
		ID: "transactions.bank-account.any-txn-type", Title: "A person sends to an account at any bank, whatever its txn_supported_types",
		Clauses: []string{"2.2", "1-rule-4-bank-deposit", "D-49"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
		Fix: "Return txn_supported_types as information, and do not look at them when a transaction is created.",
		Run: func(t *probe.T) {
			country := t.Target().Facts.Destination
			for _, b := range t.Banks() {
				if b.Country == country && len(b.ReceivingCurrency) > 0 && !slices.Contains(b.TxnSupportedTypes, "C2C") {
					s := t.NewSender()
					id := t.NewReceiveUser(s.UserID, country)
					fund := t.NewBankAccount(s.UserID, id, b)
					to := t.To(api.PayoutMethodBankDeposit, id, &fund, 0)
					createTransaction(t, s, t.Payout(s, probe.Receiver{ID: id, To: to, Currency: b.ReceivingCurrency[0]}, "1.00"))
					return
				}
			}
			t.Skipf("the server has no bank without C2C in %s", country)
		},
	}
}
