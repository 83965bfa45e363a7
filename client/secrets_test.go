package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// watched returns options with a logger and hooks that write everything to one buffer.
func watched(into *bytes.Buffer) []client.Option {
	show := func(name string) func(context.Context, client.Attempt) {
		return func(_ context.Context, a client.Attempt) { fmt.Fprintf(into, "%s %#v %v\n", name, a, a) }
	}
	return []client.Option{
		client.WithLogger(slog.New(slog.NewJSONHandler(into, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		client.WithHooks(client.Hooks{Request: show("request"), Response: show("response"), Retry: show("retry")}),
	}
}

func TestErrorsLogsAndHooksShowNothingOfARequest(t *testing.T) {
	t.Parallel()
	echo := func(status int, contentType string) answer {
		return func(r *http.Request) (*http.Response, error) {
			body, _ := json.Marshal(map[string]any{"code": "INTERNAL_ERROR", "message": "You sent " + r.Header.Get("X-Client-Secret"),
				"details": []map[string]string{{"in": "header", "field": r.Header.Get("X-Client-Secret"), "reason": r.Header.Get("X-Client-Secret")}}})
			return respond(status, string(body), "Content-Type", contentType, "Location", r.URL.String())(r)
		}
	}
	payout := deposit()
	payout.FromAmount = client.MustAmount("7391528460173.00") // which no time or key has by chance
	for name, failure := range map[string]answer{
		"an error that echoes the secret":  echo(500, "application/json"),
		"a proxy that echoes":              echo(502, "text/html"),
		"a redirect":                       echo(302, "text/html"),
		"a lost connection":                lose(reset),
		"an attempt that takes too long":   hang,
		"a refusal":                        refuse(422, client.LimitExceeded),
		"an answer that cannot be decoded": respond(200, `{"id":"name-canary`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var seen bytes.Buffer
				_, c := dialWith(t, watched(&seen), failure)
				fmt.Fprintf(&seen, "%v %+v %#v %s %q\n", c, c, c, c, c)
				for _, call := range []func() error{
					func() error { _, err := c.CreateUser(t.Context(), asha()); return err },
					func() error { _, err := c.CreateTransaction(t.Context(), userID, payout); return err },
					func() error {
						_, err := c.CreateBankAccount(t.Context(), userID, otherID, api.BankAccountRequest{AccountNumber: "000-canary"})
						return err
					},
					func() error {
						_, err := c.ListTransactions(t.Context(), userID, &api.ListTransactionsParams{Cursor: new("cursor-canary")})
						return err
					},
				} {
					err := call()
					errorOf(t, err)
					for e := err; e != nil; e = errors.Unwrap(e) {
						fmt.Fprintf(&seen, "%v %+v %s\n", e, e, e)
					}
					e := *errorOf(t, err)
					fmt.Fprintf(&seen, "%+v\n", []any{e.Message, e.Details})
				}
				for _, secret := range []string{secret, fmt.Sprintf("%x", secret), "canary", userID.String(), "7391528460173"} {
					if strings.Contains(seen.String(), secret) {
						t.Errorf("%q is in\n%s", secret, &seen)
					}
				}
				if !strings.Contains(seen.String(), "createTransaction") || !strings.Contains(seen.String(), "/users/{user_id}/transactions") {
					t.Errorf("nothing was seen:\n%s", &seen)
				}
			})
		})
	}
}

func TestPrintingDoesNotShowTheSecret(t *testing.T) {
	t.Parallel()
	_, c := dial(t, ok)
	within := struct {
		Exported *client.Client
		hidden   *client.Client
		value    client.Client
	}{c, c, *c}
	asJSON, err := json.Marshal(within)
	if err != nil {
		t.Fatal(err)
	}
	out := bytes.NewBuffer(asJSON)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%T"} {
		fmt.Fprintf(out, verb+verb+verb+"\n", c, *c, within)
	}
	for _, handler := range []slog.Handler{slog.NewJSONHandler(out, nil), slog.NewTextHandler(out, nil)} {
		slog.New(handler).Info("made", "client", c, "value", *c, "within", within)
	}
	for _, form := range []string{secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret), strings.Trim(fmt.Sprintf("%d", []byte(secret)), "[]")} {
		if strings.Contains(out.String(), form) {
			t.Errorf("%q is in\n%s", form, out)
		}
	}
	if !strings.Contains(out.String(), "payouts client acme at https://payouts.test/") {
		t.Errorf("the client is not named:\n%s", out)
	}
	var none *client.Client
	(&client.Client{}).CloseIdleConnections()
	if text := none.String() + (&client.Client{}).String(); !strings.Contains(text, "not made by New") {
		t.Errorf("the zero value is %s", text)
	}
	_, err = new(client.Client).CreateUser(t.Context(), asha())
	if e := errorOf(t, err); !strings.Contains(e.Message, "not made by New") {
		t.Errorf("the zero value calls: %v", err)
	}
}

// The secret is longer than the rest of the truncated message.
func TestEchoedSecretIsHidden(t *testing.T) {
	t.Parallel()
	body := fmt.Sprintf(`{"code":"NOT_FOUND","message":"%s%s","request_id":"%s","details":[{"in":"%s"}]}`,
		strings.Repeat("x", 296), secret, secret, secret)
	for _, headers := range [][]string{nil, {"X-Request-Id", secret}, {"X-Request-Id", ""}} {
		_, c := dial(t, respond(404, body, headers...))
		var info client.Info
		_, err := c.GetUser(t.Context(), userID, client.CaptureInfo(&info))
		if shown := fmt.Sprintf("%+v %+v", *errorOf(t, err), info); strings.Contains(shown, secret[:4]) {
			t.Errorf("%q is in %s", secret[:4], shown)
		}
	}
}

func TestHooksAndLogsOfEachAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lines bytes.Buffer
		var told []string
		tell := func(name string) func(context.Context, client.Attempt) {
			return func(_ context.Context, a client.Attempt) {
				told = append(told, fmt.Sprint(name, " ", a.Number, " ", a.Status, " ", a.Code, " ", a.Reason))
				if a.Operation != "createUser" || a.Method != "POST" || a.Path != "/users" || a.IdempotencyKey != "k" {
					t.Errorf("%s saw %+v", name, a)
				}
				if (name == "retry") != (a.Wait != 0) || (name == "retry" && a.Wait < time.Second) {
					t.Errorf("%s saw the wait %v", name, a.Wait)
				}
			}
		}
		_, c := dialWith(t, []client.Option{
			client.WithHooks(client.Hooks{Request: tell("request"), Response: tell("response"), Retry: tell("retry")}),
			client.WithLogger(slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		}, refuse(503, client.ServiceUnavailable, "Retry-After", "1"), refuse(500, client.InternalError, "Retry-After", "2"), ok)
		if _, err := c.CreateUser(t.Context(), asha(), client.IdempotencyKey("k")); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"request 1 0  ", "response 1 503 SERVICE_UNAVAILABLE unavailable", "retry 1 503 SERVICE_UNAVAILABLE unavailable",
			"request 2 0  ", "response 2 500 INTERNAL_ERROR server error", "retry 2 500 INTERNAL_ERROR server error",
			"request 3 0  ", "response 3 200  ",
		}
		if got := strings.Join(told, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("told\n%s", got)
		}
		if text := lines.String(); strings.Count(text, "level=DEBUG") != 3 || strings.Count(text, "level=WARN") != 2 ||
			strings.Count(text, "request_id=request-1") != 5 || !strings.Contains(text, "reason=unavailable") {
			t.Errorf("logged\n%s", text)
		}
	})
}

// The error of each attempt is in its hooks and logs; that of a call that failed is logged at warn.
func TestWhyACallFailed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lines bytes.Buffer
		var why []string
		_, c := dialWith(t, []client.Option{
			client.WithHooks(client.Hooks{Response: func(_ context.Context, a client.Attempt) { why = append(why, a.Err.Message) }}),
			client.WithLogger(slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		}, lose(reset), refuse(401, client.Unauthorized))
		_, err := c.CreateUser(t.Context(), asha(), client.IdempotencyKey("k"))
		errorOf(t, err)
		if want := []string{"no answer: read tcp: connection reset by peer", "A message."}; !slices.Equal(why, want) {
			t.Errorf("the attempts failed by %q, want %q", why, want)
		}
		last := lines.String()[strings.LastIndex(strings.TrimSpace(lines.String()), "\n")+1:]
		for _, part := range []string{"level=WARN", `msg="payouts call failed"`, "status=401", "code=UNAUTHORIZED", `error="A message."`, "outcome_unknown=true", "idempotency_key=k"} {
			if !strings.Contains(last, part) {
				t.Errorf("%s is not in %s", part, last)
			}
		}
		if strings.Count(lines.String(), `error="no answer: read tcp: connection reset by peer"`) != 2 {
			t.Errorf("logged\n%s", &lines)
		}
		lines.Reset()
		if _, err := c.CreateUser(t.Context(), asha(), client.IdempotencyKey("")); err == nil || !strings.Contains(lines.String(), "level=WARN") {
			t.Errorf("an invalid call: logged\n%s", &lines)
		}
	})
}

// The attempt and its hooks have the context that the first hook returns, for example with a span.
func TestContextOfAnAttempt(t *testing.T) {
	t.Parallel()
	type span struct{}
	var seen []any
	see := func(ctx context.Context, _ client.Attempt) { seen = append(seen, ctx.Value(span{})) }
	answered := func(next answer) answer {
		return func(r *http.Request) (*http.Response, error) {
			seen = append(seen, r.Context().Value(span{}))
			return next(r)
		}
	}
	_, c := dialWith(t, []client.Option{client.WithBackoff(1, 1), client.WithHooks(client.Hooks{
		Context: func(ctx context.Context, a client.Attempt) context.Context {
			return context.WithValue(ctx, span{}, a.Number)
		},
		Request: see, Response: see, Retry: see,
	})}, answered(lose(reset)), answered(ok))
	if _, err := c.CreateUser(t.Context(), asha()); err != nil || fmt.Sprint(seen) != "[1 1 1 1 2 2 2]" {
		t.Errorf("%v, %v", seen, err)
	}
	_, c = dialWith(t, []client.Option{client.WithHooks(client.Hooks{
		Context: func(context.Context, client.Attempt) context.Context { return nil },
	})}, ok)
	if _, err := c.CreateUser(t.Context(), asha()); err != nil {
		t.Error(err)
	}
}

func TestHooksAreOptional(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, c := dialWith(t, []client.Option{client.WithHooks(client.Hooks{})}, lose(reset), ok)
		if _, err := c.CreateUser(t.Context(), asha()); err != nil {
			t.Error(err)
		}
	})
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		visited := 0
		elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visited++ }))
		defer elsewhere.Close()
		for _, location := range []string{elsewhere.URL, "/users/again"} {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/again") {
					visited++
					return
				}
				http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
				http.Redirect(w, r, location, status)
			}))
			defer s.Close()
			c, err := client.New(s.URL, clientID, secret)
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseIdleConnections()
			_, err = c.CreateUser(t.Context(), asha())
			if e := errorOf(t, err); e.Status != status || e.Attempts != 1 || !strings.Contains(e.Message, "not followed") {
				t.Errorf("got %v", err)
			}
		}
		if visited != 0 {
			t.Errorf("%d was followed", status)
		}
	}
}
