package payout

import (
	"context"
	"crypto/subtle"
	"slices"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// known remembers clients with their secrets for a short time, so that not every request reads them. It holds only what was
// right when it was read: credentials that it does not have are looked up, so that a new secret works at once. What an operator
// takes away works until the time is over.
type known struct {
	clients *lru.Cache[ClientID, knownClient]
	keep    time.Duration
}

const (
	mostKnown = 10_000 // bounds the memory of a process that has many clients
	mostInUse = 1_000  // bounds what is read again at a time
	inUseFor  = time.Minute
)

type knownClient struct {
	ClientSecrets
	read time.Time
	used *atomic.Int64 // microseconds since 1970
}

// newKnown returns a memory; without a time it stays empty.
func newKnown(keep time.Duration) known {
	clients, err := lru.New[ClientID, knownClient](mostKnown)
	if err != nil {
		panic(err) // of a size that is not positive
	}
	return known{clients, keep}
}

// find returns the client of these credentials, if it was read a short time ago. A clock that was set back ends that time.
func (k known) find(id ClientID, secret string, now time.Time) (Client, bool) {
	v, ok := k.clients.Get(id)
	if age := now.Sub(v.read); !ok || age < 0 || age >= k.keep || v.Client.Disabled || !matches(v.Secrets, secret, now) {
		return Client{}, false
	}
	v.used.Store(now.UnixMicro())
	return v.Client, true
}

// add remembers a client that was read at a time and made a request at that time.
func (k known) add(c ClientSecrets, read time.Time) {
	if k.keep > 0 {
		used := &atomic.Int64{}
		used.Store(read.UnixMicro())
		k.clients.Add(c.Client.ID, knownClient{c, read, used})
	}
}

// inUse returns the clients that made requests lately.
func (k known) inUse(now time.Time) []ClientID {
	ids := slices.DeleteFunc(k.clients.Keys(), func(id ClientID) bool {
		v, ok := k.clients.Peek(id)
		return !ok || v.used.Load() < now.Add(-inUseFor).UnixMicro()
	})
	return ids[max(0, len(ids)-mostInUse):] // the oldest come first
}

// readAgain remembers a client that is known already, as it was read at a time.
func (k known) readAgain(c ClientSecrets, read time.Time) {
	if v, ok := k.clients.Peek(c.Client.ID); ok {
		k.clients.Add(c.Client.ID, knownClient{c, read, v.used})
	}
}

// ReadClientsAgain reads the clients that made requests in the last minute, at most 1,000, so that the next request of each need
// not wait for that. Called twice in Config.ClientsFor, it keeps what is known of them.
func (s *Service) ReadClientsAgain(ctx context.Context) error {
	now := s.now()
	ids := s.known.inUse(now)
	if len(ids) == 0 {
		return nil
	}
	all, err := s.store.ClientsOf(ctx, ids, now)
	for _, c := range all {
		s.known.readAgain(c, now)
	}
	return err
}

// matches reports whether a secret is one of those that have not expired, in a time that does not depend on it.
func matches(secrets []Secret, secret string, now time.Time) bool {
	hash, found := HashSecret(secret), 0
	for _, s := range secrets {
		if s.Expires.IsZero() || s.Expires.After(now) {
			found |= subtle.ConstantTimeCompare([]byte(hash), []byte(s.Hash))
		}
	}
	return found == 1
}
