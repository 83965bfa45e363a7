package conformance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/conformance/report"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// secrets are given to the suite.
var secrets = []string{"canary-secret-of-the-first", "canary+secret/of the second", "canary-of-the-url", "Bearer canary-of-a-gateway"}

// people are personal data of a server. No format of a report may contain them, wherever the server puts them: in headers,
// HTML, JSON members and their names.
var people = []string{
	"Hester", "Arthur Dimmesdale", "hester.prynne@example.org", "+1 617 555 0142", "7 Scarlet Lane", "1642-06-14", "0042 7711 8800",
	"data:image/png;base64,SGVzdGVyIFByeW5uZQ==", "https://prynne.example.org", "for the needle work", "Prison's Door & Rose",
}

// gossip is a server that puts the request and its personal data into every part of its responses.
type gossip struct{ requests atomic.Int64 }

func (g *gossip) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 2000))
	turn := int(g.requests.Add(1))
	everything := fmt.Sprintf("%s %v %s %s", r.URL, r.Header, body, strings.Join(people, " "))
	values := append([]string{r.Header.Get("X-Client-Secret"), r.Header.Get("Authorization"), everything}, people...)
	value := func(i int) string { return values[(turn+i)%len(values)] }
	h := w.Header()
	for i, name := range []string{"X-Request-Id", "Retry-After", "Allow", "Idempotent-Replayed", "Www-Authenticate", "X-Other"} {
		h.Set(name, strings.NewReplacer("\n", " ", "\r", " ").Replace(value(i)))
	}
	switch turn % 5 {
	case 0:
		h.Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprintf(w, "<html><title>%s</title><p>%s</p></html>", html.EscapeString(value(0)), everything)
	case 1:
		h.Set("Content-Type", "text/plain; secret="+r.Header.Get("X-Client-Secret"))
		fmt.Fprint(w, strings.Join(values, " "))
	case 2:
		answer(w, http.StatusBadRequest, map[string]any{
			"status": 400, "code": value(0), "message": everything, "request_id": r.Header.Get("X-Client-Secret"),
			"details": []any{map[string]any{"in": value(1), "field": "/" + strings.Join(people, "/"), "reason": "must not be " + value(2)}},
		})
	case 3:
		members := map[string]any{"id": value(0), "status": value(1), "created_at": value(2), "country": value(3), "from_amount": value(4)}
		for _, value := range values {
			members[value] = value
		}
		answer(w, http.StatusOK, members)
	default:
		h.Set("Content-Type", "application/json")
		_, _ = w.Write(body[:len(body)/2]) // a JSON that does not end
		fmt.Fprint(w, strings.Join(values, `"`))
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// indiscreet is a proxy that adds personal data to the responses of a working server, so that checks run further.
func indiscreet(t *testing.T, works string) http.Handler {
	t.Helper()
	at, err := url.Parse(works)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(at)
	var requests atomic.Int64
	proxy.ModifyResponse = func(r *http.Response) error {
		told := append([]string{r.Request.Header.Get("X-Client-Secret"), r.Request.Header.Get("Authorization")}, people...)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		var members map[string]any
		if json.Unmarshal(body, &members) == nil {
			for i, name := range []string{"first_name", "address_line1", "note", "account_number", "label"} {
				if _, ok := members[name]; ok {
					members[name] = told[(int(requests.Add(1))+i)%len(told)]
				}
			}
			for i, value := range told {
				members[fmt.Sprint("extra_", i)], members[value] = value, i
			}
			if tags, ok := members["cip_info"].(map[string]any); ok {
				tags[told[2]], tags["OTHER"] = "REQUESTED", told[3]
			}
			if _, refused := members["details"]; refused {
				members["message"] = strings.Join(told, " ")
				members["details"] = []any{map[string]any{"in": "body", "field": "/" + told[2], "reason": strings.Join(told, " ")}}
			}
			if body, err = json.Marshal(members); err != nil {
				return err
			}
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		return nil
	}
	return proxy
}

func TestNoFormOfAReportHoldsWhatIsConfidential(t *testing.T) {
	t.Parallel()
	works := sandbox(servertest.New(t).URL)
	for name, tc := range map[string]struct {
		handler http.Handler
		target  probe.Target
	}{
		"a server that answers with all it knows": {&gossip{}, probe.Target{
			ClientID: "acme", ClientSecret: secrets[0], OtherClientID: "other", OtherClientSecret: secrets[1],
		}},
		"a server that works and adds it to its answers": {indiscreet(t, works.URL), works},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(tc.handler)
			t.Cleanup(web.Close)
			target := tc.target
			target.URL = strings.Replace(web.URL, "http://", "http://user:"+secrets[2]+"@", 1)
			target.Header = http.Header{"Authorization": {secrets[3]}}
			r, err := conformance.Run(t.Context(), conformance.Target{Target: target})
			if err != nil {
				t.Fatal(err)
			}
			if r.Counts["failed"] < 100 || r.Problem != "" {
				t.Fatalf("the server was hardly asked: %v %s", r.Counts, r.Problem)
			}
			confidential := slices.Concat(people, secrets, []string{target.ClientSecret, target.OtherClientSecret, "canary-of-a-gateway"})
			for form, text := range inAllForms(t, r) {
				for _, canary := range confidential {
					asJSON, _ := json.Marshal(canary)
					for _, written := range []string{canary, html.EscapeString(canary), strings.Trim(string(asJSON), `"`), url.QueryEscape(canary)} {
						if at := strings.Index(text, written); at >= 0 {
							t.Errorf("%s holds %q: ...%s...", form, written, text[max(0, at-80):min(len(text), at+80)])
							break
						}
					}
				}
			}
		})
	}
}

// inAllForms returns a report in all formats.
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
