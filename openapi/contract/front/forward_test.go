package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"
)

const (
	userID = "0b54f3a5-6d1f-4f0a-9f0e-3a1f7c9d2e11"
	asJSON = "Content-Type: application/json"
	user   = `{"first_name":"Asha","email":"asha@example.com","country":"US"}`
)

// received is a request as a service got it.
type received struct {
	Method, Target, Host, Body string
	Header                     http.Header
	Transfer                   []string
	Length                     int64
}

// echo is a service that answers with the request, as JSON.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what is missing is missed by the test
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(received{r.Method, r.RequestURI, r.Host, string(body), r.Header, r.TransferEncoding, r.ContentLength})
}

func parsed(t *testing.T, text string) (r received) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return r
}

func logOnly(o *options) { o.Responses = "log" }

// What is no request of the contract reaches the service as it was sent, and its answer is the service's.
func TestOtherPathsAreTransparent(t *testing.T) {
	t.Parallel()
	f := before(t, service(t, echo))
	for _, target := range []string{
		"/", "/docs", "/docs/", "/a//b", "/a/%2F/b?x=%zz&y;z", "/payers/1/2", "/payers?", "/Payers", "/users/" + userID + "/transactions/",
	} {
		for _, method := range []string{"PATCH", "OPTIONS", "FROBNICATE"} {
			_, text := send(t, f.URL, method, target, `{"x":1}`, "Content-Type: text/html", "X-Client-Id: a", "Accept-Encoding: br")
			got := parsed(t, text)
			if got.Method != method || got.Target != target || got.Body != `{"x":1}` || got.Header.Get("Content-Type") != "text/html" ||
				got.Header.Get("X-Client-Id") != "a" || got.Header.Get("Accept-Encoding") != "br" || got.Host != f.base.Host {
				t.Errorf("%s %s became %+v", method, target, got)
			}
		}
	}
	if _, text := send(t, f.URL, "GET", "/docs", ""); parsed(t, text).Header.Get("Accept-Encoding") != "" {
		t.Errorf("a header was added: %s", text)
	}
}

// A valid request arrives with its body and length, under the base path of the service.
func TestValidRequestsAreForwarded(t *testing.T) {
	t.Parallel()
	f := before(t, service(t, echo)+"/api/", logOnly)
	_, text := send(t, f.URL, "POST", "/users", user, asJSON, "X-Idempotency-Key: k", "X-Request-Id: mine")
	got := parsed(t, text)
	if got.Target != "/api/users" || got.Body != user || got.Length != int64(len(user)) || got.Header.Get("X-Idempotency-Key") != "k" ||
		got.Header.Get("X-Request-Id") != "mine" {
		t.Errorf("became %+v", got)
	}

	r := request(t, f.URL, "POST", "/users", "", asJSON)
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(user)), -1
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	whole, _ := io.ReadAll(res.Body)
	if got := parsed(t, string(whole)); got.Body != user || got.Length != int64(len(user)) || got.Transfer != nil {
		t.Errorf("a body without a length became %+v", got)
	}
}

