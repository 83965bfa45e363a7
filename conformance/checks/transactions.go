package checks

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/google/uuid"
	"github.com/govalues/money"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

func transactions() []probe.Check {
	return slices.Concat(
		transactionCreation(),
		transactionSenders(),
		transactionReceivers(),
		transactionAmounts(), transactionRates(),
		transactionOrder(),
		senderAmountMode(),
		receiverAmountMode(),
		transactionDecimals(),
		transactionReading(),
		transactionPaging(),
	)
}

// createTransaction sends a transaction that must be created.
func createTransaction(t *probe.T, s probe.Sender, body api.TransactionRequest) api.Transaction {
	r, err := t.Create(s.UserID, "", body)
	return probe.OK(t, r, err)
}

// prepareTransaction creates a transaction that a check needs and is not about.
func prepareTransaction(t *probe.T, s probe.Sender, body api.TransactionRequest) api.Transaction {
	r, err := t.Create(s.UserID, "", body)
	return probe.Setup(t, r, err)
}

// attempt is a transaction that would be created, until something about it is changed.
type attempt struct {
	*probe.T
	sender   probe.Sender
	receiver probe.Receiver
	body     *api.TransactionRequest
}

// to sets a member of the receive side.
func (a attempt) to(name string, value any) { a.body.To = withMember(a.T, a.body.To, name, value) }

// foreignCurrency makes the sending currency one that the corridor does not have.
func (a attempt) foreignCurrency() { a.body.FromCurrency = otherCurrency(a.body.FromCurrency) }

// refusal is a case of a check: one change for which a transaction is refused with 422.
type refusal struct {
	name   string
	needs  probe.Need
	method api.PayoutMethod // empty: BANK_DEPOSIT
	code   api.ErrorCode
	change func(attempt)
}

// refused makes a check of refusals.
func refused(all ...refusal) func(*probe.T) {
	cases := make([]testCase, len(all))
	for i, r := range all {
		cases[i] = testCase{r.name, r.needs, func(t *probe.T) {
			s := t.Sender()
			receiver := t.Receiver(s, cmp.Or(r.method, api.PayoutMethodBankDeposit))
			body := t.Payout(s, receiver, "1.00")
			r.change(attempt{t, s, receiver, &body})
			res, err := t.Create(s.UserID, "", body)
			t.Refused(res, err, 422, r.code)
		}}
	}
	return each(cases...)
}

// withMember returns a receive side with one more member, or another value of one.
func withMember(t *probe.T, to api.ReceiveSide, name string, value any) api.ReceiveSide {
	members := probe.Object(t, to)
	members[name] = value
	text, err := json.Marshal(members)
	if err == nil {
		err = to.UnmarshalJSON(text)
	}
	if err != nil {
		t.Brokenf("make a receive side: %v", err)
	}
	return to
}

// unknownID is an identifier that nothing has.
func unknownID() openapi_types.UUID { return uuid.New() }

// unknownPayer is an identifier that no payer has, as far as the client can see.
func unknownPayer(t *probe.T) int64 {
	return unused(ids(allPayers(t), func(p api.Payer) int64 { return p.ID }))
}

// otherCurrency is one of 2 decimals that is none of these.
func otherCurrency(than ...string) string {
	for _, c := range []string{"EUR", "GBP", "CHF"} {
		if !slices.Contains(than, c) {
			return c
		}
	}
	return "AUD"
}

// minorDigits is how many decimals a currency has, -1 where ISO 4217 does not know it.
func minorDigits(currency string) int {
	c, err := money.ParseCurr(currency)
	if err != nil {
		return -1
	}
	return c.Scale()
}

// paidIn returns a receive side that is paid in a currency of so many decimals, by a payer that restricts nothing.
func paidIn(t *probe.T, s probe.Sender, digits int) probe.Receiver {
	if !t.Full() {
		for _, f := range t.Target().Fixtures.Receivers {
			if minorDigits(f.Currency) == digits {
				return probe.Receiver{ID: f.ID, To: t.To(f.PayoutMethod, f.ID, f.FundID, f.PayerID), Currency: f.Currency}
			}
		}
		t.Skipf("the fixtures name no receiver of a currency with %d decimals", digits)
	}
	r, there := payingIn(t, s, digits)
	if !there {
		t.Skipf("the server has no bank, and no payer of CASH_PICKUP without network limits, for a currency with %d decimals", digits)
	}
	return r
}

// payingIn makes it, if the server has any. It uses extensions.
func payingIn(t *probe.T, s probe.Sender, digits int) (r probe.Receiver, there bool) {
	for _, p := range t.Payers() {
		if p.DeliveryMethod == api.PayoutMethodCashPickup && len(p.NetworkLimit) == 0 && minorDigits(p.ReceivingCurrency) == digits {
			return t.At(t.NewReceiveUser(s.UserID, p.Country), p), true
		}
	}
	return depositIn(t, s, digits)
}

// depositIn makes it of a bank deposit: no network limit is one of those (D-43).
func depositIn(t *probe.T, s probe.Sender, digits int) (r probe.Receiver, there bool) {
	for _, b := range t.Banks() {
		i := slices.IndexFunc(b.ReceivingCurrency, func(currency string) bool { return minorDigits(currency) == digits })
		if i < 0 {
			continue
		}
		b.ReceivingCurrency = b.ReceivingCurrency[i:]
		id := t.NewReceiveUser(s.UserID, b.Country)
		fund := t.NewBankAccount(s.UserID, id, b)
		return probe.Receiver{ID: id, To: t.To(api.PayoutMethodBankDeposit, id, &fund, 0), Currency: b.ReceivingCurrency[0]}, true
	}
	return r, false
}

// equalTransactions compares two answers by what they mean: 100 equals 100.00.
func equalTransactions(t *probe.T, a, b api.Transaction) bool {
	text := func(x api.Transaction) string {
		for _, amount := range []*wire.Amount{&x.BonusAmount, &x.ExchangeRate, &x.FeeAmount, &x.FromAmount, &x.ToAmount} {
			*amount = wire.AmountOf(amount.Decimal().Trim(0))
		}
		encoded, err := json.Marshal(x)
		if err != nil {
			t.Brokenf("encode a transaction: %v", err)
		}
		return string(encoded)
	}
	return text(a) == text(b)
}

// transactionIDs returns the ids of a user's transactions as one page of at most 100, as a set-up.
func transactionIDs(t *probe.T, user openapi_types.UUID) []openapi_types.UUID {
	r, err := t.Client().ListTransactionsWithResponse(t.Context(), user, &api.ListTransactionsParams{Limit: probe.Ptr[int32](100)})
	return ids(probe.Setup(t, r, err).Items, func(x api.Transaction) openapi_types.UUID { return x.ID })
}

// remainingLimit returns what a user may still send to the destination, as a set-up.
func remainingLimit(t *probe.T, user openapi_types.UUID) api.RemainingLimit {
	return purse{Sender: probe.Sender{UserID: user}, t: t}.remaining()
}
