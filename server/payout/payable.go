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

// Releasable returns nil if a transaction that is INITIATED may be released: no information is required, and the sender may
// still send. Otherwise it returns CodeInformationRequired, or what section 1 says about the sender.
func (p Payable) Releasable(c Client) error { return releasable(c, p.Sender, p.Transaction) }
