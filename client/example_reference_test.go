package client_test

import (
	"context"
	"fmt"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// Find the payers of a country for a payout method, and the restrictions of one of them.
func ExampleClient_ListPayers() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	ctx := context.Background()

	payers, err := sandbox.Client.ListPayers(ctx, &api.ListPayersParams{
		Country: new("KWT"), PayoutMethod: new(api.PayoutMethodCashPickup), // KW would do as well
	})
	check(err)
	for _, p := range payers {
		fmt.Println(p.ID, p.Name)
	}
	payer, err := sandbox.Client.GetPayer(ctx, payers[2].ID)
	check(err)
	limit := payer.NetworkLimit[0]
	fmt.Println("pays out", limit.MinAmount, "to", limit.MaxAmount, limit.Currency, "at", payer.PickupLocation[0].Name)
	// Output:
	// 1055 Sample Amber Cash Kuwait
	// 1056 Sample Birch Cash Kuwait
	// 1057 Sample Cedar Cash Kuwait
	// pays out 1.500 to 2500.750 KWD at Sample Cedar Counter Kuwait City 1
}

// Read payers as often as you like: what has not changed is not sent again.
func ExampleWithReferenceMemory() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	c, err := client.New(sandbox.URL, sandbox.ClientID, sandbox.ClientSecret, client.WithReferenceMemory(8<<20)) // 8 MiB
	check(err)

	for range 2 {
		var info client.Info
		payers, err := c.ListPayers(context.Background(), nil, client.CaptureInfo(&info))
		check(err)
		fmt.Println(len(payers) > 0, info.NotModified)
	}
	// Output:
	// true false
	// true true
}

// Find the banks of a country, their branches, and the currencies that one of them receives.
func ExampleClient_ListBanks() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	ctx := context.Background()

	banks, err := sandbox.Client.ListBanks(ctx, &api.ListBanksParams{Country: new("NP")})
	check(err)
	fmt.Println(len(banks), "banks, the first is", banks[0].Name)
	for _, branch := range banks[0].Branches {
		fmt.Println(branch.ID, branch.Name)
	}
	bank, err := sandbox.Client.GetBank(ctx, 2003)
	check(err)
	fmt.Println(bank.Name, "receives", bank.ReceivingCurrency)
	// Output:
	// 9 banks, the first is Sample Amber Bank Nepal
	// 20010 Sample Branch Kathmandu
	// 20011 Sample Branch Pokhara
	// Sample Cedar Bank Nepal receives [NPR USD]
}

// Find the code of a state, for the address of a user.
func ExampleClient_ListCountryStates() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()

	states, err := sandbox.Client.ListCountryStates(context.Background(), "US")
	check(err)
	for _, state := range states {
		if state.Name == "California" {
			fmt.Println(state.Code, state.Country)
		}
	}
	// Output: CA US
}
