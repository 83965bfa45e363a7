package payout

// ClientID is the id of a client, chosen by the operator. Each kind of id has a type of its own, so that no call compiles
// with two of them swapped.
type ClientID string

// The other ids are UUIDs.
type (
	UserID           string
	FundingAccountID string
	ReceiveUserID    string
	ReceiveAccountID string // of a receive bank account or a receive wallet account: the fund_id of the receive side
	TransactionID    string
	DocumentID       string
)
