package probe

import (
	"strings"

	"github.com/google/uuid"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// Sender is a user that may send, with an active funding account.
type Sender struct {
	UserID openapi_types.UUID
	FundID openapi_types.UUID
}

// Receiver is the receive side of a transaction.
type Receiver struct {
	ID       openapi_types.UUID // the receive user
	To       api.ReceiveSide    // of SENDER_AMOUNT
	Currency string             // of the payout
	Rate     wire.Amount        // at which 1 may be sent; 0 for the usual rate
}

// Ptr returns a pointer to a value.
func Ptr[V any](v V) *V { return &v }

// NewKey returns a new idempotency key.
func NewKey() string { return "conformance-" + uuid.NewString() }

// UserRequest returns the registration of an individual sender in the originating corridor; edit changes it.
func (t *T) UserRequest(edit ...func(*api.UserRequest)) api.UserRequest {
	r := api.UserRequest{
		FirstName: "Asha", LastName: Ptr("Conformance"), Email: "asha.conformance@example.com",
		Country: t.Target().Facts.OriginCountry, Type: Ptr(api.UserTypeSend),
	}
	for _, e := range edit {
		e(&r)
	}
	return r
}

// NewUser registers a user with [T.UserRequest], as a set-up.
func (t *T) NewUser(edit ...func(*api.UserRequest)) api.User {
	r, err := t.Client().CreateUserWithResponse(t.ctx, nil, t.UserRequest(edit...))
	return Setup(t, r, err)
}

// Verify sets the overall status and tags of a user, as a set-up. An empty status is not sent.
func (t *T) Verify(user openapi_types.UUID, status api.KycStatus, tags map[string]api.CipStatus) api.CipInfo {
	body := api.VerificationRequest{CipInfo: tags}
	if status != "" {
		body.KycStatus = &status
	}
	r, err := t.Client().SetVerificationWithResponse(t.ctx, user, body)
	return Setup(t, r, err)
}

// NewFundingAccount links a funding account with a status, as a set-up.
func (t *T) NewFundingAccount(user openapi_types.UUID, status api.FundingAccountStatus) openapi_types.UUID {
	r, err := t.Client().CreateFundingAccountWithResponse(t.ctx, user, nil, api.FundingAccountRequest{FundingSourceType: "CARD"})
	account := Setup(t, r, err)
	if status == account.Status {
		return account.ID
	}
	set, err := t.Client().SetFundingAccountStatusWithResponse(t.ctx, user, account.ID, api.FundingAccountStatusRequest{Status: status})
	return Setup(t, set, err).ID
}

// Sender returns a new sender if extensions may be used, else that of the fixtures; without one it skips the check.
func (t *T) Sender() Sender {
	if t.Full() {
		return t.NewSender()
	}
	f := t.Target().Fixtures.Sender
	if f == nil {
		t.Skipf("the fixtures name no sender")
	}
	return Sender{f.UserID, f.FromFundID}
}

// NewSender registers and verifies a user and links an active funding account; edit changes the registration.
func (t *T) NewSender(edit ...func(*api.UserRequest)) Sender {
	u := t.NewUser(edit...)
	t.Verify(u.ID, api.KycStatusVerified, nil)
	return Sender{u.ID, t.NewFundingAccount(u.ID, api.FundingAccountStatusActive)}
}

// ReceiveUserRequest returns a receive user in a country, with an address; edit changes it.
func ReceiveUserRequest(country string, edit ...func(*api.ReceiveUserRequest)) api.ReceiveUserRequest {
	r := api.ReceiveUserRequest{
		FirstName: "Bina", LastName: Ptr("Conformance"), Email: Ptr("bina.conformance@example.com"),
		MobilePhone: Ptr("9779800000000"), AddressLine1: Ptr("3 Conformance Road"), City: Ptr("Sample City"), Country: country,
	}
	for _, e := range edit {
		e(&r)
	}
	return r
}

// NewReceiveUser adds a receive user, as a set-up.
func (t *T) NewReceiveUser(user openapi_types.UUID, country string, edit ...func(*api.ReceiveUserRequest)) openapi_types.UUID {
	r, err := t.Client().CreateReceiveUserWithResponse(t.ctx, user, nil, ReceiveUserRequest(country, edit...))
	return Setup(t, r, err).ID
}

// NewBankAccount adds an account at a bank in its first currency, as a set-up.
func (t *T) NewBankAccount(user, receiver openapi_types.UUID, b api.BankDetail) openapi_types.UUID {
	r, err := t.Client().CreateBankAccountWithResponse(t.ctx, user, receiver, nil, api.BankAccountRequest{
		BankID: b.ID, AccountNumber: "0001234567", Currency: b.ReceivingCurrency[0],
	})
	return Setup(t, r, err).ID
}

// NewWalletAccount adds a wallet of a payer, as a set-up.
func (t *T) NewWalletAccount(user, receiver openapi_types.UUID, p api.PayerDetail) openapi_types.UUID {
	r, err := t.Client().CreateWalletAccountWithResponse(t.ctx, user, receiver, nil, api.WalletAccountRequest{
		PayerID: p.ID, WalletNumber: "9800000000", Currency: p.ReceivingCurrency,
	})
	return Setup(t, r, err).ID
}

// Receiver returns a receive side in the destination for a payout method: a new one if extensions may be used, else that of
// the fixtures; without one it skips the check.
func (t *T) Receiver(s Sender, method api.PayoutMethod) Receiver {
	if !t.Full() {
		for _, f := range t.Target().Fixtures.Receivers {
			if f.PayoutMethod == method {
				return t.fixedReceiver(f)
			}
		}
		t.Skipf("the fixtures name no receiver for %s", method)
	}
	country := t.Target().Facts.Destination
	id := t.NewReceiveUser(s.UserID, country)
	switch method {
	case api.PayoutMethodBankDeposit:
		b := t.Bank(country)
		fund := t.NewBankAccount(s.UserID, id, b)
		return Receiver{ID: id, To: t.To(method, id, &fund, 0), Currency: b.ReceivingCurrency[0]}
	case api.PayoutMethodWallet:
		p := t.AnyPayer(method)
		fund := t.NewWalletAccount(s.UserID, id, p)
		return Receiver{id, t.To(method, id, &fund, 0), p.ReceivingCurrency, RateFor(p)}
	default:
		return t.At(id, t.AnyPayer(method))
	}
}

// At returns a receive side with a payer of CASH_PICKUP or HOME_DELIVERY.
func (t *T) At(receiver openapi_types.UUID, p api.PayerDetail) Receiver {
	return Receiver{receiver, t.To(p.DeliveryMethod, receiver, nil, p.ID), p.ReceivingCurrency, RateFor(p)}
}

func (t *T) fixedReceiver(f FixedReceiver) Receiver {
	r := Receiver{ID: f.ID, To: t.To(f.PayoutMethod, f.ID, f.FundID, f.PayerID), Currency: f.Currency}
	if f.PayerID > 0 {
		if p, err := t.Client().GetPayerWithResponse(t.ctx, f.PayerID); err == nil && p.JSON200 != nil {
			r.Rate = RateFor(*p.JSON200)
		}
	}
	return r
}

// To returns the receive side of a request; fund is for BANK_DEPOSIT and WALLET, payer for the others.
func (t *T) To(method api.PayoutMethod, receiver openapi_types.UUID, fund *openapi_types.UUID, payer int64) api.ReceiveSide {
	var to api.ReceiveSide
	var err error
	switch {
	case method == api.PayoutMethodCashPickup:
		err = to.FromCashPickupTo(api.CashPickupTo{ID: receiver, PayoutMethod: method, PayerID: payer})
	case method == api.PayoutMethodHomeDelivery:
		err = to.FromHomeDeliveryTo(api.HomeDeliveryTo{ID: receiver, PayoutMethod: method, PayerID: payer})
	case fund == nil:
		t.Brokenf("a receiver for %s needs a fund_id", method)
	case method == api.PayoutMethodWallet:
		err = to.FromWalletTo(api.WalletTo{ID: receiver, PayoutMethod: method, FundID: *fund})
	default:
		err = to.FromBankDepositTo(api.BankDepositTo{ID: receiver, PayoutMethod: method, FundID: *fund})
	}
	if err != nil {
		t.Brokenf("make a receive side: %v", err)
	}
	return to
}

// Payout returns a transaction of an amount in the sending currency; edit changes it.
func (t *T) Payout(s Sender, r Receiver, amount string, edit ...func(*api.TransactionRequest)) api.TransactionRequest {
	body := api.TransactionRequest{
		FromAmount: wire.MustAmount(amount), ExchangeRate: usualRate,
		FromCurrency: t.Target().Facts.OriginCurrency, ToCurrency: r.Currency, FromFundID: s.FundID, To: r.To,
	}
	if !r.Rate.Equal(wire.Amount{}) {
		body.ExchangeRate = r.Rate
	}
	for _, e := range edit {
		e(&body)
	}
	return body
}

// Deposit returns a sender and a bank deposit of 1 that the server must accept: the basis of most transaction checks. The
// amount is small because the limits of the sender are unknown.
func (t *T) Deposit() (Sender, api.TransactionRequest) {
	s := t.Sender()
	return s, t.Payout(s, t.Receiver(s, api.PayoutMethodBankDeposit), "1.00")
}

// Create sends a transaction, with an idempotency key unless it is empty, and returns any response.
func (t *T) Create(user openapi_types.UUID, key string, body api.TransactionRequest) (*api.CreateTransactionResponse, error) {
	var params *api.CreateTransactionParams
	if key != "" {
		params = &api.CreateTransactionParams{XIdempotencyKey: &key}
	}
	return t.Client().CreateTransactionWithResponse(t.ctx, user, params, body)
}

// UserPath returns a path below a user.
func UserPath(user openapi_types.UUID, segments ...string) string {
	return "/users/" + strings.Join(append([]string{user.String()}, segments...), "/")
}