func TestForwardedHeaders(t *testing.T) {
	t.Parallel()
	url := service(t, echo)
	sent := []string{
		"X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https", "X-Forwarded-Host: payouts.example.com", "Forwarded: for=192.0.2.1",
		"Connection: X-Hop", "X-Hop: 1", "Te: trailers", "Proxy-Authorization: x", "Keep-Alive: x",
	}
	for _, tc := range []struct {
		trust bool
		want  map[string]string
	}{
		{false, map[string]string{"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "http", "Forwarded": ""}},
		{true, map[string]string{
			"X-Forwarded-For": "192.0.2.1, 127.0.0.1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "payouts.example.com", "Forwarded": "for=192.0.2.1",
		}},
	} {
		f := before(t, url, func(o *options) { o.TrustForwarded = tc.trust })
		_, text := send(t, f.URL, "GET", "/docs", "", sent...)
		got := parsed(t, text).Header
		if !tc.trust {
			tc.want["X-Forwarded-Host"] = strings.TrimPrefix(f.URL, "http://")
		}
		for name, value := range tc.want {
			if got.Get(name) != value {
				t.Errorf("trust %v: %s is %q, want %q", tc.trust, name, got.Get(name), value)
			}
		}
		for _, hop := range []string{"X-Hop", "Proxy-Authorization", "Keep-Alive", "Connection"} {
			if len(got[hop]) > 0 {
				t.Errorf("%s is passed on", hop)
			}
		}
	}
}

// A caller that waits for 100 Continue gets it, from the front for what it reads itself, else from the service.
func TestExpectContinue(t *testing.T) {
	t.Parallel()
	refuses := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refused" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		echo(w, r)
	}
	f := before(t, service(t, refuses), logOnly)
	f.transport.ExpectContinueTimeout = time.Minute // else the front reads the body if the service is slow
	for target, want := range map[string]struct {
		continued bool
		status    int
		expect    string
	}{
		"/users":   {true, 200, ""},
		"/upload":  {true, 200, "100-continue"},
		"/refused": {false, http.StatusTeapot, ""},
	} {
		continued := false
		r := request(t, f.URL, "POST", target, user, asJSON, "Expect: 100-continue")
		r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{Got100Continue: func() { continued = true }}))
		connections := &http.Transport{ExpectContinueTimeout: time.Minute}
		res, err := connections.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		connections.CloseIdleConnections()
		if res.StatusCode != want.status || continued != want.continued {
			t.Errorf("%s: answered %d, continued %v", target, res.StatusCode, continued)
		}
		if want.status == 200 {
			if got := parsed(t, string(text)); got.Body != user || got.Header.Get("Expect") != want.expect {
				t.Errorf("%s: became %+v", target, got)
			}
		}
	}
}

// HEAD is judged as GET, and answered without a body.
func TestHead(t *testing.T) {
	t.Parallel()
	f := before(t, service(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead && r.URL.RawQuery != "country=AQ" {
			t.Errorf("%s %s reached the service", r.Method, r.RequestURI)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "1")
		w.Header().Set("Content-Length", "2")
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Cache-Control", "private, no-cache")
		_, _ = io.WriteString(w, "[]")
	}))
	for target, want := range map[string]int{"/payers": 200, "/payers?x=1": 400} {
		res, text := send(t, f.URL, "HEAD", target, "")
		if res.StatusCode != want || text != "" || want == 200 && res.ContentLength != 2 {
			t.Errorf("HEAD %s: answered %d, %d bytes of %d", target, res.StatusCode, len(text), res.ContentLength)
		}
	}
}

// A 304 passes as it is (D-75), with the condition that it answers; one with a body, or without its tag, is none.
func TestNotModified(t *testing.T) {
	t.Parallel()
	f := before(t, service(t, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Request-Id", "1")
		h.Set("Cache-Control", "private, no-cache")
		switch tag := r.Header.Get("If-None-Match"); tag {
		case "": // the front asks whether the credentials of a request that it refuses are right
			h.Set("ETag", `"1"`)
			h.Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "[]")
			return
		case `"no tag"`:
		default:
			h.Set("ETag", tag)
		}
		w.WriteHeader(http.StatusNotModified)
	}))
	const long = 1000
	for tag, want := range map[string]int{
		`"1"`: 304, `W/"1"`: 304, `"no tag"`: 502, `"` + strings.Repeat("x", long) + `"`: 400,
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			res, text := send(t, f.URL, method, "/payers", "", "If-None-Match: "+tag)
			if res.StatusCode != want || want == 304 && (text != "" || res.Header.Get("ETag") != tag || res.Header.Get("Cache-Control") != "private, no-cache") {
				t.Errorf("%s: answered %d with %d bytes and %v, want %d", method, res.StatusCode, len(text), res.Header, want)
			}
		}
	}
}

// While there is no response, the answer is 503 with the error body of the contract, and the log names the kind of failure.
func TestFailuresOfTheService(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, url, kind string }{
		{"nobody listens", "http://127.0.0.1:1", failureUnreachable},
		{"no response in time", service(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), failureTimeout},
		{"no response", service(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), failureBroken},
		{"no HTTP", service(t, func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, "hello\r\n\r\n")
			_ = conn.Close()
		}), failureBroken},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := before(t, tc.url, func(o *options) {
				if tc.kind == failureTimeout {
					o.Timeout = 100 * time.Millisecond
				}
			})
			for i, target := range []string{"/payers", "/payers?x=1", "/docs"} {
				res, text := send(t, f.URL, "GET", target, "")
				var body struct {
					Code      string
					RequestID string `json:"request_id"`
					Details   []any
				}
				if err := json.Unmarshal([]byte(text), &body); err != nil || res.StatusCode != 503 || body.Code != "SERVICE_UNAVAILABLE" ||
					body.RequestID == "" || body.RequestID != res.Header.Get("X-Request-Id") || res.Header.Get("Retry-After") != "1" || body.Details != nil {
					t.Errorf("%s: answered %d %v %s", target, res.StatusCode, res.Header, text)
				}
				line := f.lines(t, i+1)[i]
				if line["failure"] != tc.kind || line["answered_by"] != "front" || line["level"] != "ERROR" || line["request_id"] != body.RequestID ||
					line["response_violations"] != nil {
					t.Errorf("%s: logged %v", target, line)
				}
				if text, _ := f.log.read(); strings.Contains(text, "hello") {
					t.Errorf("%s: what the service sent was logged: %s", target, text)
				}
			}
		})
	}
}

