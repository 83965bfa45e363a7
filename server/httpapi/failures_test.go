package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// door is a guard for the client "acme" with the secret "secret", which allows 5 failures per minute.
type door struct {
	limits *failureLimits
	now    time.Time
	fails  error // of the database
	valid  map[string]string
	asked  int // how often the database was
	warned []string
}

func newDoor() *door {
	d := &door{now: time.Unix(0, 0), valid: map[string]string{"acme": "secret"}}
	d.limits = newFailureLimits(5, func() time.Time { return d.now }, func(seen *observation) { d.warned = append(d.warned, seen.failure) })
	return d
}

// call sends credentials from an address, and returns the code of the answer; "" for a success.
func (d *door) call(address, id, secret string) payout.Code {
	code, _ := d.observe(address, id, secret)
	return code
}

func (d *door) observe(address, id, secret string) (payout.Code, *observation) {
	seen := &observation{}
	if address != "" {
		seen.address = netip.MustParseAddr(address)
	}
	r := &http.Request{Header: http.Header{"X-Client-Id": {id}, "X-Client-Secret": {secret}}}
	g := guard{failures: d.limits, authenticate: func(_ context.Context, id payout.ClientID, secret string) (payout.Client, error) {
		d.asked++
		known, ok := d.valid[string(id)]
		switch {
		case d.fails != nil:
			return payout.Client{}, d.fails
		case !ok:
			return payout.Client{}, payout.NewError(payout.CodeUnauthorized)
		case secret != known:
			return payout.Client{ID: id}, payout.NewError(payout.CodeUnauthorized)
		}
		return payout.Client{ID: id, Name: "Acme"}, nil
	}}
	if _, err := g.identify(r, seen); err != nil {
		return payout.CodeOf(err), seen
	}
	return "", seen
}

// want sends n requests and expects the same answer to each.
func (d *door) want(t *testing.T, want payout.Code, n int, address, id, secret string) {
	t.Helper()
	for i := range n {
		if got := d.call(address, id, secret); got != want {
			t.Fatalf("request %d of %d from %s: %q, want %q", i+1, n, address, got, want)
		}
	}
}

const (
	attacker, honest, elsewhere = "203.0.113.1", "198.51.100.7", "192.0.2.44"
	unauthorized, limited       = payout.CodeUnauthorized, payout.CodeRateLimited
)

// D-58: after the failures of a minute, wrong credentials are refused without asking the database, until time passes.
func TestWrongCredentialsAreRefusedUnseen(t *testing.T) {
	t.Parallel()
	d := newDoor()
	d.want(t, unauthorized, 5, attacker, "acme", "wrong")
	d.want(t, limited, 3000, attacker, "acme", "wrong")
	d.want(t, limited, 1, attacker, "nobody", "wrong")
	if d.asked != 5 {
		t.Errorf("the database was asked %d times, want 5", d.asked)
	}
	d.now = d.now.Add(12 * time.Second) // a fifth of a minute
	d.want(t, unauthorized, 1, attacker, "acme", "wrong")
	d.want(t, limited, 1, attacker, "acme", "wrong")
	d.now = d.now.Add(-time.Hour) // a clock that is set back takes nothing
	d.want(t, limited, 1, attacker, "acme", "wrong")
	d.now = d.now.Add(2 * time.Hour)
	d.want(t, unauthorized, 5, attacker, "acme", "wrong")
	d.want(t, limited, 1, attacker, "acme", "wrong")
}

// D-58: whoever knows the id of a client, or shares its address, cannot lock it out.
func TestAClientIsNotLockedOut(t *testing.T) {
	t.Parallel()
	d := newDoor()
	d.want(t, "", 1, honest, "acme", "secret")
	for _, address := range []string{attacker, honest} {
		d.want(t, unauthorized, 5, address, "acme", "wrong")
		d.want(t, limited, 10, address, "acme", "wrong")
		d.want(t, "", 10, honest, "acme", "secret")
		d.want(t, "", 10, address, "acme", "secret")
		d.want(t, "", 10, elsewhere, "acme", "secret")
		d.now = d.now.Add(time.Minute)
	}
}

// D-58: a client that calls for the first time is let in while addresses that have failed before try its id. At the address
// of an attacker it waits for its turn.
func TestAFirstCallDuringAnAttack(t *testing.T) {
	t.Parallel()
	d := newDoor()
	for i := range 5 {
		d.want(t, unauthorized, 1, fmt.Sprintf("203.0.113.%d", i), "acme", "wrong") // the first failure of each
		d.now = d.now.Add(12 * time.Second)
	}
	for range 10 {
		for i := range 5 {
			d.call(fmt.Sprintf("203.0.113.%d", i), "acme", "wrong")
		}
	}
	d.want(t, limited, 1, attacker, "acme", "secret")
	d.want(t, "", 1, honest, "acme", "secret")
	d.want(t, "", 1, attacker, "acme", "secret") // known by now

	d = newDoor()
	d.want(t, unauthorized, 5, attacker, "acme", "wrong")
	d.want(t, limited, 1, attacker, "acme", "secret")
	d.now = d.now.Add(12 * time.Second)
	d.want(t, "", 1, attacker, "acme", "secret")
	d.want(t, unauthorized, 1, attacker, "acme", "wrong") // the success cost nothing
}

