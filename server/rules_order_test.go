package server_test

import (
	"testing"

	"github.com/google/uuid"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store"
)

// A request that breaks every rule is refused for the first one of the document; with this put right for the next one,
// and so on (D-09). No refusal writes anything or uses up the key, so that the same key serves to the end (D-16).
func TestRuleOrderIsThatOfTheDocument(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	user := servertest.NewUser(t, s.Client)
	limitVerify(t, s.Client, user.ID, limitTopTier...)
	sender := servertest.Sender{ID: user.ID, Fund: uuid.New()}
	request := rulePickup(t, sender, uuid.New(), 999999, "20000.01", "0.001", "INR")
	request.FromCurrency = "EUR"
	to := func(format string, args ...any) func() {
		return func() { request.To = ruleTo(t, format, args...) }
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
		before := ruleState(t, s.Client, user.ID)
		ruleRefused(t, servertest.Send(t, s.Client, user.ID, "one key", request), step.code, step.field)
		if after := ruleState(t, s.Client, user.ID); after != before {
			t.Errorf("%s changed\n%s\nto\n%s", step.code, before, after)
		}
	}
	request.FromAmount = wire.MustAmount("20000")
	first := ruleCreated(t, servertest.Send(t, s.Client, user.ID, "one key", request))
	if all := rowList(t, s.Client, user.ID, 10); len(all) != 1 || all[0].ID != first.ID {
		t.Errorf("%d transactions, want the one that was created", len(all))
	}
}

// The methods that the request above does not use have their own first rule.
func TestRuleOrderOfTheOtherPayoutMethods(t *testing.T) {
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
			ruleTo(t, `{"payout_method":"HOME_DELIVERY","id":"%s","payer_id":1001}`, homeless), api.ErrorCodePayerNotFound, "/to/payer_id",
		},
		"delivery: address before currency": {
			ruleTo(t, `{"payout_method":"HOME_DELIVERY","id":"%s","payer_id":1006}`, homeless), api.ErrorCodeAddressRequired, "/to/id",
		},
		"wallet: account before payer": {
			ruleTo(t, `{"payout_method":"WALLET","id":"%s","fund_id":"%s","payer_id":1005}`, nepal.ID, nepal.Bank),
			api.ErrorCodeReceiveAccountNotFound, "/to/fund_id",
		},
		"wallet: payer before currency": {
			ruleTo(t, `{"payout_method":"WALLET","id":"%s","fund_id":"%s","payer_id":1005}`, nepal.ID, nepal.Wallet),
			api.ErrorCodePayerNotFound, "/to/payer_id",
		},
		"deposit: account before currency": {
			ruleTo(t, `{"payout_method":"BANK_DEPOSIT","id":"%s","fund_id":"%s"}`, nepal.ID, nepal.Wallet),
			api.ErrorCodeReceiveAccountNotFound, "/to/fund_id",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := servertest.Deposit(t, sender, nepal, "0.01")
			request.ExchangeRate, request.FromCurrency, request.ToCurrency = wire.MustAmount("0.01"), "GBP", "INR"
			request.To = row.to
			ruleRefused(t, servertest.Send(t, s.Client, sender.ID, "", request), row.code, row.field)
		})
	}
}

// Section 1, rule 1: only users of an enabled originating corridor can be created with sending capability, and only a
// user with sending capability can send, whatever else is wrong.
func TestRuleSendingCapability(t *testing.T) {
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
		ruleNames(t, refusal(t, r.Body, api.ErrorCodeCorridorNotEnabled), "/country")
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
		request := rulePickup(t, servertest.Sender{Fund: uuid.New()}, uuid.New(), 1001, "1", "1", "NPR")
		ruleRefused(t, servertest.Send(t, s.Client, user.ID, "", request), code, "")
	}
}

