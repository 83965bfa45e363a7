package payout

import "time"

// FundingAccountStatus says whether a funding account can fund a transaction.
type FundingAccountStatus string

// The statuses of a funding account (D-20).
const (
	FundingPending  FundingAccountStatus = "PENDING"
	FundingActive   FundingAccountStatus = "ACTIVE"
	FundingInactive FundingAccountStatus = "INACTIVE"
)

// FundingAccountStatuses returns all of them.
func FundingAccountStatuses() []FundingAccountStatus {
	return []FundingAccountStatus{FundingPending, FundingActive, FundingInactive}
}

// FundingAccount is the source of a sender's money (D-20).
type FundingAccount struct {
	ID        FundingAccountID
	UserID    UserID
	Type      string // funding_source_type
	Label     string
	Status    FundingAccountStatus
	CreatedAt time.Time
}

// ReceiveUser receives the money (D-20). An empty string is a member that was not sent.
type ReceiveUser struct {
	ID           ReceiveUserID
	UserID       UserID
	FirstName    string
	LastName     string
	Email        string
	MobilePhone  string
	AddressLine1 string
	City         string
	State        string
	Zipcode      string
	Country      string // alpha-2
	// ClientReference is the client's own reference (D-70).
	ClientReference string
	CreatedAt       time.Time
}

// BankAccount is a receive bank account (D-20).
type BankAccount struct {
	ID            ReceiveAccountID
	ReceiveUserID ReceiveUserID
	BankID        int64
	BranchID      int64 // 0: not sent
	AccountNumber string
	Currency      string
	CreatedAt     time.Time
}

// WalletAccount is a receive wallet account (D-20).
type WalletAccount struct {
	ID            ReceiveAccountID
	ReceiveUserID ReceiveUserID
	PayerID       int64
	WalletNumber  string
	Currency      string
	CreatedAt     time.Time
}
