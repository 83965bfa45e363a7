package payout

import (
	"errors"
	"time"

	"github.com/govalues/decimal"
)

// CalculationMode says which amount is calculated (section 2.6).
type CalculationMode string

// The calculation modes; SenderAmount is the default.
const (
	SenderAmount   CalculationMode = "SENDER_AMOUNT"
	ReceiverAmount CalculationMode = "RECEIVER_AMOUNT"
)

// CalculationModes returns all of them.
func CalculationModes() []CalculationMode { return []CalculationMode{SenderAmount, ReceiverAmount} }

// NewTransaction is a request for a transaction. Amounts are in major units, exact.
type NewTransaction struct {
	FromAmount   decimal.Decimal
	ExchangeRate decimal.Decimal
	ToAmount     *decimal.Decimal // required for ReceiverAmount, otherwise ignored
	FeeAmount    decimal.Decimal  // in FromCurrency
	FromCurrency string
	ToCurrency   string
	FromFundID   FundingAccountID
	FundingType  string // funding_source_type; empty: that of the funding account
	// ClientReference is the client's own reference (D-70); empty if none was sent, as in Transaction.
	ClientReference string
	RequestID       string // of the request of the API that asks for it; empty: none
	Notes           Notes
	Documents       []Document
	To              ReceiveSide
}

// Notes are the texts of a transaction that no rule uses; nil is one that was not sent.
type Notes struct {
	Note              *string
	Purpose           *string
	CustomPurpose     *string
	RemittancePurpose *string
	IPAddress         *string
}

// ReceiveSide is the receive user and what the payout method needs (section 1, rule 4).
type ReceiveSide struct {
	ReceiveUserID  ReceiveUserID
	Method         PayoutMethod
	Mode           CalculationMode
	FundID         ReceiveAccountID // BankDeposit, Wallet
	PayerID        int64            // CashPickup, HomeDelivery; optional for Wallet
	PickupLocation int64            // CashPickup, optional
}

// Transaction is a created transaction (section 2.6). Amounts are in minor units of their currencies.
type Transaction struct {
	ID             TransactionID
	UserID         UserID
	CreatedAt      time.Time
	UpdatedAt      time.Time // of the last change of what follows
	Status         TransactionStatus
	DeliveryStatus DeliveryStatus
	StatusReason   StatusReason // empty: none
	// RequiredInformation has the CIP tags that must become VERIFIED before the transaction is released, in the order of the
	// alphabet; none unless it is INITIATED.
	RequiredInformation []string
	FromAmount          int64
	FromCurrency        string
	ToAmount            int64
	ToCurrency          string
	FeeAmount           int64 // FromCurrency
	BonusAmount         int64 // FromCurrency; always 0 (D-35)
	ExchangeRate        decimal.Decimal
	FromFundID          FundingAccountID
	FundingType         string
	Destination         string // country of the receive user at creation
	ClientReference     string
	RequestID           string // of the request that created it, for support; empty in rows before migration 11
	Notes               Notes
	Documents           []Document
	To                  ReceiveSide
	Receiver            Receiver
}

// Receiver is the receive user at the creation of the transaction, so that a replay returns the same body.
type Receiver struct {
	FirstName    string
	LastName     string
	Email        string
	MobilePhone  string
	AddressLine1 string
}

// errUnknownMode is returned for a calculation mode that has no rule.
var errUnknownMode = errors.New("unknown calculation mode")

// amounts are the amounts of a NewTransaction in minor units. A receiving amount that cannot be paid out, because it is zero
// or above MaxAmount, is 0: it is rejected later, in the order of the rules.
type amounts struct{ from, to, fee int64 }

// amounts checks and calculates the amounts of a request. It returns CodeBadRequest with the fields for unknown currencies,
// more decimals than a currency has, a missing to_amount, and amounts that are not equivalent (D-05, D-06).
func (n NewTransaction) amounts() (amounts, error) {
	var found []Violation
	known := func(pointer, currency string) (digits int) {
		digits, ok := MinorDigits(currency)
		if !ok {
			found = append(found, InBody(pointer, "must be a currency of ISO 4217"))
		}
		return digits
	}
	known("/from_currency", n.FromCurrency)
	toDigits := known("/to_currency", n.ToCurrency)
	if err := refused(found); err != nil {
		return amounts{}, err
	}
	minor := func(pointer string, amount decimal.Decimal, currency string) int64 {
		m, err := MinorUnits(amount.String(), currency)
		if err != nil {
			found = append(found, InBody(pointer, err.Error()))
		}
		return m
	}
	var a amounts
	a.from = minor("/from_amount", n.FromAmount, n.FromCurrency)
	a.fee = minor("/fee_amount", n.FeeAmount, n.FromCurrency)
	switch {
	case n.To.Mode == SenderAmount:
	case n.To.Mode != ReceiverAmount:
		return amounts{}, errUnknownMode // the contract accepts no other
	case n.ToAmount == nil:
		found = append(found, InBody("/to_amount", "is required with calculation_mode RECEIVER_AMOUNT"))
	default:
		a.to = minor("/to_amount", *n.ToAmount, n.ToCurrency)
	}
	if err := refused(found); err != nil {
		return amounts{}, err
	}
	if n.To.Mode == ReceiverAmount {
		if !equivalent(n.FromAmount, *n.ToAmount, n.ExchangeRate) {
			e := NewError(CodeBadRequest, InBody("/from_amount", "must be within 0.01 of to_amount divided by exchange_rate"))
			e.Message = "The from amount is not equivalent with the to amount. Send to_amount divided by exchange_rate, rounded to cents."
			return amounts{}, e
		}
		return a, nil
	}
	a.to = receivingAmount(n.FromAmount, n.ExchangeRate, toDigits)
	return a, nil
}
