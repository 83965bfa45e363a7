package servertest

import (
	"fmt"
	"strings"
	"testing"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// Sample reference data in Nepal, stable in the sandbox (server/reference).
const (
	CashPayer           int64 = 1001 // restricts nothing
	CashPayerLimited    int64 = 1003 // 100 to 100000 NPR
	CashPayerLimitedAt  int64 = 30004
	WalletPayer         int64 = 1004
	HomePayer           int64 = 1006
	BankNepal           int64 = 2001
	BankNepalBranch     int64 = 20010
	CashPayerJapan      int64 = 1046
	CashPayerKuwait     int64 = 1055
	CashPayerIndia      int64 = 1010
	SenderCountry             = "US"
	SenderCurrency            = "USD"
	DestinationCountry        = "NP"
	DestinationCurrency       = "NPR"
)

// Sender is a verified user with an active funding account.
type Sender struct {
	ID   openapi_types.UUID
	Fund openapi_types.UUID
}

// Receiver is a receive user with an address, a bank account and a wallet account.
type Receiver struct {
	ID     openapi_types.UUID
	Bank   openapi_types.UUID
	Wallet openapi_types.UUID
}

// Ptr returns a pointer to a value.
func Ptr[T any](v T) *T { return &v }

// OK returns the body of a 200, and fails the test for any other status.
func OK[T any](t testing.TB, status int, body []byte, ok *T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatalf("call: %v", err)
	}
	if ok == nil {
		t.Fatalf("status %d: %s", status, body)
	}
	return *ok
}

// NewUser registers an individual sender in the US.
func NewUser(t testing.TB, c *api.ClientWithResponses) api.User {
	t.Helper()
	r, err := c.CreateUserWithResponse(t.Context(), nil, api.UserRequest{
		FirstName: "Asha", LastName: Ptr("Example"), Email: "asha@example.com", Country: SenderCountry,
		Type: Ptr(api.UserTypeSend),
	})
	return OK(t, r.StatusCode(), r.Body, r.JSON200, err)
}

// Verify sets the KYC status of a user.
func Verify(t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID, status api.KycStatus) {
	t.Helper()
	r, err := c.SetVerificationWithResponse(t.Context(), user, api.VerificationRequest{KycStatus: &status})
	OK(t, r.StatusCode(), r.Body, r.JSON200, err)
}

// NewFundingAccount links a funding account and sets its status.
func NewFundingAccount(
	t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID, status api.FundingAccountStatus,
) openapi_types.UUID {
	t.Helper()
	r, err := c.CreateFundingAccountWithResponse(t.Context(), user, nil, api.FundingAccountRequest{FundingSourceType: "CARD"})
	a := OK(t, r.StatusCode(), r.Body, r.JSON200, err)
	set, err := c.SetFundingAccountStatusWithResponse(t.Context(), user, a.ID, api.FundingAccountStatusRequest{Status: status})
	OK(t, set.StatusCode(), set.Body, set.JSON200, err)
	return a.ID
}

// NewSender registers a user, verifies it, and links an active funding account.
func NewSender(t testing.TB, c *api.ClientWithResponses) Sender {
	t.Helper()
	u := NewUser(t, c)
	Verify(t, c, u.ID, api.KycStatusVerified)
	return Sender{ID: u.ID, Fund: NewFundingAccount(t, c, u.ID, api.FundingAccountStatusActive)}
}

// NewReceiveUser adds a receive user with an address.
func NewReceiveUser(t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID, country string) openapi_types.UUID {
	t.Helper()
	r, err := c.CreateReceiveUserWithResponse(t.Context(), user, nil, api.ReceiveUserRequest{
		FirstName: "Bina", LastName: Ptr("Example"), Email: Ptr("bina@example.com"), MobilePhone: Ptr("9779800000000"),
		AddressLine1: Ptr("3 Sample Road"), City: Ptr("Kathmandu"), Country: country,
	})
	return OK(t, r.StatusCode(), r.Body, r.JSON200, err).ID
}

// NewReceiver adds a receive user in Nepal with a bank account and a wallet account.
func NewReceiver(t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID) Receiver {
	t.Helper()
	out := Receiver{ID: NewReceiveUser(t, c, user, DestinationCountry)}
	bank, err := c.CreateBankAccountWithResponse(t.Context(), user, out.ID, nil, api.BankAccountRequest{
		BankID: BankNepal, BranchID: Ptr(BankNepalBranch), AccountNumber: "0001234567", Currency: DestinationCurrency,
	})
	out.Bank = OK(t, bank.StatusCode(), bank.Body, bank.JSON200, err).ID
	wallet, err := c.CreateWalletAccountWithResponse(t.Context(), user, out.ID, nil, api.WalletAccountRequest{
		PayerID: WalletPayer, WalletNumber: "9800000000", Currency: DestinationCurrency,
	})
	out.Wallet = OK(t, wallet.StatusCode(), wallet.Body, wallet.JSON200, err).ID
	return out
}

