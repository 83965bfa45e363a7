package payout_test

import (
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// Section 1: each rule alone, broken in a request that meets all others. A refused transaction leaves no trace.
func TestEachRuleOfATransaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, stranger := w.newSender(t, individual("US")), w.newSender(t, individual("US"))
	india := w.receive(t, s.user, receiver("IN"))
	homeless, cityless := receiver("NP"), receiver("NP")
	homeless.AddressLine1, cityless.City = "", ""
	noAddress, noCity := w.receive(t, s.user, homeless), w.receive(t, s.user, cityless)
	neighbour := w.receive(t, s.user, receiver("NP"))
	neighbours := w.newSender(t, individual("US"))
	neighbours.bank, neighbours.wallet = w.bank(t, neighbour, bankNP, "NPR"), w.wallet(t, neighbour, walletNP, "NPR")
	limited := w.wallet(t, s.nepal, walletLimited, "NPR")
	dollars := w.bank(t, s.nepal, bankNP, "USD")

	deposit := payout.ReceiveSide{Method: payout.BankDeposit, FundID: s.bank.ID}
	wallet := payout.ReceiveSide{Method: payout.Wallet, FundID: s.wallet.ID}
	pickup := payout.ReceiveSide{Method: payout.CashPickup, PayerID: cashNP}
	home := payout.ReceiveSide{Method: payout.HomeDelivery, PayerID: homeNP}
	with := func(to payout.ReceiveSide, change func(*payout.ReceiveSide)) payout.ReceiveSide {
		change(&to)
		return to
	}
	for name, c := range map[string]struct {
		to     payout.ReceiveSide
		change func(*payout.NewTransaction) // nil: none
		code   payout.Code                  // empty: created
		field  string
	}{
		"a deposit":        {to: deposit},
		"a wallet":         {to: wallet},
		"a wallet's payer": {to: with(wallet, func(to *payout.ReceiveSide) { to.PayerID = walletNP })},
		"a pick-up":        {to: pickup},
		"a pick-up at a location": {
			to: with(pickup, func(to *payout.ReceiveSide) { to.PickupLocation = pickupNP }),
		},
		"a home delivery":                {to: home},
		"no address without delivery":    {to: with(pickup, func(to *payout.ReceiveSide) { to.ReceiveUserID = noAddress.ID })},
		"another currency of the bank":   {to: with(deposit, func(to *payout.ReceiveSide) { to.FundID = dollars.ID }), change: toCurrency("USD")},
		"limits of payers do not matter": {to: deposit, change: rate("0.02")}, // D-43: that of depositNP is 0.01

		// Rule 3b
		"no funding account": {deposit, fromFund(payout.FundingAccount{ID: "nowhere"}), payout.CodeFundingAccountNotFound, "/from_fund_id"},
		"funding account of another user": {
			deposit, fromFund(stranger.fund), payout.CodeFundingAccountNotFound, "/from_fund_id",
		},
		"pending funding account": {
			deposit, fromFund(w.fund(t, s.user, payout.FundingPending)), payout.CodeFundingAccountNotActive, "/from_fund_id",
		},
		"inactive funding account": {
			deposit, fromFund(w.fund(t, s.user, payout.FundingInactive)), payout.CodeFundingAccountNotActive, "/from_fund_id",
		},
		"another active funding account": {to: deposit, change: fromFund(w.fund(t, s.user, payout.FundingActive))},

		// Rule 3c
		"no receive user": {
			with(pickup, func(to *payout.ReceiveSide) { to.ReceiveUserID = "nobody" }), nil, payout.CodeReceiveUserNotFound, "/to/id",
		},
		"receive user of another user": {
			with(pickup, func(to *payout.ReceiveSide) { to.ReceiveUserID = stranger.nepal.ID }), nil, payout.CodeReceiveUserNotFound, "/to/id",
		},

		// Rule 4, BANK_DEPOSIT
		"no bank account": {
			with(deposit, func(to *payout.ReceiveSide) { to.FundID = "nothing" }), nil, payout.CodeReceiveAccountNotFound, "/to/fund_id",
		},
		"wallet account for a deposit": {
			with(deposit, func(to *payout.ReceiveSide) { to.FundID = s.wallet.ID }), nil, payout.CodeReceiveAccountNotFound, "/to/fund_id",
		},
		"bank account of another receive user": {
			with(deposit, func(to *payout.ReceiveSide) { to.FundID = neighbours.bank.ID }), nil, payout.CodeReceiveAccountNotFound, "/to/fund_id",
		},

		// Rule 4, WALLET
		"no wallet account": {
			with(wallet, func(to *payout.ReceiveSide) { to.FundID = "nothing" }), nil, payout.CodeReceiveAccountNotFound, "/to/fund_id",
		},
		"bank account for a wallet": {
			with(wallet, func(to *payout.ReceiveSide) { to.FundID = s.bank.ID }), nil, payout.CodeReceiveAccountNotFound, "/to/fund_id",
		},
		"wallet account of another receive user": {
			with(wallet, func(to *payout.ReceiveSide) { to.FundID = neighbours.wallet.ID }), nil, payout.CodeReceiveAccountNotFound, "/to/fund_id",
		},
		"another payer than the wallet's": {
			with(wallet, func(to *payout.ReceiveSide) { to.PayerID = walletLimited }), nil, payout.CodePayerNotFound, "/to/payer_id",
		},
		"below the limit of the wallet's payer": {
			with(wallet, func(to *payout.ReceiveSide) { to.FundID = limited.ID }), rate("99.99"), payout.CodeAmountNotAllowed, "/to_amount",
		},

		// Rule 4, CASH_PICKUP
		"no payer": {
			with(pickup, func(to *payout.ReceiveSide) { to.PayerID = unknownID }), nil, payout.CodePayerNotFound, "/to/payer_id",
		},
		"wallet payer for a pick-up": {
			with(pickup, func(to *payout.ReceiveSide) { to.PayerID = walletNP }), nil, payout.CodePayerNotFound, "/to/payer_id",
		},
		"payer of another country for a pick-up": {
			with(pickup, func(to *payout.ReceiveSide) { to.PayerID = cashJP }), nil, payout.CodePayerNotFound, "/to/payer_id",
		},
		"no pick-up location": {
			with(pickup, func(to *payout.ReceiveSide) { to.PickupLocation = unknownID }), nil, payout.CodePickupLocationNotFound, "/to/pickup_location",
		},
		"pick-up location of another payer": {
			with(pickup, func(to *payout.ReceiveSide) { to.PickupLocation = pickupNP2 }), nil, payout.CodePickupLocationNotFound, "/to/pickup_location",
		},

		// Rule 4, HOME_DELIVERY
		"no payer for a delivery": {
			with(home, func(to *payout.ReceiveSide) { to.PayerID = unknownID }), nil, payout.CodePayerNotFound, "/to/payer_id",
		},
		"pick-up payer for a delivery": {
			with(home, func(to *payout.ReceiveSide) { to.PayerID = cashNP }), nil, payout.CodePayerNotFound, "/to/payer_id",
		},
		"payer of another country for a delivery": {
			with(home, func(to *payout.ReceiveSide) { to.PayerID = homeIN }), nil, payout.CodePayerNotFound, "/to/payer_id",
		},
		"receive user in another country": {
			with(home, func(to *payout.ReceiveSide) { to.ReceiveUserID = india.ID }), nil, payout.CodePayerNotFound, "/to/payer_id",
		},
		"no address": {
			with(home, func(to *payout.ReceiveSide) { to.ReceiveUserID = noAddress.ID }), nil, payout.CodeAddressRequired, "/to/id",
		},
		"no city": {
			with(home, func(to *payout.ReceiveSide) { to.ReceiveUserID = noCity.ID }), nil, payout.CodeAddressRequired, "/to/id",
		},

		// Currencies (D-53)
		"currency of another corridor": {deposit, fromCurrency("JPY"), payout.CodeCurrencyNotSupported, "/from_currency"},
		"another currency than the bank account's": {
			deposit, toCurrency("USD"), payout.CodeCurrencyNotSupported, "/to_currency",
		},
		"another currency than the wallet account's": {
			wallet, toCurrency("USD"), payout.CodeCurrencyNotSupported, "/to_currency",
		},
		"another currency than the pick-up payer's": {
			pickup, toCurrency("USD"), payout.CodeCurrencyNotSupported, "/to_currency",
		},
		"another currency than the delivery payer's": {
			home, toCurrency("USD"), payout.CodeCurrencyNotSupported, "/to_currency",
		},

		// Rule 5 and D-42
		"nothing to receive":            {deposit, rate("0.004"), payout.CodeAmountNotAllowed, "/from_amount"},
		"above the limit of a delivery": {home, rate("100000.01"), payout.CodeAmountNotAllowed, "/to_amount"},
		"at the limit of a delivery":    {to: home, change: rate("100000")},
		"above the limit of the tiers":  {deposit, from("600.01"), payout.CodeLimitExceeded, "/from_amount"},

		// What the contract does not accept is an internal error
		"unknown method": {with(pickup, func(to *payout.ReceiveSide) { to.Method = "PIGEON" }), nil, payout.CodeInternalError, ""},
		"unknown mode":   {with(pickup, func(to *payout.ReceiveSide) { to.Mode = "BOTH" }), nil, payout.CodeInternalError, ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := s.request(c.to)
			if c.change != nil {
				c.change(&n)
			}
			before := s.state(t)
			got, err := s.send(t, n)
			switch c.code {
			case "":
				ok(t, got, err)
				return
			case payout.CodeInternalError:
				if err == nil || payout.CodeOf(err) != c.code {
					t.Errorf("%v, want %s", err, c.code)
				}
			default:
				refused(t, err, c.code, c.field)
			}
			if after := s.state(t); after != before {
				t.Errorf("a refused transaction changed\n%s\nto\n%s", before, after)
			}
		})
	}
}

