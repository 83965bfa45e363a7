package payout_test

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// creation creates one kind of resource, so that each rule of once is tested with all of them.
type creation struct {
	create  func(context.Context, *payout.Service, payout.Client, payout.Idempotency) (created any, replayed bool, err error)
	refused func(context.Context, *payout.Service, payout.Client, payout.Idempotency) error
}

func erase[T any](v T, replayed bool, err error) (any, bool, error) { return v, replayed, err }

func creations(s *sender) map[string]creation {
	return map[string]creation{
		"user": {
			func(ctx context.Context, p *payout.Service, c payout.Client, k payout.Idempotency) (any, bool, error) {
				return erase(p.CreateUser(ctx, c, k, individual("US")))
			},
			func(ctx context.Context, p *payout.Service, c payout.Client, k payout.Idempotency) error {
				_, _, err := p.CreateUser(ctx, c, k, individual("DE"))
				return err
			},
		},
		"documents": {
			func(ctx context.Context, p *payout.Service, c payout.Client, k payout.Idempotency) (any, bool, error) {
				return erase(p.CreateDocuments(ctx, c, k, s.user.ID, []payout.Document{{Kind: payout.VirtualDocument, Type: "SSN", Value: "1"}}))
			},
			func(ctx context.Context, p *payout.Service, c payout.Client, k payout.Idempotency) error {
				_, _, err := p.CreateDocuments(ctx, c, k, s.user.ID, nil)
				return err
			},
		},
		"funding account": {
			func(ctx context.Context, p *payout.Service, c payout.Client, k payout.Idempotency) (any, bool, error) {
				return erase(p.CreateFundingAccount(ctx, c, k, payout.FundingAccount{UserID: s.user.ID, Type: "CARD"}))
			},
			func(ctx context.Context, p *payout.Service, c payout.Client, k payout.Idempotency) error {
				_, _, err := p.CreateFundingAccount(ctx, c, k, payout.FundingAccount{UserID: "nobody"})
				return err
			},
		},
		"receive user": {
			func(ctx context.Context, p *payout.Service, c payout.Client, k payout.Idempotency) (any, bool, error) {
				r := receiver("NP")
				r.UserID = s.user.ID
				return erase(p.CreateReceiveUser(ctx, c, k, r))
			},
			func(ctx context.Context, p *payout.Service, c payout.Client, k payout.Idempotency) error {
				_, _, err := p.CreateReceiveUser(ctx, c, k, payout.ReceiveUser{UserID: s.user.ID, Country: "DE"})
				return err
			},
		},
		"bank account": {
			func(ctx context.Context, p *payout.Service, c payout.Client, k payout.Idempotency) (any, bool, error) {
				a := payout.BankAccount{ReceiveUserID: s.nepal.ID, BankID: bankNP, AccountNumber: "1", Currency: "NPR"}
				return erase(p.CreateBankAccount(ctx, c, k, s.user.ID, a))
			},
			func(ctx context.Context, p *payout.Service, c payout.Client, k payout.Idempotency) error {
				_, _, err := p.CreateBankAccount(ctx, c, k, s.user.ID, payout.BankAccount{ReceiveUserID: s.nepal.ID, BankID: bankIN})
				return err
			},
		},
		"wallet account": {
			func(ctx context.Context, p *payout.Service, c payout.Client, k payout.Idempotency) (any, bool, error) {
				a := payout.WalletAccount{ReceiveUserID: s.nepal.ID, PayerID: walletNP, WalletNumber: "1", Currency: "NPR"}
				return erase(p.CreateWalletAccount(ctx, c, k, s.user.ID, a))
			},
			func(ctx context.Context, p *payout.Service, c payout.Client, k payout.Idempotency) error {
				_, _, err := p.CreateWalletAccount(ctx, c, k, s.user.ID, payout.WalletAccount{ReceiveUserID: s.nepal.ID, PayerID: cashNP})
				return err
			},
		},
		"transaction": {
			func(ctx context.Context, p *payout.Service, c payout.Client, k payout.Idempotency) (any, bool, error) {
				return erase(p.CreateTransaction(ctx, c, k, s.user.ID, s.deposit("1")))
			},
			func(ctx context.Context, p *payout.Service, c payout.Client, k payout.Idempotency) error {
				_, _, err := p.CreateTransaction(ctx, c, k, s.user.ID, s.deposit("600.01"))
				return err
			},
		},
	}
}

