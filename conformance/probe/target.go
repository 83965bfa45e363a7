package probe

import (
	"crypto/tls"
	"net/http"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// Target is the server under test and what the suite must know about it.
type Target struct {
	URL                              string // the base URL, a path included where there is one
	ClientID, ClientSecret           string
	OtherClientID, OtherClientSecret string // may be empty: checks with two clients are then skipped
	Profile                          Profile
	Condition                        Condition
	Facts                            Facts
	Fixtures                         Fixtures
	Receiver                         string            // host:port to receive webhooks on; if empty, checks of deliveries are skipped
	ReceiverURL                      string            // where the server reaches it; empty for http and the address
	Timeout                          time.Duration     // of one request
	Header                           http.Header       // sent with each request unless a check sends the same header
	TLS                              *tls.Config       // nil: the certificates of the system
	Transport                        http.RoundTripper // nil: one of the suite's own, which follows TLS
}

// Facts are facts about a server that no operation returns. [DefaultFacts] are those of this project's sandbox.
type Facts struct {
	OriginCountry   string `yaml:"origin_country" json:"origin_country"`     // an enabled originating corridor
	OriginCurrency  string `yaml:"origin_currency" json:"origin_currency"`   // and its sending currency, one of 2 decimals
	Destination     string `yaml:"destination" json:"destination"`           // an enabled destination with banks and payers of all methods
	DisabledCountry string `yaml:"disabled_country" json:"disabled_country"` // enabled neither as origin nor as destination
	Rates           Rates  `yaml:"exchange_rate" json:"exchange_rate"`
}

// Rates are the bounds, both included, of exchange rates from the origin currency to another one (D-62).
type Rates struct {
	Destination string `yaml:"destination" json:"destination"` // an enabled destination with a bank that receives Currency
	Currency    string `yaml:"currency" json:"currency"`
	Min         string `yaml:"min" json:"min"` // a decimal number
	Max         string `yaml:"max" json:"max"`
}

// DefaultFacts are the facts of this project's sandbox.
var DefaultFacts = Facts{
	OriginCountry: "US", OriginCurrency: "USD", Destination: "NP", DisabledCountry: "FR",
	Rates: Rates{Destination: "MX", Currency: "MXN", Min: "5", Max: "50"},
}

// Fixtures exist on a server that offers only the documented operations. Checks that need a missing fixture are skipped.
type Fixtures struct {
	Sender     *FixedSender    `yaml:"sender" json:"sender,omitempty"`         // verified, with an active funding account
	Unverified *FixedSender    `yaml:"unverified" json:"unverified,omitempty"` // the same, but UNVERIFIED
	Receivers  []FixedReceiver `yaml:"receivers" json:"receivers,omitempty"`   // receive users of Sender
}

// FixedSender is a user of the first client with a funding account.
type FixedSender struct {
	UserID     openapi_types.UUID `yaml:"user_id" json:"user_id"`
	FromFundID openapi_types.UUID `yaml:"from_fund_id" json:"from_fund_id"`
}

// FixedReceiver is the receive side of one payout method.
type FixedReceiver struct {
	PayoutMethod api.PayoutMethod    `yaml:"payout_method" json:"payout_method"`
	ID           openapi_types.UUID  `yaml:"id" json:"id"`                       // the receive user
	FundID       *openapi_types.UUID `yaml:"fund_id" json:"fund_id,omitempty"`   // BANK_DEPOSIT, WALLET
	PayerID      int64               `yaml:"payer_id" json:"payer_id,omitempty"` // CASH_PICKUP, HOME_DELIVERY
	Currency     string              `yaml:"currency" json:"currency"`           // of the payout
}
