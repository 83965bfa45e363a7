package contract_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// served is a transport to a handler.
type served struct{ http.Handler }

func (s served) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result(), nil
}

func published(t *testing.T) *contract.Contract {
	t.Helper()
	c, err := contract.Published()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// filled is a path of an operation with values of the right form.
func filled(op *contract.Operation) string {
	path := regexp.MustCompile(`\{[a-z_]+_id\}`).ReplaceAllString(op.Path, account)
	path = regexp.MustCompile(`\{(countryCode|stateCode)\}`).ReplaceAllString(path, "NP")
	return regexp.MustCompile(`\{[a-zA-Z]+\}`).ReplaceAllString(path, "7")
}

// Everything that the middleware answers by itself follows the contract: status, code, headers and body, with an id that is
// in both.
func TestAnswersOfTheMiddlewareFollowTheContract(t *testing.T) {
	t.Parallel()
	c := published(t)
	failing := map[string]struct {
		code string
		with func(*http.Request)
		auth error
	}{
		"unknown parameter": {code: "BAD_REQUEST", with: func(r *http.Request) { r.URL.RawQuery = "conformance=1" }},
		"wrong credentials": {code: "UNAUTHORIZED", auth: &contract.Error{Status: 401}},
		"rate limit":        {code: "RATE_LIMITED", auth: &contract.Error{Status: 429, Header: http.Header{"Retry-After": {"7"}}}},
		"outage":            {code: "SERVICE_UNAVAILABLE", auth: &contract.Error{Status: 503}},
		"fault":             {code: "INTERNAL_ERROR", auth: errors.New("the address of the database")},
		"too large":         {code: "PAYLOAD_TOO_LARGE", with: func(r *http.Request) { r.ContentLength = 1 << 40 }},
		"not JSON":          {code: "UNSUPPORTED_MEDIA_TYPE", with: func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }},
		"broken off":        {code: "BAD_REQUEST", with: func(r *http.Request) { r.Body = io.NopCloser(brokenReader{io.ErrUnexpectedEOF}) }},
	}
	answered := map[string]int{}
	for name, f := range failing {
		h := c.Middleware(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { answered["the service"]++ }),
			contract.Authenticate(func(*http.Request) error { return f.auth }))
		checked := c.Transport(served{h}, contract.Observe(func(x contract.Exchange) {
			if x.Violations != nil {
				t.Errorf("%s: %s answered %d: %s", name, x.OperationID, x.Status, lines(x.Violations))
			}
		}))
		for _, op := range c.Operations() {
			takesBody := slices.Contains(op.Statuses(), http.StatusRequestEntityTooLarge)
			if (name == "too large" || name == "not JSON" || name == "broken off") && !takesBody {
				continue
			}
			r := httptest.NewRequest(op.Method, filled(op), strings.NewReader("{}"))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-Request-Id", "of-the-caller")
			if f.with != nil {
				f.with(r)
			}
			res, err := checked.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			var body struct {
				Status    int    `json:"status"`
				Code      string `json:"code"`
				RequestID string `json:"request_id"`
				Details   []contract.Violation
			}
			text := readAll(t, res.Body)
			if err := json.Unmarshal([]byte(text), &body); err != nil || body.Status != res.StatusCode || body.Code != f.code {
				t.Errorf("%s: %s answered %d %s, want %s", name, op.ID, res.StatusCode, text, f.code)
			}
			if id := res.Header.Get("X-Request-Id"); id != body.RequestID || id == "of-the-caller" || answered[id] > 0 {
				t.Errorf("%s: the id of the answer is %q and %q", name, id, body.RequestID)
			}
			if res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: the answer may be stored: %v", name, res.Header)
			}
			if strings.Contains(text, "database") {
				t.Errorf("%s: the answer is %s", name, text)
			}
			if f.auth != nil && len(body.Details) > 0 {
				t.Errorf("%s: details of a request that was not judged: %s", name, text)
			}
			if wait := res.Header.Get("Retry-After"); name == "rate limit" && wait != "7" || name == "outage" && wait != "1" {
				t.Errorf("%s: Retry-After is %q", name, wait)
			}
			answered[res.Header.Get("X-Request-Id")]++
		}
	}
	if answered["the service"] > 0 || len(answered) < 8*8 {
		t.Errorf("%d answers, %d of the service", len(answered), answered["the service"])
	}
}

