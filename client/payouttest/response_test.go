package payouttest_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// received is a response as an HTTP client gets it.
type received struct {
	status int
	header http.Header
	body   string
	err    error // of reading the body
}

func get(t testing.TB, s *payouttest.Sandbox, path string) received {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Client-Id", s.ClientID)
	r.Header.Set("X-Client-Secret", s.ClientSecret)
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return received{resp.StatusCode, resp.Header, string(body), err}
}

// Answer sends every response, also one that the contract does not have, and the test does not fail.
func TestAnswer(t *testing.T) {
	t.Parallel()
	with := func(name string, values ...string) http.Header { return http.Header{name: values} }
	for name, row := range map[string]struct {
		answer      payouttest.Response
		contentType string
	}{
		"a page of a proxy":            {payouttest.Response{Status: 502, Body: "<html>Bad Gateway</html>"}, "text/html; charset=utf-8"},
		"an empty success":             {payouttest.Response{Status: 200}, ""},
		"no content":                   {payouttest.Response{Status: 204}, ""},
		"not modified":                 {payouttest.Response{Status: 304}, ""},
		"a redirect":                   {payouttest.Response{Status: 307, Header: with("Location", "/elsewhere")}, ""},
		"an unknown status":            {payouttest.Response{Status: 799, Body: `{"code":"NEW_CODE"}`}, "application/json"},
		"malformed JSON":               {payouttest.Response{Status: 200, Body: `{"id":`}, "application/json"},
		"null":                         {payouttest.Response{Status: 200, Body: "null"}, "application/json"},
		"another Content-Type":         {payouttest.Response{Status: 200, Body: "{}", Header: with("content-type", "text/csv")}, "text/csv"},
		"no Content-Type":              {payouttest.Response{Status: 200, Body: "{}", Header: with("Content-Type")}, ""},
		"a header with several values": {payouttest.Response{Status: 429, Header: with("Retry-After", "1", "2")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := payouttest.New(t)
			s.Next("listBanks").Answer(row.answer)
			got := get(t, s, "/banks")
			if got.err != nil || got.status != row.answer.Status || got.body != row.answer.Body {
				t.Errorf("answered %+v, want %+v", got, row.answer)
			}
			if contentType := got.header.Get("Content-Type"); contentType != row.contentType {
				t.Errorf("Content-Type %q, want %q", contentType, row.contentType)
			}
			for name, values := range row.answer.Header {
				if strings.Join(got.header.Values(name), ",") != strings.Join(values, ",") {
					t.Errorf("%s: %q, want %q", name, got.header.Values(name), values)
				}
			}
		})
	}
}

// A Content-Length above the length of the body is a response that never ends.
func TestAnswerMayPromiseMoreThanItSends(t *testing.T) {
	t.Parallel()
	s := payouttest.New(t)
	s.Next("listBanks").Answer(payouttest.Response{Status: 200, Body: "[", Header: http.Header{"Content-Length": {"1000"}}})
	if got := get(t, s, "/banks"); got.body != "[" || !errors.Is(got.err, io.ErrUnexpectedEOF) {
		t.Errorf("read %q, %v", got.body, got.err)
	}
}

func members(t testing.TB, body string) map[string]any {
	t.Helper()
	return servertest.Parse[map[string]any](t, []byte(body)) // which keeps numbers as they are written
}

