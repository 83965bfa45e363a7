package payout

// Each kind of id has a type of its own, so that no call compiles with two of them swapped. A ClientID is chosen by the
// operator; the others are UUIDs.
type (
	ClientID         string
	UserID           string
	FundingAccountID string
	ReceiveUserID    string
	ReceiveAccountID string // of a receive bank account or a receive wallet account: the fund_id of the receive side
	TransactionID    string
	DocumentID       string
)
