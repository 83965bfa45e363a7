package client_test

import (
	"context"
	"fmt"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// Pay into a bank account.
func ExampleBankDeposit() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	sender := sandbox.VerifiedSender()
	receiver := sandbox.ReceiveUser(sender, "IN")

	payout, err := sandbox.Client.CreateTransaction(context.Background(), sender.ID, api.TransactionRequest{
		FromAmount: client.MustAmount("100"), FromCurrency: "USD", FromFundID: sender.FundID,
		ToCurrency: "INR", ExchangeRate: client.MustAmount("83.1275"), FeeAmount: new(client.MustAmount("1.99")),
		To: client.BankDeposit(receiver.ID, receiver.BankAccountID),
	})
	check(err)
	fmt.Println(payout.To.PayoutMethod, payout.ToAmount, payout.ToCurrency, "fee", payout.FeeAmount, payout.FromCurrency)
	// Output: BANK_DEPOSIT 8312.75 INR fee 1.99 USD
}

// Pay into a wallet, in a currency with three decimals.
func ExampleWallet() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	sender := sandbox.VerifiedSender()
	receiver := sandbox.ReceiveUser(sender, "KW")

	payout, err := sandbox.Client.CreateTransaction(context.Background(), sender.ID, api.TransactionRequest{
		FromAmount: client.MustAmount("100"), FromCurrency: "USD", FromFundID: sender.FundID,
		ToCurrency: "KWD", ExchangeRate: client.MustAmount("0.30725"),
		To: client.Wallet(receiver.ID, receiver.WalletAccountID),
	})
	check(err)
	fmt.Println(payout.To.PayoutMethod, payout.ToAmount, payout.ToCurrency)
	// Output: WALLET 30.725 KWD
}

// Pay in cash at a pick-up location of a payer.
func ExampleCashPickup() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	sender := sandbox.VerifiedSender()
	receiver := sandbox.ReceiveUser(sender, "NP")

	payout, err := sandbox.Client.CreateTransaction(context.Background(), sender.ID, api.TransactionRequest{
		FromAmount: client.MustAmount("100"), FromCurrency: "USD", FromFundID: sender.FundID,
		ToCurrency: "NPR", ExchangeRate: client.MustAmount("132.25"),
		To: client.CashPickup(receiver.ID, 1002, client.PickupLocation(30001)), // see ListPayers
	})
	check(err)
	fmt.Println(payout.To.PayoutMethod, payout.ToAmount, payout.ToCurrency, "from payer", *payout.To.PayerID)
	// Output: CASH_PICKUP 13225.00 NPR from payer 1002
}

// Deliver cash to the address of the receive user.
func ExampleHomeDelivery() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	sender := sandbox.VerifiedSender()
	receiver := sandbox.ReceiveUser(sender, "JP")

	payout, err := sandbox.Client.CreateTransaction(context.Background(), sender.ID, api.TransactionRequest{
		FromAmount: client.MustAmount("100"), FromCurrency: "USD", FromFundID: sender.FundID,
		ToCurrency: "JPY", ExchangeRate: client.MustAmount("149.503"),
		To: client.HomeDelivery(receiver.ID, 1051),
	})
	check(err)
	fmt.Println(payout.To.PayoutMethod, payout.ToAmount, payout.ToCurrency, "to", *payout.To.AddressLine1)
	// Output: HOME_DELIVERY 14950 JPY to 3 Sample Road
}

// Pay out exactly 3000 rupees. 3000 divided by 138.125 is 21.719..., rounded 21.72.
func ExampleReceiverAmount() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	sender := sandbox.VerifiedSender()
	receiver := sandbox.ReceiveUser(sender, "NP")

	payout, err := sandbox.Client.CreateTransaction(context.Background(), sender.ID, api.TransactionRequest{
		FromAmount: client.MustAmount("21.72"), FromCurrency: "USD", FromFundID: sender.FundID,
		ToAmount: new(client.MustAmount("3000")), ToCurrency: "NPR", ExchangeRate: client.MustAmount("138.125"),
		To: client.BankDeposit(receiver.ID, receiver.BankAccountID, client.ReceiverAmount),
	})
	check(err)
	fmt.Println(payout.FromAmount, payout.FromCurrency, "for", payout.ToAmount, payout.ToCurrency)
	// Output: 21.72 USD for 3000.00 NPR
}

// List all transactions of a user, newest first. Pages are read as they are needed.
func ExampleClient_Transactions() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	ctx, sender := context.Background(), sandbox.VerifiedSender()
	receiver := sandbox.ReceiveUser(sender, "MX")
	for _, amount := range []string{"10", "20", "30"} {
		_, err := sandbox.Client.CreateTransaction(ctx, sender.ID, sandbox.Payout(sender, receiver, api.PayoutMethodWallet, amount))
		check(err)
	}

	for payout, err := range sandbox.Client.Transactions(ctx, sender.ID, &api.ListTransactionsParams{Limit: new(int32(2))}) {
		check(err)
		fmt.Println(payout.FromAmount, payout.FromCurrency, "become", payout.ToAmount, payout.ToCurrency)
	}
	// Output:
	// 30.00 USD become 511.50 MXN
	// 20.00 USD become 341.00 MXN
	// 10.00 USD become 170.50 MXN
}

// An amount above the limits of a tier is accepted, and requests the information that the next tier requires.
func ExampleClient_CreateTransaction_aboveTheTier() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	ctx, sender := context.Background(), sandbox.VerifiedSender()
	receiver := sandbox.ReceiveUser(sender, "PH")

	payout, err := sandbox.Client.CreateTransaction(ctx, sender.ID, sandbox.Payout(sender, receiver, api.PayoutMethodBankDeposit, "1000.01"))
	check(err)
	info, err := sandbox.Client.GetCipInfo(ctx, sender.ID)
	check(err)
	fmt.Println(payout.Status)
	for _, tag := range []string{"ADDRESS_LINE1", "DATE_OF_BIRTH", "EMAIL", "ID_DOC"} {
		fmt.Println(tag, info.CipInfo[tag])
	}
	// Output:
	// INITIATED
	// ADDRESS_LINE1 REQUESTED
	// DATE_OF_BIRTH REQUESTED
	// EMAIL SUBMIT
	// ID_DOC REQUESTED
}
