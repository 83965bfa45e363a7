package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

type story struct {
	client *api.ClientWithResponses
	out    io.Writer
}

// tell goes from the first look-up to the limits after two payouts; it ends at the first call that answers otherwise
// than it should.
func (s story) tell(ctx context.Context) error {
	bank, payer, err := s.lookUp(ctx)
	if err != nil {
		return err
	}
	sender, fund, err := s.sender(ctx)
	if err != nil {
		return err
	}
	receiver, account, err := s.receiver(ctx, sender, bank)
	if err != nil {
		return err
	}
	s.chapter("Limits before")
	if err := s.limits(ctx, sender); err != nil {
		return err
	}
	if err := s.bankDeposit(ctx, sender, fund, receiver, account); err != nil {
		return err
	}
	if err := s.cashPickup(ctx, sender, fund, receiver, payer); err != nil {
		return err
	}
	s.chapter("Limits after")
	if err := s.limits(ctx, sender); err != nil {
		return err
	}
	return s.transactions(ctx, sender)
}

func (s story) lookUp(ctx context.Context) (bank api.BankDetail, payer api.Payer, err error) {
	s.chapter("Look up reference data")
	states, err := s.client.ListCountryStatesWithResponse(ctx, "US")
	if err := expect(states, err, 200); err != nil {
		return bank, payer, err
	}
	s.line("states of the US", "%d, the first is %s", len(*states.JSON200), (*states.JSON200)[0].Name)
	banks, err := s.client.ListBanksWithResponse(ctx, &api.ListBanksParams{Country: ptr("NP")})
	if err := expect(banks, err, 200); err != nil {
		return bank, payer, err
	}
	one, err := s.client.GetBankWithResponse(ctx, (*banks.JSON200)[0].ID)
	if err := expect(one, err, 200); err != nil {
		return bank, payer, err
	}
	bank = *one.JSON200
	s.line("banks in Nepal", "%d, the first is %s and receives %s", len(*banks.JSON200), bank.Name, bank.ReceivingCurrency[0])
	payers, err := s.client.ListPayersWithResponse(ctx, &api.ListPayersParams{
		Country: ptr("NPL"), PayoutMethod: ptr(api.PayoutMethodCashPickup),
	})
	if err := expect(payers, err, 200); err != nil {
		return bank, payer, err
	}
	payer = (*payers.JSON200)[0]
	s.line("cash pickup in Nepal", "%d payers, the first is %s", len(*payers.JSON200), payer.Name)
	return bank, payer, nil
}

func (s story) sender(ctx context.Context) (sender, fund openapi_types.UUID, err error) {
	s.chapter("Register a sender")
	user, err := s.client.CreateUserWithResponse(ctx, api.UserRequest{
		FirstName: "Asha", LastName: ptr("Example"), Email: "asha@example.com", Country: "US", State: ptr("CA"),
		Type: ptr(api.UserTypeSend),
	})
	if err := expect(user, err, 200); err != nil {
		return sender, fund, err
	}
	sender = user.JSON200.ID
	s.line("user", "%s, %s", sender, user.JSON200.Status)
	verified, err := s.client.SetVerificationWithResponse(ctx, sender, api.VerificationRequest{
		KycStatus: ptr(api.KycStatusVerified),
	})
	if err := expect(verified, err, 200); err != nil {
		return sender, fund, err
	}
	s.line("verification", "%s (the sandbox does what a reviewer does)", verified.JSON200.KycStatus)
	account, err := s.client.CreateFundingAccountWithResponse(ctx, sender, api.FundingAccountRequest{FundingSourceType: "CARD"})
	if err := expect(account, err, 200); err != nil {
		return sender, fund, err
	}
	fund = account.JSON200.ID
	active, err := s.client.SetFundingAccountStatusWithResponse(ctx, sender, fund, api.FundingAccountStatusRequest{
		Status: api.FundingAccountStatusActive,
	})
	if err := expect(active, err, 200); err != nil {
		return sender, fund, err
	}
	s.line("funding account", "%s, %s", fund, active.JSON200.Status)
	return sender, fund, nil
}

func (s story) receiver(ctx context.Context, sender openapi_types.UUID, bank api.BankDetail) (receiver, account openapi_types.UUID, err error) {
	s.chapter("Add a receive user")
	user, err := s.client.CreateReceiveUserWithResponse(ctx, sender, api.ReceiveUserRequest{
		FirstName: "Bina", LastName: ptr("Example"), Country: "NP", City: ptr("Kathmandu"),
	})
	if err := expect(user, err, 200); err != nil {
		return receiver, account, err
	}
	receiver = user.JSON200.ID
	s.line("receive user", "%s, in %s", receiver, user.JSON200.Country)
	added, err := s.client.CreateBankAccountWithResponse(ctx, sender, receiver, api.BankAccountRequest{
		BankID: bank.ID, AccountNumber: "0001234567", Currency: bank.ReceivingCurrency[0],
	})
	if err := expect(added, err, 200); err != nil {
		return receiver, account, err
	}
	account = added.JSON200.ID
	s.line("bank account", "%s, at %s", account, bank.Name)
	return receiver, account, nil
}

