package monitoring_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// serve serves a sandbox, and its metrics on a listener of their own. A scrape waits until no request is in progress: a caller
// may have a whole response before its handler has returned and counted it.
func serve(t testing.TB, c server.Config) (s *servertest.Server, srv *server.Server, scrape func() exposition) {
	t.Helper()
	c.Database = servertest.Database(t)
	s, srv = servertest.Serve(t, c)
	s.Database = c.Database
	t.Cleanup(func() { srv.Close() })
	web := httptest.NewServer(srv.MetricsHandler())
	t.Cleanup(web.Close)
	return s, srv, func() exposition {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); ; {
			status, text := get(t, web.URL+"/metrics")
			if status != http.StatusOK {
				t.Fatalf("/metrics answers %d: %s", status, text)
			}
			if len(text.nonzero(t, "payoutd_requests_in_flight")) == 0 || time.Now().After(deadline) {
				return text
			}
		}
	}
}

// get reads a page that is not part of the contract.
func get(t testing.TB, url string) (int, exposition) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, exposition(text)
}

// exposition is the text of a scrape.
type exposition string

// series returns the values of a metric by their labels.
func (m exposition) series(t testing.TB, name string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for line := range strings.Lines(string(m)) {
		labels, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		labels, ours := strings.CutPrefix(labels, name)
		if !ours || labels != "" && labels[0] != '{' {
			continue
		}
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		all[labels] = number
	}
	return all
}

// nonzero returns the values other than 0.
func (m exposition) nonzero(t testing.TB, name string) map[string]float64 {
	t.Helper()
	all := m.series(t, name)
	maps.DeleteFunc(all, func(_ string, value float64) bool { return value == 0 })
	return all
}

// wireCounts counts responses on the wire, for comparison with the metrics.
type wireCounts struct {
	next              http.RoundTripper
	mu                sync.Mutex
	requests, refused map[string]float64
	replays           float64
}