// A changed response is that of the service but for the change, even in how its numbers are written.
func TestChangeResponse(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		changes []payouttest.Change
		from    string // what is replaced in the body, up to
		to      string
	}{
		"another value": {
			[]payouttest.Change{payouttest.Replace("/status", "ON_HOLD")}, `"status":"INITIATED"`, `"status":"ON_HOLD"`,
		},
		"a number with an exponent": {
			[]payouttest.Change{payouttest.Replace("/from_amount", json.RawMessage("1e2"))}, `"from_amount":100.00`, `"from_amount":1e2`,
		},
		"null": {
			[]payouttest.Change{payouttest.Replace("/from_currency", nil)}, `"from_currency":"USD"`, `"from_currency":null`,
		},
		"a member of an object within": {
			[]payouttest.Change{payouttest.Replace("/to/payout_method", "PIGEON")}, `"payout_method":"BANK_DEPOSIT"`, `"payout_method":"PIGEON"`,
		},
		"a missing member": {[]payouttest.Change{payouttest.Remove("/from_currency")}, `"from_currency":"USD",`, ``},
		"a member more": {
			[]payouttest.Change{payouttest.Add("/new", true)}, `"note":"For rent"`, `"note":"For rent","new":true`,
		},
		"several": {
			[]payouttest.Change{payouttest.Replace("/status", "A"), payouttest.Replace("/status", "B")}, `"status":"INITIATED"`, `"status":"B"`,
		},
		"whatever a function does": {
			[]payouttest.Change{func(r *payouttest.Response) error {
				r.Body = strings.Replace(r.Body, `"USD"`, `"XTS"`, 1)
				return nil
			}}, `"from_currency":"USD"`, `"from_currency":"XTS"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReady(t)
			r.payout.Note = new("For rent")
			path := "/users/" + r.sender.ID.String() + "/transactions/" + send(t, r.once, r.sender, r.payout).String()
			own := get(t, r.Sandbox, path)
			want := strings.Replace(own.body, row.from, row.to, 1)
			if want == own.body {
				t.Fatalf("%s is not in %s", row.from, own.body)
			}
			r.Next("getTransaction").ChangeResponse(row.changes...)
			changed := get(t, r.Sandbox, path)
			if changed.err != nil || !reflect.DeepEqual(members(t, changed.body), members(t, want)) {
				t.Errorf("answered %s, %v, want %s", changed.body, changed.err, want)
			}
			if changed.status != 200 || changed.header.Get("X-Request-Id") == "" || changed.header.Get("Content-Type") != own.header.Get("Content-Type") {
				t.Errorf("answered %d, %v, want what the service answers", changed.status, changed.header)
			}
		})
	}
}

// The service has handled a request whose response is changed.
func TestChangedCreationExists(t *testing.T) {
	t.Parallel()
	r := newReady(t)
	r.Next(creation).ChangeResponse(payouttest.Replace("/id", "no UUID"))
	if _, err := r.once.CreateTransaction(t.Context(), r.sender.ID, r.payout); err == nil {
		t.Error("the call succeeded")
	}
	if n := count(t, r.Client, r.sender); n != 1 {
		t.Errorf("%d transactions, want 1", n)
	}
}

// Status and headers change too, and a header that is removed is not guessed.
func TestChangeOfStatusAndHeaders(t *testing.T) {
	t.Parallel()
	s := payouttest.New(t)
	s.Next("listBanks").ChangeResponse(func(r *payouttest.Response) error {
		r.Status, r.Body = 201, "[]"
		r.Header.Del("Content-Type")
		r.Header.Set("X-Request-Id", "other")
		return nil
	})
	got := get(t, s, "/banks")
	if got.status != 201 || got.body != "[]" || got.header.Get("X-Request-Id") != "other" || got.header.Get("Content-Type") != "" {
		t.Errorf("answered %+v", got)
	}
	if seen := s.Requests()[0]; seen.Status != 200 || seen.Fault != "ChangeResponse" {
		t.Errorf("recorded %v, want the status of the service", seen)
	}
}

// A response that is too large for one write of net/http is passed on whole.
func TestLargeResponsesPass(t *testing.T) {
	t.Parallel()
	s := payouttest.New(t)
	want := strings.Repeat("x", 1<<20)
	s.Next("getPayer").ChangeResponse(payouttest.Add("/extra", want))
	var info client.Info
	if _, err := s.Client.GetPayer(t.Context(), servertest.CashPayer, client.CaptureInfo(&info)); err != nil || info.Attempts != 1 {
		t.Errorf("%d attempts, %v", info.Attempts, err)
	}
}
