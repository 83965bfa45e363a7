package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/crossborder-payouts/payouts/client"
)

// vault returns credentials in order, and repeats the last ones.
type vault struct {
	asked   int
	secrets []string
	err     error
}

func (v *vault) current(context.Context) (client.Credentials, error) {
	v.asked++
	if v.err != nil {
		return client.Credentials{}, v.err
	}
	return client.Credentials{ClientID: clientID, ClientSecret: v.secrets[min(v.asked, len(v.secrets))-1]}, nil
}

func dialVault(t *testing.T, v *vault, answers ...answer) (*network, *client.Client) {
	t.Helper()
	n := &network{answers: answers}
	c, err := client.New(baseURL, "", "", client.WithCredentials(v.current), client.WithHTTPClient(&http.Client{Transport: n}))
	if err != nil {
		t.Fatal(err)
	}
	return n, c
}

// Each attempt has the credentials of its time.
func TestCredentialsOfAFunction(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, c := dialVault(t, &vault{secrets: []string{"first-canary", "second-canary"}}, lose(reset), ok)
		if _, err := c.CreateUser(t.Context(), asha()); err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"first-canary", "second-canary"} {
			if h := n.seen[i].header; h.Get("X-Client-Id") != clientID || h.Get("X-Client-Secret") != want {
				t.Errorf("attempt %d has %s", i+1, h.Get("X-Client-Secret"))
			}
		}
	})
}

// A secret that was replaced in the middle of a call costs one more attempt; a wrong one does not.
func TestRotation(t *testing.T) {
	t.Parallel()
	denied := refuse(401, client.Unauthorized)
	for name, c := range map[string]struct {
		secrets  []string // one for each question: before an attempt, after a 401
		answers  []answer
		attempts int
		done     bool
		unknown  bool
	}{
		"replaced":              {[]string{"old", "new"}, []answer{denied, ok}, 2, true, false},
		"replaced, and wrong":   {[]string{"old", "new", "newer"}, []answer{denied}, 2, false, false},
		"not replaced":          {[]string{"old"}, []answer{denied}, 1, false, false},
		"replaced after a loss": {[]string{"old", "old", "new"}, []answer{lose(reset), denied, ok}, 3, true, false},
		"wrong after a loss":    {[]string{"old"}, []answer{lose(reset), denied}, 2, false, true},
		"a 401 of a proxy":      {[]string{"old", "new"}, []answer{html(401), ok}, 2, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, sdk := dialVault(t, &vault{secrets: c.secrets}, c.answers...)
				_, err := sdk.CreateUser(t.Context(), asha())
				if (err == nil) != c.done || len(n.seen) != c.attempts {
					t.Errorf("%v after %d attempts", err, len(n.seen))
				}
				if err != nil && errorOf(t, err).OutcomeUnknown() != c.unknown {
					t.Errorf("got %v", err)
				}
				if last := n.seen[len(n.seen)-1].header.Get("X-Client-Secret"); last != c.secrets[min(len(c.secrets), c.attempts)-1] && c.done {
					t.Errorf("the last secret is %s", last)
				}
			})
		})
	}
}

func TestNoCredentials(t *testing.T) {
	t.Parallel()
	down := errors.New("the vault is down: token canary")
	for name, v := range map[string]*vault{
		"an error":  {err: down},
		"none":      {secrets: []string{""}},
		"not ASCII": {secrets: []string{"canäry"}},
		"two lines": {secrets: []string{"canary\r\nX: y"}},
	} {
		n, c := dialVault(t, v, ok)
		_, err := c.CreateUser(t.Context(), asha(), client.IdempotencyKey("k"))
		e := errorOf(t, err)
		if e.Attempts != 0 || !e.Temporary() || e.OutcomeUnknown() || e.IdempotencyKey != "k" || strings.Contains(fmt.Sprintf("%+v", err), "can") || len(n.seen) != 0 {
			t.Errorf("%s: %v after %d requests", name, err, len(n.seen))
		}
		if errors.Is(err, down) != (v.err != nil) {
			t.Errorf("%s: the cause of %v is lost", name, err)
		}
		if _, err := c.CreateUser(t.Context(), asha(), client.RepeatOf("k")); !errorOf(t, err).OutcomeUnknown() {
			t.Errorf("%s: the doubt of an earlier call is lost", name)
		}
	}
	for _, pair := range [][2]string{{clientID, ""}, {"", secret}} {
		if _, err := client.New(baseURL, pair[0], pair[1], client.WithCredentials((&vault{}).current)); err == nil {
			t.Errorf("%q and a function", pair)
		}
	}
	if _, err := client.New(baseURL, "", "", client.WithCredentials(nil)); err == nil || !strings.Contains(err.Error(), "must not be nil") {
		t.Errorf("no function: %v", err)
	}
}

func TestPrintingDoesNotShowCredentials(t *testing.T) {
	t.Parallel()
	_, c := dialVault(t, &vault{secrets: []string{"s-canary"}}, respond(404, `{"code":"NOT_FOUND","message":"you sent s-canary"}`))
	_, err := c.GetUser(t.Context(), userID)
	held := client.Credentials{ClientID: clientID, ClientSecret: "s-canary"}
	asJSON, _ := json.Marshal([]any{held, &held})
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "held", held, "client", c)
	out := fmt.Sprintf("%v %+v %#v %s %q %v %+v", held, held, held, held, held, c, &held) + err.Error() + string(asJSON) + log.String()
	if strings.Contains(out, "canary") || !strings.Contains(out, clientID) || !strings.Contains(c.String(), baseURL) {
		t.Errorf("got %s", out)
	}
}

// The function is called by all calls at once.
func TestCredentialsUnderConcurrency(t *testing.T) {
	t.Parallel()
	var turn atomic.Int32
	n := &network{answers: []answer{func(r *http.Request) (*http.Response, error) {
		if r.Header.Get("X-Client-Secret") != fmt.Sprintf("secret-%d", turn.Load()/50) {
			return refuse(401, client.Unauthorized)(r)
		}
		return ok(r)
	}}}
	c, err := client.New(baseURL, "", "", client.WithHTTPClient(&http.Client{Transport: n}),
		client.WithCredentials(func(context.Context) (client.Credentials, error) {
			return client.Credentials{ClientID: clientID, ClientSecret: fmt.Sprintf("secret-%d", turn.Add(1)/50)}, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	concurrently(8, 400, func() {
		if _, err := c.GetUser(t.Context(), userID); err != nil && !errors.Is(err, client.Unauthorized) {
			t.Error(err)
		}
	})
}