// countOnTheWire counts all responses to s.HTTP from now on.
func countOnTheWire(t testing.TB, s *servertest.Server) *wireCounts {
	t.Helper()
	seen := &wireCounts{requests: map[string]float64{}, refused: map[string]float64{}}
	operation := ""
	seen.next = s.Contract.Transport(s.HTTP.Transport, contract.Observe(func(e contract.Exchange) { operation = e.OperationID }))
	s.HTTP.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		seen.mu.Lock()
		defer seen.mu.Unlock()
		operation = ""
		resp, err := seen.next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		resp.Body = io.NopCloser(bytes.NewReader(text))
		if operation == "" {
			operation = "none"
		}
		seen.requests[fmt.Sprintf(`{method=%q,operation=%q,status="%d"}`, r.Method, operation, resp.StatusCode)]++
		var e api.Error
		if resp.StatusCode >= http.StatusBadRequest && json.Unmarshal(text, &e) == nil {
			seen.refused[fmt.Sprintf(`{code=%q,operation=%q}`, e.Code, operation)]++
		}
		if resp.Header.Get("Idempotent-Replayed") == "true" {
			seen.replays++
		}
		return resp, nil
	})
	return seen
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// After a payout, replays, and hundreds of errors, each counter is what was counted on the wire. The text follows the rules
// of Prometheus, and has no value of a request.
func TestMetricsCountWhatWasDone(t *testing.T) {
	t.Parallel()
	s, _, scrape := serve(t, server.Config{})
	seen := countOnTheWire(t, s)
	payOutCanaries(t, s)
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	before := scrape().series(t, "payoutd_transactions_created_total")
	for _, amount := range []string{"10", "10.00", "10", "11"} { // one creation, two replays, one rejection
		servertest.Send(t, s.Client, sender.ID, canaryWord, servertest.Deposit(t, sender, receiver, amount))
	}
	for range 2 { // a replay of a user
		servertest.Call(t, s, http.MethodPost, "/users", []byte(servertest.Registration.With()), servertest.IdempotencyKey, "a user")
	}
	servertest.Send(t, s.Client, sender.ID, "", servertest.Pickup(t, sender, receiver.ID, servertest.CashPayer, "10"))
	refuseCanaries(t, s)
	restore := servertest.Lose(t, s, "users")
	refuseCanaries(t, s)
	restore()
	for _, op := range s.Contract.Operations() {
		servertest.Nowhere().Send(t, s, op, "X-Client-Secret", "wrong")
	}
	servertest.Call(t, s, http.MethodHead, "/payers", nil)
	servertest.Call(t, s, http.MethodDelete, "/payers", nil)
	servertest.Call(t, s, http.MethodGet, "/openapi.json", nil, "Accept-Encoding", "gzip, br;q=0.5")
	text := scrape()

	if got := text.series(t, "payoutd_requests_total"); !maps.Equal(got, seen.requests) {
		wantSeries(t, got, seen.requests)
	}
	if got := text.series(t, "payoutd_requests_refused_total"); !maps.Equal(got, seen.refused) {
		wantSeries(t, got, seen.refused)
	}
	if got := text.series(t, "payoutd_idempotent_replays_total")[""]; got != 3 || seen.replays != 3 {
		t.Errorf("%g replays counted, %g on the wire, want 3", got, seen.replays)
	}
	created := text.series(t, "payoutd_transactions_created_total")
	for method, want := range map[string]float64{"BANK_DEPOSIT": 1, "WALLET": 0, "CASH_PICKUP": 1, "HOME_DELIVERY": 0} {
		labels := fmt.Sprintf("{payout_method=%q}", method)
		if got := created[labels] - before[labels]; got != want || len(created) != 4 {
			t.Errorf("%g transactions of %s, want %g, in %v", got, method, want, created)
		}
	}
	var timed, requests float64
	for _, n := range text.series(t, "payoutd_request_duration_seconds_count") {
		timed += n
	}
	for _, n := range seen.requests {
		requests += n
	}
	if timed != requests || requests < 200 {
		t.Errorf("%g requests of %g were timed, 200 were meant to be", timed, requests)
	}
	if got := text.series(t, "payoutd_requests_in_flight")[""]; got != 0 {
		t.Errorf("%g requests are in flight", got)
	}
	lint(t, text)
	secrets := []string{
		canaryWord, canaryMail, canaryNumber, canaryAddress, canaryDate, canaryContent, "Example", sender.ID.String(), receiver.ID.String(),
		server.SandboxClients[0].Secret, strings.TrimPrefix(s.Database, "sqlite:"),
	}
	for _, secret := range secrets {
		if strings.Contains(strings.ToLower(string(text)), strings.ToLower(secret)) {
			t.Errorf("%q turns up", secret)
		}
	}
}

func wantSeries(t testing.TB, got, want map[string]float64) {
	t.Helper()
	for _, labels := range slices.Sorted(maps.Keys(got)) {
		if got[labels] != want[labels] {
			t.Errorf("%s is %g, want %g", labels, got[labels], want[labels])
		}
	}
	for _, labels := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[labels]; !ok {
			t.Errorf("%s is not there, want %g", labels, want[labels])
		}
	}
}

