package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/conformance/report"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// secrets are canaries: none of them may be in any form of a report.
const (
	clientSecret = "canary-secret-of-the-first"
	otherSecret  = "canary+secret/of the second"
)

// personal are members whose values nobody but the server may see.
var personal = []string{
	"first_name", "last_name", "email", "mobile_phone", "address_line1", "address_line2", "date_of_birth", "account_number",
	"wallet_number", "document_value", "ip_address", "note", "custom_purpose", "remittance_purpose", "company_website", "label",
}

// echo is a server that repeats all it gets, wherever an answer has room for it: in headers, in HTML, in the members and
// in the names of members of JSON. It remembers the personal values that it was sent.
type echo struct {
	mu       sync.Mutex
	requests int
	seen     map[string]bool
}

func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e.mu.Lock()
	e.requests++
	turn := e.requests
	var document any
	if json.Unmarshal(body, &document) == nil {
		e.learn(document, "")
	}
	everything := fmt.Sprintf("%s %v %s", r.URL, r.Header, clip(body))
	values := append(known(document), r.Header.Get("X-Client-Secret"), clip(body))
	e.mu.Unlock()

	h := w.Header()
	for _, name := range []string{"X-Request-Id", "Retry-After", "Allow", "Idempotent-Replayed", "Www-Authenticate", "X-Other"} {
		h.Set(name, header(values[turn%len(values)]))
	}
	switch turn % 5 {
	case 0:
		h.Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprintf(w, "<html><title>%s</title><p>%s</p></html>", html.EscapeString(values[0]), everything)
	case 1:
		h.Set("Content-Type", "text/plain; secret="+header(r.Header.Get("X-Client-Secret")))
		fmt.Fprint(w, strings.Join(values, " "))
	case 2: // every member of an error is what was sent
		answer(w, http.StatusBadRequest, map[string]any{
			"status": 400, "code": values[0], "message": everything, "request_id": r.Header.Get("X-Client-Secret"),
			"details": []any{map[string]any{"in": values[0], "field": "/" + strings.Join(values, "/"), "reason": "must not be " + strings.Join(values, " or ")}},
		})
	case 3: // and so is every member of a success, and its name
		members := map[string]any{"id": values[0], "status": values[0], "created_at": values[0], "country": values[0], "from_amount": values[0]}
		for _, value := range values {
			members[value] = value
		}
		answer(w, http.StatusOK, members)
	default: // the request itself, as a JSON that does not end
		h.Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(body[:len(body)/2])
		fmt.Fprint(w, strings.Join(values, `"`))
	}
}

func clip(body []byte) string { return string(body[:min(len(body), 2000)]) }

func header(s string) string { return strings.NewReplacer("\n", " ", "\r", " ").Replace(s) }

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (e *echo) learn(value any, name string) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			e.learn(member, name)
		}
	case []any:
		for _, element := range v {
			e.learn(element, name)
		}
	case string:
		if slices.Contains(personal, name) {
			e.seen[v] = true
		}
	}
}

// known gives all texts of a document, and at least one.
func known(value any) []string {
	texts := []string{"nothing"}
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, member := range v {
				walk(member)
			}
		case []any:
			for _, element := range v {
				walk(element)
			}
		case string:
			texts = append(texts, v[:min(len(v), 500)])
		}
	}
	walk(value)
	return texts
}

// inAllForms gives a report in all its forms.
func inAllForms(t *testing.T, r *conformance.Report) map[string]string {
	t.Helper()
	forms := map[string]string{}
	for name, write := range map[string]func(io.Writer, *conformance.Report) error{
		"json": report.JSON, "junit": report.JUnit, "html": report.HTML,
		"console": func(w io.Writer, r *conformance.Report) error { return report.Console(w, r, true) },
	} {
		var text bytes.Buffer
		if err := write(&text, r); err != nil {
			t.Fatal(err)
		}
		forms[name] = text.String()
	}
	return forms
}

