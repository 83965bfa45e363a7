package payout

import (
	"slices"
	"time"
)

// MaxWebhookAttempts is how many attempts of a delivery are kept, the last ones.
const MaxWebhookAttempts = 100

// MaxWebhookEndpoints is how many webhook endpoints a client may have (D-68).
const MaxWebhookEndpoints = 100

// WebhookEndpoint is where a client receives events (D-68).
type WebhookEndpoint struct {
	ID             WebhookEndpointID
	URL            string
	EventTypes     []EventType // empty: all
	Description    string
	Disabled       bool
	DisabledReason WebhookDisabledReason // empty unless Disabled by the service
	FailingSince   time.Time             // of the first failure since the last success; zero: the last attempt succeeded
	Secrets        SealedWebhookSecrets
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Wants reports whether events of a type are delivered to the endpoint.
func (e WebhookEndpoint) Wants(eventType EventType) bool {
	return !e.Disabled && (len(e.EventTypes) == 0 || slices.Contains(e.EventTypes, eventType))
}

// SealedWebhookSecrets are the secrets that sign what is sent to an endpoint, encrypted.
type SealedWebhookSecrets struct {
	Current    []byte
	Old        []byte    // nil: none
	OldExpires time.Time // until when Old signs too; zero: there is none
}

// WebhookRotation is one replacement of the secret of an endpoint: what an idempotency key of it refers to.
type WebhookRotation struct {
	ID         WebhookRotationID
	EndpointID WebhookEndpointID
	CreatedAt  time.Time
}

// WebhookDisabledReason is why the service disabled an endpoint.
type WebhookDisabledReason string

// The reasons for which an endpoint is disabled without its client (D-69).
const (
	EndpointGone    WebhookDisabledReason = "GONE"    // it answered 410
	EndpointFailing WebhookDisabledReason = "FAILING" // it only failed, for days
)

// WebhookDelivery is an event on its way to an endpoint (D-69).
type WebhookDelivery struct {
	EndpointID    WebhookEndpointID
	EventID       EventID
	EventType     EventType
	Position      int64  // of the event in the feed of the client; 0: it is not there, as a ping
	Payload       []byte // of an event that is not in the feed; nil: the event has it
	Status        WebhookDeliveryStatus
	NextAttemptAt time.Time // zero: there is none
	CreatedAt     time.Time
	Attempts      []WebhookAttempt // oldest first; at most MaxWebhookAttempts
}

// WebhookDeliveryStatus says how far a delivery is.
type WebhookDeliveryStatus string

// The statuses of a delivery.
const (
	WebhookPending   WebhookDeliveryStatus = "PENDING"
	WebhookDelivered WebhookDeliveryStatus = "DELIVERED"
	WebhookFailed    WebhookDeliveryStatus = "FAILED"   // after its last attempt
	WebhookCanceled  WebhookDeliveryStatus = "CANCELED" // because the endpoint was disabled
)

// WebhookDeliveryStatuses returns all of them.
func WebhookDeliveryStatuses() []WebhookDeliveryStatus {
	return []WebhookDeliveryStatus{WebhookPending, WebhookDelivered, WebhookFailed, WebhookCanceled}
}

// WebhookAttempt is one request to an endpoint.
type WebhookAttempt struct {
	Number     int // from 1
	At         time.Time
	Duration   time.Duration // in milliseconds
	HTTPStatus int           // 0: there was no response
	Error      string        // a token, empty if the attempt succeeded
}
