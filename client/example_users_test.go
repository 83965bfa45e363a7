package client_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// smallPNG is used instead of the photograph of a document.
const smallPNG = "\x89PNG\r\n\x1a\n"

// Register an individual, with the number of one document and a copy of another.
func ExampleClient_CreateUser() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()

	photo, err := client.DataURI("image/png", strings.NewReader(smallPNG)) // client.DataURIFile reads a file
	check(err)
	user, err := sandbox.Client.CreateUser(context.Background(), api.UserRequest{
		FirstName: "Asha", LastName: new("Example"), Email: "asha@example.com", MobilePhone: new("14155550100"),
		DateOfBirth:  &openapi_types.Date{Time: time.Date(1990, 5, 17, 0, 0, 0, 0, time.UTC)},
		AddressLine1: new("1 Sample Street"), City: new("San Francisco"), State: new("CA"), Country: "US",
		Type:              new(api.UserTypeSend),
		VirtualDocuments:  []api.VirtualDocumentRequest{{DocumentType: "PASSPORT", DocumentValue: "X1234567", Country: new("US")}},
		PhysicalDocuments: []api.PhysicalDocumentRequest{{DocumentType: "STATE_ID", DocumentValue: photo, State: new("CA")}},
	})
	check(err)
	fmt.Println(user.FirstName, *user.LastName, "is", user.Status)
	fmt.Println("documents:", user.VirtualDocuments[0].DocumentType, user.PhysicalDocuments[0].DocumentType)
	// Output:
	// Asha Example is UNVERIFIED
	// documents: PASSPORT STATE_ID
}

// Register a business: its name is the first name, and it has neither last name nor gender.
func ExampleClient_CreateUser_business() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()

	certificate, err := client.DataURI("", strings.NewReader("%PDF-1.7 sample")) // the type is detected from the content
	check(err)
	business, err := sandbox.Client.CreateUser(context.Background(), api.UserRequest{
		Business: new(true), FirstName: "Sample Trading", Email: "office@example.com", Country: "GB", Type: new(api.UserTypeSend),
		BusinessType: new("LLC"), UserScope: new("COMPUTER_TECHNOLOGY"), NumberOfEmployee: new("BETWEEN_25_TO_50"),
		CompanyWebsite:   new("https://www.example.com"),
		MailingAddress:   &api.MailingAddressRequest{AddressLine1: new("2 Sample Street"), City: new("London"), Country: new("GB")},
		VirtualDocuments: []api.VirtualDocumentRequest{{DocumentType: "EIN_NUMBER", DocumentValue: "12-3456789"}},
		PhysicalDocuments: []api.PhysicalDocumentRequest{
			{DocumentType: "EIN", DocumentValue: certificate}, {DocumentType: "CERTIFICATE_OF_INCORPORATION", DocumentValue: certificate},
		},
	})
	check(err)
	fmt.Println(business.FirstName, "is a business:", business.Business)
	// Output: Sample Trading is a business: true
}

// Read the verification of a user: the KYC status, and that of each piece of information.
func ExampleClient_GetCipInfo() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	ctx := context.Background()
	user, err := sandbox.Client.CreateUser(ctx, api.UserRequest{
		FirstName: "Asha", Email: "asha@example.com", City: new("San Francisco"), Country: "US",
	})
	check(err)

	info, err := sandbox.Client.GetCipInfo(ctx, user.ID)
	check(err)
	fmt.Println(info.KycStatus)
	for _, tag := range slices.Sorted(maps.Keys(info.CipInfo)) {
		fmt.Println(tag, info.CipInfo[tag])
	}
	// Output:
	// UNVERIFIED
	// CITY SUBMIT
	// COUNTRY SUBMIT
	// EMAIL SUBMIT
	// FIRST_NAME SUBMIT
}

// Read what a user may still send to a country.
func ExampleClient_GetTransactionLimit() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	sender := sandbox.VerifiedSender()

	limit, err := sandbox.Client.GetTransactionLimit(context.Background(), sender.ID, "NP")
	check(err)
	left := limit.RemainingLimit
	fmt.Println("tier", limit.CurrentTier)
	fmt.Println(left.DailyLimit, "today,", left.MonthlyLimit, "this month,", left.AnnualLimit, "this year")
	// Output:
	// tier 1
	// 1000.00 today, 3000.00 this month, 10000.00 this year
}

// Add a receive user with a bank account and a wallet account.
func ExampleClient_CreateReceiveUser() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	ctx, c, sender := context.Background(), sandbox.Client, sandbox.VerifiedSender()

	receiver, err := c.CreateReceiveUser(ctx, sender.ID, api.ReceiveUserRequest{
		FirstName: "Bina", LastName: new("Example"), Country: "NP",
		AddressLine1: new("3 Sample Road"), City: new("Kathmandu"), // home delivery needs them
	})
	check(err)
	bank, err := c.CreateBankAccount(ctx, sender.ID, receiver.ID, api.BankAccountRequest{
		BankID: 2001, BranchID: new(int64(20010)), AccountNumber: "0001234567", Currency: "NPR",
	})
	check(err)
	wallet, err := c.CreateWalletAccount(ctx, sender.ID, receiver.ID, api.WalletAccountRequest{
		PayerID: 1004, WalletNumber: "9800000000", Currency: "NPR",
	})
	check(err)
	fmt.Println(receiver.FirstName, "receives", bank.Currency, "at bank", bank.BankID, "and wallet payer", wallet.PayerID)
	// Output: Bina receives NPR at bank 2001 and wallet payer 1004
}
