package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

type story struct {
	client *client.Client
	out    io.Writer
}

// tell goes from the first lookup to the limits after two payouts. It stops at the first unexpected response.
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

func (s story) lookUp(ctx context.Context) (*api.BankDetail, api.Payer, error) {
	s.chapter("Look up reference data")
	states, err := s.client.ListCountryStates(ctx, "US")
	if err != nil {
		return nil, api.Payer{}, err
	}
	s.line("states of the US", "%d, the first is %s", len(states), states[0].Name)
	banks, err := s.client.ListBanks(ctx, &api.ListBanksParams{Country: new("NP")})
	if err != nil {
		return nil, api.Payer{}, err
	}
	bank, err := s.client.GetBank(ctx, banks[0].ID)
	if err != nil {
		return nil, api.Payer{}, err
	}
	s.line("banks in Nepal", "%d, the first is %s and receives %s", len(banks), bank.Name, bank.ReceivingCurrency[0])
	payers, err := s.client.ListPayers(ctx, &api.ListPayersParams{
		Country: new("NPL"), PayoutMethod: new(api.PayoutMethodCashPickup),
	})
	if err != nil {
		return nil, api.Payer{}, err
	}
	s.line("cash pickup in Nepal", "%d payers, the first is %s", len(payers), payers[0].Name)
	return bank, payers[0], nil
}

func (s story) sender(ctx context.Context) (sender, fund uuid.UUID, err error) {
	s.chapter("Register a sender")
	user, err := s.client.CreateUser(ctx, api.UserRequest{
		FirstName: "Asha", LastName: new("Example"), Email: "asha@example.com", Country: "US", State: new("CA"),
		Type: new(api.UserTypeSend),
	})
	if err != nil {
		return sender, fund, err
	}
	s.line("user", "%s, %s", user.ID, user.Status)
	verified, err := s.client.SetVerification(ctx, user.ID, api.VerificationRequest{KycStatus: new(api.KycStatusVerified)})
	if err != nil {
		return sender, fund, err
	}
	s.line("verification", "%s (the sandbox does what a reviewer does)", verified.KycStatus)
	account, err := s.client.CreateFundingAccount(ctx, user.ID, api.FundingAccountRequest{FundingSourceType: "CARD"})
	if err != nil {
		return sender, fund, err
	}
	active, err := s.client.SetFundingAccountStatus(ctx, user.ID, account.ID, api.FundingAccountStatusActive)
	if err != nil {
		return sender, fund, err
	}
	s.line("funding account", "%s, %s", account.ID, active.Status)
	return user.ID, account.ID, nil
}

func (s story) receiver(ctx context.Context, sender uuid.UUID, bank *api.BankDetail) (receiver, account uuid.UUID, err error) {
	s.chapter("Add a receive user")
	user, err := s.client.CreateReceiveUser(ctx, sender, api.ReceiveUserRequest{
		FirstName: "Bina", LastName: new("Example"), Country: "NP", City: new("Kathmandu"),
	})
	if err != nil {
		return receiver, account, err
	}
	s.line("receive user", "%s, in %s", user.ID, user.Country)
	added, err := s.client.CreateBankAccount(ctx, sender, user.ID, api.BankAccountRequest{
		BankID: bank.ID, AccountNumber: "0001234567", Currency: bank.ReceivingCurrency[0],
	})
	if err != nil {
		return receiver, account, err
	}
	s.line("bank account", "%s, at %s", added.ID, bank.Name)
	return user.ID, added.ID, nil
}

func (s story) limits(ctx context.Context, sender uuid.UUID) error {
	l, err := s.client.GetTransactionLimit(ctx, sender, "NP")
	if err != nil {
		return err
	}
	left := l.RemainingLimit
	s.line("to Nepal", "tier %d: %s USD today, %s this month, %s this year", l.CurrentTier, left.DailyLimit,
		left.MonthlyLimit, left.AnnualLimit)
	return nil
}

func (s story) bankDeposit(ctx context.Context, sender, fund, receiver, account uuid.UUID) error {
	s.chapter("Send 100.00 USD to the bank account")
	payout := api.TransactionRequest{
		FromAmount: client.MustAmount("100"), FromCurrency: "USD", FromFundID: fund,
		ToCurrency: "NPR", ExchangeRate: client.MustAmount("132.25"), To: client.BankDeposit(receiver, account),
	}
	key := client.IdempotencyKey("demo-1")
	first, err := s.client.CreateTransaction(ctx, sender, payout, key)
	if err != nil {
		return err
	}
	s.created(*first)

	var info client.Info
	again, err := s.client.CreateTransaction(ctx, sender, payout, key, client.CaptureInfo(&info))
	if err != nil {
		return err
	}
	s.line("same key again", "%s, replayed: %t", again.ID, info.Replayed)

	payout.FromAmount = client.MustAmount("101")
	_, err = s.client.CreateTransaction(ctx, sender, payout, key)
	var refused *client.Error
	if !errors.As(err, &refused) || !errors.Is(err, client.IdempotencyKeyReused) {
		return fmt.Errorf("a reused key gave %w", err)
	}
	s.line("same key, 101 USD", "%d %s: %s", refused.Status, refused.Code, refused.Message)
	return nil
}

func (s story) cashPickup(ctx context.Context, sender, fund, receiver uuid.UUID, payer api.Payer) error {
	s.chapter("Send 3000.00 NPR for cash pickup")
	created, err := s.client.CreateTransaction(ctx, sender, api.TransactionRequest{
		FromAmount: client.MustAmount("21.72"), FromCurrency: "USD", FromFundID: fund,
		ToAmount: new(client.MustAmount("3000")), ToCurrency: "NPR", ExchangeRate: client.MustAmount("138.125"),
		To: client.CashPickup(receiver, payer.ID, client.ReceiverAmount),
	})
	if err != nil {
		return err
	}
	s.created(*created)
	return nil
}

func (s story) transactions(ctx context.Context, sender uuid.UUID) error {
	s.chapter("Transactions of the sender, newest first")
	for t, err := range s.client.Transactions(ctx, sender, nil) {
		if err != nil {
			return err
		}
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
