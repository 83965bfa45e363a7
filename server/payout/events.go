package payout

import "time"

// EventType says what happened to which kind of resource (D-67).
type EventType string

// The types of events. A change of two things that have a type each has an event of each type.
const (
	TransactionCreated               EventType = "transaction.created"
	TransactionStatusChanged         EventType = "transaction.status_changed"
	TransactionDeliveryStatusChanged EventType = "transaction.delivery_status_changed"
	UserStatusChanged                EventType = "user.status_changed"
	UserInformationRequested         EventType = "user.information_requested"
	UserInformationChanged           EventType = "user.information_changed"
	FundingAccountStatusChanged      EventType = "funding_account.status_changed"
)

// EventTypes returns all of them.
func EventTypes() []EventType {
	return []EventType{
		TransactionCreated, TransactionStatusChanged, TransactionDeliveryStatusChanged, UserStatusChanged,
		UserInformationRequested, UserInformationChanged, FundingAccountStatusChanged,
	}
}

// Event is a change of a resource, with the resource as it was after it (D-67).
type Event struct {
	ID         EventID
	Type       EventType
	CreatedAt  time.Time
	ResourceID string // of the transaction, user or funding account
	UserID     UserID
	Data       []byte // the member data of the wire, byte for byte
	Position   int64  // in the feed of the client, from 1 without gaps; 0 until it is published
}

// Published is an event that was just given its position in the feed of its client.
type Published struct {
	ClientID ClientID
	EventID  EventID
	Type     EventType
	Position int64
}

// EventData is what the data of an event is made of: the members of its type are set (D-67).
type EventData struct {
	Transaction    *Transaction
	User           *User // with its documents
	CIPInfo        *CIPInfo
	FundingAccount *FundingAccount
	UserID         UserID // of FundingAccount, which does not name its user
}

// FeedPosition is a place in the feed of a client: that of an event that was read. The zero value is the start.
type FeedPosition struct {
	Number int64
	ID     EventID
}

// FeedPage selects a part of the feed: at most Limit events after a position, of one type unless it is empty.
type FeedPage struct {
	After FeedPosition
	Type  EventType
	Limit int
}

// FeedState is what a reader must know before it reads the feed of a client after a position.
type FeedState struct {
	Queued bool    // events of the client wait for the publisher
	Last   int64   // the position of the newest event, even if it was deleted meanwhile
	ID     EventID // of the event at the position; empty if none is kept there
}