// D-58: the failures with one client id are limited, whatever their addresses, and those of others are not.
func TestFailuresOfAClientID(t *testing.T) {
	t.Parallel()
	d := newDoor()
	for i := range 20 {
		want := unauthorized
		if i >= 5 {
			want = limited
		}
		d.want(t, want, 1, fmt.Sprintf("203.0.113.%d", i), "acme", "wrong")
	}
	d.want(t, unauthorized, 1, elsewhere, "nobody", "wrong")
	if d.asked != 6 {
		t.Errorf("the database was asked %d times, want 6", d.asked)
	}
}

// D-58: a caller with many addresses counts as one if they are those of one IPv6 network.
func TestNetworksCountAsOneAddress(t *testing.T) {
	t.Parallel()
	d := newDoor()
	for i := range 5 {
		d.want(t, unauthorized, 1, fmt.Sprintf("2001:db8:0:1:%x::1", i), fmt.Sprint("id", i), "wrong")
	}
	d.want(t, limited, 1, "2001:db8:0:1:ffff::1", "other", "wrong")
	d.want(t, unauthorized, 1, "2001:db8:0:2::1", "other", "wrong")
	d.want(t, unauthorized, 1, attacker, "other", "wrong")
	d.want(t, unauthorized, 1, "203.0.113.2", "other", "wrong")
	d.want(t, unauthorized, 5, "", "another", "wrong") // connections without an address
	d.want(t, limited, 1, "", "another", "wrong")
}

// Requests sent at once do not exceed the limit together.
func TestFailuresAtOnce(t *testing.T) {
	t.Parallel()
	limits := newFailureLimits(5, func() time.Time { return time.Unix(0, 0) }, func(*observation) {})
	var all sync.WaitGroup
	var mu sync.Mutex
	var begun []*attempt
	for i := range 200 {
		all.Go(func() {
			seen := &observation{address: netip.MustParseAddr(attacker)}
			if a, err := limits.begin(seen, "acme", fmt.Sprint("wrong", i)); err == nil {
				mu.Lock()
				defer mu.Unlock()
				begun = append(begun, a)
			}
		})
	}
	all.Wait()
	if len(begun) != 5 {
		t.Errorf("%d of 200 reach the database, want 5", len(begun))
	}
}

// A failure of the database is none of the caller.
func TestAnOutageCostsNoFailure(t *testing.T) {
	t.Parallel()
	d := newDoor()
	d.fails = payout.NewError(payout.CodeServiceUnavailable)
	d.want(t, payout.CodeServiceUnavailable, 50, honest, "acme", "secret")
	d.fails = errors.New("a defect")
	d.want(t, payout.CodeInternalError, 50, honest, "acme", "secret")
	d.fails = nil
	d.want(t, unauthorized, 5, honest, "acme", "wrong")
}

// D-58: to refuse a request without credentials costs nothing, so that there is no limit.
func TestMissingCredentialsAreNotLimited(t *testing.T) {
	t.Parallel()
	d := newDoor()
	d.want(t, unauthorized, 50, attacker, "", "secret")
	d.want(t, unauthorized, 50, attacker, "acme", "")
	d.want(t, unauthorized, 5, attacker, "acme", "wrong")
}

// Credentials that are revoked count as wrong ones.
func TestRevokedCredentialsAreForgotten(t *testing.T) {
	t.Parallel()
	d := newDoor()
	d.want(t, "", 1, honest, "acme", "secret")
	d.valid["acme"] = "new"
	d.want(t, unauthorized, 1+5, honest, "acme", "secret")
	d.want(t, limited, 1, honest, "acme", "secret")
	d.want(t, "", 1, elsewhere, "acme", "new")
	d.want(t, "", 1, honest, "acme", "new")
}