// leak is a server that works, and that repeats all it gets in every answer: checks come further with it than with echo.
func leak(t *testing.T, to *echo, works string) http.Handler {
	t.Helper()
	at, err := url.Parse(works)
	if err != nil {
		t.Fatal(err)
	}
	type sentKey struct{}
	proxy := httputil.NewSingleHostReverseProxy(at)
	proxy.ModifyResponse = func(r *http.Response) error {
		sent := r.Request.Context().Value(sentKey{}).([]string)
		r.Header.Set("X-Request-Id", header(sent[len(sent)-1]))
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		var members map[string]any
		if json.Unmarshal(body, &members) == nil {
			for i, value := range sent {
				members[fmt.Sprint("echo_", i)], members[value] = value, i
			}
			if _, refused := members["details"]; refused {
				members["message"] = strings.Join(sent, " ")
				members["details"] = []any{map[string]any{"in": "body", "field": "/" + sent[0], "reason": strings.Join(sent, " ")}}
			}
			if body, err = json.Marshal(members); err != nil {
				return err
			}
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var document any
		to.mu.Lock()
		if json.Unmarshal(body, &document) == nil {
			to.learn(document, "")
		}
		to.mu.Unlock()
		sent := append(known(document), r.Header.Get("X-Client-Secret"))
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sentKey{}, sent)))
	})
}

func TestNoFormOfAReportHoldsWhatTheSuiteSentInConfidence(t *testing.T) {
	t.Parallel()
	t.Run("a server that answers with the request", func(t *testing.T) {
		t.Parallel()
		server := &echo{seen: map[string]bool{clientSecret: true, otherSecret: true}}
		at := httptest.NewServer(server)
		t.Cleanup(at.Close)
		noneIsShown(t, server, probe.Target{
			URL: at.URL, ClientID: "acme", ClientSecret: clientSecret, OtherClientID: "other", OtherClientSecret: otherSecret,
		})
	})
	t.Run("a server that works and adds the request to its answers", func(t *testing.T) {
		t.Parallel()
		works := sandbox(servertest.New(t).URL)
		seen := &echo{seen: map[string]bool{works.ClientSecret: true, works.OtherClientSecret: true}}
		at := httptest.NewServer(leak(t, seen, works.URL))
		t.Cleanup(at.Close)
		works.URL = at.URL
		noneIsShown(t, seen, works)
		if len(seen.seen) < 50 {
			t.Errorf("only %d values were sent", len(seen.seen))
		}
	})
}

// tooShort is what any text may hold.
var tooShort = regexp.MustCompile(`^\s*(?:.{0,3}|[0-9]{0,5})\s*$`)

func noneIsShown(t *testing.T, server *echo, target probe.Target) {
	t.Helper()
	r, err := conformance.Run(t.Context(), conformance.Target{Target: target})
	if err != nil {
		t.Fatal(err)
	}
	if r.Counts["failed"] == 0 || len(server.seen) < 5 {
		t.Fatalf("the server was hardly asked: %v, %d values", r.Counts, len(server.seen))
	}
	var own []string // words of the checks
	for _, result := range r.Results {
		own = append(own, strings.FieldsFunc(result.Title+" "+result.Fix, func(c rune) bool { return !unicode.IsLetter(c) })...)
	}
	for name, text := range inAllForms(t, r) {
		for canary := range server.seen {
			if tooShort.MatchString(canary) || canary == "Conformance" || canary == "Second" || slices.Contains(own, canary) {
				continue // the report may hold it of itself
			}
			asJSON, _ := json.Marshal(canary)
			for _, form := range []string{canary, html.EscapeString(canary), strings.Trim(string(asJSON), `"`)} {
				if at := strings.Index(text, form); at >= 0 {
					t.Errorf("%s holds %q: ...%s...", name, form[:min(len(form), 60)], text[max(0, at-80):min(len(text), at+80)])
					break
				}
			}
		}
	}
}
