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
	// ClientsOf returns those of some clients that exist.
	ClientsOf(ctx context.Context, ids []ClientID, at time.Time) ([]ClientSecrets, error)

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
	// Users lists a page of the users of a client that meet the filter, with their documents, newest first, and returns the
	// position after which the next page begins, zero if there is none. A page may be shorter than its limit and still be
	// followed by another (D-70).
	Users(ctx context.Context, clientID ClientID, f UserFilter, page Page) ([]User, Position, error)
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

	// Sides reads what the rules about a transaction need.
	Sides(ctx context.Context, clientID ClientID, userID UserID, fundID FundingAccountID, to ReceiveSide) (Sides, error)

	// WebhookEndpoints lists a page of the webhook endpoints of a client, oldest first.
	WebhookEndpoints(ctx context.Context, clientID ClientID, page Page) ([]WebhookEndpoint, error)
	WebhookEndpoint(ctx context.Context, clientID ClientID, id WebhookEndpointID) (WebhookEndpoint, bool, error)
	// WebhookRotation returns the endpoint whose secret was rotated.
	WebhookRotation(ctx context.Context, clientID ClientID, id WebhookRotationID) (WebhookEndpointID, bool, error)
	// WebhookDeliveries lists a page of what goes to an endpoint, newest first; an empty status is any.
	WebhookDeliveries(ctx context.Context, clientID ClientID, id WebhookEndpointID, status WebhookDeliveryStatus, page Page) ([]WebhookDelivery, error)
	WebhookDelivery(ctx context.Context, clientID ClientID, id WebhookEndpointID, eventID EventID) (WebhookDelivery, bool, error)

	// IdempotencyKey returns what a key was used for (D-16).
	IdempotencyKey(ctx context.Context, clientID ClientID, key string) (UsedKey, bool, error)

	Transaction(ctx context.Context, clientID ClientID, userID UserID, id TransactionID) (Transaction, bool, error)
	// ClientTransactions lists a page of the transactions of a client that meet the filter, as Users does.
	ClientTransactions(ctx context.Context, clientID ClientID, f TransactionFilter, page Page) ([]Transaction, Position, error)
	// Transactions lists a page of the transactions of a user, newest first.
	Transactions(ctx context.Context, clientID ClientID, userID UserID, page Page) ([]Transaction, error)

	// Event reads a published event.
	Event(ctx context.Context, clientID ClientID, id EventID) (Event, bool, error)
	// Events lists a page of the published events, oldest first.
	Events(ctx context.Context, clientID ClientID, page FeedPage) ([]Event, error)
	// FeedState reads what a reader must know before it reads the feed after a position.
	FeedState(ctx context.Context, clientID ClientID, position int64) (FeedState, error)
}

// Sides has what the rules about a transaction need, read together. What does not exist is nil.
type Sides struct {
	Sender         *User // without its documents
	FundingAccount *FundingAccount
	Receiver       *ReceiveUser
	BankAccount    *BankAccount   // of a BankDeposit
	WalletAccount  *WalletAccount // of a Wallet
	Payer          *Payer         // of the other methods, and that of WalletAccount
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

	// InsertIdempotencyKey takes a key for a resource that this write creates, at the latest when what it returns is called.
	// It waits for a concurrent write with that key, and returns false without writing if that one was committed.
	InsertIdempotencyKey(ctx context.Context, clientID ClientID, key Idempotency, resourceID string) (free func() (bool, error))

	// InsertUser writes the user and its documents.
	InsertUser(ctx context.Context, clientID ClientID, u User) error
	// InsertUserDocuments writes documents of a user, the first one at a position from 0 on.
	InsertUserDocuments(ctx context.Context, clientID ClientID, userID UserID, position int, documents []Document) error
	SetUserProfile(ctx context.Context, clientID ClientID, userID UserID, profile UserProfile) error
	SetUserStatus(ctx context.Context, clientID ClientID, userID UserID, status KYCStatus) error
	// SetCIPTags sets the status of each given tag; others are unchanged.
	SetCIPTags(ctx context.Context, clientID ClientID, userID UserID, tags map[string]CIPStatus) error
	// RequestCIPTags makes each given tag REQUESTED that is absent or FAILED (D-25), including the effects of writes that
	// were committed meanwhile.
	RequestCIPTags(ctx context.Context, clientID ClientID, userID UserID, tags []string) error

	InsertFundingAccount(ctx context.Context, clientID ClientID, a FundingAccount) error
	// SetFundingAccountStatus returns false if the account has that status already. It locks the account otherwise.
	SetFundingAccountStatus(ctx context.Context, clientID ClientID, userID UserID, id FundingAccountID, status FundingAccountStatus) (changed bool, err error)
	InsertReceiveUser(ctx context.Context, clientID ClientID, r ReceiveUser) error
	InsertBankAccount(ctx context.Context, clientID ClientID, a BankAccount) error
	InsertWalletAccount(ctx context.Context, clientID ClientID, a WalletAccount) error

	// InsertTransaction writes the transaction and its documents.
	InsertTransaction(ctx context.Context, clientID ClientID, t Transaction) error
	// LockTransaction reads a transaction and locks it against other writes until this one ends.
	LockTransaction(ctx context.Context, clientID ClientID, userID UserID, id TransactionID) (Transaction, bool, error)
	// SetTransactionStatus writes status, delivery status, reason and time of change of a transaction.
	SetTransactionStatus(ctx context.Context, clientID ClientID, t Transaction) error
	// AddUsage adds an amount in minor units to the three counters and returns their new values. A negative amount takes
	// back what was added before.
	AddUsage(ctx context.Context, clientID ClientID, key UsageKey, amount int64) (Usage, error)
	// AddUsageWithTags is AddUsage of a positive amount, and returns the tags of the user as they are when no other write can add
	// to the counters before this one ends.
	AddUsageWithTags(ctx context.Context, clientID ClientID, key UsageKey, amount int64) (Usage, map[string]CIPStatus, error)

	// LockUser lets no other write change the user, its tags or its documents until this one ends, from the next read on. It comes
	// before what the data of an event about the user is read from.
	LockUser(ctx context.Context, clientID ClientID, userID UserID) error
	// InsertEvents adds events, to be published after the commit. It comes after the lock of the resource that they are about.
	InsertEvents(ctx context.Context, clientID ClientID, all ...Event) error

	// Audit writes a change to the audit log if a command of an operator makes this write. It writes nothing otherwise, and
	// nothing if before and after are the same.
	Audit(ctx context.Context, c Change) error

	FileTx
	WebhookTx
}

