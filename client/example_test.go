package client_test

import (
	"context"
	"fmt"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// check panics on an error; a program handles it.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// A whole payout. The sandbox replaces the service, and the reviewer who verifies a user.
func Example() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	ctx := context.Background()
	c, err := client.New(sandbox.URL, sandbox.ClientID, sandbox.ClientSecret)
	check(err)

	user, err := c.CreateUser(ctx, api.UserRequest{
		FirstName: "Asha", LastName: new("Example"), Email: "asha@example.com", Country: "US", Type: new(api.UserTypeSend),
	})
	check(err)
	_, err = c.SetVerification(ctx, user.ID, api.VerificationRequest{KycStatus: new(api.KycStatusVerified)})
	check(err)
	fund, err := c.CreateFundingAccount(ctx, user.ID, api.FundingAccountRequest{FundingSourceType: "CARD"})
	check(err)
	_, err = c.SetFundingAccountStatus(ctx, user.ID, fund.ID, api.FundingAccountStatusActive)
	check(err)
	receiver, err := c.CreateReceiveUser(ctx, user.ID, api.ReceiveUserRequest{FirstName: "Bina", Country: "NP"})
	check(err)

	payout, err := c.CreateTransaction(ctx, user.ID, api.TransactionRequest{
		FromAmount: client.MustAmount("100.00"), FromCurrency: "USD", FromFundID: fund.ID,
		ToCurrency: "NPR", ExchangeRate: client.MustAmount("132.25"),
		To: client.CashPickup(receiver.ID, 1001),
	})
	check(err)
	fmt.Println(payout.Status, payout.FromAmount, payout.FromCurrency, "become", payout.ToAmount, payout.ToCurrency)
	// Output: INITIATED 100.00 USD become 13225.00 NPR
}
