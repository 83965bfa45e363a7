package transactions_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// A request that breaks every rule is rejected for the first rule of the document; once that is fixed, for the next one, and
// so on (D-09). A rejection writes nothing and does not use the key (D-16).
func TestRulesAreCheckedInTheOrderOfTheDocument(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	user := servertest.NewUser(t, s.Client)
	servertest.VerifyTags(t, s.Client, user.ID, servertest.TopTier...)
	sender := servertest.Sender{ID: user.ID, Fund: uuid.New()}
	request := servertest.PickupAt(t, sender, uuid.New(), 999999, "20000.01", "0.001", "INR")
	request.FromCurrency = "EUR"
	to := func(format string, args ...any) func() {
		return func() { request.To = servertest.To(t, format, args...) }
	}
	status := func(status api.FundingAccountStatus) func() {
		return func() { request.FromFundID = servertest.NewFundingAccount(t, s.Client, user.ID, status) }
	}
	nepal := servertest.NewReceiveUser(t, s.Client, user.ID, "NP")
	const pickup = `{"payout_method":"CASH_PICKUP","id":"%s","payer_id":%d,"pickup_location":%d}`
	for _, step := range []struct {
		repair func()
		code   api.ErrorCode
		field  string
	}{
		{func() {}, api.ErrorCodeKycNotEligible, ""},
		{func() { servertest.Verify(t, s.Client, user.ID, api.KycStatusVerified) }, api.ErrorCodeFundingAccountNotFound, "/from_fund_id"},
		{status(api.FundingAccountStatusPending), api.ErrorCodeFundingAccountNotActive, "/from_fund_id"},
		{status(api.FundingAccountStatusActive), api.ErrorCodeReceiveUserNotFound, "/to/id"},
		{to(pickup, nepal, 999999, 999999), api.ErrorCodePayerNotFound, "/to/payer_id"},
		{to(pickup, nepal, 1003, 999999), api.ErrorCodePickupLocationNotFound, "/to/pickup_location"},
		{to(pickup, nepal, 1003, 30004), api.ErrorCodeCurrencyNotSupported, "/from_currency"},
		{func() { request.FromCurrency = "USD" }, api.ErrorCodeCurrencyNotSupported, "/to_currency"},
		{func() { request.ToCurrency = "NPR" }, api.ErrorCodeAmountNotAllowed, "/to_amount"},
		{func() { request.ExchangeRate = wire.MustAmount("1") }, api.ErrorCodeLimitExceeded, "/from_amount"},
	} {
		step.repair()
		before := servertest.State(t, s.Client, user.ID)
		servertest.WantRefused(t, servertest.Send(t, s.Client, user.ID, "one key", request), step.code, step.field)
		if after := servertest.State(t, s.Client, user.ID); after != before {
			t.Errorf("%s changed\n%s\nto\n%s", step.code, before, after)
		}
	}
	request.FromAmount = wire.MustAmount("20000")
	first := servertest.Created(t, servertest.Send(t, s.Client, user.ID, "one key", request))
	if all := servertest.List(t, s.Client, user.ID, 10); len(all) != 1 || all[0].ID != first.ID {
		t.Errorf("%d transactions, want the one that was created", len(all))
	}
}

// The order of the rules of the other payout methods.
func TestOrderOfTheOtherPayoutMethods(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	nepal := servertest.NewReceiver(t, s.Client, sender.ID)
	r, err := s.Client.CreateReceiveUserWithResponse(t.Context(), sender.ID, nil, api.ReceiveUserRequest{FirstName: "B", Country: "NP"})
	homeless := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).ID
	for name, row := range map[string]struct {
		to    api.ReceiveSide
		code  api.ErrorCode
		field string
	}{
		"delivery: payer before address": {
			servertest.To(t, `{"payout_method":"HOME_DELIVERY","id":"%s","payer_id":1001}`, homeless), api.ErrorCodePayerNotFound, "/to/payer_id",
		},
		"delivery: address before currency": {
			servertest.To(t, `{"payout_method":"HOME_DELIVERY","id":"%s","payer_id":1006}`, homeless), api.ErrorCodeAddressRequired, "/to/id",
		},
		"wallet: account before payer": {
			servertest.To(t, `{"payout_method":"WALLET","id":"%s","fund_id":"%s","payer_id":1005}`, nepal.ID, nepal.Bank),
			api.ErrorCodeReceiveAccountNotFound, "/to/fund_id",
		},
		"wallet: payer before currency": {
			servertest.To(t, `{"payout_method":"WALLET","id":"%s","fund_id":"%s","payer_id":1005}`, nepal.ID, nepal.Wallet),
			api.ErrorCodePayerNotFound, "/to/payer_id",
		},
		"deposit: account before currency": {
			servertest.To(t, `{"payout_method":"BANK_DEPOSIT","id":"%s","fund_id":"%s"}`, nepal.ID, nepal.Wallet),
			api.ErrorCodeReceiveAccountNotFound, "/to/fund_id",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := servertest.Deposit(t, sender, nepal, "0.01")
			request.ExchangeRate, request.FromCurrency, request.ToCurrency = wire.MustAmount("0.01"), "GBP", "INR"
			request.To = row.to
			servertest.WantRefused(t, servertest.Send(t, s.Client, sender.ID, "", request), row.code, row.field)
		})
	}
}

