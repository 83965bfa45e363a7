// Command story runs a payout of each method with the client that ogen generates.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"example.com/consumer/api"
)

//go:generate sh -c "go tool ogen --config ogen.yml --target api --package api --clean \"$PAYOUTS_CONTRACT\""

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// credentials are sent with every call.
type credentials struct{ id, secret string }

func (c credentials) ClientId(context.Context, api.OperationName) (api.ClientId, error) {
	return api.ClientId{APIKey: c.id}, nil
}

func (c credentials) ClientSecret(context.Context, api.OperationName) (api.ClientSecret, error) {
	return api.ClientSecret{APIKey: c.secret}, nil
}

// refusal is the body of a 4xx or 5xx response.
type refusal struct{ body api.Error }

func (r refusal) Error() string {
	return fmt.Sprintf("%d %s: %s", r.body.Status, r.body.Code, r.body.Message)
}

// expect returns the response of a call as a T, which is what the call answers with 200.
func expect[T any](response any, err error) (T, error) {
	success, ok := response.(T)
	if ok || err != nil {
		return success, err
	}
	if failure, ok := response.(interface{ GetResponse() api.Error }); ok {
		return success, refusal{failure.GetResponse()}
	}
	return success, fmt.Errorf("unexpected response %T", response)
}

// refused checks that err is a refusal with that status and code.
func refused(err error, status int32, code api.ErrorCode) (api.Error, error) {
	var r refusal
	if !errors.As(err, &r) || r.body.Status != status || r.body.Code != code {
		return r.body, fmt.Errorf("got %v, want %d %s", err, status, code)
	}
	return r.body, nil
}

func run(ctx context.Context) error {
	client, err := api.NewClient(os.Getenv("PAYOUTS_URL"),
		credentials{os.Getenv("PAYOUTS_CLIENT_ID"), os.Getenv("PAYOUTS_CLIENT_SECRET")})
	if err != nil {
		return err
	}
	s := story{Client: client}
	for _, chapter := range []struct {
		name string
		tell func(context.Context) error
	}{
		{"sender", s.sender}, {"receiver", s.receiver}, {"payouts", s.payouts}, {"exact amounts", s.exact},
		{"replay and conflict", s.replay}, {"error details", s.details}, {"list", s.list},
	} {
		if err := chapter.tell(ctx); err != nil {
			return fmt.Errorf("%s: %w", chapter.name, err)
		}
	}
	return nil
}

type story struct {
	*api.Client
	user, fund, receiveUser uuid.UUID
	bankAccount, wallet     uuid.UUID
	created                 []uuid.UUID
}

// sender registers a user, who may send only once verified, and a funding account.
func (s *story) sender(ctx context.Context) error {
	asha := &api.UserRequest{
		FirstName: "Asha", Email: "asha@example.com", Country: "US",
		VirtualDocuments: []api.VirtualDocumentRequest{{DocumentType: "PASSPORT", DocumentValue: "X1234567"}},
	}
	asha.LastName.SetTo("Example")
	asha.State.SetTo("CA")
	asha.Type.SetTo(api.UserTypeRequestSEND)
	user, err := expect[*api.UserHeaders](s.CreateUser(ctx, asha, api.CreateUserParams{XIdempotencyKey: api.NewOptString("user-1")}))
	if err != nil {
		return err
	}
	s.user = user.Response.ID

	early := s.request("1.00", uuid.New(), api.NewBankDepositToReceiveSide(api.BankDepositTo{
		ID: uuid.New(), PayoutMethod: api.BankDepositToPayoutMethodBANKDEPOSIT, FundID: uuid.New(),
	}))
	_, err = s.create(ctx, "early", early)
	if _, err := refused(err, 422, "KYC_NOT_ELIGIBLE"); err != nil {
		return err
	}

	verified, err := expect[*api.CipInfoHeaders](s.SetVerification(ctx, &api.VerificationRequest{
		KycStatus: api.NewOptKycStatusRequest(api.KycStatusRequestVERIFIED),
	}, api.SetVerificationParams{UserID: s.user}))
	if err != nil {
		return err
	}
	if verified.Response.KycStatus != "VERIFIED" || verified.Response.CipInfo["ID_DOC"] != "SUBMIT" {
		return fmt.Errorf("verification is %v", verified.Response)
	}
	account, err := expect[*api.FundingAccountHeaders](s.CreateFundingAccount(ctx,
		&api.FundingAccountRequest{FundingSourceType: "CARD"}, api.CreateFundingAccountParams{UserID: s.user}))
	if err != nil {
		return err
	}
	s.fund = account.Response.ID
	active, err := expect[*api.FundingAccountHeaders](s.SetFundingAccountStatus(ctx,
		&api.FundingAccountStatusRequest{Status: api.FundingAccountStatusRequestStatusACTIVE},
		api.SetFundingAccountStatusParams{UserID: s.user, FundingAccountID: s.fund}))
	if err != nil {
		return err
	}
	if active.Response.Status != "ACTIVE" {
		return fmt.Errorf("the funding account is %s", active.Response.Status)
	}
	return nil
}

