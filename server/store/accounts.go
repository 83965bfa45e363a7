package store

import (
	"context"
	"math"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// oldestFirst ends a query for a page of a list; its parameters are a position and the limit.
const oldestFirst = ` and (created_at, id) > ($3, $4) order by created_at, id limit $5`

// limit returns the limit of a page as both engines understand it; the greatest is none.
func limit(page payout.Page) int64 {
	if page.Limit == 0 {
		return math.MaxInt64
	}
	return int64(page.Limit)
}

const fundingColumns = `id, user_id, type, label, status, created_at`

func scanFunding(s scanner, a *payout.FundingAccount) error {
	return s.Scan(&a.ID, &a.UserID, &a.Type, &a.Label, &a.Status, timeColumn{&a.CreatedAt})
}

// FundingAccounts lists a page of the funding accounts of a user, oldest first.
func (r reads) FundingAccounts(
	ctx context.Context, clientID payout.ClientID, userID payout.UserID, page payout.Page,
) ([]payout.FundingAccount, error) {
	return list(ctx, r, scanFunding, `select `+fundingColumns+` from funding_accounts
		where client_id = $1 and user_id = $2`+oldestFirst, clientID, userID, micros(page.After.CreatedAt), page.After.ID, limit(page))
}

// FundingAccount reads a funding account of a user.
func (r reads) FundingAccount(ctx context.Context, clientID payout.ClientID, userID payout.UserID, id payout.FundingAccountID) (payout.FundingAccount, bool, error) {
	return r.fundingAccount(ctx, clientID, userID, id)()
}

func (r reads) fundingAccount(ctx context.Context, clientID payout.ClientID, userID payout.UserID, id payout.FundingAccountID) func() (payout.FundingAccount, bool, error) {
	return askOne(ctx, r, scanFunding, `select `+fundingColumns+` from funding_accounts
		where client_id = $1 and id = $3 and user_id = $2`, clientID, userID, id)
}

// InsertFundingAccount writes a funding account.
func (t tx) InsertFundingAccount(ctx context.Context, clientID payout.ClientID, a payout.FundingAccount) error {
	return t.execLater(ctx, `insert into funding_accounts (client_id, `+fundingColumns+`)
		values ($1, $2, $3, $4, $5, $6, $7)`,
		clientID, a.ID, a.UserID, a.Type, a.Label, string(a.Status), micros(a.CreatedAt))
}

// SetFundingAccountStatus changes the status of a funding account of a user; it returns false if that is the status already.
func (t tx) SetFundingAccountStatus(
	ctx context.Context, clientID payout.ClientID, userID payout.UserID, id payout.FundingAccountID, status payout.FundingAccountStatus,
) (changed bool, err error) {
	n, err := t.exec(ctx, `update funding_accounts set status = $4
		where client_id = $1 and id = $3 and user_id = $2 and status <> $4`, clientID, userID, id, string(status))
	return n > 0, err
}

const receiveUserColumns = `id, user_id, first_name, last_name, email, mobile_phone, address_line1, city, state, zipcode,
	country, client_reference, created_at`

func scanReceiveUser(s scanner, r *payout.ReceiveUser) error {
	return s.Scan(&r.ID, &r.UserID, &r.FirstName, &r.LastName, &r.Email, &r.MobilePhone, &r.AddressLine1, &r.City,
		&r.State, &r.Zipcode, &r.Country, textOrNull{&r.ClientReference}, timeColumn{&r.CreatedAt})
}

// ReceiveUsers lists a page of the receive users of a user, oldest first.
func (r reads) ReceiveUsers(
	ctx context.Context, clientID payout.ClientID, userID payout.UserID, page payout.Page,
) ([]payout.ReceiveUser, error) {
	return list(ctx, r, scanReceiveUser, `select `+receiveUserColumns+` from receive_users
		where client_id = $1 and user_id = $2`+oldestFirst, clientID, userID, micros(page.After.CreatedAt), page.After.ID, limit(page))
}

// ReceiveUser reads a receive user of a user.
func (r reads) ReceiveUser(ctx context.Context, clientID payout.ClientID, userID payout.UserID, id payout.ReceiveUserID) (payout.ReceiveUser, bool, error) {
	return r.receiveUser(ctx, clientID, userID, id)()
}

func (r reads) receiveUser(ctx context.Context, clientID payout.ClientID, userID payout.UserID, id payout.ReceiveUserID) func() (payout.ReceiveUser, bool, error) {
	return askOne(ctx, r, scanReceiveUser, `select `+receiveUserColumns+` from receive_users
		where client_id = $1 and id = $3 and user_id = $2`, clientID, userID, id)
}

// InsertReceiveUser writes a receive user.
func (t tx) InsertReceiveUser(ctx context.Context, clientID payout.ClientID, r payout.ReceiveUser) error {
	return t.execLater(ctx, `insert into receive_users (client_id, `+receiveUserColumns+`)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		clientID, r.ID, r.UserID, r.FirstName, r.LastName, r.Email, r.MobilePhone, r.AddressLine1, r.City, r.State,
		r.Zipcode, r.Country, nullIfEmpty(r.ClientReference), micros(r.CreatedAt))
}

const bankAccountColumns = `id, receive_user_id, bank_id, branch_id, account_number, currency, created_at`

func scanBankAccount(s scanner, a *payout.BankAccount) error {
	return s.Scan(&a.ID, &a.ReceiveUserID, &a.BankID, &a.BranchID, &a.AccountNumber, &a.Currency,
		timeColumn{&a.CreatedAt})
}

// BankAccounts lists a page of the bank accounts of a receive user, oldest first.
func (r reads) BankAccounts(
	ctx context.Context, clientID payout.ClientID, receiveUserID payout.ReceiveUserID, page payout.Page,
) ([]payout.BankAccount, error) {
	return list(ctx, r, scanBankAccount, `select `+bankAccountColumns+` from bank_accounts
		where client_id = $1 and receive_user_id = $2`+oldestFirst, clientID, receiveUserID, micros(page.After.CreatedAt), page.After.ID, limit(page))
}

// BankAccount reads a bank account of a receive user.
func (r reads) BankAccount(ctx context.Context, clientID payout.ClientID, receiveUserID payout.ReceiveUserID, id payout.ReceiveAccountID) (payout.BankAccount, bool, error) {
	return r.bankAccount(ctx, clientID, receiveUserID, id)()
}

func (r reads) bankAccount(ctx context.Context, clientID payout.ClientID, receiveUserID payout.ReceiveUserID, id payout.ReceiveAccountID) func() (payout.BankAccount, bool, error) {
	return askOne(ctx, r, scanBankAccount, `select `+bankAccountColumns+` from bank_accounts
		where client_id = $1 and id = $3 and receive_user_id = $2`, clientID, receiveUserID, id)
}

// InsertBankAccount writes a receive bank account.
func (t tx) InsertBankAccount(ctx context.Context, clientID payout.ClientID, a payout.BankAccount) error {
	return t.execLater(ctx, `insert into bank_accounts (client_id, `+bankAccountColumns+`)
		values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		clientID, a.ID, a.ReceiveUserID, a.BankID, a.BranchID, a.AccountNumber, a.Currency, micros(a.CreatedAt))
}

const walletAccountColumns = `id, receive_user_id, payer_id, wallet_number, currency, created_at`

func scanWalletAccount(s scanner, a *payout.WalletAccount) error {
	return s.Scan(&a.ID, &a.ReceiveUserID, &a.PayerID, &a.WalletNumber, &a.Currency, timeColumn{&a.CreatedAt})
}

// WalletAccounts lists a page of the wallet accounts of a receive user, oldest first.
func (r reads) WalletAccounts(
	ctx context.Context, clientID payout.ClientID, receiveUserID payout.ReceiveUserID, page payout.Page,
) ([]payout.WalletAccount, error) {
	return list(ctx, r, scanWalletAccount, `select `+walletAccountColumns+` from wallet_accounts
		where client_id = $1 and receive_user_id = $2`+oldestFirst, clientID, receiveUserID, micros(page.After.CreatedAt), page.After.ID, limit(page))
}

// WalletAccount reads a wallet account of a receive user.
func (r reads) WalletAccount(ctx context.Context, clientID payout.ClientID, receiveUserID payout.ReceiveUserID, id payout.ReceiveAccountID) (payout.WalletAccount, bool, error) {
	return r.walletAccount(ctx, clientID, receiveUserID, id)()
}

func (r reads) walletAccount(ctx context.Context, clientID payout.ClientID, receiveUserID payout.ReceiveUserID, id payout.ReceiveAccountID) func() (payout.WalletAccount, bool, error) {
	return askOne(ctx, r, scanWalletAccount, `select `+walletAccountColumns+` from wallet_accounts
		where client_id = $1 and id = $3 and receive_user_id = $2`, clientID, receiveUserID, id)
}

// InsertWalletAccount writes a receive wallet account.
func (t tx) InsertWalletAccount(ctx context.Context, clientID payout.ClientID, a payout.WalletAccount) error {
	return t.execLater(ctx, `insert into wallet_accounts (client_id, `+walletAccountColumns+`)
		values ($1, $2, $3, $4, $5, $6, $7)`,
		clientID, a.ID, a.ReceiveUserID, a.PayerID, a.WalletNumber, a.Currency, micros(a.CreatedAt))
}
