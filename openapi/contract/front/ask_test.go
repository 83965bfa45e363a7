package main

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server"
)

// gate is a service that knows one secret, answers everything else with a refusal of its own, and counts.
type gate struct {
	mu     sync.Mutex
	secret string
	probe  int // status of the answer to the probe with the secret; 0 is 200
	seen   []string
}

func (g *gate) handle(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen = append(g.seen, r.Method+" "+r.RequestURI)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-Id", fmt.Sprint("service-", len(g.seen)))
	switch {
	case r.Header.Get("X-Client-Secret") != g.secret:
		w.Header().Set("WWW-Authenticate", "Mine")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"status":401,"code":"UNAUTHORIZED","message":"Mine.","request_id":"service-%d"}`, len(g.seen))
	case g.probe != 0:
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(g.probe)
		fmt.Fprintf(w, `{"status":%d}`, g.probe)
	default:
		w.Header().Set("RateLimit", `"client";r=7;t=1`)
		_, _ = io.WriteString(w, "[]")
	}
}

// Before a request is refused the service is asked for the probe, and a refusal of the service is the answer.
func TestARefusalNeedsAcceptedCredentials(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, request, secret string
		probe                 int
		want                  int
		by                    string // whose answer it is
		asked                 bool
	}{
		{"malformed, right secret", "GET /payers?x=1", "right", 0, 400, "front", true},
		{"malformed, wrong secret", "GET /payers?x=1", "wrong", 0, 401, "service", true},
		{"malformed body, right secret", "POST /users", "right", 0, 400, "front", true},
		{"malformed body, wrong secret", "POST /users", "wrong", 0, 401, "service", true},
		{"valid, wrong secret", "GET /payers", "wrong", 0, 401, "service", false},
		{"HEAD, wrong secret", "HEAD /payers?x=1", "wrong", 0, 401, "service", true},
		{"forbidden", "GET /payers?x=1", "right", 403, 403, "service", true},
		{"beyond the rate limit", "GET /payers?x=1", "right", 429, 429, "service", true},
		{"fault", "GET /payers?x=1", "right", 500, 500, "service", true},
		{"outage", "GET /payers?x=1", "right", 503, 503, "service", true},
		{"no such probe", "GET /payers?x=1", "right", 404, 500, "front", true},
		{"probe that leads elsewhere", "GET /payers?x=1", "right", 302, 500, "front", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := &gate{secret: "right", probe: tc.probe}
			f := before(t, service(t, g.handle), logOnly)
			method, target, _ := strings.Cut(tc.request, " ")
			body := map[string]string{"POST": "{"}[method]
			res, text := send(t, f.URL, method, target, body, asJSON, "X-Client-Id: acme", "X-Client-Secret: "+tc.secret)
			if res.StatusCode != tc.want || strings.HasPrefix(res.Header.Get("X-Request-Id"), "service-") != (tc.by == "service") {
				t.Errorf("answered %d %v %s", res.StatusCode, res.Header, text)
			}
			if want := map[int]string{401: "Mine", 429: "7"}[tc.want]; want != res.Header.Get("WWW-Authenticate")+map[bool]string{true: res.Header.Get("Retry-After")}[tc.want == 429] {
				t.Errorf("the headers of the service are lost: %v", res.Header)
			}
			if strings.Contains(text, "details") != (tc.want == 400) || (res.Header.Get("RateLimit") != "") != (tc.want == 400) {
				t.Errorf("answered %v %s", res.Header, text)
			}
			want := "GET /payers"
			if tc.asked {
				want = "GET /payers?country=AQ"
			}
			if len(g.seen) != 1 || g.seen[0] != want {
				t.Errorf("the service got %q, want %q", g.seen, want)
			}
			line := f.lines(t, 1)[0]
			if line["answered_by"] != tc.by || (line["request_violations"] != nil) != (tc.want == 400 || tc.by == "front") {
				t.Logf("logged %v", line)
			}
			if tc.by == "service" && line["request_violations"] != nil {
				t.Errorf("violations of a caller that is not known are logged: %v", line)
			}
		})
	}
}

// No answer of the service is remembered: each request sees a secret that is revoked, issued or beyond its limit at once.
func TestAnswersAboutCredentialsAreNotRemembered(t *testing.T) {
	t.Parallel()
	g := &gate{secret: "first"}
	f := before(t, service(t, g.handle))
	for _, step := range []struct {
		change func()
		want   int
	}{
		{func() {}, 400},
		{func() { g.secret = "second" }, 401}, // revoked
		{func() { g.secret = "first" }, 400},  // valid again
		{func() { g.probe = 429 }, 429},       // beyond the rate limit
		{func() { g.probe = 0 }, 400},
	} {
		step.change()
		if res, _ := send(t, f.URL, "GET", "/payers?x=1", "", "X-Client-Secret: first"); res.StatusCode != step.want {
			t.Errorf("answered %d, want %d", res.StatusCode, step.want)
		}
	}
	if len(g.seen) != 5 {
		t.Errorf("%d requests of the service for 5 of the caller", len(g.seen))
	}
}

// The probe carries what the caller sent, but for what belongs to the body or makes a request conditional.
func TestTheProbeCarriesTheHeadersOfTheCaller(t *testing.T) {
	t.Parallel()
	var got *http.Request
	f := before(t, service(t, func(_ http.ResponseWriter, r *http.Request) { got = r }))
	send(t, f.URL, "POST", "/users", "{", asJSON, "X-Client-Id: acme", "Authorization: Bearer x", "X-Api-Key: y", "Cookie: z=1",
		"X-Idempotency-Key: k", "If-None-Match: *", "Range: bytes=0-1", "Expect: 100-continue", "X-Forwarded-For: 192.0.2.1")
	want := map[string]string{
		"X-Client-Id": "acme", "Authorization": "Bearer x", "X-Api-Key": "y", "Cookie": "z=1", "X-Forwarded-For": "127.0.0.1",
		"Content-Type": "", "X-Idempotency-Key": "", "If-None-Match": "", "Range": "", "Expect": "",
	}
	for name, value := range want {
		if got.Header.Get(name) != value {
			t.Errorf("%s is %q, want %q", name, got.Header.Get(name), value)
		}
	}
	if got.ContentLength != 0 || got.Method != http.MethodGet {
		t.Errorf("%s with %d bytes", got.Method, got.ContentLength)
	}
}

// A refusal that is too long, or breaks off, is not passed on in part.
func TestRefusalsThatAreNotWhole(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(http.ResponseWriter){
		"too long": func(w http.ResponseWriter) { _, _ = io.WriteString(w, strings.Repeat(" ", maxAnswer+1)) },
		"broken off": func(w http.ResponseWriter) {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := before(t, service(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusUnauthorized)
				answer(w)
			}))
			res, text := send(t, f.URL, "GET", "/payers?x=1", "")
			if res.StatusCode != 503 || !strings.Contains(text, `"SERVICE_UNAVAILABLE"`) || strings.Contains(text, "details") {
				t.Errorf("answered %d %s", res.StatusCode, text)
			}
			if line := f.lines(t, 1)[0]; line["failure"] != failureBroken {
				t.Errorf("logged %v", line)
			}
		})
	}
}

// An operation for which the contract requires no credentials is refused without a question.
func TestNoQuestionWithoutCredentials(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	f := before(t, service(t, func(http.ResponseWriter, *http.Request) { reached.Add(1) }), func(o *options) {
		o.Contract, o.Probe = "../testdata/shop.yaml", ""
	})
	res, text := send(t, f.URL, "GET", "/items/x?shop=a", "")
	if res.StatusCode != 400 || reached.Load() != 0 || !strings.Contains(text, `"field":"item_id"`) {
		t.Errorf("answered %d %s after %d requests", res.StatusCode, text, reached.Load())
	}
}

// Requests that break the contract reach the service if they are not to be refused.
func TestRequestsThatAreNotRefused(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"log", "off"} {
		f := before(t, service(t, echo), logOnly, func(o *options) { o.Requests, o.BodyLimit, o.MemoryLimit = mode, 100, 1000 })
		long := `{"x":"` + strings.Repeat("a", 5000) + `"}`
		_, text := send(t, f.URL, "POST", "/users?x=1", long, "Content-Type: text/plain")
		if got := parsed(t, text); got.Target != "/users?x=1" || got.Body != long {
			t.Errorf("%s: became %+v", mode, got)
		}
		line := f.lines(t, 1)[0]
		if (line["request_violations"] != nil) != (mode == "log") || line["answered_by"] != "service" {
			t.Errorf("%s: logged %v", mode, line)
		}
	}
}

// Nothing that a caller or the service chose reaches the log: no value, no name that the contract does not declare.
func TestNoValueReachesTheLog(t *testing.T) {
	t.Parallel()
	const canary = "Canary-7319"
	f := before(t, service(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `[{"`+canary+`":"`+canary+`","name":["`+canary+`"]}]`)
	}), logOnly)
	n := 0
	for _, r := range []struct{ method, target, body string }{
		{"GET", "/payers", ""},
		{"GET", "/payers?" + canary + "=" + canary + "&country=" + canary, ""},
		{"GET", "/users/" + canary, ""},
		{"GET", "/" + canary, ""},
		{canary, "/payers", ""},
		{"POST", "/users", `{"` + canary + `":1,"email":"` + canary + `","mailing_address":{"` + canary + `":1},"` + canary + `":2}`},
		{"POST", "/users", canary},
	} {
		send(t, f.URL, r.method, r.target, r.body, asJSON, "X-Client-Id: "+canary, "X-Client-Secret: "+canary, "X-Idempotency-Key: "+strings.Repeat(canary, 30))
		n++
		f.lines(t, n)
	}
	var printed strings.Builder
	f.summary.print(&printed)
	text, _ := f.log.read()
	if all := text + printed.String(); strings.Contains(strings.ToLower(all), "canary") || !strings.Contains(all, "is not a field of this object") {
		t.Errorf("a value was logged: %s", all)
	}
}

// FuzzDescribe holds the same for any field of a violation.
func FuzzDescribe(f *testing.F) {
	p, err := newFront(defaults("http://service.invalid"), testLog())
	if err != nil {
		f.Fatal(err)
	}
	f.Add("body", "/mailing_address/canary~1x")
	f.Add("query", "country")
	f.Add("status", "418")
	f.Fuzz(func(t *testing.T, in, field string) {
		got := p.names.describe(violation(in, field))
		for _, token := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(got, in+" "), " is wrong"), "/") {
			plain := strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
			_, err := strconv.Atoi(token)
			if token != "*" && !p.names[plain] && (in != "status" || err != nil) {
				t.Errorf("%q %q became %q", in, field, got)
			}
		}
	})
}

func violation(in, field string) contract.Violation {
	return contract.Violation{In: in, Field: field, Reason: "is wrong"}
}

// D-58: the service sees the address of the caller behind the front, in the request that is forwarded and in the question
// for its credentials: a flood from one address is refused, and callers at others are not.
func TestTheServiceSeesTheAddressOfTheCaller(t *testing.T) {
	t.Parallel()
	s := sandbox(t, func(c *server.Config) {
		c.FailureLimit = 4
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	f := before(t, s.URL, func(o *options) { o.TrustForwarded = true }) // so that a test can have several addresses
	call := func(address, target, secret string) int {
		res, _ := send(t, f.URL, http.MethodGet, target, "", "X-Forwarded-For: "+address,
			"X-Client-Id: "+server.SandboxClients[0].ID, "X-Client-Secret: "+secret)
		return res.StatusCode
	}
	const valid, invalid = "/payers", "/payers?wrong=1"
	for i, target := range []string{valid, invalid, valid, invalid, valid, invalid} {
		want := http.StatusUnauthorized
		if i >= 4 {
			want = http.StatusTooManyRequests
		}
		if got := call("203.0.113.1", target, "wrong"); got != want {
			t.Errorf("request %d: %d, want %d", i, got, want)
		}
	}
	right := server.SandboxClients[0].Secret
	for _, c := range []struct {
		target string
		want   int
	}{{valid, http.StatusOK}, {invalid, http.StatusBadRequest}} {
		if got := call("198.51.100.7", c.target, right); got != c.want {
			t.Errorf("%s from another address: %d, want %d", c.target, got, c.want)
		}
	}
}