func fromFund(a payout.FundingAccount) func(*payout.NewTransaction) {
	return func(n *payout.NewTransaction) { n.FromFundID = a.ID }
}

func fromCurrency(code string) func(*payout.NewTransaction) {
	return func(n *payout.NewTransaction) { n.FromCurrency = code }
}

func toCurrency(code string) func(*payout.NewTransaction) {
	return func(n *payout.NewTransaction) { n.ToCurrency = code }
}

func rate(text string) func(*payout.NewTransaction) {
	return func(n *payout.NewTransaction) { n.ExchangeRate = amount(text) }
}

func from(text string) func(*payout.NewTransaction) {
	return func(n *payout.NewTransaction) { n.FromAmount = amount(text) }
}

// Section 1, rules 1 and 3a: who may send at all.
func TestOnlyAVerifiedUserWithSendingCapabilityMaySend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	for status, code := range map[payout.KYCStatus]payout.Code{
		payout.KYCUnverified: payout.CodeKYCNotEligible, payout.KYCInProgress: payout.CodeKYCNotEligible,
		payout.KYCSuspended: payout.CodeKYCNotEligible, payout.KYCVerified: "",
	} {
		w.verify(t, s.user, payout.Verification{Status: status})
		v, err := s.send(t, s.deposit("1"))
		if code == "" {
			ok(t, v, err)
			continue
		}
		refused(t, err, code, "")
	}

	receiving := individual("US")
	receiving.Sending = false
	mute := w.newSender(t, receiving)
	_, err := mute.send(t, mute.deposit("1"))
	refused(t, err, payout.CodeSendingNotEnabled, "")
}

