package payoutfiles

import (
	"strconv"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// Columns that a release or a settlement may have, too.
const (
	columnClient      = "client_id"
	columnTransaction = "transaction_id"
	columnStatus      = "status"
	columnReason      = "status_reason"
	columnToAmount    = "to_amount"
	columnToCurrency  = "to_currency"
)

// column is a column of an export. Its value is empty if the payment does not need it.
type column struct {
	name  string
	value func(payout.Payable) string
}

var columns = []column{
	{columnClient, func(p payout.Payable) string { return string(p.ClientID) }},
	{columnTransaction, func(p payout.Payable) string { return string(p.ID) }},
	{"client_reference", func(p payout.Payable) string { return p.ClientReference }},
	{"created_at", func(p payout.Payable) string { return p.CreatedAt.UTC().Format(time.RFC3339Nano) }},
	{columnStatus, func(p payout.Payable) string { return string(p.Status) }},
	{"payout_method", func(p payout.Payable) string { return string(p.To.Method) }},
	{columnToAmount, func(p payout.Payable) string { return payout.Major(p.ToAmount, p.ToCurrency).String() }},
	{columnToCurrency, func(p payout.Payable) string { return p.ToCurrency }},
	{"from_amount", func(p payout.Payable) string { return payout.Major(p.FromAmount, p.FromCurrency).String() }},
	{"from_currency", func(p payout.Payable) string { return p.FromCurrency }},
	{"fee_amount", func(p payout.Payable) string { return payout.Major(p.FeeAmount, p.FromCurrency).String() }},
	{"exchange_rate", func(p payout.Payable) string { return p.ExchangeRate.String() }},
	{"destination", func(p payout.Payable) string { return p.Destination }},
	{"funding_source_type", func(p payout.Payable) string { return p.FundingType }},
	{"from_fund_id", func(p payout.Payable) string { return string(p.FromFundID) }},
	{"purpose", func(p payout.Payable) string { return text(p.Notes.Purpose) }},
	{"custom_purpose", func(p payout.Payable) string { return text(p.Notes.CustomPurpose) }},
	{"remittance_purpose", func(p payout.Payable) string { return text(p.Notes.RemittancePurpose) }},
	{"note", func(p payout.Payable) string { return text(p.Notes.Note) }},

	{"sender_id", func(p payout.Payable) string { return string(p.UserID) }},
	{"sender_first_name", func(p payout.Payable) string { return p.Sender.Profile.FirstName }},
	{"sender_middle_name", func(p payout.Payable) string { return p.Sender.Profile.MiddleName }},
	{"sender_last_name", func(p payout.Payable) string { return p.Sender.Profile.LastName }},
	{"sender_business", func(p payout.Payable) string { return strconv.FormatBool(p.Sender.Business) }},
	{"sender_date_of_birth", func(p payout.Payable) string { return p.Sender.Profile.DateOfBirth }},
	{"sender_address_line1", func(p payout.Payable) string { return p.Sender.Profile.AddressLine1 }},
	{"sender_city", func(p payout.Payable) string { return p.Sender.Profile.City }},
	{"sender_state", func(p payout.Payable) string { return p.Sender.Profile.State }},
	{"sender_zipcode", func(p payout.Payable) string { return p.Sender.Profile.Zipcode }},
	{"sender_country", func(p payout.Payable) string { return p.Sender.Country }},

	{"payee_id", func(p payout.Payable) string { return string(p.To.ReceiveUserID) }},
	{"payee_first_name", func(p payout.Payable) string { return p.Receiver.FirstName }},
	{"payee_last_name", func(p payout.Payable) string { return p.Receiver.LastName }},
	{"payee_email", func(p payout.Payable) string { return p.Receiver.Email }},
	{"payee_mobile_phone", func(p payout.Payable) string { return p.Receiver.MobilePhone }},
	{"payee_address_line1", func(p payout.Payable) string { return p.Receiver.AddressLine1 }},
	{"payee_city", func(p payout.Payable) string { return p.ReceiveUser.City }},
	{"payee_state", func(p payout.Payable) string { return p.ReceiveUser.State }},
	{"payee_zipcode", func(p payout.Payable) string { return p.ReceiveUser.Zipcode }},
	{"payee_country", func(p payout.Payable) string { return p.ReceiveUser.Country }},

	{"fund_id", func(p payout.Payable) string { return string(p.To.FundID) }},
	{"account_number", func(p payout.Payable) string { return p.BankAccount.AccountNumber }},
	{"bank_id", func(p payout.Payable) string { return number(p.BankAccount.BankID) }},
	{"bank_name", func(p payout.Payable) string { return p.Bank.Name }},
	{"branch_id", func(p payout.Payable) string { return number(p.BankAccount.BranchID) }},
	{"branch_name", func(p payout.Payable) string { return p.Branch.Name }},
	{"wallet_number", func(p payout.Payable) string { return p.WalletAccount.WalletNumber }},
	{"payer_id", func(p payout.Payable) string { return number(p.Payer.ID) }},
	{"payer_code", func(p payout.Payable) string { return p.Payer.Code }},
	{"payer_name", func(p payout.Payable) string { return p.Payer.Name }},
	{"pickup_location_id", func(p payout.Payable) string { return number(p.PickupLocation.ID) }},
	{"pickup_location_name", func(p payout.Payable) string { return p.PickupLocation.Name }},
	{"pickup_location_address_line1", func(p payout.Payable) string { return p.PickupLocation.AddressLine1 }},
	{"pickup_location_city", func(p payout.Payable) string { return p.PickupLocation.City }},
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func number(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}
