package payout

import (
	"context"
	"slices"
)

// CreateFundingAccount links a funding account, PENDING at first; CodeNotFound for an unknown user.
func (s *Service) CreateFundingAccount(ctx context.Context, c Client, a FundingAccount) (FundingAccount, error) {
	a.ID, a.CreatedAt, a.Status = s.newID(), s.now(), FundingPending
	err := s.store.Write(ctx, func(tx Tx) error {
		if _, err := findUser(ctx, tx, c, a.UserID); err != nil {
			return err
		}
		return tx.InsertFundingAccount(ctx, c.ID, a)
	})
	return a, err
}

// FundingAccounts lists the funding accounts of a user; CodeNotFound.
func (s *Service) FundingAccounts(ctx context.Context, c Client, userID string) ([]FundingAccount, error) {
	if _, err := findUser(ctx, s.store, c, userID); err != nil {
		return nil, err
	}
	return s.store.FundingAccounts(ctx, c.ID, userID)
}

// SetFundingAccountStatus changes the status of a funding account (D-20); CodeNotFound.
func (s *Service) SetFundingAccountStatus(
	ctx context.Context, c Client, userID, id string, status FundingAccountStatus,
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
		a.Status = status
		return tx.SetFundingAccountStatus(ctx, c.ID, userID, id, status)
	})
	return a, err
}

// CreateReceiveUser adds a receive user. It returns CodeNotFound for an unknown user, and CodeCorridorNotEnabled for a
// country that is not an enabled destination.
func (s *Service) CreateReceiveUser(ctx context.Context, c Client, r ReceiveUser) (ReceiveUser, error) {
	r.ID, r.CreatedAt = s.newID(), s.now()
	err := s.store.Write(ctx, func(tx Tx) error {
		if _, err := findUser(ctx, tx, c, r.UserID); err != nil {
			return err
		}
		if _, ok := c.Destination(r.Country); !ok {
			return NewError(CodeCorridorNotEnabled, InBody("/country", "must be an enabled destination country"))
		}
		return tx.InsertReceiveUser(ctx, c.ID, r)
	})
	return r, err
}

// ReceiveUsers lists the receive users of a user; CodeNotFound.
func (s *Service) ReceiveUsers(ctx context.Context, c Client, userID string) ([]ReceiveUser, error) {
	if _, err := findUser(ctx, s.store, c, userID); err != nil {
		return nil, err
	}
	return s.store.ReceiveUsers(ctx, c.ID, userID)
}

// CreateBankAccount adds a receive bank account. It returns CodeNotFound for an unknown user or receive user,
// CodeBadRequest for a bank that is not in the receive user's country or a branch that is not the bank's, and
// CodeCurrencyNotSupported for a currency that the bank does not receive.
func (s *Service) CreateBankAccount(ctx context.Context, c Client, userID string, a BankAccount) (BankAccount, error) {
	a.ID, a.CreatedAt = s.newID(), s.now()
	err := s.store.Write(ctx, func(tx Tx) error {
		receiver, err := findReceiveUser(ctx, tx, c, userID, a.ReceiveUserID)
		if err != nil {
			return err
		}
		bank, ok, err := tx.Bank(ctx, a.BankID)
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
			return NewError(CodeCurrencyNotSupported, InBody("/currency", "must be a receiving currency of the bank"))
		}
		return tx.InsertBankAccount(ctx, c.ID, a)
	})
	return a, err
}

// BankAccounts lists the bank accounts of a receive user; CodeNotFound.
func (s *Service) BankAccounts(ctx context.Context, c Client, userID, receiveUserID string) ([]BankAccount, error) {
	if _, err := findReceiveUser(ctx, s.store, c, userID, receiveUserID); err != nil {
		return nil, err
	}
	return s.store.BankAccounts(ctx, c.ID, receiveUserID)
}

// CreateWalletAccount adds a receive wallet account. It returns CodeNotFound for an unknown user or receive user,
// CodePayerNotFound for a payer that is not a wallet payer in the receive user's country, and CodeCurrencyNotSupported
// for a currency that the payer does not pay out.
func (s *Service) CreateWalletAccount(ctx context.Context, c Client, userID string, a WalletAccount) (WalletAccount, error) {
	a.ID, a.CreatedAt = s.newID(), s.now()
	err := s.store.Write(ctx, func(tx Tx) error {
		receiver, err := findReceiveUser(ctx, tx, c, userID, a.ReceiveUserID)
		if err != nil {
			return err
		}
		payer, err := findPayer(ctx, tx, a.PayerID, Wallet, receiver.Country, "/payer_id")
		if err != nil {
			return err
		}
		if payer.Currency != a.Currency {
			return NewError(CodeCurrencyNotSupported, InBody("/currency", "must be the receiving currency of the payer"))
		}
		return tx.InsertWalletAccount(ctx, c.ID, a)
	})
	return a, err
}

// WalletAccounts lists the wallet accounts of a receive user; CodeNotFound.
func (s *Service) WalletAccounts(ctx context.Context, c Client, userID, receiveUserID string) ([]WalletAccount, error) {
	if _, err := findReceiveUser(ctx, s.store, c, userID, receiveUserID); err != nil {
		return nil, err
	}
	return s.store.WalletAccounts(ctx, c.ID, receiveUserID)
}

func findReceiveUser(ctx context.Context, r Reader, c Client, userID, id string) (ReceiveUser, error) {
	if _, err := findUser(ctx, r, c, userID); err != nil {
		return ReceiveUser{}, err
	}
	receiver, ok, err := r.ReceiveUser(ctx, c.ID, userID, id)
	if err == nil && !ok {
		err = NotFound("receive user")
	}
	return receiver, err
}

// findPayer finds a payer of a method in a country; all else is CodePayerNotFound at the pointer.
func findPayer(ctx context.Context, r Reader, id int64, m PayoutMethod, country, pointer string) (Payer, error) {
	p, ok, err := r.Payer(ctx, id)
	if err == nil && (!ok || p.Method != m || p.Country != country) {
		err = NewError(CodePayerNotFound,
			InBody(pointer, "must be a "+string(m)+" payer in the country of the receive user"))
	}
	return p, err
}