// Section 1, rule 1: only users of an enabled originating corridor can be created with sending capability, and only a
// user with sending capability can send; this is checked before other rules.
func TestSendingCapability(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	send := servertest.Ptr(api.UserTypeSend)
	for country, enabled := range map[string]bool{"US": true, "GB": true, "DE": false, "NP": false} {
		r, err := s.Client.CreateUserWithResponse(t.Context(), nil,
			api.UserRequest{FirstName: "A", Email: "a@example.com", Country: country, Type: send})
		if enabled {
			servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
			continue
		}
		if err != nil || r.StatusCode() != 422 {
			t.Fatalf("status %d, error %v, want 422", r.StatusCode(), err)
		}
		servertest.WantDetail(t, servertest.Refusal(t, r.Body, api.ErrorCodeCorridorNotEnabled), "/country")
	}
	// The corridor comes first (D-09).
	for country, code := range map[string]api.ErrorCode{
		"US": api.ErrorCodeSendingNotEnabled, "DE": api.ErrorCodeCorridorNotEnabled,
	} {
		r, err := s.Client.CreateUserWithResponse(t.Context(), nil, api.UserRequest{FirstName: "A", Email: "a@example.com", Country: country})
		user := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
		if user.Type != nil {
			t.Errorf("a user without type has type %s", *user.Type)
		}
		request := servertest.PickupAt(t, servertest.Sender{Fund: uuid.New()}, uuid.New(), 1001, "1", "1", "NPR")
		servertest.WantRefused(t, servertest.Send(t, s.Client, user.ID, "", request), code, "")
	}
}

// The profile of the client is checked when a transaction is created, not when users are (D-18).
func TestCorridorThatIsNoLongerEnabled(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	nepal := servertest.NewReceiver(t, s.Client, sender.ID)
	us, gb := payout.Corridor{Country: "US", Currency: "USD"}, payout.Corridor{Country: "GB", Currency: "GBP"}
	tier := payout.Tier{Limits: []payout.TierLimit{{Currency: "USD", Daily: 1_00, Monthly: 1_00, Annual: 1_00}}}
	toNepal, toIndia := payout.Destination{Country: "NP", Tiers: []payout.Tier{tier}}, payout.Destination{Country: "IN"}
	send := func() *api.CreateTransactionResponse {
		return servertest.Send(t, s.Client, sender.ID, "", servertest.Deposit(t, sender, nepal, "1"))
	}

	servertest.SetProfile(t, s, []payout.Corridor{gb}, toNepal)
	servertest.WantRefused(t, send(), api.ErrorCodeCorridorNotEnabled, "")
	servertest.Verify(t, s.Client, sender.ID, api.KycStatusSuspended)
	servertest.WantRefused(t, send(), api.ErrorCodeCorridorNotEnabled, "") // before the KYC status
	servertest.Verify(t, s.Client, sender.ID, api.KycStatusVerified)

	servertest.SetProfile(t, s, []payout.Corridor{us}, toIndia)
	servertest.WantRefused(t, send(), api.ErrorCodeCorridorNotEnabled, "/to/id")

	servertest.SetProfile(t, s, []payout.Corridor{us}, toNepal)
	servertest.Created(t, send())
	servertest.WantRefused(t, send(), api.ErrorCodeLimitExceeded, "/from_amount") // the only tier is the highest
}
