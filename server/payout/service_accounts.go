package payout

import (
	"context"
	"slices"
)

// CreateFundingAccount links a funding account, initially PENDING, once per key (see once). It returns CodeNotFound for an
// unknown user.
func (s *Service) CreateFundingAccount(
	ctx context.Context, c Client, key Idempotency, a FundingAccount,
) (_ FundingAccount, replayed bool, err error) {
	return once(ctx, s, c, key, creation[FundingAccount, FundingAccountID]{
		create: func(tx Tx, id FundingAccountID) (FundingAccount, error) {
			a.ID, a.CreatedAt, a.Status = id, s.now(), FundingPending
			if _, err := findUser(ctx, tx, c, a.UserID); err != nil {
				return FundingAccount{}, err
			}
			return a, tx.InsertFundingAccount(ctx, c.ID, a)
		},
		find: func(r Reader, id FundingAccountID) (FundingAccount, bool, error) {
			return r.FundingAccount(ctx, c.ID, a.UserID, id)
		},
	})
}

// FundingAccounts lists a page of the funding accounts of a user, oldest first, and returns the position after which the next page begins,
// zero if there is none. It returns CodeNotFound for an unknown user.
func (s *Service) FundingAccounts(ctx context.Context, c Client, userID UserID, page Page) ([]FundingAccount, Position, error) {
	if _, err := findUser(ctx, s.store, c, userID); err != nil {
		return nil, Position{}, err
	}
	return pageOf(page, func(p Page) ([]FundingAccount, error) { return s.store.FundingAccounts(ctx, c.ID, userID, p) },
		func(v FundingAccount) Position { return Position{v.CreatedAt, string(v.ID)} })
}

// SetFundingAccountStatus changes the status of a funding account (D-20). It returns CodeNotFound for an unknown one.
func (s *Service) SetFundingAccountStatus(
	ctx context.Context, c Client, userID UserID, id FundingAccountID, status FundingAccountStatus,
) (FundingAccount, error) {
	var a FundingAccount
	err := s.store.Write(ctx, func(tx Tx) (err error) {
		var ok bool
		if a, ok, err = tx.FundingAccount(ctx, c.ID, userID, id); err != nil {
			return err
		}
		if !ok {
			return NotFound("funding account")
		}
		before := statusState{string(a.Status)}
		a.Status = status
		changed, err := tx.SetFundingAccountStatus(ctx, c.ID, userID, id, status)
		if err != nil {
			return err
		}
		if changed {
			events, err := s.events(userID, string(id), EventData{FundingAccount: &a, UserID: userID}, FundingAccountStatusChanged)
			if err := insert(ctx, tx, c, events, err); err != nil {
				return err
			}
		}
		return tx.Audit(ctx, Change{c.ID, "funding_account", string(id), before, statusState{string(status)}})
	})
	return a, err
}

// CreateReceiveUser adds a receive user, once per key (see once). It returns CodeNotFound for an unknown user, and
// CodeCorridorNotEnabled for a country that is not an enabled destination.
func (s *Service) CreateReceiveUser(
	ctx context.Context, c Client, key Idempotency, u ReceiveUser,
) (_ ReceiveUser, replayed bool, err error) {
	return once(ctx, s, c, key, creation[ReceiveUser, ReceiveUserID]{
		create: func(tx Tx, id ReceiveUserID) (ReceiveUser, error) {
			u.ID, u.CreatedAt = id, s.now()
			if _, err := findUser(ctx, tx, c, u.UserID); err != nil {
				return ReceiveUser{}, err
			}
			if _, ok := c.Destination(u.Country); !ok {
				return ReceiveUser{}, notEnabled(c.destinationCountries(), InBody("/country", "must be an enabled destination country"))
			}
			return u, tx.InsertReceiveUser(ctx, c.ID, u)
		},
		find: func(r Reader, id ReceiveUserID) (ReceiveUser, bool, error) {
			return r.ReceiveUser(ctx, c.ID, u.UserID, id)
		},
	})
}

// ReceiveUsers lists a page of the receive users of a user as FundingAccounts does. It returns CodeNotFound for an unknown
// user.
func (s *Service) ReceiveUsers(ctx context.Context, c Client, userID UserID, page Page) ([]ReceiveUser, Position, error) {
	if _, err := findUser(ctx, s.store, c, userID); err != nil {
		return nil, Position{}, err
	}
	return pageOf(page, func(p Page) ([]ReceiveUser, error) { return s.store.ReceiveUsers(ctx, c.ID, userID, p) },
		func(v ReceiveUser) Position { return Position{v.CreatedAt, string(v.ID)} })
}

// CreateBankAccount adds a receive bank account, once per key (see once). It returns CodeNotFound for an unknown user
// or receive user, CodeBadRequest for a bank that is not in the receive user's country or a branch that is not the bank's,
// and CodeCurrencyNotSupported for a currency that the bank does not receive.
func (s *Service) CreateBankAccount(
	ctx context.Context, c Client, key Idempotency, userID UserID, a BankAccount,
) (_ BankAccount, replayed bool, err error) {
	return once(ctx, s, c, key, creation[BankAccount, ReceiveAccountID]{
		create: func(tx Tx, id ReceiveAccountID) (BankAccount, error) {
			a.ID, a.CreatedAt = id, s.now()
			receiver, err := findReceiveUser(ctx, tx, c, userID, a.ReceiveUserID)
			if err != nil {
				return BankAccount{}, err
			}
			if err := bankTakes(ctx, tx, a, receiver); err != nil {
				return BankAccount{}, err
			}
			return a, tx.InsertBankAccount(ctx, c.ID, a)
		},
		find: func(r Reader, id ReceiveAccountID) (BankAccount, bool, error) {
			return r.BankAccount(ctx, c.ID, a.ReceiveUserID, id)
		},
	})
}

