package payout

import (
	"context"
	"time"
)

// Reader has the reads of the service. Every call except those for reference data takes the client id, the tenant: a row of
// another client does not exist. A missing row is a false or empty result, never an error. Errors are CodeServiceUnavailable
// while the database is unavailable, or unknown ones.
type Reader interface {
	// Client returns a client and its secrets that have not expired at the time.
	Client(ctx context.Context, id ClientID, at time.Time) (Client, []Secret, bool, error)

	// Payers lists the payers of the countries by id; an empty method is any method.
	Payers(ctx context.Context, countries []string, method PayoutMethod) ([]Payer, error)
	Payer(ctx context.Context, id int64) (Payer, bool, error)
	// Banks lists the banks of the countries by id.
	Banks(ctx context.Context, countries []string) ([]Bank, error)
	Bank(ctx context.Context, id int64) (Bank, bool, error)
	// States lists the states of the countries by id, which is the order of codes within a country.
	States(ctx context.Context, countries []string) ([]State, error)
	State(ctx context.Context, country, code string) (State, bool, error)
	StateByID(ctx context.Context, id int64) (State, bool, error)

	// User reads a user without its documents.
	User(ctx context.Context, clientID ClientID, id UserID) (User, bool, error)
	// UserDocuments lists the documents of a user in the order sent, without their content.
	UserDocuments(ctx context.Context, clientID ClientID, userID UserID) ([]Document, error)
	// CIPTags returns the tags of a user.
	CIPTags(ctx context.Context, clientID ClientID, userID UserID) (map[string]CIPStatus, error)
	// Usage returns the counters of the day, month and year of the key.
	Usage(ctx context.Context, clientID ClientID, key UsageKey) (Usage, error)

	// FundingAccounts, ReceiveUsers, BankAccounts and WalletAccounts list a page, oldest first.
	FundingAccounts(ctx context.Context, clientID ClientID, userID UserID, page Page) ([]FundingAccount, error)
	FundingAccount(ctx context.Context, clientID ClientID, userID UserID, id FundingAccountID) (FundingAccount, bool, error)
	ReceiveUsers(ctx context.Context, clientID ClientID, userID UserID, page Page) ([]ReceiveUser, error)
	ReceiveUser(ctx context.Context, clientID ClientID, userID UserID, id ReceiveUserID) (ReceiveUser, bool, error)
	BankAccounts(ctx context.Context, clientID ClientID, receiveUserID ReceiveUserID, page Page) ([]BankAccount, error)
	BankAccount(ctx context.Context, clientID ClientID, receiveUserID ReceiveUserID, id ReceiveAccountID) (BankAccount, bool, error)
	WalletAccounts(ctx context.Context, clientID ClientID, receiveUserID ReceiveUserID, page Page) ([]WalletAccount, error)
	WalletAccount(ctx context.Context, clientID ClientID, receiveUserID ReceiveUserID, id ReceiveAccountID) (WalletAccount, bool, error)

	// IdempotencyKey returns what a key was used for (D-16).
	IdempotencyKey(ctx context.Context, clientID ClientID, key string) (UsedKey, bool, error)

	Transaction(ctx context.Context, clientID ClientID, userID UserID, id TransactionID) (Transaction, bool, error)
	// Transactions lists a page of the transactions of a user, newest first.
	Transactions(ctx context.Context, clientID ClientID, userID UserID, page Page) ([]Transaction, error)
}

// Page selects a part of a list that is ordered by creation: at most Limit entries, 0 for all, that come after a position.
type Page struct {
	After Position
	Limit int
}

// Position is a place in a list that is ordered by creation; the zero value is the start.
type Position struct {
	CreatedAt time.Time
	ID        string
}

// pageOf reads a page with one entry more than its limit, cuts it, and returns the position after which the next page begins,
// zero if there is none.
func pageOf[T any](page Page, read func(Page) ([]T, error), at func(T) Position) ([]T, Position, error) {
	more := page
	if page.Limit > 0 {
		more.Limit++
	}
	all, err := read(more)
	if err != nil || page.Limit == 0 || len(all) <= page.Limit {
		return all, Position{}, err
	}
	all = all[:page.Limit]
	return all, at(all[page.Limit-1]), nil
}

// Tx is one atomic write: all of it is committed, or nothing.
type Tx interface {
	Reader

	// InsertIdempotencyKey takes a key for a resource that this write creates. It waits for a concurrent write with that
	// key, and returns false without writing if that one was committed.
	InsertIdempotencyKey(ctx context.Context, clientID ClientID, key Idempotency, resourceID string) (bool, error)

	// InsertUser writes the user and its documents.
	InsertUser(ctx context.Context, clientID ClientID, u User) error
	SetUserStatus(ctx context.Context, clientID ClientID, userID UserID, status KYCStatus) error
	// SetCIPTags sets the status of each given tag; others are unchanged.
	SetCIPTags(ctx context.Context, clientID ClientID, userID UserID, tags map[string]CIPStatus) error
	// RequestCIPTags makes each given tag REQUESTED that is absent or FAILED (D-25), including the effects of writes that
	// were committed meanwhile.
	RequestCIPTags(ctx context.Context, clientID ClientID, userID UserID, tags []string) error

	InsertFundingAccount(ctx context.Context, clientID ClientID, a FundingAccount) error
	SetFundingAccountStatus(ctx context.Context, clientID ClientID, userID UserID, id FundingAccountID, status FundingAccountStatus) error
	InsertReceiveUser(ctx context.Context, clientID ClientID, r ReceiveUser) error
	InsertBankAccount(ctx context.Context, clientID ClientID, a BankAccount) error
	InsertWalletAccount(ctx context.Context, clientID ClientID, a WalletAccount) error

	// InsertTransaction writes the transaction and its documents.
	InsertTransaction(ctx context.Context, clientID ClientID, t Transaction) error
	// AddUsage adds an amount in minor units to the three counters and returns their new values.
	AddUsage(ctx context.Context, clientID ClientID, key UsageKey, amount int64) (Usage, error)
}

// Store persists everything. It is safe for concurrent use.
type Store interface {
	Reader
	// Write runs fn in one transaction of the database, and commits if fn returns nil.
	// It runs fn again, in a new transaction, if that one loses against another.
	Write(ctx context.Context, fn func(Tx) error) error
}
