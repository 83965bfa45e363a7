package contract_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

const capped = 300 // bytes of a response that are held in memory

// watched is a middleware that checks responses, and what it found last.
func watched(t *testing.T, mode contract.Mode, service http.HandlerFunc, more ...contract.MiddlewareOption) (http.Handler, *contract.Finding) {
	t.Helper()
	var found contract.Finding
	return shop(t).Middleware(service, append(more, contract.Requests(contract.Ignore), contract.Responses(mode, capped),
		contract.RequestID(func() string { return "new" }),
		contract.Watch(func(_ *http.Request, f contract.Finding) { found = f }))...), &found
}

// handler is the service.
func (s canned) handler(w http.ResponseWriter, _ *http.Request) {
	for _, line := range s.headers {
		name, value, _ := strings.Cut(line, ": ")
		w.Header().Add(name, value)
	}
	w.WriteHeader(s.status)
	_, _ = io.WriteString(w, s.body)
}

func TestWhatHappensToResponses(t *testing.T) {
	t.Parallel()
	const place, item = "POST /accounts/" + account + "/orders", "/items/1?shop=a"
	long := strings.Replace(placed, "{", `{"x":"`+strings.Repeat("a", capped)+`",`, 1)
	for _, tc := range []struct {
		name, request string
		answer        canned
		found         string // violations
		marked        string
		notJudged     string
	}{
		{"good", place, canned{200, []string{asJSON, trace}, placed}, "", "", ""},
		{"missing field", place, canned{200, []string{asJSON, trace}, `{"total":1}`}, "body /id: is required", `body "/id" is required`, ""},
		{"two violations", place, canned{418, []string{asJSON}, "{}"}, "status 418: is not declared for this operation", `status "418" is not declared for this operation`, ""},
		{"name that is no ASCII", place, canned{200, []string{asJSON, trace}, strings.Replace(placed, "{", `{"ä\r\nX: y":1,`, 1)},
			"body /ä\r\nX: y: is not a field of this object", `body "/\u00e4\r\nX: y" is not a field of this object`, ""},
		{"mark of the service", place, canned{200, []string{asJSON, trace, "X-Contract-Violations: mine"}, placed}, "", "", ""},
		{"too long", place, canned{200, []string{asJSON, trace}, long}, "", "", "the body has more than 300 bytes"},
		{"no content", "DELETE /items/1", canned{204, nil, ""}, "", "", ""},
		{"nothing at all", "GET " + item, canned{200, nil, ""}, "header Content-Type: must be application/json", `header "Content-Type" must be application/json`, ""},
		{"HEAD with the body that net/http drops", "HEAD " + item, canned{200, []string{asJSON}, `{"id":1}`}, "", "", ""},
		{"HEAD that the service does not have", "HEAD " + item, canned{405, nil, ""}, "", "", ""},
		{"GET that the service does not have", "GET " + item, canned{405, []string{asJSON}, refused}, "status 405: is not declared for this operation",
			`status "405" is not declared for this operation`, ""},
		{"unknown path", "GET /docs", canned{500, []string{"Content-Type: text/html"}, "<p>"}, "", "", ""},
		{"gzip", place, canned{200, []string{asJSON, trace, "Content-Encoding: gzip"}, compressed("gzip", placed)}, "", "", ""},
		{"zlib", place, canned{200, []string{asJSON, trace, "Content-Encoding: Deflate"}, compressed("zlib", placed)}, "", "", ""},
		{"deflate", place, canned{200, []string{asJSON, trace, "Content-Encoding: deflate"}, compressed("deflate", "{}")},
			"body /id: is required\nbody /total: is required", `body "/id" is required; body "/total" is required`, ""},
		{"small gzip of a large body", place, canned{200, []string{asJSON, trace, "Content-Encoding: gzip"}, compressed("gzip", long)}, "", "", "the decoded body has more than 300 bytes"},
		{"no gzip", place, canned{200, []string{asJSON, trace, "Content-Encoding: gzip"}, placed}, "", "", "the content encoding is broken"},
		{"gzip that breaks off", place, canned{200, []string{asJSON, trace, "Content-Encoding: gzip"}, compressed("gzip", placed)[:20]}, "", "", "the content encoding is broken"},
		{"another encoding", place, canned{200, []string{asJSON, trace, "Content-Encoding: br"}, placed}, "", "", "the content encoding is not supported"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			method, target, _ := strings.Cut(tc.request, " ")
			for _, mode := range []contract.Mode{contract.Report, contract.Mark, contract.Refuse} {
				h, found := watched(t, mode, tc.answer.handler)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
				if got := lines(found.Response); got != tc.found || found.NotJudged != tc.notJudged {
					t.Errorf("mode %d: found %q %q, want %q %q", mode, got, found.NotJudged, tc.found, tc.notJudged)
				}
				if mode == contract.Refuse && tc.found != "" {
					if want := `{"status":502,"code":"INTERNAL_ERROR","message":"The service sent a response that breaks its contract."}`; w.Code != http.StatusBadGateway || strings.TrimSpace(w.Body.String()) != want || w.Header().Get("X-Request-Id") != "new" || w.Header().Get("X-Trace") != "" {
						t.Errorf("answered %d %v %s", w.Code, w.Header(), w.Body)
					}
					continue
				}
				if w.Code != tc.answer.status || w.Body.String() != tc.answer.body {
					t.Errorf("mode %d: answered %d %q", mode, w.Code, w.Body)
				}
				for _, line := range tc.answer.headers {
					if name, value, _ := strings.Cut(line, ": "); name != "X-Contract-Violations" && w.Header().Get(name) != value {
						t.Errorf("mode %d: %s became %v", mode, line, w.Header())
					}
				}
				if got := w.Header().Get("X-Contract-Violations"); mode == contract.Mark && got != tc.marked {
					t.Errorf("marked %s, want %s", got, tc.marked)
				}
			}
		})
	}
}