// What is remembered of callers has a bound, and an attacker with many addresses or ids does not push out a limit.
func TestTheMemoryOfFailuresIsBounded(t *testing.T) {
	t.Parallel()
	d := newDoor()
	address := netip.MustParseAddr("10.0.0.0")
	for i := range mostAddresses + 1000 {
		address = address.Next()
		d.call(address.String(), fmt.Sprint("id", i), "wrong")
	}
	if d.limits.addresses.Len() != mostAddresses || d.limits.clients.Len() != mostClientIDs {
		t.Errorf("%d addresses and %d ids are remembered", d.limits.addresses.Len(), d.limits.clients.Len())
	}
	before := d.limits.clients.Keys()
	d.want(t, unauthorized, 4, address.String(), "last", "wrong")
	for i := range 100 { // beyond the limit of the address
		d.want(t, limited, 1, address.String(), fmt.Sprint("more", i), "wrong")
	}
	if after := d.limits.clients.Keys(); after[0] != before[1] {
		t.Error("requests that are refused add client ids")
	}
}

// A flood is one warning, and a client is named only if it exists, because the id may be a secret in the wrong header.
func TestWhatIsKnownOfAFlood(t *testing.T) {
	t.Parallel()
	d := newDoor()
	for _, c := range []struct {
		id, secret string
		failure    string
		named      payout.ClientID
	}{
		{"acme", "wrong", failureUnauthorized, "acme"},
		{"nobody", "wrong", failureUnauthorized, ""},
		{"secret", "acme", failureUnauthorized, ""},
		{"", "wrong", failureUnauthorized, ""},
		{"acme", "wrong", failureUnauthorized, "acme"},
		{"acme", "wrong", failureUnauthorized, "acme"},
		{"acme", "wrong", failureAddressLimited, "acme"},
		{"nobody", "wrong", failureAddressLimited, ""},
	} {
		if _, seen := d.observe(attacker, c.id, c.secret); seen.failure != c.failure || seen.named != c.named {
			t.Errorf("%s/%s: %s of %q, want %s of %q", c.id, c.secret, seen.failure, seen.named, c.failure, c.named)
		}
	}
	for range 10 {
		d.now = d.now.Add(13 * time.Second)
		d.call(attacker, "acme", "wrong")
		d.want(t, limited, 2, attacker, "acme", "wrong")
	}
	if len(d.warned) != 1 || d.warned[0] != failureAddressLimited {
		t.Errorf("a flood is warned of as %v", d.warned)
	}
	d.now = d.now.Add(2 * time.Minute)
	d.want(t, unauthorized, 5, attacker, "acme", "wrong")
	d.want(t, limited, 5, attacker, "acme", "wrong")
	if len(d.warned) != 2 {
		t.Errorf("two floods are warned of as %v", d.warned)
	}
	if _, seen := d.observe(honest, "acme", "secret"); seen.failure != "" || seen.named != "" {
		t.Errorf("a success is a failure: %+v", seen)
	}
}

// The answer on the wire, the log lines and the address that counts.
func TestAFloodOnTheWire(t *testing.T) {
	t.Parallel()
	for name, omit := range map[string]bool{"with addresses": false, "without addresses": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			h := newHandler(t, func(c *Config) {
				c.FailureLimit, c.RateLimit, c.OmitAddresses = 6, 100, omit
				c.Now = func() time.Time { return time.Unix(0, 0) }
				c.Logger = slog.New(slog.NewJSONHandler(&log, nil))
				c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")} // that of httptest
			})
			send := func(address, secret string) *httptest.ResponseRecorder {
				return serve(h, http.MethodGet, "/payers", "", "X-Client-Id", "acme", "X-Client-Secret", secret, "X-Forwarded-For", address)
			}
			for range 6 {
				if w := send(attacker, "Canary"); w.Code != http.StatusUnauthorized {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
			}
			for range 3 {
				w := send(attacker, "Canary")
				var e api.Error
				if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != http.StatusTooManyRequests || e.Code != api.ErrorCodeRateLimited {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
				if w.Header().Get("Retry-After") != "10" || w.Header().Get("RateLimit") != "" || w.Header().Get("RateLimit-Policy") != "" {
					t.Errorf("headers %v", w.Header())
				}
			}
			if w := send(honest, "secret"); w.Code != http.StatusOK || w.Header().Get("RateLimit") == "" {
				t.Errorf("%d %v", w.Code, w.Header())
			}
			text := log.String()
			warnings, addresses := strings.Count(text, `"level":"WARN"`), strings.Count(text, `"address":"`+attacker+`"`)
			if want := map[bool]int{false: 10, true: 0}[omit]; warnings != 1 || addresses != want || strings.Contains(text, "198.51") == omit {
				t.Errorf("%d warnings, %d addresses in\n%s", warnings, addresses, text)
			}
			if strings.Contains(text, "Canary") || strings.Count(text, `"named_client":"acme"`) != 10 || strings.Count(text, `"cause":"UNAUTHORIZED: no active secret`) != 6 {
				t.Errorf("the log has\n%s", text)
			}
		})
	}
}