// A response that breaks off is not completed by the front: the caller sees that it is broken.
func TestAResponseThatBreaksOff(t *testing.T) {
	t.Parallel()
	for _, responses := range []string{"log", "refuse"} {
		f := before(t, service(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "[")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}), func(o *options) { o.Responses = responses })
		res, err := http.DefaultTransport.RoundTrip(request(t, f.URL, "GET", "/payers", ""))
		if err == nil {
			_, err = io.ReadAll(res.Body)
			res.Body.Close()
		}
		if err == nil {
			t.Errorf("%s: the response looks whole", responses)
		}
		if line := f.lines(t, 1)[0]; line["failure"] != failureBroken || line["response_violations"] != nil {
			t.Errorf("%s: logged %v", responses, line)
		}
	}
}

// When a caller leaves, the service is told, and it is no failure of the service.
func TestACallerThatLeaves(t *testing.T) {
	t.Parallel()
	arrived, left := make(chan struct{}), make(chan struct{})
	f := before(t, service(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(left)
	}))
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-arrived
		leave()
	}()
	r := request(t, f.URL, "GET", "/payers", "").WithContext(ctx)
	if _, err := http.DefaultTransport.RoundTrip(r); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-left
	if line := f.lines(t, 1)[0]; line["caller_left"] != true || line["level"] != "INFO" {
		t.Errorf("logged %v", line)
	}
}

// Whatever is sent outside of the contract arrives unchanged; whatever is sent, the front does not break.
func FuzzForward(f *testing.F) {
	var got *http.Request
	var gotBody string
	p, err := newFront(defaults("http://service.invalid"), testLog())
	if err != nil {
		f.Fatal(err)
	}
	p.proxy.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		got, gotBody = r, ""
		if r.Body != nil {
			text, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			gotBody = string(text)
		}
		return &http.Response{StatusCode: 204, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
	})
	f.Add("POST", "/users", "application/json", user)
	f.Add("GET", "/a/%2F/b?x=%zz&y;z", "", "")
	f.Add("PUT", "/payers//1%00", "text/plain", "\xff")
	f.Fuzz(func(t *testing.T, method, target, contentType, body string) {
		if len(method) > 20 || strings.ContainsFunc(method, func(r rune) bool { return r < 'A' || r > 'Z' }) || method == "" ||
			strings.ContainsFunc(target, func(r rune) bool { return r <= ' ' || r > '~' }) || !strings.HasPrefix(target, "/") {
			t.Skip() // net/http refuses it
		}
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(method + " " + target + " HTTP/1.1\r\nHost: x\r\n\r\n")))
		if err != nil {
			t.Skip()
		}
		r.Header.Set("Content-Type", contentType)
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		op, _ := p.rules.Match(r.Method, r.URL)
		got = nil
		p.ServeHTTP(httptest.NewRecorder(), r)
		switch {
		case got == nil:
			t.Errorf("%s %s did not reach the service", method, target)
		case op == nil && (got.Method != method || got.URL.RequestURI() != r.URL.RequestURI() || gotBody != body):
			t.Errorf("%s %s became %s %s %q", method, target, got.Method, got.URL.RequestURI(), gotBody)
		case op != nil && got.URL.RequestURI() != r.URL.RequestURI() && got.URL.RequestURI() != p.Probe:
			t.Errorf("%s %s became %s", method, target, got.URL.RequestURI())
		case op != nil && got.URL.RequestURI() == r.URL.RequestURI() && op.Method == http.MethodPost && gotBody != body:
			t.Errorf("%s %s: the body became %q", method, target, gotBody)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