// A transaction is checked against what is enabled now, not when the users were registered (D-18).
func TestACorridorThatIsNoLongerEnabled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	corridors, destinations := w.acme.Corridors, w.acme.Destinations

	w.acme.Corridors = corridors[1:]
	n := s.deposit("1")
	n.FromCurrency = "USD"
	_, err := s.send(t, n)
	refused(t, err, payout.CodeCorridorNotEnabled, "")

	w.acme.Corridors, w.acme.Destinations = corridors, destinations[1:]
	_, err = s.send(t, s.deposit("1"))
	refused(t, err, payout.CodeCorridorNotEnabled, "/to/id")

	w.acme.Corridors, w.acme.Destinations = corridors[:1], destinations[:1]
	s.sent(t, s.deposit("1"))
}

// The rules are checked in the order of the document, and the first that is not met is reported (D-09). The request breaks
// all of them; each step repairs the one that was reported. One idempotency key serves to the end: a refusal uses none.
func TestTheOrderOfTheRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	enabled := w.acme
	receiving := individual("US")
	receiving.Sending = false
	users := map[string]payout.User{"receiving": w.register(t, receiving), "sending": w.register(t, individual("US"))}
	user := users["receiving"]
	s := &sender{w: w, user: users["sending"]}
	pending := w.fund(t, s.user, payout.FundingPending)
	nepal := receiver("NP")
	nepal.AddressLine1 = ""
	homeless, receiver := w.receive(t, s.user, nepal), w.receive(t, s.user, receiver("NP"))
	w.acme.Corridors, w.acme.Destinations = nil, nil

	n := payout.NewTransaction{
		FromAmount: amount("1000000000.001"), ExchangeRate: amount("1"), FromCurrency: "EUR", ToCurrency: "INR", FromFundID: "nowhere",
		To: payout.ReceiveSide{
			Method: payout.HomeDelivery, Mode: payout.SenderAmount, ReceiveUserID: "nobody", PayerID: unknownID, PickupLocation: unknownID,
		},
	}
	key := payout.Idempotency{Key: "one key", Fingerprint: "f"}
	unknown := user
	unknown.ID = "nobody"
	user = unknown
	for _, step := range []struct {
		repair func()
		code   payout.Code
		field  string
	}{
		{func() {}, payout.CodeBadRequest, "/from_amount"},
		{func() { n.FromAmount = amount("1000000000") }, payout.CodeNotFound, ""},
		{func() { user = users["receiving"] }, payout.CodeCorridorNotEnabled, ""},
		{func() { w.acme.Corridors = enabled.Corridors }, payout.CodeSendingNotEnabled, ""},
		{func() { user = users["sending"] }, payout.CodeKYCNotEligible, ""},
		{func() { w.verify(t, user, payout.Verification{Status: payout.KYCVerified}) }, payout.CodeFundingAccountNotFound, "/from_fund_id"},
		{func() { n.FromFundID = pending.ID }, payout.CodeFundingAccountNotActive, "/from_fund_id"},
		{func() { n.FromFundID = w.fund(t, user, payout.FundingActive).ID }, payout.CodeReceiveUserNotFound, "/to/id"},
		{func() { n.To.ReceiveUserID = homeless.ID }, payout.CodeCorridorNotEnabled, "/to/id"},
		{func() { w.acme.Destinations = enabled.Destinations }, payout.CodePayerNotFound, "/to/payer_id"},
		{func() { n.To.PayerID = homeNP }, payout.CodeAddressRequired, "/to/id"},
		{func() { n.To.Method, n.To.PayerID = payout.CashPickup, limitedNP }, payout.CodePickupLocationNotFound, "/to/pickup_location"},
		{func() { n.To.PickupLocation = pickupNP2 }, payout.CodeCurrencyNotSupported, "/from_currency"},
		{func() { n.FromCurrency = "USD" }, payout.CodeCurrencyNotSupported, "/to_currency"},
		{func() { n.ToCurrency = "NPR" }, payout.CodeAmountNotAllowed, "/to_amount"},
		{func() { n.ExchangeRate = amount("0.0001") }, payout.CodeLimitExceeded, "/from_amount"},
	} {
		step.repair()
		before := s.state(t)
		_, replayed, err := w.CreateTransaction(t.Context(), w.acme, key, user.ID, n)
		if replayed {
			t.Fatal("replayed before anything was created")
		}
		refused(t, err, step.code, step.field)
		if after := s.state(t); after != before {
			t.Errorf("%s changed\n%s\nto\n%s", step.code, before, after)
		}
	}
	n.FromAmount, n.ExchangeRate, n.To.ReceiveUserID = amount("1"), amount("130"), receiver.ID
	v, replayed, err := w.CreateTransaction(t.Context(), w.acme, key, user.ID, n)
	created(t, v, replayed, err)
}

