package payout

import (
	"crypto/subtle"
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

// mostKnown bounds the memory of a process that has many clients.
const mostKnown = 10_000

type knownClient struct {
	client  Client
	secrets []Secret
	read    time.Time
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
	if age := now.Sub(v.read); !ok || age < 0 || age >= k.keep || v.client.Disabled || !matches(v.secrets, secret, now) {
		return Client{}, false
	}
	return v.client, true
}

// add remembers a client that was read at a time.
func (k known) add(c Client, secrets []Secret, read time.Time) {
	if k.keep > 0 {
		k.clients.Add(c.ID, knownClient{c, secrets, read})
	}
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