// D-16, D-54: a repeat returns what was created and creates nothing; a refusal leaves the key unused; another request with
// the key is refused, whatever it would create and whether or not the rules allow it.
func TestAKeyCreatesOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	all := creations(s)
	for name, c := range all {
		key := payout.Idempotency{Key: "key of " + name, Fingerprint: name}
		before := w.count(t)
		if err := c.refused(t.Context(), w.Service, w.acme, key); err == nil {
			t.Fatalf("%s: not refused", name)
		}
		if after := w.count(t); after != before {
			t.Errorf("%s: refused, and then %+v, before %+v", name, after, before)
		}
		first, replayed, err := c.create(t.Context(), w.Service, w.acme, key)
		created(t, first, replayed, err)
		before = w.count(t)
		for range 2 {
			again, replayed, err := c.create(t.Context(), w.Service, w.acme, key)
			if err != nil || !replayed || !reflect.DeepEqual(again, first) {
				t.Errorf("%s: replayed %t, %v\n%+v, first\n%+v", name, replayed, err, again, first)
			}
		}
		for other, o := range all {
			used := payout.Idempotency{Key: key.Key, Fingerprint: "another request"}
			for _, err := range []error{o.refused(t.Context(), w.Service, w.acme, used), errOf(o.create(t.Context(), w.Service, w.acme, used))} {
				if got := fieldsOf(t, err, payout.CodeIdempotencyKeyReused); !reflect.DeepEqual(got, []string{"X-Idempotency-Key"}) {
					t.Errorf("the key of %s for %s: %v", name, other, err)
				}
			}
		}
		if after := w.count(t); after != before {
			t.Errorf("%s: repeats made %+v of %+v", name, after, before)
		}
		without, _, err := c.create(t.Context(), w.Service, w.acme, noKey)
		more, replayed, err2 := c.create(t.Context(), w.Service, w.acme, payout.Idempotency{Fingerprint: name})
		if err := errors.Join(err, err2); err != nil || replayed || reflect.DeepEqual(more, without) || reflect.DeepEqual(without, first) {
			t.Errorf("%s without a key: replayed %t, %v", name, replayed, err)
		}
	}
}

func errOf(_ any, _ bool, err error) error { return err }

// A key is one of the client: the same one of another client is another key.
func TestAKeyBelongsToItsClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := payout.Idempotency{Key: "key", Fingerprint: "f"}
	first, replayed, err := w.CreateUser(t.Context(), w.acme, key, individual("US"))
	created(t, first, replayed, err)
	second, replayed, err := w.CreateUser(t.Context(), w.other, payout.Idempotency{Key: "key", Fingerprint: "g"}, individual("US"))
	created(t, second, replayed, err)
	if first.ID == second.ID {
		t.Error("the user of another client was returned")
	}
}

// A replay succeeds even if a rule is no longer met (D-16), and returns the present state of what was created (D-54).
func TestAReplayLooksAtNoRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	key := payout.Idempotency{Key: "key", Fingerprint: "f"}
	first, replayed, err := w.CreateTransaction(t.Context(), w.acme, key, s.user.ID, s.deposit("1"))
	created(t, first, replayed, err)
	userKey := payout.Idempotency{Key: "user key", Fingerprint: "f"}
	u, replayed, err := w.CreateUser(t.Context(), w.acme, userKey, individual("US"))
	created(t, u, replayed, err)
	w.verify(t, s.user, payout.Verification{Status: payout.KYCSuspended})
	w.verify(t, u, payout.Verification{Status: payout.KYCVerified})
	w.acme.Corridors, w.acme.Destinations = nil, nil
	w.clock.set(startOfTests.AddDate(1, 0, 0))

	n := s.deposit("1.001") // the caller's fingerprint says that it is the same request
	again, replayed, err := w.CreateTransaction(t.Context(), w.acme, key, s.user.ID, n)
	if err != nil || !replayed || !reflect.DeepEqual(again, first) {
		t.Errorf("replayed %t, %v\n%+v, first\n%+v", replayed, err, again, first)
	}
	now, replayed, err := w.CreateUser(t.Context(), w.acme, userKey, individual("XX"))
	if u.Status = payout.KYCVerified; err != nil || !replayed || !reflect.DeepEqual(now, u) {
		t.Errorf("replayed %t, %v\n%+v, want\n%+v", replayed, err, now, u)
	}
}