// Nothing of a request is judged, nor is its body read, before its credentials.
func TestCredentialsComeFirst(t *testing.T) {
	t.Parallel()
	h := published(t).Middleware(http.NotFoundHandler(), contract.RequestID(func() string { return "1" }),
		contract.Authenticate(func(r *http.Request) error {
			if r.Header.Get("X-Client-Secret") != "right" {
				return &contract.Error{Status: http.StatusUnauthorized}
			}
			return nil
		}))
	for secret, want := range map[string]int{"wrong": 401, "right": 400} {
		body := &countingReader{Reader: strings.NewReader("{")}
		r := httptest.NewRequest(http.MethodPost, "/users/~/transactions?x=1", body)
		r.Header = http.Header{"Content-Type": {"application/json"}, "X-Client-Secret": {secret}}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want || (body.reads == 0) != (want == 401) {
			t.Errorf("%s: answered %d after %d reads of the body", secret, w.Code, body.reads)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/docs", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("a path outside of the contract is answered %d without credentials", w.Code)
	}
}

type countingReader struct {
	io.Reader
	reads int
}

func (r *countingReader) Read(p []byte) (int, error) {
	r.reads++
	return r.Reader.Read(p)
}

// The answers for a document of others have the members that it declares.
func TestAnswersForOtherDocuments(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ schema, want string }{
		"two members":  {`{"type":"object","properties":{"message":{"type":"string"},"code":{"type":"string"}}}`, `{"code":"BAD_REQUEST","message":"The request is not valid."}`},
		"none of them": {`{"type":"object","properties":{"error":{"type":"string"}}}`, `{"status":400,"code":"BAD_REQUEST","message":"The request is not valid.","request_id":"1"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := document(t)
			if err := json.Unmarshal([]byte(tc.schema), doc.Components.Schemas["Error"].Value); err != nil {
				t.Fatal(err)
			}
			c, err := contract.New(doc)
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			c.WriteError(w, httptest.NewRequest(http.MethodGet, "/", nil), &contract.Error{Status: 400}, "1")
			if got := strings.TrimSpace(w.Body.String()); got != tc.want || w.Header().Get("X-Request-Id") != "1" {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// A request that breaks the contract is passed on whole if it is only reported, whatever its size.
func TestRequestsThatAreReportedArePassedOn(t *testing.T) {
	t.Parallel()
	long := `{"text":"` + strings.Repeat("a", 5000) + `"}`
	for name, tc := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"too long by its length": {func(*http.Request) {}, 413},
		"too long":               {func(r *http.Request) { r.ContentLength = -1 }, 413},
		"not JSON":               {func(r *http.Request) { r.Header.Del("Content-Type") }, 415},
		"malformed":              {func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(`{"text":7}`)) }, 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var found contract.Finding
			r := httptest.NewRequest(http.MethodPost, "/notes", strings.NewReader(long))
			r.Header.Set("Content-Type", "application/json")
			if tc.change(r); tc.want == 400 {
				r.ContentLength = -1
			}
			h := shop(t).Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if got := readAll(t, r.Body); tc.want != 400 && got != long {
					t.Errorf("the service got %d bytes of %d", len(got), len(long))
				}
				w.WriteHeader(http.StatusTeapot)
			}), contract.BodyLimit(1000), contract.Requests(contract.Report), contract.Watch(func(_ *http.Request, f contract.Finding) { found = f }))
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			refused, ok := errors.AsType[*contract.Error](found.Request)
			if w.Code != http.StatusTeapot || !ok || refused.Status != tc.want || found.Operation.ID != "leaveNote" {
				t.Errorf("answered %d, found %+v", w.Code, found)
			}
		})
	}
	t.Run("ignored", func(t *testing.T) {
		t.Parallel()
		w := httptest.NewRecorder()
		shop(t).Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, checked := contract.FromContext(r.Context()); checked {
				t.Error("the request was checked")
			}
			w.WriteHeader(http.StatusTeapot)
		}), contract.Requests(contract.Ignore)).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/items/x", nil))
		if w.Code != http.StatusTeapot {
			t.Errorf("answered %d", w.Code)
		}
	})
}