// bankTakes checks the bank, the branch and the currency of an account.
func bankTakes(ctx context.Context, r Reader, a BankAccount, receiver ReceiveUser) error {
	bank, ok, err := r.Bank(ctx, a.BankID)
	if err != nil {
		return err
	}
	if !ok || bank.Country != receiver.Country {
		return NewError(CodeBadRequest, InBody("/bank_id", "must be a bank in the country of the receive user"))
	}
	isBranch := func(b Branch) bool { return b.ID == a.BranchID }
	if a.BranchID != 0 && !slices.ContainsFunc(bank.Branches, isBranch) {
		return NewError(CodeBadRequest, InBody("/branch_id", "must be a branch of the bank"))
	}
	if !slices.Contains(bank.Currencies, a.Currency) {
		return unsupportedCurrency("/currency", "must be a receiving currency of the bank", bank.Currencies...)
	}
	return nil
}

// BankAccounts lists a page of the bank accounts of a receive user as FundingAccounts does. It returns CodeNotFound for an unknown
// user or receive user.
func (s *Service) BankAccounts(
	ctx context.Context, c Client, userID UserID, receiveUserID ReceiveUserID, page Page,
) ([]BankAccount, Position, error) {
	if _, err := findReceiveUser(ctx, s.store, c, userID, receiveUserID); err != nil {
		return nil, Position{}, err
	}
	return pageOf(page, func(p Page) ([]BankAccount, error) { return s.store.BankAccounts(ctx, c.ID, receiveUserID, p) },
		func(v BankAccount) Position { return Position{v.CreatedAt, string(v.ID)} })
}

// CreateWalletAccount adds a receive wallet account, once per key (see once). It returns CodeNotFound for an unknown
// user or receive user, CodePayerNotFound for a payer that is not a wallet payer in the receive user's country, and
// CodeCurrencyNotSupported for a currency that the payer does not pay out.
func (s *Service) CreateWalletAccount(
	ctx context.Context, c Client, key Idempotency, userID UserID, a WalletAccount,
) (_ WalletAccount, replayed bool, err error) {
	return once(ctx, s, c, key, creation[WalletAccount, ReceiveAccountID]{
		create: func(tx Tx, id ReceiveAccountID) (WalletAccount, error) {
			a.ID, a.CreatedAt = id, s.now()
			receiver, err := findReceiveUser(ctx, tx, c, userID, a.ReceiveUserID)
			if err != nil {
				return WalletAccount{}, err
			}
			payer, err := findPayer(ctx, tx, a.PayerID, Wallet, receiver.Country, "/payer_id")
			if err != nil {
				return WalletAccount{}, err
			}
			if payer.Currency != a.Currency {
				return WalletAccount{}, unsupportedCurrency("/currency", "must be the receiving currency of the payer", payer.Currency)
			}
			return a, tx.InsertWalletAccount(ctx, c.ID, a)
		},
		find: func(r Reader, id ReceiveAccountID) (WalletAccount, bool, error) {
			return r.WalletAccount(ctx, c.ID, a.ReceiveUserID, id)
		},
	})
}

// WalletAccounts lists a page of the wallet accounts of a receive user as FundingAccounts does. It returns CodeNotFound for an unknown
// user or receive user.
func (s *Service) WalletAccounts(
	ctx context.Context, c Client, userID UserID, receiveUserID ReceiveUserID, page Page,
) ([]WalletAccount, Position, error) {
	if _, err := findReceiveUser(ctx, s.store, c, userID, receiveUserID); err != nil {
		return nil, Position{}, err
	}
	return pageOf(page, func(p Page) ([]WalletAccount, error) { return s.store.WalletAccounts(ctx, c.ID, receiveUserID, p) },
		func(v WalletAccount) Position { return Position{v.CreatedAt, string(v.ID)} })
}

func findReceiveUser(ctx context.Context, r Reader, c Client, userID UserID, id ReceiveUserID) (ReceiveUser, error) {
	if _, err := findUser(ctx, r, c, userID); err != nil {
		return ReceiveUser{}, err
	}
	receiver, ok, err := r.ReceiveUser(ctx, c.ID, userID, id)
	if err == nil && !ok {
		err = NotFound("receive user")
	}
	return receiver, err
}

// findPayer returns the payer if it has the method and is in the country; otherwise CodePayerNotFound at the pointer.
func findPayer(ctx context.Context, r Reader, id int64, m PayoutMethod, country, pointer string) (Payer, error) {
	p, ok, err := r.Payer(ctx, id)
	if err == nil && (!ok || !p.paysOut(m, country)) {
		err = noPayer(m, pointer)
	}
	return p, err
}

func noPayer(m PayoutMethod, pointer string) error {
	return NewError(CodePayerNotFound, InBody(pointer, "must be a "+string(m)+" payer in the country of the receive user"))
}

// unsupportedCurrency returns CodeCurrencyNotSupported at the pointer, with the currencies that are supported.
func unsupportedCurrency(pointer, reason string, supported ...string) error {
	return NewError(CodeCurrencyNotSupported, InBody(pointer, reason)).saying(
		"The currency is not supported here. Use " + listed(supported) + ".")
}
