package transactions_test

import (
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// D-73: the message of a refusal says what is allowed, exactly.
func TestMessagesSayWhatIsAllowed(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	servertest.VerifyTags(t, s.Client, sender.ID, servertest.TopTier...)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	good := servertest.Deposit(t, sender, receiver, "10")
	with := func(change func(*api.TransactionRequest)) api.TransactionRequest {
		request := good
		change(&request)
		return request
	}
	mexican := servertest.NewReceiveUser(t, s.Client, sender.ID, "MX")
	for _, c := range []struct {
		request api.TransactionRequest
		want    string
	}{
		{with(func(r *api.TransactionRequest) { r.FromCurrency = "GBP" }), "The currency is not supported here. Use USD."},
		{with(func(r *api.TransactionRequest) { r.ToCurrency = "USD" }), "The currency is not supported here. Use NPR."},
		{
			with(func(r *api.TransactionRequest) { r.ExchangeRate = wire.MustAmount("0.00001") }),
			"The receiving amount would be zero or too large. Change from_amount, or check exchange_rate.",
		},
		{
			servertest.PickupAt(t, sender, mexican, 1019, "100", "0.5", "MXN"),
			"The exchange rate from USD to MXN must be from 5 to 50, as agreed with the operator.",
		},
		{
			servertest.Pickup(t, sender, receiver.ID, servertest.CashPayerLimited, "0.5"),
			"The payer pays out from 100.00 NPR to 100000.00 NPR. Change the amount, or use another payer.",
		},
		{
			servertest.Deposit(t, sender, receiver, "999999999"),
			"The limits of the user leave 20000.00 USD today, 60000.00 USD this month and 250000.00 USD this year (UTC), " +
				"even with every verification. Send at most 20000.00 USD, or wait until a limit is renewed.",
		},
	} {
		refused := servertest.Send(t, s.Client, sender.ID, "", c.request)
		if refused.JSON422 == nil || refused.JSON422.Message != c.want {
			t.Errorf("answers %s\nwant %s", refused.Body, c.want)
		}
	}
}

// D-73: a sender who may not send yet learns which CIP tags are wanted, or which ones wait for the operator.
func TestMessagesNameTheTagsThatAreWanted(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	user := servertest.NewUser(t, s.Client)
	sender := servertest.Sender{ID: user.ID, Fund: servertest.NewFundingAccount(t, s.Client, user.ID, api.FundingAccountStatusActive)}
	receiver := servertest.NewReceiver(t, s.Client, user.ID)
	for _, step := range []struct {
		status api.KycStatus
		tags   string
		want   string
	}{
		{
			api.KycStatusUnverified, "",
			"The KYC status of the user is UNVERIFIED, and must be VERIFIED. Wait for the verification of COUNTRY, EMAIL, FIRST_NAME, LAST_NAME.",
		},
		{
			api.KycStatusInProgress, "ID_DOC=REQUESTED EMAIL=FAILED COUNTRY=VERIFIED",
			"The KYC status of the user is IN PROGRESS, and must be VERIFIED. Send what is FAILED or REQUESTED: EMAIL, ID_DOC.",
		},
		{api.KycStatusSuspended, "", "The KYC status of the user is SUSPENDED, and must be VERIFIED. Ask the operator."},
		{
			api.KycStatusUnverified, "ID_DOC=VERIFIED EMAIL=VERIFIED FIRST_NAME=VERIFIED LAST_NAME=VERIFIED",
			"The KYC status of the user is UNVERIFIED, and must be VERIFIED. Wait for the operator.",
		},
	} {
		servertest.Verify(t, s.Client, user.ID, step.status)
		servertest.SetTags(t, s.Client, user.ID, parseTags(step.tags))
		refused := servertest.Send(t, s.Client, user.ID, "", servertest.Deposit(t, sender, receiver, "10"))
		if refused.JSON422 == nil || refused.JSON422.Message != step.want {
			t.Errorf("answers %s\nwant %s", refused.Body, step.want)
		}
	}
}

// D-08: a message has at most 500 characters, however many countries and tags there are to name.
func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	var destinations []payout.Destination
	for _, a := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		for _, b := range "ABCDEFGHIJ" {
			destinations = append(destinations, payout.Destination{Country: string([]rune{a, b})})
		}
	}
	servertest.SetProfile(t, s, []payout.Corridor{{Country: "US", Currency: "USD"}}, destinations...)
	user := servertest.NewUser(t, s.Client)
	r, err := s.Client.CreateReceiveUserWithResponse(t.Context(), user.ID, nil, api.ReceiveUserRequest{FirstName: "Bina", Country: "ZW"})
	if err != nil {
		t.Fatal(err)
	}
	e := servertest.Refusal(t, r.Body, api.ErrorCodeCorridorNotEnabled)
	if len(e.Message) > 500 || !strings.Contains(e.Message, "AA, AB, ") || !strings.Contains(e.Message, " more)") {
		t.Errorf("the message has %d characters: %s", len(e.Message), e.Message)
	}
}
