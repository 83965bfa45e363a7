package transactions_test

import (
	"testing"

	"github.com/google/uuid"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Section 1, rule 3a.
func TestKycStatusOfTheSender(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	send := func() *api.CreateTransactionResponse {
		return servertest.Send(t, s.Client, sender.ID, "", servertest.Deposit(t, sender, receiver, "10"))
	}
	for _, status := range []api.KycStatus{api.KycStatusUnverified, api.KycStatusInProgress, api.KycStatusSuspended} {
		servertest.Verify(t, s.Client, sender.ID, status)
		servertest.WantRefused(t, send(), api.ErrorCodeKycNotEligible, "")
		servertest.Verify(t, s.Client, sender.ID, api.KycStatusVerified)
		servertest.Created(t, send())
	}
}

// Section 1, rule 3b: the funding account of the transaction must be active; another active one is not enough.
func TestFundingAccountOfTheSender(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	other := servertest.NewSender(t, s.Client)
	linked, err := s.Client.CreateFundingAccountWithResponse(t.Context(), sender.ID, nil, api.FundingAccountRequest{FundingSourceType: "CARD"})
	fresh := servertest.OK(t, linked.StatusCode(), linked.Body, linked.JSON200, err)
	if fresh.Status != api.FundingAccountStatusPending {
		t.Errorf("a new funding account is %s, want PENDING", fresh.Status)
	}
	inactive := servertest.NewFundingAccount(t, s.Client, sender.ID, api.FundingAccountStatusInactive)
	for name, row := range map[string]struct {
		fund openapi_types.UUID
		code api.ErrorCode
	}{
		"unknown":         {uuid.New(), api.ErrorCodeFundingAccountNotFound},
		"of another user": {other.Fund, api.ErrorCodeFundingAccountNotFound},
		"never activated": {fresh.ID, api.ErrorCodeFundingAccountNotActive},
		"INACTIVE":        {inactive, api.ErrorCodeFundingAccountNotActive},
		"ACTIVE":          {sender.Fund, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := servertest.Sender{ID: sender.ID, Fund: row.fund}
			r := servertest.Send(t, s.Client, sender.ID, "", servertest.Deposit(t, from, receiver, "10"))
			if row.code == "" {
				servertest.Created(t, r)
				return
			}
			servertest.WantRefused(t, r, row.code, "/from_fund_id")
		})
	}
}

// Section 1, rules 3c, 4 and 5: the receive side of each payout method, with the codes of D-09.
func TestReceiveSideOfEachPayoutMethod(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	nepal := servertest.NewReceiver(t, s.Client, sender.ID)
	second := servertest.NewReceiver(t, s.Client, sender.ID)
	other := servertest.NewSender(t, s.Client)
	foreign := servertest.NewReceiver(t, s.Client, other.ID)
	bare, err := s.Client.CreateReceiveUserWithResponse(t.Context(), sender.ID, nil, api.ReceiveUserRequest{FirstName: "B", Country: "NP"})
	homeless := servertest.OK(t, bare.StatusCode(), bare.Body, bare.JSON200, err).ID
	line, err := s.Client.CreateReceiveUserWithResponse(t.Context(), sender.ID, nil, api.ReceiveUserRequest{
		FirstName: "B", Country: "NP", AddressLine1: servertest.Ptr("3 Sample Road"),
	})
	cityless := servertest.OK(t, line.StatusCode(), line.Body, line.JSON200, err).ID
	deposit := func(id, fund any) api.ReceiveSide {
		return servertest.To(t, `{"payout_method":"BANK_DEPOSIT","id":"%s","fund_id":"%s"}`, id, fund)
	}
	wallet := func(id, fund any, more string) api.ReceiveSide {
		return servertest.To(t, `{"payout_method":"WALLET","id":"%s","fund_id":"%s"%s}`, id, fund, more)
	}
	pickup := func(id any, payer int64, more string) api.ReceiveSide {
		return servertest.To(t, `{"payout_method":"CASH_PICKUP","id":"%s","payer_id":%d%s}`, id, payer, more)
	}
	delivery := func(id any, payer int64) api.ReceiveSide {
		return servertest.To(t, `{"payout_method":"HOME_DELIVERY","id":"%s","payer_id":%d}`, id, payer)
	}
	const (
		noUser     = api.ErrorCodeReceiveUserNotFound
		noAccount  = api.ErrorCodeReceiveAccountNotFound
		noPayer    = api.ErrorCodePayerNotFound
		noLocation = api.ErrorCodePickupLocationNotFound
		noAddress  = api.ErrorCodeAddressRequired
	)
	for name, row := range map[string]struct {
		to    api.ReceiveSide
		code  api.ErrorCode
		field string
	}{
		"unknown receive user":             {deposit(uuid.New(), nepal.Bank), noUser, "/to/id"},
		"receive user of another user":     {deposit(foreign.ID, foreign.Bank), noUser, "/to/id"},
		"unknown bank account":             {deposit(nepal.ID, uuid.New()), noAccount, "/to/fund_id"},
		"bank account of another receiver": {deposit(nepal.ID, second.Bank), noAccount, "/to/fund_id"},
		"bank account of another user":     {deposit(nepal.ID, foreign.Bank), noAccount, "/to/fund_id"},
		"wallet account for a deposit":     {deposit(nepal.ID, nepal.Wallet), noAccount, "/to/fund_id"},
		"a deposit":                        {deposit(nepal.ID, nepal.Bank), "", ""},
		"unknown wallet account":           {wallet(nepal.ID, uuid.New(), ""), noAccount, "/to/fund_id"},
		"bank account for a wallet":        {wallet(nepal.ID, nepal.Bank, ""), noAccount, "/to/fund_id"},
		"wallet account of another":        {wallet(nepal.ID, second.Wallet, ""), noAccount, "/to/fund_id"},
		"another payer than the wallet's":  {wallet(nepal.ID, nepal.Wallet, `,"payer_id":1005`), noPayer, "/to/payer_id"},
		"the wallet's payer":               {wallet(nepal.ID, nepal.Wallet, `,"payer_id":1004`), "", ""},
		"a wallet":                         {wallet(nepal.ID, nepal.Wallet, ""), "", ""},
		"unknown payer":                    {pickup(nepal.ID, 999999, ""), noPayer, "/to/payer_id"},
		"payer of another method":          {pickup(nepal.ID, servertest.WalletPayer, ""), noPayer, "/to/payer_id"},
		"payer of another country":         {pickup(nepal.ID, servertest.CashPayerIndia, ""), noPayer, "/to/payer_id"},
		"unknown pick-up location":         {pickup(nepal.ID, 1002, `,"pickup_location":999999`), noLocation, "/to/pickup_location"},
		"location of another payer":        {pickup(nepal.ID, 1002, `,"pickup_location":30004`), noLocation, "/to/pickup_location"},
		"location of a payer without any":  {pickup(nepal.ID, 1001, `,"pickup_location":30001`), noLocation, "/to/pickup_location"},
		"a pick-up location":               {pickup(nepal.ID, 1002, `,"pickup_location":30003`), "", ""},
		"no location is fine (D-21)":       {pickup(nepal.ID, 1002, ""), "", ""},
		"a pickup needs no address":        {pickup(homeless, 1001, ""), "", ""},
		"unknown delivery payer":           {delivery(nepal.ID, 999999), noPayer, "/to/payer_id"},
		"cash payer for a delivery":        {delivery(nepal.ID, servertest.CashPayer), noPayer, "/to/payer_id"},
		"delivery payer of India":          {delivery(nepal.ID, 1015), noPayer, "/to/payer_id"},
		"delivery without address":         {delivery(homeless, servertest.HomePayer), noAddress, "/to/id"},
		"delivery without city (D-51)":     {delivery(cityless, servertest.HomePayer), noAddress, "/to/id"},
		"a delivery":                       {delivery(nepal.ID, servertest.HomePayer), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := servertest.Deposit(t, sender, nepal, "1")
			request.To = row.to
			r := servertest.Send(t, s.Client, sender.ID, "", request)
			if row.code == "" {
				servertest.Created(t, r)
				return
			}
			servertest.WantRefused(t, r, row.code, row.field)
		})
	}
}