// ruleProfile gives the first client another profile, as the operator does it: on the store.
func ruleProfile(t testing.TB, s *servertest.Server, corridors []payout.Corridor, destinations ...payout.Destination) {
	t.Helper()
	db, err := store.Open(t.Context(), s.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sandbox := server.SandboxClients[0]
	client := payout.Client{ID: sandbox.ID, Name: sandbox.Name, Corridors: corridors, Destinations: destinations}
	if err := db.PutClient(t.Context(), client, payout.HashSecret(sandbox.Secret), s.Clock.Now()); err != nil {
		t.Fatal(err)
	}
}

// What is enabled for the client is looked at when a transaction is created, not when the users were (D-18).
func TestRuleCorridorThatIsNoLongerEnabled(t *testing.T) {
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

	ruleProfile(t, s, []payout.Corridor{gb}, toNepal)
	ruleRefused(t, send(), api.ErrorCodeCorridorNotEnabled, "")
	servertest.Verify(t, s.Client, sender.ID, api.KycStatusSuspended)
	ruleRefused(t, send(), api.ErrorCodeCorridorNotEnabled, "") // before the KYC status
	servertest.Verify(t, s.Client, sender.ID, api.KycStatusVerified)

	ruleProfile(t, s, []payout.Corridor{us}, toIndia)
	ruleRefused(t, send(), api.ErrorCodeCorridorNotEnabled, "/to/id")

	ruleProfile(t, s, []payout.Corridor{us}, toNepal)
	ruleCreated(t, send())
	ruleRefused(t, send(), api.ErrorCodeLimitExceeded, "/from_amount") // the only tier is the highest
}

// The creations that a transaction needs before have codes of their own (D-18, D-20).
func TestRuleOfReceiveUsersAndTheirAccounts(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	nepal := servertest.NewReceiveUser(t, s.Client, sender.ID, "NP")
	for _, country := range []string{"DE", "US", "GB"} {
		r, err := s.Client.CreateReceiveUserWithResponse(t.Context(), sender.ID, nil, api.ReceiveUserRequest{FirstName: "B", Country: country})
		ruleAnswer(t, r.StatusCode(), r.Body, err, 422, api.ErrorCodeCorridorNotEnabled, "/country")
	}
	for name, row := range map[string]struct {
		request api.BankAccountRequest
		status  int
		code    api.ErrorCode
		field   string
	}{
		"unknown bank":            {api.BankAccountRequest{BankID: 999999, Currency: "NPR"}, 400, api.ErrorCodeBadRequest, "/bank_id"},
		"bank of another country": {api.BankAccountRequest{BankID: 2010, Currency: "INR"}, 400, api.ErrorCodeBadRequest, "/bank_id"},
		"branch of another bank": {
			api.BankAccountRequest{BankID: 2001, BranchID: servertest.Ptr[int64](20020), Currency: "NPR"}, 400, api.ErrorCodeBadRequest, "/branch_id",
		},
		"currency the bank does not receive": {api.BankAccountRequest{BankID: 2001, Currency: "USD"}, 422, api.ErrorCodeCurrencyNotSupported, "/currency"},
	} {
		t.Run(name, func(t *testing.T) {
			row.request.AccountNumber = "0001"
			r, err := s.Client.CreateBankAccountWithResponse(t.Context(), sender.ID, nepal, nil, row.request)
			ruleAnswer(t, r.StatusCode(), r.Body, err, row.status, row.code, row.field)
		})
	}
	for name, row := range map[string]struct {
		payer    int64
		currency string
		code     api.ErrorCode
		field    string
	}{
		"unknown payer":            {999999, "NPR", api.ErrorCodePayerNotFound, "/payer_id"},
		"payer of another method":  {1001, "NPR", api.ErrorCodePayerNotFound, "/payer_id"},
		"payer of another country": {1013, "INR", api.ErrorCodePayerNotFound, "/payer_id"},
		"another currency":         {1004, "INR", api.ErrorCodeCurrencyNotSupported, "/currency"},
	} {
		t.Run(name, func(t *testing.T) {
			request := api.WalletAccountRequest{PayerID: row.payer, WalletNumber: "1", Currency: row.currency}
			r, err := s.Client.CreateWalletAccountWithResponse(t.Context(), sender.ID, nepal, nil, request)
			ruleAnswer(t, r.StatusCode(), r.Body, err, 422, row.code, row.field)
		})
	}
	ruleHasNoAccounts(t, s.Client, sender.ID, nepal)
}

func ruleAnswer(t testing.TB, status int, body []byte, err error, want int, code api.ErrorCode, field string) {
	t.Helper()
	if err != nil || status != want {
		t.Fatalf("status %d, error %v, want %d: %s", status, err, want, body)
	}
	ruleNames(t, refusal(t, body, code), field)
}

func ruleHasNoAccounts(t testing.TB, c *api.ClientWithResponses, user, receiver openapi_types.UUID) {
	t.Helper()
	banks, err := c.ListBankAccountsWithResponse(t.Context(), user, receiver)
	wallets, err2 := c.ListWalletAccountsWithResponse(t.Context(), user, receiver)
	if all := servertest.OK(t, banks.StatusCode(), banks.Body, banks.JSON200, err); len(all) != 0 {
		t.Errorf("refused bank accounts are listed: %v", all)
	}
	if all := servertest.OK(t, wallets.StatusCode(), wallets.Body, wallets.JSON200, err2); len(all) != 0 {
		t.Errorf("refused wallet accounts are listed: %v", all)
	}
}