// receiver registers who receives, with a bank and a wallet account.
func (s *story) receiver(ctx context.Context) error {
	bina := &api.ReceiveUserRequest{FirstName: "Bina", Country: "NP"}
	bina.LastName.SetTo("Example")
	bina.AddressLine1.SetTo("1 Sample Road")
	bina.City.SetTo("Kathmandu")
	receiveUser, err := expect[*api.ReceiveUserHeaders](s.CreateReceiveUser(ctx, bina, api.CreateReceiveUserParams{UserID: s.user}))
	if err != nil {
		return err
	}
	s.receiveUser = receiveUser.Response.ID
	banks, err := expect[*api.ListBanksOKHeaders](s.ListBanks(ctx, api.ListBanksParams{Country: api.NewOptCountryCode("NP")}))
	if err != nil {
		return err
	}
	account, err := expect[*api.BankAccountHeaders](s.CreateBankAccount(ctx, &api.BankAccountRequest{
		BankID: banks.Response[0].ID, AccountNumber: "0001234567", Currency: "NPR",
	}, api.CreateBankAccountParams{UserID: s.user, ReceiveUserID: s.receiveUser}))
	if err != nil {
		return err
	}
	s.bankAccount = account.Response.ID
	payer, err := s.payer(ctx, api.PayoutMethodRequestWALLET)
	if err != nil {
		return err
	}
	wallet, err := expect[*api.WalletAccountHeaders](s.CreateWalletAccount(ctx, &api.WalletAccountRequest{
		PayerID: payer, WalletNumber: "9800000000", Currency: "NPR",
	}, api.CreateWalletAccountParams{UserID: s.user, ReceiveUserID: s.receiveUser}))
	if err != nil {
		return err
	}
	s.wallet = wallet.Response.ID
	return nil
}

// payer returns a payer of that method in Nepal.
func (s *story) payer(ctx context.Context, method api.PayoutMethodRequest) (api.ReferenceId, error) {
	payers, err := expect[*api.ListPayersOKHeaders](s.ListPayers(ctx, api.ListPayersParams{
		Country: api.NewOptCountryCodeAny("NP"), PayoutMethod: api.NewOptPayoutMethodRequest(method),
	}))
	if err != nil {
		return 0, err
	}
	return payers.Response[0].ID, nil
}

// payouts sends money by all four methods.
func (s *story) payouts(ctx context.Context) error {
	cash, err := s.payer(ctx, api.PayoutMethodRequestCASHPICKUP)
	if err != nil {
		return err
	}
	home, err := s.payer(ctx, api.PayoutMethodRequestHOMEDELIVERY)
	if err != nil {
		return err
	}
	pickup := s.request("21.72", s.fund, api.NewCashPickupToReceiveSide(api.CashPickupTo{
		ID: s.receiveUser, PayoutMethod: api.CashPickupToPayoutMethodCASHPICKUP, PayerID: int64(cash),
		CalculationMode: api.NewOptCalculationModeRequest(api.CalculationModeRequestRECEIVERAMOUNT),
	}))
	pickup.ExchangeRate = api.ExchangeRate(decimal.RequireFromString("138.125"))
	pickup.ToAmount = api.NewOptPositiveAmount(api.PositiveAmount(decimal.RequireFromString("3000")))
	for _, payout := range []struct {
		key      string
		request  *api.TransactionRequest
		method   api.PayoutMethod
		toAmount string
	}{
		{"bank", s.bankDeposit("100.00"), "BANK_DEPOSIT", "13225.00"},
		{"wallet", s.request("10.01", s.fund, api.NewWalletToReceiveSide(api.WalletTo{
			ID: s.receiveUser, PayoutMethod: api.WalletToPayoutMethodWALLET, FundID: s.wallet,
		})), "WALLET", "1323.82"},
		{"cash", pickup, "CASH_PICKUP", "3000.00"},
		{"home", s.request("20.00", s.fund, api.NewHomeDeliveryToReceiveSide(api.HomeDeliveryTo{
			ID: s.receiveUser, PayoutMethod: api.HomeDeliveryToPayoutMethodHOMEDELIVERY, PayerID: int64(home),
		})), "HOME_DELIVERY", "2645.00"},
	} {
		created, err := s.create(ctx, payout.key, payout.request)
		if err != nil {
			return fmt.Errorf("%s: %w", payout.key, err)
		}
		got := created.Response
		if got.To.PayoutMethod != payout.method || got.Status != "INITIATED" ||
			!decimal.Decimal(got.ToAmount).Equal(decimal.RequireFromString(payout.toAmount)) {
			return fmt.Errorf("%s: got %s, %s, %s", payout.key, got.To.PayoutMethod, got.Status, decimal.Decimal(got.ToAmount))
		}
	}
	return nil
}