// lint checks names, types and help with the linter of Prometheus.
func lint(t testing.TB, text exposition) {
	t.Helper()
	problems, err := promlint.New(strings.NewReader(string(text))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	for line := range strings.Lines(string(text)) {
		name, ours := strings.CutPrefix(line, "# HELP ")
		if ours && !strings.HasPrefix(name, "payoutd_") && !strings.HasPrefix(name, "go_") && !strings.HasPrefix(name, "process_") {
			t.Errorf("%s has another prefix", name)
		}
	}
}

// D-08: each violation is counted by its operation and place.
func TestMetricsCountViolations(t *testing.T) {
	t.Parallel()
	s, _, scrape := serve(t, server.Config{})
	servertest.Call(t, s, http.MethodPost, "/users", []byte(`{"first_name":1,"email":"x","unknown":1,"country":"US"}`)).
		Refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
	servertest.Call(t, s, http.MethodGet, "/payers?country=x&unknown=1", nil).Refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
	servertest.Call(t, s, http.MethodGet, "/payers/x", nil).Refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
	servertest.Call(t, s, http.MethodGet, "/payers", nil)
	want := map[string]float64{
		`{in="body",operation="createUser"}`: 3, `{in="query",operation="listPayers"}`: 2, `{in="path",operation="getPayer"}`: 1,
	}
	if got := scrape().series(t, "payoutd_contract_violations_total"); !maps.Equal(got, want) {
		wantSeries(t, got, want)
	}
}

// D-28: rate-limited requests are counted by client.
func TestMetricsCountRateLimitedRequests(t *testing.T) {
	t.Parallel()
	s, _, scrape := serve(t, server.Config{RateLimit: 1})
	want := map[string]float64{}
	for want[`{client="sandbox"}`] < 3 {
		if servertest.Call(t, s, http.MethodGet, "/payers", nil).Status == http.StatusTooManyRequests {
			want[`{client="sandbox"}`]++
		}
		servertest.Call(t, s, http.MethodGet, "/payers", nil, "X-Client-Id", canaryWord)
	}
	if got := scrape().series(t, "payoutd_rate_limited_total"); !maps.Equal(got, want) {
		wantSeries(t, got, want)
	}
}

// D-58: requests whose credentials were not accepted are counted by what became of them.
func TestMetricsCountWrongCredentials(t *testing.T) {
	t.Parallel()
	s, _, scrape := serve(t, server.Config{FailureLimit: 3, Now: func() time.Time { return time.Unix(0, 0) }, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	servertest.Call(t, s, http.MethodGet, "/payers", nil) // a success is not counted
	wrong := func(n int, headers ...string) {
		for range n {
			servertest.Call(t, s, http.MethodGet, "/payers", nil, append([]string{"X-Client-Secret", canaryWord}, headers...)...)
		}
	}
	wrong(5, "X-Forwarded-For", "203.0.113.1") // 3 unauthorized, 2 beyond the limit of the address
	wrong(1, "X-Client-Id", "")                // no id
	for i := range 4 {                         // the first failure of each; the client id has had one
		wrong(1, "X-Forwarded-For", "203.0.113."+strconv.Itoa(i+2))
	}
	want := map[string]float64{`{result="unauthorized"}`: 6, `{result="address_limited"}`: 2, `{result="client_limited"}`: 2}
	if got := scrape().series(t, "payoutd_authentication_failures_total"); !maps.Equal(got, want) {
		wantSeries(t, got, want)
	}
}

// Callers cannot add series.
func TestMetricsAreBounded(t *testing.T) {
	t.Parallel()
	s, _, scrape := serve(t, server.Config{})
	invent := func(i int) {
		made := canaryWord + strconv.Itoa(i)
		servertest.Call(t, s, http.MethodGet, "/"+made+"?"+made, nil)
		servertest.Call(t, s, made, "/payers", nil, "X-Client-Id", made)
		servertest.Call(t, s, http.MethodGet, "/payers/"+made, nil, "User-Agent", made)
		servertest.Call(t, s, http.MethodGet, "/payers?"+made+"="+made, nil)
		servertest.Call(t, s, http.MethodGet, "/payers", nil, "X-Client-Id", made)
	}
	ours := func() (n int) {
		for line := range strings.Lines(string(scrape())) {
			if strings.HasPrefix(line, "payoutd_") {
				n++
			}
		}
		return n
	}
	invent(0)
	before := ours()
	for i := range 20 {
		invent(i + 1)
	}
	if after := ours(); after != before {
		t.Errorf("%d series became %d", before, after)
	}
	if got := scrape().series(t, "payoutd_requests_total")[`{method="other",operation="none",status="405"}`]; got != 21 {
		t.Errorf("%g requests of other methods, want 21", got)
	}
}

// The metrics of the store: connection pools, and failures by kind.
func TestMetricsOfTheStore(t *testing.T) {
	t.Parallel()
	s, srv, scrape := serve(t, server.Config{})
	pools := []string{`{pool="writer"}`, `{pool="reader"}`}
	if servertest.OnPostgreSQL(t) {
		pools = []string{`{pool="shared"}`}
	}
	var text exposition
	servertest.Await(t, 30*time.Second, "connections stay in use", func() bool { // events and webhooks use some for a moment
		text = scrape()
		return !slices.ContainsFunc(pools, func(pool string) bool { return text.series(t, "payoutd_store_connections_in_use")[pool] != 0 })
	})
	for _, name := range []string{"max", "open", "in_use", "idle"} {
		got := text.series(t, "payoutd_store_connections_"+name)
		for _, pool := range pools {
			value, ok := got[pool]
			if !ok || len(got) != len(pools) || name == "max" && value < 1 {
				t.Errorf("%s of %s is %g, in %v", name, pool, value, got)
			}
		}
	}
	for _, name := range []string{"waits_total", "wait_seconds_total"} {
		if got := text.series(t, "payoutd_store_connection_"+name); len(got) != len(pools) {
			t.Errorf("%s has %v, want %v", name, got, pools)
		}
	}
	failures := func(want map[string]float64) {
		t.Helper()
		if got := scrape().series(t, "payoutd_store_failures_total"); !maps.Equal(got, want) {
			wantSeries(t, got, want)
		}
	}
	failures(map[string]float64{`{kind="unavailable"}`: 0, `{kind="conflict"}`: 0, `{kind="other"}`: 0})
	restore := servertest.Lose(t, s, "payers")
	servertest.WantInternalError(t, servertest.Call(t, s, http.MethodGet, "/payers", nil))
	restore()
	failures(map[string]float64{`{kind="unavailable"}`: 0, `{kind="conflict"}`: 0, `{kind="other"}`: 1})
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	unavailable := func() float64 { return scrape().series(t, "payoutd_store_failures_total")[`{kind="unavailable"}`] }
	closed := unavailable()
	for range 5 {
		servertest.WantUnavailable(t, servertest.Call(t, s, http.MethodGet, "/payers", nil))
	}
	if got := unavailable() - closed; got < 5 || got > 7 { // a scrape counts the events that wait, which fails too
		t.Errorf("%g failures of 5 requests", got)
	}
}

// Build information, and the metrics of the Go runtime and the process.
func TestMetricsOfTheProgram(t *testing.T) {
	t.Parallel()
	_, srv, scrape := serve(t, server.Config{})
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	info, engine := srv.Info(), "sqlite"
	if servertest.OnPostgreSQL(t) {
		engine = "postgres"
	}
	if info.Contract != document.Info.Version || info.Engine != engine || info.Version == "" {
		t.Errorf("runs %+v, want contract %s on %s", info, document.Info.Version, engine)
	}
	text := scrape()
	want := map[string]float64{fmt.Sprintf(`{contract=%q,engine=%q,version=%q}`, info.Contract, info.Engine, info.Version): 1}
	if got := text.series(t, "payoutd_build_info"); !maps.Equal(got, want) {
		t.Errorf("build info is %v, want %v", got, want)
	}
	for _, name := range []string{"go_goroutines", "process_start_time_seconds"} {
		if len(text.nonzero(t, name)) != 1 {
			t.Errorf("no %s", name)
		}
	}
}

// Section 4: the public listener has no metrics, and that of the metrics has nothing else.
func TestMetricsHaveAListenerOfTheirOwn(t *testing.T) {
	t.Parallel()
	s, srv, _ := serve(t, server.Config{})
	servertest.Call(t, s, http.MethodGet, "/metrics", nil).Refusal(t, http.StatusNotFound, api.ErrorCodeNotFound)
	servertest.Call(t, s, http.MethodGet, "/metrics", nil, servertest.WithoutCredentials...).Refusal(t, http.StatusNotFound, api.ErrorCodeNotFound)
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{http.MethodGet, "/metrics", http.StatusOK}, {http.MethodHead, "/metrics", http.StatusOK},
		{http.MethodPost, "/metrics", http.StatusMethodNotAllowed}, {http.MethodGet, "/", http.StatusNotFound},
		{http.MethodGet, "/payers", http.StatusNotFound}, {http.MethodGet, "/docs", http.StatusNotFound},
	} {
		w := httptest.NewRecorder()
		srv.MetricsHandler().ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.status {
			t.Errorf("%s %s answers %d, want %d", c.method, c.path, w.Code, c.status)
		}
	}
}
