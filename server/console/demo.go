package console

import (
	"errors"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// The demo sends from the United States to the first bank in Nepal.
const (
	demoFrom = "US"
	demoTo   = "NP"
)

// createDemo makes what a first payout needs, and leads to the form for it.
func createDemo(v *visit) error {
	ctx, sdk := v.Context(), v.sdk()
	banks, err := sdk.ListBanks(ctx, &api.ListBanksParams{Country: new(demoTo)})
	if err != nil {
		return err
	}
	if len(banks) == 0 {
		return errors.New("the sandbox has no bank for the demo")
	}
	bank, err := sdk.GetBank(ctx, banks[0].ID)
	if err != nil {
		return err
	}
	sender, err := sdk.CreateUser(ctx, api.UserRequest{
		FirstName: "Asha", LastName: new("Example"), Email: "asha@example.com", Country: demoFrom, State: new("CA"), City: new("San Francisco"),
		AddressLine1: new("1 Sample Street"), Type: new(api.UserTypeSend),
	})
	if err != nil {
		return err
	}
	if _, err = sdk.SetVerification(ctx, sender.ID, api.VerificationRequest{KycStatus: new(api.KycStatusVerified)}); err != nil {
		return err
	}
	card, err := sdk.CreateFundingAccount(ctx, sender.ID, api.FundingAccountRequest{FundingSourceType: "CARD", Label: new("Everyday card")})
	if err != nil {
		return err
	}
	if _, err = sdk.SetFundingAccountStatus(ctx, sender.ID, card.ID, api.FundingAccountStatusActive); err != nil {
		return err
	}
	receiver, err := sdk.CreateReceiveUser(ctx, sender.ID, api.ReceiveUserRequest{
		FirstName: "Bina", LastName: new("Example"), Country: demoTo, City: new("Kathmandu"), AddressLine1: new("3 Sample Road"),
	})
	if err != nil {
		return err
	}
	_, err = sdk.CreateBankAccount(ctx, sender.ID, receiver.ID, api.BankAccountRequest{
		BankID: bank.ID, AccountNumber: "0001234567", Currency: bank.ReceivingCurrency[0],
	})
	if err != nil {
		return err
	}
	return redirect(v.base() + "/payouts/new?user=" + sender.ID.String() + "&done=demo")
}
