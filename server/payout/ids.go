package payout

// Each kind of id has a type of its own, so that no call compiles with two of them swapped.

// ClientID is the id of a client, chosen by the operator.
type ClientID string

// UserID is the UUID of a user.
type UserID string

// FundingAccountID is the UUID of a funding account.
type FundingAccountID string

// ReceiveUserID is the UUID of a receive user.
type ReceiveUserID string

// ReceiveAccountID is the UUID of a receive bank account or a receive wallet account: the fund_id of the receive side.
type ReceiveAccountID string

// TransactionID is the UUID of a transaction.
type TransactionID string

// DocumentID is the UUID of a document.
type DocumentID string

// WebhookEndpointID is the UUID of a webhook endpoint.
type WebhookEndpointID string

// WebhookRotationID is the UUID of a rotation of the secret of a webhook endpoint.
type WebhookRotationID string

// EventID is the UUID of an event.
type EventID string

// FileID is the UUID of a file of payouts; that of an export names the batch.
type FileID string