// The methods that the request above does not use have an order of their own.
func TestTheOrderOfTheRulesOfOtherMethods(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	for name, c := range map[string]struct {
		to    payout.ReceiveSide
		code  payout.Code
		field string
	}{
		"deposit: account before currencies": {
			payout.ReceiveSide{Method: payout.BankDeposit, FundID: "nothing"}, payout.CodeReceiveAccountNotFound, "/to/fund_id",
		},
		"wallet: account before payer": {
			payout.ReceiveSide{Method: payout.Wallet, FundID: "nothing", PayerID: walletLimited}, payout.CodeReceiveAccountNotFound, "/to/fund_id",
		},
		"wallet: payer before currencies": {
			payout.ReceiveSide{Method: payout.Wallet, FundID: s.wallet.ID, PayerID: walletLimited}, payout.CodePayerNotFound, "/to/payer_id",
		},
		"pick-up: payer before location": {
			payout.ReceiveSide{Method: payout.CashPickup, PayerID: unknownID, PickupLocation: unknownID}, payout.CodePayerNotFound, "/to/payer_id",
		},
	} {
		n := s.request(c.to)
		n.FromCurrency, n.ToCurrency = "EUR", "INR"
		t.Run(name, func(t *testing.T) {
			_, err := s.send(t, n)
			refused(t, err, c.code, c.field)
		})
	}
	// The currency comes before nothing to receive, and that before the network limit.
	n := s.request(payout.ReceiveSide{Method: payout.CashPickup, PayerID: limitedNP})
	n.FromCurrency, n.ExchangeRate = "EUR", amount("0.0001")
	_, err := s.send(t, n)
	refused(t, err, payout.CodeCurrencyNotSupported, "/from_currency")
	n.FromCurrency = "USD"
	_, err = s.send(t, n)
	refused(t, err, payout.CodeAmountNotAllowed, "/from_amount")
}

// Reference data may change after an account was added.
func TestAWalletWhosePayerIsNoLongerThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	moved := referenceRows.Payers[2]
	moved.Country = "IN"
	if _, err := w.store.ImportPayers(t.Context(), []payout.Payer{moved}, store.Import{}); err != nil {
		t.Fatal(err)
	}
	_, err := s.send(t, s.request(payout.ReceiveSide{Method: payout.Wallet, FundID: s.wallet.ID}))
	refused(t, err, payout.CodePayerNotFound, "/to/fund_id")
}
