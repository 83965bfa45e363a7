package transactions_test

import (
	"testing"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Section 1, rule 5: the bounds of a payer's network_limit are allowed, anything beyond them is not; what counts is the
// receiving amount as it is rounded (D-21).
func TestNetworkLimitOfAPayer(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	users := map[string]openapi_types.UUID{}
	for _, country := range []string{"NP", "JP", "KW"} {
		users[country] = servertest.NewReceiveUser(t, s.Client, sender.ID, country)
	}
	for _, row := range []struct {
		country, currency string
		payer             int64
		rate              string // of one dollar
		want              string // receiving amount; empty: AMOUNT_NOT_ALLOWED
	}{
		{"NP", "NPR", 1003, "99.99", ""},
		{"NP", "NPR", 1003, "99.9949", ""},
		{"NP", "NPR", 1003, "99.995", "100.00"},
		{"NP", "NPR", 1003, "100", "100.00"},
		{"NP", "NPR", 1003, "100.01", "100.01"},
		{"NP", "NPR", 1003, "99999.99", "99999.99"},
		{"NP", "NPR", 1003, "100000", "100000.00"},
		{"NP", "NPR", 1003, "100000.0049", "100000.00"},
		{"NP", "NPR", 1003, "100000.005", ""},
		{"NP", "NPR", 1003, "100000.01", ""},
		{"NP", "NPR", 1001, "100000.01", "100000.01"}, // another payer of the country has no limit
		{"JP", "JPY", 1048, "999", ""},
		{"JP", "JPY", 1048, "999.4", ""},
		{"JP", "JPY", 1048, "999.5", "1000"},
		{"JP", "JPY", 1048, "1000", "1000"},
		{"JP", "JPY", 1048, "500000", "500000"},
		{"JP", "JPY", 1048, "500000.49", "500000"},
		{"JP", "JPY", 1048, "500000.5", ""},
		{"JP", "JPY", 1048, "500001", ""},
		{"KW", "KWD", 1057, "1.499", ""},
		{"KW", "KWD", 1057, "1.4994", ""},
		{"KW", "KWD", 1057, "1.4995", "1.500"},
		{"KW", "KWD", 1057, "1.5", "1.500"},
		{"KW", "KWD", 1057, "2500.75", "2500.750"},
		{"KW", "KWD", 1057, "2500.7504", "2500.750"},
		{"KW", "KWD", 1057, "2500.7505", ""},
		{"KW", "KWD", 1057, "2500.751", ""},
	} {
		t.Run(row.currency+" "+row.rate, func(t *testing.T) {
			t.Parallel()
			request := servertest.PickupAt(t, sender, users[row.country], row.payer, "1", row.rate, row.currency)
			r := servertest.Send(t, s.Client, sender.ID, "", request)
			if row.want == "" {
				servertest.WantRefused(t, r, api.ErrorCodeAmountNotAllowed, "/to_amount")
				return
			}
			if got := servertest.Created(t, r).ToAmount.String(); got != row.want {
				t.Errorf("to_amount %s, want %s", got, row.want)
			}
		})
	}
}

// The limit of the payer of a wallet also applies, with or without payer_id, and with RECEIVER_AMOUNT.
func TestNetworkLimitOfAWalletAndOfAGivenAmount(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	nepal := servertest.NewReceiver(t, s.Client, sender.ID)
	account, err := s.Client.CreateWalletAccountWithResponse(t.Context(), sender.ID, nepal.ID, nil,
		api.WalletAccountRequest{PayerID: 1005, WalletNumber: "1", Currency: "NPR"})
	limited := servertest.OK(t, account.StatusCode(), account.Body, account.JSON200, err).ID
	for _, to := range []api.ReceiveSide{
		servertest.To(t, `{"payout_method":"WALLET","id":"%s","fund_id":"%s"}`, nepal.ID, limited),
		servertest.To(t, `{"payout_method":"WALLET","id":"%s","fund_id":"%s","payer_id":1005}`, nepal.ID, limited),
		servertest.To(t, `{"payout_method":"WALLET","id":"%s","fund_id":"%s","calculation_mode":"RECEIVER_AMOUNT"}`, nepal.ID, limited),
		servertest.To(t, `{"payout_method":"CASH_PICKUP","id":"%s","payer_id":1003,"calculation_mode":"RECEIVER_AMOUNT"}`, nepal.ID),
	} {
		request := servertest.Deposit(t, sender, nepal, "1")
		request.To = to
		for amount, allowed := range map[string]bool{"99.99": false, "100": true, "100000": true, "100000.01": false} {
			request.ExchangeRate, request.ToAmount = wire.MustAmount(amount), servertest.Ptr(wire.MustAmount(amount))
			r := servertest.Send(t, s.Client, sender.ID, "", request)
			if allowed {
				servertest.Created(t, r)
			} else {
				servertest.WantRefused(t, r, api.ErrorCodeAmountNotAllowed, "/to_amount")
			}
		}
	}
}

// A receiving amount that is rounded to 0, or above the maximum, cannot be paid out (D-42).
func TestReceivingAmountThatCannotBePaid(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	servertest.LiftLimits(t, s)
	sender := servertest.NewSender(t, s.Client)
	users := map[string]openapi_types.UUID{}
	for _, country := range []string{"NP", "JP", "KW"} {
		users[country] = servertest.NewReceiveUser(t, s.Client, sender.ID, country)
	}
	for _, row := range []struct {
		country, currency  string
		payer              int64
		amount, rate, want string
	}{
		{"NP", "NPR", 1001, "0.01", "0.49", ""},
		{"NP", "NPR", 1001, "0.01", "0.5", "0.01"},
		{"NP", "NPR", 1001, "1000", "1000000000", "1000000000000.00"},
		{"NP", "NPR", 1001, "1000.01", "1000000000", ""},
		{"NP", "NPR", 1001, "1000000000000", "1.000000000000001", "1000000000000.00"}, // 0.001 more is rounded away
		{"NP", "NPR", 1001, "1000000000000", "1.00000000000001", ""},
		{"JP", "JPY", 1046, "0.01", "49.99", ""},
		{"JP", "JPY", 1046, "0.01", "50", "1"},
		{"JP", "JPY", 1046, "1000", "1000000000", "1000000000000"},
		{"JP", "JPY", 1046, "1000.01", "1000000000", ""},
		{"KW", "KWD", 1055, "0.01", "0.049", ""},
		{"KW", "KWD", 1055, "0.01", "0.05", "0.001"},
		{"KW", "KWD", 1055, "1000", "1000000000", "1000000000000.000"},
		{"KW", "KWD", 1055, "1000.01", "1000000000", ""},
	} {
		t.Run(row.currency+" "+row.amount+" at "+row.rate, func(t *testing.T) {
			t.Parallel()
			request := servertest.PickupAt(t, sender, users[row.country], row.payer, row.amount, row.rate, row.currency)
			r := servertest.Send(t, s.Client, sender.ID, "", request)
			if row.want == "" {
				servertest.WantRefused(t, r, api.ErrorCodeAmountNotAllowed, "/from_amount")
				return
			}
			if got := servertest.Created(t, r).ToAmount.String(); got != row.want {
				t.Errorf("to_amount %s, want %s", got, row.want)
			}
		})
	}
}
