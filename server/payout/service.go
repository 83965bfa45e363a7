package payout

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Config configures a Service. All fields but Publish and those about webhooks are required.
type Config struct {
	Store   Store
	Country func(code string) (Country, bool) // alpha-2 or alpha-3
	Now     func() time.Time
	NewID   func() string // a UUID
	// EventData writes the data of an event as the wire shows it.
	EventData func(EventData) ([]byte, error)
	// Publish publishes the events that wait, as far as it can, before the feed is read; nil if another process does.
	Publish func(context.Context)

	// ClientsFor is how long a client and its secrets are used without reading them again: what an operator takes away works for
	// that long. 0: they are read for each request (D-74).
	ClientsFor time.Duration
	// ClientTimeout is how long Authenticate waits for the store. 0: as long as its context.
	ClientTimeout time.Duration

	Sealer          Sealer // of webhook secrets; nil: operations about webhooks return CodeServiceUnavailable
	PrivateWebhooks bool   // allow http and addresses that are not public, in a sandbox
}

// Service implements the use cases. Its errors are of type *Error; any other means CodeInternalError.
type Service struct {
	store         Store
	country       func(code string) (Country, bool)
	clock         func() time.Time
	newID         func() string
	known         known
	clientTimeout time.Duration

	eventData       func(EventData) ([]byte, error)
	publish         func(context.Context)
	sealer          Sealer
	privateWebhooks bool
}

// NewService returns a service.
func NewService(c Config) *Service {
	if c.Publish == nil {
		c.Publish = func(context.Context) {}
	}
	return &Service{
		store: c.Store, country: c.Country, clock: c.Now, newID: c.NewID, known: newKnown(c.ClientsFor), clientTimeout: c.ClientTimeout,
		eventData: c.EventData, publish: c.Publish, sealer: c.Sealer, privateWebhooks: c.PrivateWebhooks,
	}
}

// now returns the time in UTC, in the precision of the store.
func (s *Service) now() time.Time { return s.clock().UTC().Truncate(time.Microsecond) }

// Authenticate returns the client of the credentials. It returns the same CodeUnauthorized for missing, unknown and wrong
// credentials and for a disabled client (D-19); the Client then has only the id, and only if there is such a client: for the
// log, which must not repeat what may be a secret.
func (s *Service) Authenticate(ctx context.Context, clientID ClientID, secret string) (Client, error) {
	if clientID == "" || secret == "" {
		return Client{}, NewError(CodeUnauthorized).Because(errors.New("the id or the secret is missing or repeated"))
	}
	now := s.now()
	if client, ok := s.known.find(clientID, secret, now); ok {
		return client, nil
	}
	if s.clientTimeout > 0 { // here, because most requests need none
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.clientTimeout)
		defer cancel()
	}
	client, secrets, ok, err := s.store.Client(ctx, clientID, now)
	if err != nil {
		return Client{}, err
	}
	switch {
	case !ok:
		return Client{}, NewError(CodeUnauthorized).Because(errors.New("no such client"))
	case client.Disabled:
		return Client{ID: client.ID}, NewError(CodeUnauthorized).Because(errors.New("the client is disabled"))
	case !matches(secrets, secret, now):
		return Client{ID: client.ID}, NewError(CodeUnauthorized).Because(errors.New("no active secret of the client matches"))
	}
	s.known.add(ClientSecrets{client, secrets}, now)
	return client, nil
}

// PayerFilter narrows a list of payers; empty fields are ignored.
type PayerFilter struct {
	Country        string       // alpha-2 or alpha-3
	PayoutMethod   PayoutMethod // payout_method
	DeliveryMethod PayoutMethod // delivery_method, the deprecated alias (D-02)
}

// Payers lists the payers of the enabled destinations. It returns CodeBadRequest if both spellings of the method are
// given and differ.
func (s *Service) Payers(ctx context.Context, c Client, f PayerFilter) ([]Payer, error) {
	method := f.PayoutMethod
	switch {
	case method == "":
		method = f.DeliveryMethod
	case f.DeliveryMethod != "" && f.DeliveryMethod != method:
		return nil, NewError(CodeBadRequest, Violation{"query", "delivery_method", "must be the same as payout_method, or not be sent"})
	}
	countries := s.narrow(c.destinationCountries(), f.Country)
	return s.store.Payers(ctx, countries, method)
}

// Payer returns a payer of an enabled destination; otherwise CodeNotFound.
func (s *Service) Payer(ctx context.Context, c Client, id int64) (Payer, error) {
	p, ok, err := s.store.Payer(ctx, id)
	if err == nil && (!ok || !slices.Contains(c.destinationCountries(), p.Country)) {
		err = NotFound("payer")
	}
	return p, err
}

// Banks lists the banks of the enabled destinations, or of one.
func (s *Service) Banks(ctx context.Context, c Client, country string) ([]Bank, error) {
	return s.store.Banks(ctx, s.narrow(c.destinationCountries(), country))
}

// Bank returns a bank of an enabled destination; otherwise CodeNotFound.
func (s *Service) Bank(ctx context.Context, c Client, id int64) (Bank, error) {
	b, ok, err := s.store.Bank(ctx, id)
	if err == nil && (!ok || !slices.Contains(c.destinationCountries(), b.Country)) {
		err = NotFound("bank")
	}
	return b, err
}

// States lists the states of the enabled countries, or of one.
func (s *Service) States(ctx context.Context, c Client, country string) ([]State, error) {
	return s.store.States(ctx, s.narrow(c.enabledCountries(), country))
}

// CountryStates lists the states of one enabled country; otherwise CodeNotFound.
func (s *Service) CountryStates(ctx context.Context, c Client, country string) ([]State, error) {
	if !slices.Contains(c.enabledCountries(), country) {
		return nil, NotFound("country")
	}
	return s.store.States(ctx, []string{country})
}

// State returns a state of an enabled country by its code; otherwise CodeNotFound.
func (s *Service) State(ctx context.Context, c Client, country, code string) (State, error) {
	state, ok, err := s.store.State(ctx, country, code)
	return enabledState(c, state, ok, err)
}

// StateByID returns a state of an enabled country by its id; otherwise CodeNotFound.
func (s *Service) StateByID(ctx context.Context, c Client, id int64) (State, error) {
	state, ok, err := s.store.StateByID(ctx, id)
	return enabledState(c, state, ok, err)
}

func enabledState(c Client, state State, ok bool, err error) (State, error) {
	if err == nil && (!ok || !slices.Contains(c.enabledCountries(), state.Country)) {
		err = NotFound("state")
	}
	return state, err
}

// CountryID returns the ISO 3166-1 numeric code of a country, the country_id of a v2 state (D-03).
func (s *Service) CountryID(alpha2 string) string {
	country, _ := s.country(alpha2)
	return country.Numeric
}

// narrow returns the enabled countries, or only the given one if it is among them.
func (s *Service) narrow(enabled []string, country string) []string {
	if country == "" {
		return enabled
	}
	known, ok := s.country(country)
	if !ok || !slices.Contains(enabled, known.Alpha2) {
		return nil
	}
	return []string{known.Alpha2}
}