// Of concurrent repeats one creates, and the others return what it created.
func TestConcurrentRepeatsCreateOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	for name, c := range creations(s) {
		const tries = 8
		var results [tries]any
		var replays [tries]bool
		var errs [tries]error
		var all sync.WaitGroup
		for i := range tries {
			all.Go(func() {
				results[i], replays[i], errs[i] = c.create(t.Context(), w.Service, w.acme, payout.Idempotency{Key: name, Fingerprint: name})
			})
		}
		all.Wait()
		first := 0
		for i := range tries {
			if errs[i] != nil || !reflect.DeepEqual(results[i], results[0]) {
				t.Errorf("%s: %v\n%+v, another\n%+v", name, errs[i], results[i], results[0])
			}
			if !replays[i] {
				first++
			}
		}
		if first != 1 {
			t.Errorf("%s: created %d times", name, first)
		}
	}
}

// Of concurrent requests with one key that differ, one creates and the others are refused.
func TestConcurrentRequestsWithOneKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var errs [8]error
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			_, _, errs[i] = w.CreateUser(t.Context(), w.acme, payout.Idempotency{Key: "key", Fingerprint: string(rune('a' + i))}, individual("US"))
		})
	}
	all.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
		} else if payout.CodeOf(err) != payout.CodeIdempotencyKeyReused {
			t.Error(err)
		}
	}
	if n := w.count(t).Users; done != 1 || n != 1 {
		t.Errorf("%d were created, %d are there", done, n)
	}
}

// lossy commits a write and loses the commit response.
type lossy struct{ payout.Store }

func (l lossy) Write(ctx context.Context, fn func(payout.Tx) error) error {
	if err := l.Store.Write(ctx, fn); err != nil {
		return err
	}
	return payout.NewError(payout.CodeServiceUnavailable)
}

// With a key, the caller learns what was created although the commit response was lost; without one, the outcome is unknown.
func TestACreationWhoseCommitAnswerWasLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	lost := w.serviceOn(lossy{w.store})
	for name, c := range creations(s) {
		key := payout.Idempotency{Key: name, Fingerprint: name}
		got, replayed, err := c.create(t.Context(), lost, w.acme, key)
		if err != nil || !replayed {
			t.Errorf("%s: replayed %t, %v", name, replayed, err)
		}
		again, replayed, err := c.create(t.Context(), w.Service, w.acme, key)
		if err != nil || !replayed || !reflect.DeepEqual(again, got) {
			t.Errorf("%s again: replayed %t, %v", name, replayed, err)
		}
		if _, _, err := c.create(t.Context(), lost, w.acme, noKey); payout.CodeOf(err) != payout.CodeServiceUnavailable {
			t.Errorf("%s without a key: %v", name, err)
		}
	}
}

// forgetful has the key but not its resource.
type forgetful struct{ payout.Store }

func (f forgetful) Write(ctx context.Context, fn func(payout.Tx) error) error {
	return f.Store.Write(ctx, func(tx payout.Tx) error { return fn(forgetfulTx{tx}) })
}

func (forgetful) User(context.Context, payout.ClientID, payout.UserID) (payout.User, bool, error) {
	return payout.User{}, false, nil
}

type forgetfulTx struct{ payout.Tx }

func (forgetfulTx) User(context.Context, payout.ClientID, payout.UserID) (payout.User, bool, error) {
	return payout.User{}, false, nil
}

// A key whose resource is missing is damaged data: the caller gets an internal error, and nothing is created.
func TestAKeyWhoseResourceIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := payout.Idempotency{Key: "key", Fingerprint: "f"}
	u, replayed, err := w.CreateUser(t.Context(), w.acme, key, individual("US"))
	created(t, u, replayed, err)
	_, replayed, err = w.serviceOn(forgetful{w.store}).CreateUser(t.Context(), w.acme, key, individual("US"))
	if err == nil || replayed || payout.CodeOf(err) != payout.CodeInternalError {
		t.Errorf("replayed %t, %v", replayed, err)
	}
	if n := w.count(t).Users; n != 1 {
		t.Errorf("%d users", n)
	}
}
