package payout

// Payable is a transaction with everything that its payment needs. What the payout method does not need is zero.
type Payable struct {
	Transaction
	ClientID       ClientID
	Sender         User
	ReceiveUser    ReceiveUser // as it is now; Transaction.Receiver is as it was at the creation
	BankAccount    BankAccount
	Bank           Bank
	Branch         Branch
	WalletAccount  WalletAccount
	Payer          Payer
	PickupLocation PickupLocation
}

// Ready reports whether a transaction that is INITIATED may be released: no information is required, and the sender may still
// send.
func (p Payable) Ready(c Client) bool { return releasable(c, p.Sender, p.Transaction) == nil }