func (s story) limits(ctx context.Context, sender openapi_types.UUID) error {
	l, err := s.client.GetTransactionLimitWithResponse(ctx, sender, &api.GetTransactionLimitParams{Destination: "NP"})
	if err := expect(l, err, 200); err != nil {
		return err
	}
	left := l.JSON200.RemainingLimit
	s.line("to Nepal", "tier %d: %s USD today, %s this month, %s this year", l.JSON200.CurrentTier, left.DailyLimit,
		left.MonthlyLimit, left.AnnualLimit)
	return nil
}

func (s story) bankDeposit(ctx context.Context, sender, fund, receiver, account openapi_types.UUID) error {
	s.chapter("Send 100.00 USD to the bank account")
	var to api.ReceiveSide
	if err := to.FromBankDepositTo(api.BankDepositTo{
		ID: receiver, FundID: account, PayoutMethod: api.PayoutMethodBankDeposit,
	}); err != nil {
		return err
	}
	body := api.TransactionRequest{
		FromAmount: wire.MustAmount("100"), ExchangeRate: wire.MustAmount("132.25"), FromCurrency: "USD",
		ToCurrency: "NPR", FromFundID: fund, To: to,
	}
	params := &api.CreateTransactionParams{XIdempotencyKey: ptr("demo-1")}
	first, err := s.client.CreateTransactionWithResponse(ctx, sender, params, body)
	if err := expect(first, err, 200); err != nil {
		return err
	}
	s.created(*first.JSON200)

	again, err := s.client.CreateTransactionWithResponse(ctx, sender, params, body)
	if err := expect(again, err, 200); err != nil {
		return err
	}
	s.line("same key again", "%s, Idempotent-Replayed: %s", again.JSON200.ID,
		again.HTTPResponse.Header.Get("Idempotent-Replayed"))

	body.FromAmount = wire.MustAmount("101")
	conflict, err := s.client.CreateTransactionWithResponse(ctx, sender, params, body)
	if err := expect(conflict, err, 409); err != nil {
		return err
	}
	s.line("same key, 101 USD", "%d %s: %s", conflict.JSON409.Status, conflict.JSON409.Code, conflict.JSON409.Message)
	return nil
}

func (s story) cashPickup(ctx context.Context, sender, fund, receiver openapi_types.UUID, payer api.Payer) error {
	s.chapter("Send 3000.00 NPR for cash pickup")
	var to api.ReceiveSide
	if err := to.FromCashPickupTo(api.CashPickupTo{
		ID: receiver, PayerID: payer.ID, PayoutMethod: api.PayoutMethodCashPickup,
		CalculationMode: ptr(api.CalculationModeReceiverAmount),
	}); err != nil {
		return err
	}
	r, err := s.client.CreateTransactionWithResponse(ctx, sender, &api.CreateTransactionParams{}, api.TransactionRequest{
		FromAmount: wire.MustAmount("21.72"), ToAmount: ptr(wire.MustAmount("3000")),
		ExchangeRate: wire.MustAmount("138.125"), FromCurrency: "USD", ToCurrency: "NPR", FromFundID: fund, To: to,
	})
	if err := expect(r, err, 200); err != nil {
		return err
	}
	s.created(*r.JSON200)
	return nil
}

func (s story) transactions(ctx context.Context, sender openapi_types.UUID) error {
	s.chapter("Transactions of the sender, newest first")
	page, err := s.client.ListTransactionsWithResponse(ctx, sender, &api.ListTransactionsParams{})
	if err := expect(page, err, 200); err != nil {
		return err
	}
	for _, t := range page.JSON200.Items {
		s.created(t)
	}
	return nil
}

func (s story) created(t api.Transaction) {
	s.line(string(t.To.PayoutMethod), "%s, %s: %s %s become %s %s", t.ID, t.Status, t.FromAmount, t.FromCurrency,
		t.ToAmount, t.ToCurrency)
}

func (s story) chapter(title string) { fmt.Fprintf(s.out, "\n%s\n", title) }

func (s story) line(what, format string, args ...any) {
	fmt.Fprintf(s.out, "  %-22s %s\n", what, fmt.Sprintf(format, args...))
}

// response is what all generated responses have.
type response interface {
	StatusCode() int
	GetBody() []byte
}

// expect makes an error of a call that failed or answered with another status.
func expect(r response, err error, status int) error {
	if err != nil {
		return err
	}
	if r.StatusCode() != status {
		return fmt.Errorf("status %d, not %d: %s", r.StatusCode(), status, strings.TrimSpace(string(r.GetBody())))
	}
	return nil
}

func ptr[T any](v T) *T { return &v }
