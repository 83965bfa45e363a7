package client_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

func TestReceiveSides(t *testing.T) {
	t.Parallel()
	const (
		id   = `"id":"7c1b5a94-1d35-4a8c-9f5e-2f7a1b3c4d44"`
		fund = `"fund_id":"91d2c3b4-5e6f-4708-9a1b-2c3d4e5f6a55",`
		mode = `"calculation_mode":"RECEIVER_AMOUNT",`
	)
	for want, side := range map[string]api.ReceiveSide{
		`{` + fund + id + `,"payout_method":"BANK_DEPOSIT"}`:        client.BankDeposit(otherID, accountID),
		`{` + mode + fund + id + `,"payout_method":"BANK_DEPOSIT"}`: client.BankDeposit(otherID, accountID, client.ReceiverAmount),
		`{` + fund + id + `,"payout_method":"WALLET"}`:              client.Wallet(otherID, accountID),
		`{` + mode + fund + id + `,"payer_id":1004,"payout_method":"WALLET"}`: client.Wallet(
			otherID, accountID, client.WalletPayer(1004), client.ReceiverAmount),
		`{` + id + `,"payer_id":1001,"payout_method":"CASH_PICKUP"}`: client.CashPickup(otherID, 1001),
		`{` + mode + id + `,"payer_id":1003,"payout_method":"CASH_PICKUP","pickup_location":30004}`: client.CashPickup(
			otherID, 1003, client.ReceiverAmount, client.PickupLocation(30004)),
		`{` + id + `,"payer_id":1006,"payout_method":"HOME_DELIVERY"}`:        client.HomeDelivery(otherID, 1006),
		`{` + mode + id + `,"payer_id":1006,"payout_method":"HOME_DELIVERY"}`: client.HomeDelivery(otherID, 1006, client.ReceiverAmount),
	} {
		got, err := json.Marshal(side)
		if err != nil || string(got) != want {
			t.Errorf("got  %s, %v\nwant %s", got, err, want)
		}
		if _, err := side.ValueByDiscriminator(); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
}

func TestParseAmount(t *testing.T) {
	t.Parallel()
	if a, err := client.ParseAmount("100.10"); err != nil || a.String() != "100.10" || !a.Equal(client.MustAmount("100.1")) {
		t.Errorf("got %s, %v", a, err)
	}
	for text, want := range map[string]error{"1e3": wire.ErrNotPlainNumber, "canary": wire.ErrNotPlainNumber, "10000000000000000000": wire.ErrTooManyDigits} {
		if a, err := client.ParseAmount(text); !errors.Is(err, want) || a != (api.Amount{}) || len(err.Error()) > 70 {
			t.Errorf("%s: %s, %v", text, a, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("MustAmount did not panic")
		}
	}()
	client.MustAmount("1e3")
}
