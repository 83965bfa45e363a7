package client

import (
	"encoding/json"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// BankDeposit pays into a bank account of the receive user. Option: [ReceiverAmount].
func BankDeposit(receiveUserID, bankAccountID uuid.UUID, options ...BankDepositOption) api.ReceiveSide {
	to := api.BankDepositTo{ID: receiveUserID, FundID: bankAccountID, PayoutMethod: api.PayoutMethodBankDeposit}
	for _, o := range options {
		o.toBankDeposit(&to)
	}
	return receiveSide(to)
}

// Wallet pays into a wallet account of the receive user. Options are [ReceiverAmount] and [WalletPayer].
func Wallet(receiveUserID, walletAccountID uuid.UUID, options ...WalletOption) api.ReceiveSide {
	to := api.WalletTo{ID: receiveUserID, FundID: walletAccountID, PayoutMethod: api.PayoutMethodWallet}
	for _, o := range options {
		o.toWallet(&to)
	}
	return receiveSide(to)
}

// CashPickup pays in cash at a CASH_PICKUP payer in the receive user's country. Options are [ReceiverAmount] and
// [PickupLocation].
func CashPickup(receiveUserID uuid.UUID, payerID api.ReferenceID, options ...CashPickupOption) api.ReceiveSide {
	to := api.CashPickupTo{ID: receiveUserID, PayerID: payerID, PayoutMethod: api.PayoutMethodCashPickup}
	for _, o := range options {
		o.toCashPickup(&to)
	}
	return receiveSide(to)
}

// HomeDelivery pays in cash at the address of the receive user, which must have one, through a HOME_DELIVERY payer in
// the receive user's country. Option: [ReceiverAmount].
func HomeDelivery(receiveUserID uuid.UUID, payerID api.ReferenceID, options ...HomeDeliveryOption) api.ReceiveSide {
	to := api.HomeDeliveryTo{ID: receiveUserID, PayerID: payerID, PayoutMethod: api.PayoutMethodHomeDelivery}
	for _, o := range options {
		o.toHomeDelivery(&to)
	}
	return receiveSide(to)
}

// An option has the types of the methods that it fits, so that another combination does not compile.
type (
	// BankDepositOption changes a [BankDeposit].
	BankDepositOption interface{ toBankDeposit(*api.BankDepositTo) }
	// WalletOption changes a [Wallet].
	WalletOption interface{ toWallet(*api.WalletTo) }
	// CashPickupOption changes a [CashPickup].
	CashPickupOption interface{ toCashPickup(*api.CashPickupTo) }
	// HomeDeliveryOption changes a [HomeDelivery].
	HomeDeliveryOption interface {
		toHomeDelivery(*api.HomeDeliveryTo)
	}
)

// PickupLocation is one of the payer's pick-up locations, for [CashPickup].
type PickupLocation api.ReferenceID

func (p PickupLocation) toCashPickup(to *api.CashPickupTo) { to.PickupLocation = (*int64)(&p) }

// WalletPayer is the payer of the wallet account, for [Wallet]. It is optional, but must be the payer of the account
// (decision D-36).
type WalletPayer api.ReferenceID

func (p WalletPayer) toWallet(to *api.WalletTo) { to.PayerID = (*int64)(&p) }

// ReceiverAmount fixes the receiving amount instead of the sending amount: ToAmount of the transaction is required, and
// FromAmount must be within 0.01 of ToAmount divided by ExchangeRate (decisions D-06 and D-37).
const ReceiverAmount = mode(api.CalculationModeReceiverAmount)

// mode is a calculation mode, an option of every method.
type mode api.CalculationMode

func (m mode) toBankDeposit(to *api.BankDepositTo)   { to.CalculationMode = (*api.CalculationMode)(&m) }
func (m mode) toWallet(to *api.WalletTo)             { to.CalculationMode = (*api.CalculationMode)(&m) }
func (m mode) toCashPickup(to *api.CashPickupTo)     { to.CalculationMode = (*api.CalculationMode)(&m) }
func (m mode) toHomeDelivery(to *api.HomeDeliveryTo) { to.CalculationMode = (*api.CalculationMode)(&m) }

// receiveSide wraps a variant. The generated From methods do the same through a merge of maps.
func receiveSide(variant any) api.ReceiveSide {
	text, err := json.Marshal(variant)
	var side api.ReceiveSide
	if err == nil {
		err = side.UnmarshalJSON(text)
	}
	if err != nil {
		panic("payouts: identifiers and numbers that cannot be written: " + err.Error())
	}
	return side
}