// compressed returns a text in an encoding.
func compressed(encoding, text string) string {
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	switch encoding {
	case "zlib":
		w = zlib.NewWriter(&b)
	case "deflate":
		w, _ = flate.NewWriter(&b, flate.DefaultCompression) // the level is valid
	}
	_, _ = io.WriteString(w, text) // a buffer does not fail
	_ = w.Close()
	return b.String()
}

// The id of a response that is replaced stays: it is in the log of the service. So does what is left of the rate limit.
func TestARefusedResponseKeepsItsID(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{"of-the-service": "of-the-service", "": "new", strings.Repeat("x", 65): "new"} {
		h, _ := watched(t, contract.Refuse, canned{200, []string{"X-Request-Id: " + sent, "RateLimit: 7"}, "{}"}.handler)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/items/1?shop=a", nil))
		if got := w.Header().Get("X-Request-Id"); got != want || w.Header().Get("RateLimit") != "7" {
			t.Errorf("%q became %q: %v", sent, got, w.Header())
		}
	}
}

// A mark does not grow with the number of violations.
func TestAMarkIsBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 25 {
		b.WriteString(`"aa` + string(rune('a'+i)) + `":1,`)
	}
	h, found := watched(t, contract.Mark, canned{200, []string{asJSON}, "{" + b.String() + `"id":1}`}.handler)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/items/1?shop=a", nil))
	got := w.Header().Get("X-Contract-Violations")
	if len(found.Response) != 25 || len(got) > 1050 || !strings.HasSuffix(got, "; and 2 more") {
		t.Errorf("%d violations marked as %d bytes: %s", len(found.Response), len(got), got)
	}
}

// What is longer than the limit is streamed: the caller has its beginning before its end exists.
func TestLongResponsesAreStreamed(t *testing.T) {
	t.Parallel()
	for _, mode := range []contract.Mode{contract.Report, contract.Mark, contract.Refuse} {
		goOn := make(chan struct{})
		h, found := watched(t, mode, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "X-Sum")
			for range 2 {
				_, _ = io.WriteString(w, strings.Repeat("a", capped))
				_ = http.NewResponseController(w).Flush()
			}
			<-goOn
			_, _ = io.WriteString(w, "end")
			w.Header().Set("X-Sum", "7")
		})
		func() {
			server := httptest.NewServer(h)
			defer server.Close()
			res, err := server.Client().Get(server.URL + "/items/1?shop=a")
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			begin := make([]byte, 2*capped)
			_, err = io.ReadFull(res.Body, begin)
			close(goOn)
			if end := readAll(t, res.Body); err != nil || end != "end" || res.Trailer.Get("X-Sum") != "7" {
				t.Errorf("mode %d: %v, the end is %q, trailer %v", mode, err, end, res.Trailer)
			}
		}()
		if found.NotJudged == "" {
			t.Errorf("mode %d: judged, %+v", mode, found)
		}
	}
}

// Short responses that are held back keep their trailers, and interim responses are sent at once.
func TestTrailersAndInterimResponses(t *testing.T) {
	t.Parallel()
	for _, mode := range []contract.Mode{contract.Report, contract.Mark, contract.Refuse} {
		h, found := watched(t, mode, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", "</x>")
			w.WriteHeader(http.StatusEarlyHints)
			w.Header().Del("Link")
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Trailer", "X-Sum")
			_, _ = io.WriteString(w, `{"id":1}`)
			_ = http.NewResponseController(w).Flush()
			w.Header().Set("X-Sum", "7")
		})
		func() {
			server := httptest.NewServer(h)
			defer server.Close()
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, "GET /items/1?shop=a HTTP/1.1\r\nHost: x\r\nTE: trailers\r\n\r\n")
			in := bufio.NewReader(conn)
			hints, err := http.ReadResponse(in, nil)
			if err != nil || hints.StatusCode != http.StatusEarlyHints || hints.Header.Get("Link") == "" {
				t.Fatalf("mode %d: %v, %v", mode, hints, err)
			}
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := readAll(t, res.Body); got != `{"id":1}` || res.Header.Get("Link") != "" || mode != contract.Report && res.Trailer.Get("X-Sum") != "7" {
				t.Errorf("mode %d: %s, header %v, trailer %v", mode, got, res.Header, res.Trailer)
			}
		}()
		if found.Response != nil || found.NotJudged != "" {
			t.Errorf("mode %d: %+v", mode, found)
		}
	}
}

// A connection that the service takes over is not touched.
func TestConnectionsThatAreTakenOver(t *testing.T) {
	t.Parallel()
	for _, mode := range []contract.Mode{contract.Report, contract.Refuse} {
		h, _ := watched(t, mode, func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 299 Mine\r\nContent-Length: 0\r\n\r\n")
			_ = conn.Close()
		})
		server := httptest.NewServer(h)
		res, err := server.Client().Get(server.URL + "/items/1?shop=a")
		if err != nil || res.StatusCode != 299 {
			t.Errorf("mode %d: %v, %v", mode, res, err)
		}
		server.Close()
	}
}
