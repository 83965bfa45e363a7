package servertest

import (
	"testing"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// SendToNepal creates a cash pickup of an amount in USD in Nepal.
func SendToNepal(t testing.TB, w CashSender, amount string) *api.CreateTransactionResponse {
	t.Helper()
	return Send(t, w.Client, w.Sender.ID, "", PickupAt(t, w.Sender, w.Users["NP"], CashPayer, amount, "1", "NPR"))
}

// CashCorridor is a cash payer without limits, and the decimals of its currency.
type CashCorridor struct {
	Country, Currency string
	Payer             int64
	Digits            int
}

// CashCorridors have currencies with 0, 2 and 3 decimals.
var CashCorridors = []CashCorridor{
	{"JP", "JPY", CashPayerJapan, 0},
	{"NP", "NPR", CashPayer, 2},
	{"KW", "KWD", CashPayerKuwait, 3},
}

// CashSender is a sender with a receive user in each country of CashCorridors.
type CashSender struct {
	Client *api.ClientWithResponses
	Sender Sender
	Users  map[string]openapi_types.UUID
}

// NewCashSender creates a verified sender in a country, with a receive user in each country of CashCorridors.
func NewCashSender(t testing.TB, s *Server, country string) CashSender {
	t.Helper()
	r, err := s.Client.CreateUserWithResponse(t.Context(), nil, api.UserRequest{
		FirstName: "Asha", Email: "asha@example.com", Country: country, Type: Ptr(api.UserTypeSend),
	})
	user := OK(t, r.StatusCode(), r.Body, r.JSON200, err)
	Verify(t, s.Client, user.ID, api.KycStatusVerified)
	fund := NewFundingAccount(t, s.Client, user.ID, api.FundingAccountStatusActive)
	w := CashSender{s.Client, Sender{ID: user.ID, Fund: fund}, map[string]openapi_types.UUID{}}
	for _, c := range CashCorridors {
		w.Users[c.Country] = NewReceiveUser(t, s.Client, user.ID, c.Country)
	}
	return w
}

// Request is a cash pickup with a calculation mode, without to_amount if to is "".
func (w CashSender) Request(t testing.TB, c CashCorridor, mode api.CalculationMode, from, rate, to string) api.TransactionRequest {
	t.Helper()
	request := PickupAt(t, w.Sender, w.Users[c.Country], c.Payer, from, rate, c.Currency)
	request.To = To(t, `{"payout_method":"CASH_PICKUP","id":"%s","payer_id":%d,"calculation_mode":"%s"}`, w.Users[c.Country], c.Payer, mode)
	if to != "" {
		request.ToAmount = Ptr(wire.MustAmount(to))
	}
	return request
}