// FileTx has the writes of files of payouts.
type FileTx interface {
	// TakeFileTurn waits for other writes that took a turn: files are applied one after the other.
	TakeFileTurn(ctx context.Context) error
	// File reads a file by its content.
	File(ctx context.Context, direction FileDirection, sha256 string) (File, bool, error)
	InsertFile(ctx context.Context, f File) error
	// SetFileTotals writes the number of lines and the totals of a file.
	SetFileTotals(ctx context.Context, f File) error
	// InsertFileLine notes the line of a transaction and returns true, or false without writing if the file has another one.
	InsertFileLine(ctx context.Context, clientID ClientID, transactionID TransactionID, fileID FileID, line int) (bool, error)
	// FileUse returns the last line of another file of a direction that names a transaction.
	FileUse(ctx context.Context, clientID ClientID, id TransactionID, direction FileDirection, except FileID) (FileUse, bool, error)
	// LockTransactions reads those of the transactions that exist, and locks them against other writes until this one ends.
	LockTransactions(ctx context.Context, clientID ClientID, ids []TransactionID) ([]Transaction, error)
}

// WebhookTx has the writes about webhooks.
type WebhookTx interface {
	// InsertWebhookEndpoint writes an endpoint and returns true, or false without writing if the client has that many already.
	// It waits for concurrent insertions of the client.
	InsertWebhookEndpoint(ctx context.Context, clientID ClientID, e WebhookEndpoint, most int) (bool, error)
	// LockWebhookEndpoint reads an endpoint, which no other write changes or refers to before this one ends.
	LockWebhookEndpoint(ctx context.Context, clientID ClientID, id WebhookEndpointID) (WebhookEndpoint, bool, error)
	// UpdateWebhookEndpoint writes all of an endpoint but its secrets and the time of its creation.
	UpdateWebhookEndpoint(ctx context.Context, clientID ClientID, e WebhookEndpoint) error
	// SetWebhookSecrets writes the secrets of an endpoint, and nothing else of it.
	SetWebhookSecrets(ctx context.Context, clientID ClientID, id WebhookEndpointID, secrets SealedWebhookSecrets) error
	// InsertWebhookRotation notes that the secret of an endpoint was rotated.
	InsertWebhookRotation(ctx context.Context, clientID ClientID, r WebhookRotation) error
	// DeleteWebhookDeliveries deletes at most that many deliveries of an endpoint with their attempts, and returns how many
	// they were.
	DeleteWebhookDeliveries(ctx context.Context, clientID ClientID, id WebhookEndpointID, most int) (int, error)
	// DeleteWebhookEndpoint deletes an endpoint that has no deliveries, its rotations, and the idempotency keys of both.
	DeleteWebhookEndpoint(ctx context.Context, clientID ClientID, id WebhookEndpointID) error

	// InsertWebhookDelivery writes a delivery without attempts and returns true, or false without writing if there is one for
	// this endpoint and event.
	InsertWebhookDelivery(ctx context.Context, clientID ClientID, d WebhookDelivery) (bool, error)
	// SetWebhookDelivery writes the status of a delivery and the time of its next attempt.
	SetWebhookDelivery(ctx context.Context, clientID ClientID, d WebhookDelivery) error
	// AddWebhookAttempt writes an attempt of a delivery, numbers it, and forgets the oldest beyond MaxWebhookAttempts.
	AddWebhookAttempt(ctx context.Context, clientID ClientID, id WebhookEndpointID, eventID EventID, a WebhookAttempt) error
	// CancelWebhookDeliveries makes a bounded number of the pending deliveries of an endpoint CANCELED. If there may be more, it
	// returns true, and a job cancels them while the endpoint is disabled.
	CancelWebhookDeliveries(ctx context.Context, clientID ClientID, id WebhookEndpointID) (more bool, err error)
	// EnqueueWebhook makes the next attempt of a delivery due after a pause. One that waits or is being made stays as it is.
	EnqueueWebhook(ctx context.Context, clientID ClientID, id WebhookEndpointID, eventID EventID, pause time.Duration) error
	// EnqueueWebhookNow makes an attempt due now, as asked for by the client, in place of one that waits. One that is being made
	// stays as it is.
	EnqueueWebhookNow(ctx context.Context, clientID ClientID, id WebhookEndpointID, eventID EventID) error
}

// Store persists everything. It is safe for concurrent use.
type Store interface {
	Reader
	// Read runs fn in a transaction of the database that only reads, and reads one snapshot.
	Read(ctx context.Context, fn func(Reader) error) error
	// Write runs fn in one transaction of the database, and commits if fn returns nil.
	// It runs fn again, in a new transaction, if that one loses against another.
	Write(ctx context.Context, fn func(Tx) error) error
}
