package payouttest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// Sender is a verified user with the capability to send and an active funding account.
type Sender struct {
	ID       uuid.UUID
	FundID   uuid.UUID // the funding account
	Business bool
	Country  string // US or GB
	Currency string // the sending currency: USD or GBP
}

// ReceiveUser is a receive user with an address, a bank account and a wallet account in one country.
type ReceiveUser struct {
	ID              uuid.UUID
	BankAccountID   uuid.UUID
	WalletAccountID uuid.UUID
	Country         string
	Currency        string // of the accounts
}

// The sandbox sends from these countries, in these currencies.
var sendingCurrencies = map[string]string{"US": "USD", "GB": "GBP"}

// The sandbox sends to these countries. The rates are samples, for 1 USD and 1 GBP alike; the service accepts any (D-44).
var sampleRates = map[string]string{
	"NP": "132.25", "IN": "83.1275", "MX": "17.05", "PH": "56.4", "NG": "1520", "JP": "149.5", "KW": "0.30725",
}

// VerifiedSender registers an individual in the US, verifies it and links an active funding account. Changes, such as another
// country or a business, are applied to the registration before it is sent.
func (s *Sandbox) VerifiedSender(changes ...func(*api.UserRequest)) Sender {
	s.t.Helper()
	request := api.UserRequest{
		FirstName: "Asha", LastName: new("Example"), Email: "asha@example.com", Country: "US", Type: new(api.UserTypeSend),
	}
	for _, change := range changes {
		change(&request)
	}
	ctx := s.t.Context()
	user := must(s.direct.CreateUser(ctx, request))(s.t)
	s.verify(user.ID, api.VerificationRequest{KycStatus: new(api.KycStatusVerified)})
	fund := must(s.direct.CreateFundingAccount(ctx, user.ID, api.FundingAccountRequest{FundingSourceType: "CARD"}))(s.t)
	s.set(func() error {
		_, err := s.direct.SetFundingAccountStatus(ctx, user.ID, fund.ID, api.FundingAccountStatusActive)
		return err
	})
	return Sender{
		ID: user.ID, FundID: fund.ID, Business: user.Business, Country: user.Country, Currency: sendingCurrencies[user.Country],
	}
}

// TopTier brings a sender into the highest tier, where limits are final: 20,000 a day, 60,000 a month and 250,000 a year in
// USD or GBP to each destination. A payout above them is rejected with LIMIT_EXCEEDED in every tier (D-17).
func (s *Sandbox) TopTier(sender Sender) {
	s.t.Helper()
	tags := []string{"ID_DOC", "DATE_OF_BIRTH", "ADDRESS_LINE1", "OCCUPATION"}
	if sender.Business {
		tags = []string{"EIN_DOC", "EIN_NUMBER", "COMPANY_TYPE", "CERTIFICATE_OF_INCORPORATION", "SOURCE_OF_FUND"}
	}
	verified := map[string]api.CipStatus{}
	for _, tag := range tags {
		verified[tag] = api.CipStatusVerified
	}
	s.verify(sender.ID, api.VerificationRequest{CipInfo: verified})
}

func (s *Sandbox) verify(user uuid.UUID, what api.VerificationRequest) {
	s.t.Helper()
	s.set(func() error {
		_, err := s.direct.SetVerification(s.t.Context(), user, what)
		return err
	})
}

// set repeats a call, which the SDK does not retry, until it is within the [RateLimit]. Setting a value twice is harmless.
func (s *Sandbox) set(call func() error) {
	s.t.Helper()
	err := call()
	for e := (*client.Error)(nil); errors.As(err, &e) && e.Code == client.RateLimited; err = call() {
		select {
		case <-time.After(e.RetryAfter):
		case <-s.t.Context().Done():
			s.t.Fatal(err)
		}
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// ReceiveUser adds a receive user with an address, and a bank and a wallet account, in a country that the sandbox sends to:
// NP, IN, MX, PH, NG, JP (no decimals) or KW (three).
func (s *Sandbox) ReceiveUser(sender Sender, country string) ReceiveUser {
	s.t.Helper()
	ctx := s.t.Context()
	user := must(s.direct.CreateReceiveUser(ctx, sender.ID, api.ReceiveUserRequest{
		FirstName: "Bina", LastName: new("Example"), AddressLine1: new("3 Sample Road"), City: new("Sample City"), Country: country,
	}))(s.t)
	payer := s.payer(country, api.PayoutMethodWallet)
	banks := must(s.direct.ListBanks(ctx, &api.ListBanksParams{Country: &country}))(s.t)
	bank := must(s.direct.CreateBankAccount(ctx, sender.ID, user.ID, api.BankAccountRequest{
		BankID: banks[0].ID, AccountNumber: "0001234567", Currency: payer.ReceivingCurrency,
	}))(s.t)
	wallet := must(s.direct.CreateWalletAccount(ctx, sender.ID, user.ID, api.WalletAccountRequest{
		PayerID: payer.ID, WalletNumber: "9800000000", Currency: payer.ReceivingCurrency,
	}))(s.t)
	return ReceiveUser{user.ID, bank.ID, wallet.ID, country, payer.ReceivingCurrency}
}

// Payout is a request that the service accepts: an amount in the sender's currency, at a sample rate, to the receive user by
// a payout method. Change it as you like before it is sent.
func (s *Sandbox) Payout(from Sender, to ReceiveUser, method api.PayoutMethod, amount string) api.TransactionRequest {
	s.t.Helper()
	if from.Currency == "" || to.Currency == "" {
		s.t.Fatal("Payout needs a Sender of VerifiedSender and a ReceiveUser of Sandbox.ReceiveUser")
	}
	return api.TransactionRequest{
		FromAmount: s.amount(amount), FromCurrency: from.Currency, FromFundID: from.FundID,
		ToCurrency: to.Currency, ExchangeRate: s.amount(sampleRates[to.Country]), To: s.receiveSide(to, method),
	}
}

func (s *Sandbox) receiveSide(to ReceiveUser, method api.PayoutMethod) api.ReceiveSide {
	s.t.Helper()
	switch method {
	case api.PayoutMethodBankDeposit:
		return client.BankDeposit(to.ID, to.BankAccountID)
	case api.PayoutMethodWallet:
		return client.Wallet(to.ID, to.WalletAccountID)
	case api.PayoutMethodCashPickup:
		return client.CashPickup(to.ID, s.payer(to.Country, method).ID)
	case api.PayoutMethodHomeDelivery:
		return client.HomeDelivery(to.ID, s.payer(to.Country, method).ID)
	}
	s.t.Fatalf("there is no payout method %q", method)
	return api.ReceiveSide{}
}

func (s *Sandbox) amount(text string) api.Amount {
	s.t.Helper()
	amount, err := client.ParseAmount(text)
	if err != nil {
		s.t.Fatalf("the amount is %q, want a plain decimal number such as 100.00", text)
	}
	return amount
}

// payer returns the first payer of a method in a country, which has no restrictions.
func (s *Sandbox) payer(country string, method api.PayoutMethod) *api.PayerDetail {
	s.t.Helper()
	ctx := s.t.Context()
	list := must(s.direct.ListPayers(ctx, &api.ListPayersParams{Country: &country, PayoutMethod: &method}))(s.t)
	if len(list) == 0 {
		s.t.Fatalf("there is no payer for %s in %s", method, country)
	}
	return must(s.direct.GetPayer(ctx, list[0].ID))(s.t)
}

// must fails the test where a call fails; the error names the call.
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
