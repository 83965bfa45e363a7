package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// patience is how long a webhook may take to arrive.
const patience = 30 * time.Second

type story struct {
	client   *client.Client
	webhooks <-chan *api.Event
	out      io.Writer
}

// tell goes from the first lookup to the end of three payouts. It stops at the first unexpected response.
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
	if err := s.paid(ctx, sender, fund, receiver, account); err != nil {
		return err
	}
	if err := s.failed(ctx, sender, fund, receiver, payer); err != nil {
		return err
	}
	if err := s.held(ctx, sender, fund, receiver, account); err != nil {
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

// paid sends money that arrives.
func (s story) paid(ctx context.Context, sender, fund, receiver, account uuid.UUID) error {
	s.chapter("Send 100.00 USD to the bank account")
	payout := api.TransactionRequest{
		FromAmount: client.MustAmount("100"), FromCurrency: "USD", FromFundID: fund,
		ToCurrency: "NPR", ExchangeRate: client.MustAmount("132.25"), To: client.BankDeposit(receiver, account),
	}
	key := client.IdempotencyKey("demo-1")
	first, err := s.create(ctx, sender, payout, key)
	if err != nil {
		return err
	}

	var info client.Info
	again, err := s.client.CreateTransaction(ctx, sender, payout, key, client.CaptureInfo(&info))
	if err != nil {
		return err
	}
	if again.ID != first.ID || !info.Replayed {
		return fmt.Errorf("the same key made another transaction, %s", again.ID)
	}
	s.line("same key again", "%s, replayed: %t", again.ID, info.Replayed)

	payout.FromAmount = client.MustAmount("101")
	_, err = s.client.CreateTransaction(ctx, sender, payout, key)
	if err := s.refused("same key, 101 USD", err, client.IdempotencyKeyReused); err != nil {
		return err
	}
	if err := s.move(ctx, *first, api.TransactionMoveRequest{Status: api.TransactionStatusProcessing}); err != nil {
		return err
	}
	if err := s.move(ctx, *first, api.TransactionMoveRequest{Status: api.TransactionStatusCompleted}); err != nil {
		return err
	}
	return s.left(ctx, sender, 1, "900.00")
}

// failed sends money that cannot be paid, and no longer counts.
func (s story) failed(ctx context.Context, sender, fund, receiver uuid.UUID, payer api.Payer) error {
	s.chapter("Send 3000.00 NPR for cash pickup, which fails")
	created, err := s.create(ctx, sender, api.TransactionRequest{
		FromAmount: client.MustAmount("21.72"), FromCurrency: "USD", FromFundID: fund,
		ToAmount: new(client.MustAmount("3000")), ToCurrency: "NPR", ExchangeRate: client.MustAmount("138.125"),
		To: client.CashPickup(receiver, payer.ID, client.ReceiverAmount),
	})
	if err != nil {
		return err
	}
	if err := s.left(ctx, sender, 1, "878.28"); err != nil {
		return err
	}
	if err := s.move(ctx, *created, api.TransactionMoveRequest{Status: api.TransactionStatusProcessing}); err != nil {
		return err
	}
	if err := s.move(ctx, *created, api.TransactionMoveRequest{
		Status: api.TransactionStatusFailed, StatusReason: new(api.StatusReasonNotCollected),
	}); err != nil {
		return err
	}
	return s.left(ctx, sender, 1, "900.00") // the limit is given back
}

// held sends more than the tier of the sender allows, and then what is needed for the next tier.
func (s story) held(ctx context.Context, sender, fund, receiver, account uuid.UUID) error {
	s.chapter("Send 1500.00 USD, more than tier 1 allows")
	created, err := s.create(ctx, sender, api.TransactionRequest{
		FromAmount: client.MustAmount("1500"), FromCurrency: "USD", FromFundID: fund,
		ToCurrency: "NPR", ExchangeRate: client.MustAmount("132.25"), To: client.BankDeposit(receiver, account),
	})
	if err != nil {
		return err
	}
	s.line("held until verified", "%s", strings.Join(created.RequiredInformation, ", "))
	release := api.TransactionMoveRequest{Status: api.TransactionStatusProcessing}
	_, err = s.client.SetTransactionStatus(ctx, sender, created.ID, release)
	if err := s.refused("release it now", err, client.InformationRequired); err != nil {
		return err
	}

	if _, err := s.client.UpdateUser(ctx, sender, api.UserUpdateRequest{
		AddressLine1: new("1 Sample Street"), DateOfBirth: &types.Date{Time: time.Date(1990, time.May, 17, 0, 0, 0, 0, time.UTC)},
	}); err != nil {
		return err
	}
	if _, err := s.client.CreateDocuments(ctx, sender, api.UserDocumentsRequest{
		VirtualDocuments: []api.VirtualDocumentRequest{{DocumentType: "PASSPORT", DocumentValue: "X1234567"}},
	}); err != nil {
		return err
	}
	submitted, err := s.client.GetCipInfo(ctx, sender)
	if err != nil {
		return err
	}
	verified := map[string]api.CipStatus{}
	for _, tag := range created.RequiredInformation {
		if submitted.CipInfo[tag] != api.CipStatusSubmit {
			return fmt.Errorf("%s is %q, although it was sent", tag, submitted.CipInfo[tag])
		}
		s.line("sent", "%s, now %s", tag, submitted.CipInfo[tag])
		verified[tag] = api.CipStatusVerified
	}
	if _, err := s.client.SetVerification(ctx, sender, api.VerificationRequest{CipInfo: verified}); err != nil {
		return err
	}
	s.line("verification", "all of it is VERIFIED")
	if err := s.move(ctx, *created, release); err != nil {
		return err
	}
	if err := s.move(ctx, *created, api.TransactionMoveRequest{Status: api.TransactionStatusCompleted}); err != nil {
		return err
	}
	return s.left(ctx, sender, 2, "3400.00")
}

// create creates a transaction and waits for its webhook.
func (s story) create(
	ctx context.Context, sender uuid.UUID, payout api.TransactionRequest, options ...client.CallOption,
) (*api.Transaction, error) {
	created, err := s.client.CreateTransaction(ctx, sender, payout, options...)
	if err != nil {
		return nil, err
	}
	s.transaction(*created)
	return created, s.webhook(ctx, created.ID, api.TransactionStatusInitiated)
}

// move does what the operator does with a transaction, and waits for its webhook.
func (s story) move(ctx context.Context, t api.Transaction, to api.TransactionMoveRequest) error {
	if _, err := s.client.SetTransactionStatus(ctx, t.UserID, t.ID, to); err != nil {
		return err
	}
	return s.webhook(ctx, t.ID, to.Status)
}

// webhook prints the webhooks that arrive, until there is one with this status of a transaction.
func (s story) webhook(ctx context.Context, id uuid.UUID, status api.TransactionStatus) error {
	late := time.After(patience)
	for {
		select {
		case event := <-s.webhooks:
			t := event.Data.Transaction
			s.line("webhook", "%s: %s is %s", event.Type, t.ID, t.Status)
			if t.ID == id && t.Status == status {
				return nil
			}
		case <-late:
			return fmt.Errorf("no webhook says that %s is %s", id, status)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// left prints what the sender may still send, and is an error unless it is this tier and this amount today.
func (s story) left(ctx context.Context, sender uuid.UUID, tier int, today string) error {
	l, err := s.client.GetTransactionLimit(ctx, sender, "NP")
	if err != nil {
		return err
	}
	left := l.RemainingLimit
	if int(l.CurrentTier) != tier || left.DailyLimit.String() != today {
		return fmt.Errorf("tier %d has %s USD left, want tier %d and %s", l.CurrentTier, left.DailyLimit, tier, today)
	}
	s.line("left for Nepal", "tier %d: %s USD today, %s this month, %s this year", l.CurrentTier, left.DailyLimit,
		left.MonthlyLimit, left.AnnualLimit)
	return nil
}

// refused prints the error of a call, and is another error unless it has this code.
func (s story) refused(what string, err error, code client.Code) error {
	refusal, ok := errors.AsType[*client.Error](err)
	if !ok || refusal.Code != code {
		return fmt.Errorf("%s: want %s, got %w", what, string(code), err)
	}
	s.line(what, "%d %s: %s", refusal.Status, refusal.Code, refusal.Message)
	return nil
}

func (s story) transactions(ctx context.Context, sender uuid.UUID) error {
	s.chapter("Transactions of the sender, newest first")
	for t, err := range s.client.Transactions(ctx, sender, nil) {
		if err != nil {
			return err
		}
		s.transaction(t)
	}
	return nil
}

func (s story) transaction(t api.Transaction) {
	s.line(string(t.To.PayoutMethod), "%s, %s: %s %s become %s %s", t.ID, t.Status, t.FromAmount, t.FromCurrency,
		t.ToAmount, t.ToCurrency)
}

func (s story) chapter(title string) { fmt.Fprintf(s.out, "\n%s\n", title) }

func (s story) line(what, format string, args ...any) {
	fmt.Fprintf(s.out, "  %-22s %s\n", what, fmt.Sprintf(format, args...))
}