// Currencies are those of the corridor and of the receive side (D-53).
func TestCurrenciesOfATransaction(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	nepal := servertest.NewReceiver(t, s.Client, sender.ID)
	bank, err := s.Client.CreateBankAccountWithResponse(t.Context(), sender.ID, nepal.ID, nil,
		api.BankAccountRequest{BankID: 2003, AccountNumber: "1", Currency: "USD"}) // of a bank that receives NPR and USD
	dollars := servertest.OK(t, bank.StatusCode(), bank.Body, bank.JSON200, err).ID
	const deposit, wallet, pickup, delivery = `{"payout_method":"BANK_DEPOSIT","id":"%s","fund_id":"%s"}`,
		`{"payout_method":"WALLET","id":"%s","fund_id":"%s"}`, `{"payout_method":"CASH_PICKUP","id":"%s","payer_id":1001}`,
		`{"payout_method":"HOME_DELIVERY","id":"%s","payer_id":1006}`
	for name, row := range map[string]struct {
		from, to string
		side     api.ReceiveSide
		field    string
	}{
		"the other corridor's":       {"GBP", "NPR", servertest.To(t, deposit, nepal.ID, nepal.Bank), "/from_currency"},
		"no corridor's":              {"EUR", "NPR", servertest.To(t, deposit, nepal.ID, nepal.Bank), "/from_currency"},
		"both wrong":                 {"EUR", "INR", servertest.To(t, deposit, nepal.ID, nepal.Bank), "/from_currency"},
		"not the bank account's":     {"USD", "USD", servertest.To(t, deposit, nepal.ID, nepal.Bank), "/to_currency"},
		"bank has it, account not":   {"USD", "NPR", servertest.To(t, deposit, nepal.ID, dollars), "/to_currency"},
		"an account in dollars":      {"USD", "USD", servertest.To(t, deposit, nepal.ID, dollars), ""},
		"not the wallet account's":   {"USD", "USD", servertest.To(t, wallet, nepal.ID, nepal.Wallet), "/to_currency"},
		"not the cash payer's":       {"USD", "INR", servertest.To(t, pickup, nepal.ID), "/to_currency"},
		"not the delivery payer's":   {"USD", "INR", servertest.To(t, delivery, nepal.ID), "/to_currency"},
		"the delivery payer's":       {"USD", "NPR", servertest.To(t, delivery, nepal.ID), ""},
		"the cash payer's":           {"USD", "NPR", servertest.To(t, pickup, nepal.ID), ""},
		"the wallet account's":       {"USD", "NPR", servertest.To(t, wallet, nepal.ID, nepal.Wallet), ""},
		"the bank account's in NPR":  {"USD", "NPR", servertest.To(t, deposit, nepal.ID, nepal.Bank), ""},
		"the other way round, a GBP": {"NPR", "GBP", servertest.To(t, deposit, nepal.ID, nepal.Bank), "/from_currency"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := servertest.Deposit(t, sender, nepal, "1")
			request.FromCurrency, request.ToCurrency, request.To = row.from, row.to, row.side
			r := servertest.Send(t, s.Client, sender.ID, "", request)
			if row.field == "" {
				servertest.Created(t, r)
				return
			}
			servertest.WantRefused(t, r, api.ErrorCodeCurrencyNotSupported, row.field)
		})
	}
}