// Deposit is a request for a bank deposit of an amount in USD at a rate of 132.25.
func Deposit(t testing.TB, s Sender, r Receiver, amount string) api.TransactionRequest {
	t.Helper()
	var to api.ReceiveSide
	if err := to.FromBankDepositTo(api.BankDepositTo{ID: r.ID, FundID: r.Bank, PayoutMethod: api.PayoutMethodBankDeposit}); err != nil {
		t.Fatal(err)
	}
	return request(s, amount, to)
}

// Pickup is a request for a cash pickup of an amount in USD at a rate of 132.25.
func Pickup(t testing.TB, s Sender, receiveUser openapi_types.UUID, payer int64, amount string) api.TransactionRequest {
	t.Helper()
	var to api.ReceiveSide
	if err := to.FromCashPickupTo(api.CashPickupTo{ID: receiveUser, PayerID: payer, PayoutMethod: api.PayoutMethodCashPickup}); err != nil {
		t.Fatal(err)
	}
	return request(s, amount, to)
}

func request(s Sender, amount string, to api.ReceiveSide) api.TransactionRequest {
	return api.TransactionRequest{
		FromAmount: wire.MustAmount(amount), ExchangeRate: wire.MustAmount("132.25"),
		FromCurrency: SenderCurrency, ToCurrency: DestinationCurrency, FromFundID: s.Fund, To: to,
	}
}

// Send creates a transaction, with an idempotency key unless it is empty.
func Send(
	t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID, key string, body api.TransactionRequest,
) *api.CreateTransactionResponse {
	t.Helper()
	params := &api.CreateTransactionParams{}
	if key != "" {
		params.XIdempotencyKey = &key
	}
	r, err := c.CreateTransactionWithResponse(t.Context(), user, params, body)
	if err != nil {
		t.Fatalf("create transaction: %v", err)
	}
	return r
}

// TransactionsPath is the path of a sender's transactions.
func TransactionsPath(sender Sender) string {
	return "/users/" + sender.ID.String() + "/transactions"
}

// IDs replaces the placeholders $sender, $fund, $receiver, $bank and $wallet in a text.
func IDs(sender Sender, receiver Receiver) *strings.Replacer {
	return strings.NewReplacer("$sender", sender.ID.String(), "$fund", sender.Fund.String(), "$receiver", receiver.ID.String(),
		"$bank", receiver.Bank.String(), "$wallet", receiver.Wallet.String())
}

// List pages through all transactions of a user.
func List(t testing.TB, c *api.ClientWithResponses, user api.UserID, size int32) []api.Transaction {
	t.Helper()
	var all []api.Transaction
	params := &api.ListTransactionsParams{Limit: &size}
	for range 1000 {
		r, err := c.ListTransactionsWithResponse(t.Context(), user, params)
		page := OK(t, r.StatusCode(), r.Body, r.JSON200, err)
		all = append(all, page.Items...)
		if page.NextCursor == nil {
			return all
		}
		if len(page.Items) != int(size) {
			t.Fatalf("a page with a next_cursor has %d items, want %d", len(page.Items), size)
		}
		params.Cursor = page.NextCursor
	}
	t.Fatal("the pages have no end")
	return nil
}

// To returns a receive side from JSON.
func To(t testing.TB, format string, args ...any) api.ReceiveSide {
	t.Helper()
	var to api.ReceiveSide
	if err := to.UnmarshalJSON(fmt.Appendf(nil, format, args...)); err != nil {
		t.Fatal(err)
	}
	return to
}

// PickupAt is a cash pickup of an amount at a rate.
func PickupAt(
	t testing.TB, sender Sender, receiveUser openapi_types.UUID, payer int64, amount, rate, currency string,
) api.TransactionRequest {
	t.Helper()
	request := Pickup(t, sender, receiveUser, payer, amount)
	request.ExchangeRate, request.ToCurrency = wire.MustAmount(rate), currency
	return request
}

// Created returns the transaction of a 200.
func Created(t testing.TB, r *api.CreateTransactionResponse) api.Transaction {
	t.Helper()
	return OK(t, r.StatusCode(), r.Body, r.JSON200, nil)
}
