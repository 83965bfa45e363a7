package store

import (
	"context"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// Sides reads what the rules about a transaction need, in one round trip if the engine has them.
func (r reads) Sides(
	ctx context.Context, clientID payout.ClientID, userID payout.UserID, fundID payout.FundingAccountID, to payout.ReceiveSide,
) (s payout.Sides, err error) {
	steps := []func() error{
		found(&s.Sender, r.user(ctx, clientID, userID)),
		found(&s.FundingAccount, r.fundingAccount(ctx, clientID, userID, fundID)),
		found(&s.Receiver, r.receiveUser(ctx, clientID, userID, to.ReceiveUserID)),
	}
	switch to.Method {
	case payout.BankDeposit:
		steps = append(steps, found(&s.BankAccount, r.bankAccount(ctx, clientID, to.ReceiveUserID, to.FundID)))
	case payout.Wallet:
		steps = append(steps, found(&s.WalletAccount, r.walletAccount(ctx, clientID, to.ReceiveUserID, to.FundID)),
			found(&s.Payer, askOne(ctx, r, scanPayer, `select `+payerColumns+` from payers where id =
				(select payer_id from wallet_accounts where client_id = $1 and id = $2)`, clientID, to.FundID)))
	case payout.HomeDelivery, payout.CashPickup:
		steps = append(steps, found(&s.Payer, r.payer(ctx, to.PayerID)))
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return payout.Sides{}, err
		}
	}
	return s, nil
}

// found sets v to what was asked for, and leaves it nil if there is no such row.
func found[T any](v **T, asked func() (T, bool, error)) func() error {
	return func() error {
		row, ok, err := asked()
		if ok {
			*v = &row
		}
		return err
	}
}
