package store

import (
	"context"
	"slices"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// payablePage is the number of transactions of an export that are in memory at once.
const payablePage = 200

// Payables calls each with the transactions of a status of some clients, by client and oldest first, in one snapshot. It does not
// block writers. It returns the error of each.
func (s *Store) Payables(
	ctx context.Context, clientIDs []payout.ClientID, status payout.TransactionStatus, each func(payout.Payable) error,
) error {
	t, err := s.snapshot(ctx)
	if err != nil {
		return err
	}
	defer t.Rollback() //nolint:errcheck // nothing was written
	p := payables{reads: s.reads, banks: map[int64]payout.Bank{}, payers: map[int64]payout.Payer{}}
	p.db = t
	for _, clientID := range clientIDs {
		if err := p.of(ctx, clientID, status, each); err != nil {
			return err
		}
	}
	return nil
}

// payables reads what belongs to transactions; banks and payers once each.
type payables struct {
	reads
	banks  map[int64]payout.Bank
	payers map[int64]payout.Payer
}

func (p payables) of(
	ctx context.Context, clientID payout.ClientID, status payout.TransactionStatus, each func(payout.Payable) error,
) error {
	var after bound
	for {
		page, err := p.transactions(ctx, clientID, `select `+transactionColumns+` from transactions
			where client_id = $1 and status = $2 and (created_at, id) > ($3, $4) order by created_at, id limit $5`,
			clientID, string(status), after.createdAt, after.id, payablePage)
		if err != nil || len(page) == 0 {
			return err
		}
		all, err := p.page(ctx, clientID, page)
		if err != nil {
			return err
		}
		for _, v := range all {
			if err := each(v); err != nil {
				return err
			}
		}
		last := page[len(page)-1]
		after = bound{micros(last.CreatedAt), string(last.ID)}
	}
}

// page reads what belongs to a page of transactions, a query for each table.
func (p payables) page(ctx context.Context, clientID payout.ClientID, page []payout.Transaction) ([]payout.Payable, error) {
	users, err := byID(ctx, p.reads, clientID, page, scanUser, `select `+userColumns+` from users`,
		func(t payout.Transaction) string { return string(t.UserID) }, func(u payout.User) string { return string(u.ID) })
	if err != nil {
		return nil, err
	}
	receivers, err := byID(ctx, p.reads, clientID, page, scanReceiveUser, `select `+receiveUserColumns+` from receive_users`,
		func(t payout.Transaction) string { return string(t.To.ReceiveUserID) },
		func(r payout.ReceiveUser) string { return string(r.ID) })
	if err != nil {
		return nil, err
	}
	fund := func(method payout.PayoutMethod) func(payout.Transaction) string {
		return func(t payout.Transaction) string {
			if t.To.Method != method {
				return ""
			}
			return string(t.To.FundID)
		}
	}
	accounts, err := byID(ctx, p.reads, clientID, page, scanBankAccount, `select `+bankAccountColumns+` from bank_accounts`,
		fund(payout.BankDeposit), func(a payout.BankAccount) string { return string(a.ID) })
	if err != nil {
		return nil, err
	}
	wallets, err := byID(ctx, p.reads, clientID, page, scanWalletAccount, `select `+walletAccountColumns+` from wallet_accounts`,
		fund(payout.Wallet), func(a payout.WalletAccount) string { return string(a.ID) })
	if err != nil {
		return nil, err
	}
	all := make([]payout.Payable, len(page))
	for i, t := range page {
		v := payout.Payable{
			Transaction: t, ClientID: clientID, Sender: users[string(t.UserID)], ReceiveUser: receivers[string(t.To.ReceiveUserID)],
			BankAccount: accounts[string(t.To.FundID)], WalletAccount: wallets[string(t.To.FundID)],
		}
		if err := p.reference(ctx, &v); err != nil {
			return nil, err
		}
		all[i] = v
	}
	return all, nil
}

// reference adds the bank and its branch, or the payer and its pick-up location.
func (p payables) reference(ctx context.Context, v *payout.Payable) (err error) {
	if v.BankAccount.BankID != 0 {
		if v.Bank, err = known(ctx, p.banks, v.BankAccount.BankID, p.Bank); err != nil {
			return err
		}
		v.Branch = element(v.Bank.Branches, func(b payout.Branch) bool { return b.ID == v.BankAccount.BranchID })
	}
	payerID := v.To.PayerID
	if payerID == 0 {
		payerID = v.WalletAccount.PayerID
	}
	if payerID != 0 {
		v.Payer, err = known(ctx, p.payers, payerID, p.Payer)
		v.PickupLocation = element(v.Payer.PickupLocations, func(l payout.PickupLocation) bool { return l.ID == v.To.PickupLocation })
	}
	return err
}

// byID reads the rows of a table to which transactions refer; an empty reference is none.
func byID[T any](
	ctx context.Context, r reads, clientID payout.ClientID, page []payout.Transaction, scan func(scanner, *T) error, query string,
	reference func(payout.Transaction) string, id func(T) string,
) (map[string]T, error) {
	var ids []string
	for _, t := range page {
		if v := reference(t); v != "" {
			ids = append(ids, v)
		}
	}
	slices.Sort(ids)
	in, args := inList(slices.Compact(ids), clientID)
	rows, err := list(ctx, r, scan, query+` where client_id = $1 and id in `+in, args...)
	found := make(map[string]T, len(rows))
	for _, v := range rows {
		found[id(v)] = v
	}
	return found, err
}

// known reads a row of reference data once.
func known[T any](
	ctx context.Context, read map[int64]T, id int64, get func(context.Context, int64) (T, bool, error),
) (T, error) {
	v, ok := read[id]
	if ok {
		return v, nil
	}
	v, _, err := get(ctx, id)
	read[id] = v
	return v, err
}

// element returns the first element that matches, or zero.
func element[T any](all []T, match func(T) bool) T {
	if i := slices.IndexFunc(all, match); i >= 0 {
		return all[i]
	}
	var none T
	return none
}
