package payout

// Each kind of id has a type of its own, so that no call compiles with two of them swapped.

// ClientID is the id of a client, chosen by the operator.
type ClientID string

// UserID is the UUID of a user.
type UserID string

// FundingAccountID is the UUID of a funding account.
type FundingAccountID string

// ReceiveUserID is the UUID of a receive user.
type ReceiveUserID string

// ReceiveAccountID is the UUID of a receive bank account or a receive wallet account: the fund_id of the receive side.
type ReceiveAccountID string

// TransactionID is the UUID of a transaction.
type TransactionID string

// DocumentID is the UUID of a document.
type DocumentID string