// exact sends what a binary float cannot hold: 0.1 + 0.2, and a rate of 19 digits.
func (s *story) exact(ctx context.Context) error {
	rate := decimal.RequireFromString("132.2500000000000001")
	request := s.bankDeposit("0.1")
	amount := decimal.Decimal(request.FromAmount).Add(decimal.RequireFromString("0.2"))
	request.FromAmount, request.ExchangeRate = api.PositiveAmount(amount), api.ExchangeRate(rate)
	created, err := s.create(ctx, "exact", request)
	if err != nil {
		return err
	}
	got := created.Response
	if !decimal.Decimal(got.FromAmount).Equal(amount) || !decimal.Decimal(got.ExchangeRate).Equal(rate) {
		return fmt.Errorf("got %s at %s", decimal.Decimal(got.FromAmount), decimal.Decimal(got.ExchangeRate))
	}
	return nil
}

// replay repeats the first payout with the same key, then sends another one with it.
func (s *story) replay(ctx context.Context) error {
	again, err := expect[*api.TransactionHeaders](s.CreateTransaction(ctx, s.bankDeposit("100.00"),
		api.CreateTransactionParams{UserID: s.user, XIdempotencyKey: api.NewOptString("bank")}))
	if err != nil {
		return err
	}
	if again.Response.ID != s.created[0] || !again.IdempotentReplayed.Or(false) {
		return fmt.Errorf("got %s, replayed: %v", again.Response.ID, again.IdempotentReplayed)
	}
	_, err = s.create(ctx, "bank", s.bankDeposit("101.00"))
	_, err = refused(err, 409, "IDEMPOTENCY_KEY_REUSED")
	return err
}

// details sends an amount with more decimals than its currency has.
func (s *story) details(ctx context.Context) error {
	_, err := s.create(ctx, "decimals", s.bankDeposit("100.001"))
	body, err := refused(err, 400, "BAD_REQUEST")
	if err != nil {
		return err
	}
	if len(body.Details) != 1 || body.Details[0].Field != "/from_amount" || body.RequestID == "" {
		return fmt.Errorf("got %v", body)
	}
	return nil
}

// list reads all transactions of the user page by page, newest first.
func (s *story) list(ctx context.Context) error {
	var listed []uuid.UUID
	params := api.ListTransactionsParams{UserID: s.user, Limit: api.NewOptInt32(2)}
	for {
		page, err := expect[*api.TransactionPageHeaders](s.ListTransactions(ctx, params))
		if err != nil {
			return err
		}
		for _, t := range page.Response.Items {
			listed = append(listed, t.ID)
		}
		params.Cursor = page.Response.NextCursor
		if !params.Cursor.IsSet() {
			break
		}
	}
	slices.Reverse(listed)
	if !slices.Equal(listed, s.created) {
		return fmt.Errorf("got %v, want %v", listed, s.created)
	}
	return nil
}

func (s *story) bankDeposit(amount string) *api.TransactionRequest {
	return s.request(amount, s.fund, api.NewBankDepositToReceiveSide(api.BankDepositTo{
		ID: s.receiveUser, PayoutMethod: api.BankDepositToPayoutMethodBANKDEPOSIT, FundID: s.bankAccount,
	}))
}

// request is a payout to Nepal at 132.25 NPR for 1 USD.
func (s *story) request(amount string, fund uuid.UUID, to api.ReceiveSide) *api.TransactionRequest {
	return &api.TransactionRequest{
		FromAmount: api.PositiveAmount(decimal.RequireFromString(amount)), FromCurrency: "USD", FromFundID: fund,
		ToCurrency: "NPR", ExchangeRate: api.ExchangeRate(decimal.RequireFromString("132.25")), To: to,
	}
}

// create creates a transaction and remembers its id.
func (s *story) create(ctx context.Context, key string, request *api.TransactionRequest) (*api.TransactionHeaders, error) {
	created, err := expect[*api.TransactionHeaders](s.CreateTransaction(ctx, request,
		api.CreateTransactionParams{UserID: s.user, XIdempotencyKey: api.NewOptString(key)}))
	if err == nil {
		s.created = append(s.created, created.Response.ID)
	}
	return created, err
}
