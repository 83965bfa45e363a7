package httpapi

import (
	"hash/maphash"
	"math"
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// How many callers are remembered. An attacker who fills all of it takes about 25 MB.
const (
	mostAddresses   = 1 << 16
	mostClientIDs   = 1 << 14
	mostCredentials = 1 << 14
)

// lately is how long it is remembered that an address has failed.
const lately = time.Hour

// What became of a request whose credentials were not accepted: the values of a metric.
const (
	failureUnauthorized   = "unauthorized"
	failureAddressLimited = "address_limited"
	failureClientLimited  = "client_limited"
)

// failureLimits bounds the requests with wrong credentials, for each address and for each client id (D-58). Beyond a limit
// they are refused before the database is asked, so that a flood costs little. Credentials that were accepted lately are
// never refused: nobody can lock out a client by knowing its id or by sharing its address.
type failureLimits struct {
	limit float64 // failures per minute, and at once
	now   func() time.Time
	warn  func(seen *observation)
	seed  maphash.Seed // random, so that callers cannot choose values with the same hash

	mu        sync.Mutex
	accepted  *simplelru.LRU[uint64, struct{}]         // by the hash of id and secret
	addresses *simplelru.LRU[netip.Prefix, *allowance] // by network
	clients   *simplelru.LRU[uint64, *clientAllowance] // by the hash of the id, which may be as long as a header
}

// newFailureLimits returns nil, which limits nothing, if perMinute is 0.
func newFailureLimits(perMinute int, now func() time.Time, warn func(*observation)) *failureLimits {
	if perMinute == 0 {
		return nil
	}
	l := &failureLimits{limit: float64(perMinute), now: now, warn: warn, seed: maphash.MakeSeed()}
	// These return an error only for a size that is not positive.
	l.accepted, _ = simplelru.NewLRU[uint64, struct{}](mostCredentials, nil)
	l.addresses, _ = simplelru.NewLRU[netip.Prefix, *allowance](mostAddresses, nil)
	l.clients, _ = simplelru.NewLRU[uint64, *clientAllowance](mostClientIDs, nil)
	return l
}

// attempt is a request whose credentials are being judged. It has reserved a failure, so that requests sent at once cannot
// exceed a limit together. nil is an attempt without limits.
type attempt struct {
	limits     *failureLimits
	credential uint64
	address    *allowance       // nil for credentials that were accepted lately
	client     *clientAllowance // nil for the same
	spent      *allowance       // of the client
}

// begin starts an attempt, which the caller must end, or returns CodeRateLimited. seen gets what is known of the caller.
func (l *failureLimits) begin(seen *observation, id, secret string) (*attempt, error) {
	if l == nil || id == "" || secret == "" { // refusing these costs nothing
		return nil, nil
	}
	type credentials struct{ id, secret string }
	a := &attempt{limits: l, credential: maphash.Comparable(l.seed, credentials{id, secret})}
	limited := l.reserve(a, seen, maphash.String(l.seed, id))
	if limited == nil {
		return a, nil
	}
	if !limited.warned {
		l.warn(seen)
	}
	e := payout.NewError(payout.CodeRateLimited)
	e.Message = "Too many requests with wrong credentials. Correct them, and wait for the number of seconds in the header Retry-After."
	return nil, rateLimitedError{e, limited.wait(l.limit)}
}

// reserve takes a failure from the address and one from the client id, unless the credentials were accepted lately. It
// returns a copy of the allowance that has none left.
func (l *failureLimits) reserve(a *attempt, seen *observation, id uint64) (limited *allowance) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.accepted.Get(a.credential); ok {
		return nil
	}
	now, network := l.now(), networkOf(seen.address)
	address, ok := l.addresses.Get(network)
	if !ok {
		address = &allowance{left: l.limit, filled: now}
		l.addresses.Add(network, address)
	}
	address.fill(now, l.limit)
	client, ok := l.clients.Get(id)
	if address.left < 1 {
		seen.failure = failureAddressLimited
		if ok {
			seen.named = client.id
		}
		return address.refuse()
	}
	if !ok { // an address that is refused adds no client ids
		whole := allowance{left: l.limit, filled: now}
		client = &clientAllowance{first: whole, again: whole}
		l.clients.Add(id, client)
	}
	spent := &client.first
	if !address.failed.IsZero() && now.Sub(address.failed) < lately {
		spent = &client.again
	}
	spent.fill(now, l.limit)
	if spent.left < 1 {
		seen.failure, seen.named = failureClientLimited, client.id
		return spent.refuse()
	}
	address.left--
	spent.left--
	a.address, a.client, a.spent = address, client, spent
	return nil
}

// end ends the attempt with the result of the authentication. id is that of an existing client, or "".
func (a *attempt) end(seen *observation, id payout.ClientID, err error) {
	wrong := err != nil && payout.CodeOf(err) == payout.CodeUnauthorized
	if wrong {
		seen.failure, seen.named = failureUnauthorized, id
	}
	if a == nil {
		return
	}
	l := a.limits
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		l.accepted.Add(a.credential, struct{}{})
	case wrong:
		l.accepted.Remove(a.credential) // they have been revoked
		if a.address != nil {
			a.address.failed, a.client.id = l.now(), id
		}
		return
	}
	if a.address != nil { // no failure after all
		a.address.left = min(l.limit, a.address.left+1)
		a.spent.left = min(l.limit, a.spent.left+1)
	}
}

// allowance is how many failures are left. All of them come back within a minute.
type allowance struct {
	left   float64
	filled time.Time
	failed time.Time // the last time, of an address
	warned bool      // since it was whole
}

// clientAllowance is that of a client id. Addresses that have failed lately have one together, so that a few of them do not
// use up that of a client that calls for the first time.
type clientAllowance struct {
	id           payout.ClientID // if there is such a client
	first, again allowance
}

// fill adds what came back since the last time.
func (a *allowance) fill(now time.Time, limit float64) {
	if since := now.Sub(a.filled); since > 0 { // a clock may be set back
		a.left = min(limit, a.left+limit*since.Minutes())
	}
	a.filled = now
	if a.left == limit {
		a.warned = false
	}
}

// refuse returns a copy from before this refusal.
func (a *allowance) refuse() *allowance {
	before := *a
	a.warned = true
	return &before
}

// wait returns the time until a failure is left, in whole seconds.
func (a *allowance) wait(limit float64) time.Duration {
	return time.Duration(math.Ceil((1-a.left)/limit*60)) * time.Second
}

// networkOf returns the addresses that one caller may have: one of IPv4, and a network of 2^64 of IPv6.
func networkOf(address netip.Addr) netip.Prefix {
	bits := 32
	if address.Is6() {
		bits = 64
	}
	network, _ := address.Prefix(bits) // the zero prefix, if there is no address
	return network
}
