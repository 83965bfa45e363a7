package server_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// faultTables are the tables that operations need after their client is known.
var faultTables = []string{
	"users", "cip_tags", "limit_usage", "funding_accounts", "receive_users", "bank_accounts", "wallet_accounts",
	"transactions", "documents", "idempotency_keys", "states", "payers", "banks",
}

// faultLose takes tables away, and gives what brings them back.
func faultLose(t testing.TB, s *servertest.Server, tables ...string) (restore func()) {
	t.Helper()
	db := s.Beside(t)
	rename := func(suffixNow, suffixThen string) {
		for _, table := range tables {
			faultRun(t, db, "alter table "+table+suffixNow+" rename to "+table+suffixThen)
		}
	}
	rename("", "_gone")
	return func() { rename("_gone", "") }
}

// faultRefusal fails the test unless the answer is an error that says nothing about the inside of the service.
func faultRefusal(t testing.TB, a answer, status int, code api.ErrorCode, message string) {
	t.Helper()
	e := a.refusal(t, status, code)
	if e.Message != message || e.Details != nil || e.RequestID == "" || e.RequestID != a.header.Get("X-Request-Id") {
		t.Errorf("answers %+v with X-Request-Id %q, want the message %q alone", e, a.header.Get("X-Request-Id"), message)
	}
	for _, inside := range slices.Concat(faultTables, []string{"sql", "table", "database", "clients", "_gone", ".go", ".db"}) {
		if strings.Contains(strings.ToLower(string(a.body)), inside) {
			t.Errorf("the answer tells about %q: %s", inside, a.body)
		}
	}
}

func faultInternal(t testing.TB, a answer) {
	t.Helper()
	faultRefusal(t, a, http.StatusInternalServerError, api.ErrorCodeInternalError, "Something went wrong on our side.")
}

func faultUnavailable(t testing.TB, a answer) {
	t.Helper()
	faultRefusal(t, a, http.StatusServiceUnavailable, api.ErrorCodeServiceUnavailable, "The service is not available at the moment.")
	if got := a.header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After is %q, want 1", got)
	}
}

// Every operation answers 200 to a request without fault, so that what follows is due to the faults.
func TestFaultlessRequestsAreAnswered(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := isolationNew(t, s.Client)
	for _, op := range s.Contract.Operations() {
		t.Run(op.ID, func(t *testing.T) {
			if a := w.send(t, s, op); a.status != http.StatusOK {
				t.Errorf("status %d: %s", a.status, a.body)
			}
		})
	}
}

// D-08: a damaged database answers 500 on every operation, without its own words, and answers again once repaired.
func TestFaultOfTheDatabase(t *testing.T) {
	t.Parallel()
	for name, tables := range map[string][]string{
		"before the client is known": {"clients"}, "after the client is known": faultTables,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := servertest.New(t)
			w := isolationNew(t, s.Client)
			restore := faultLose(t, s, tables...)
			for _, op := range s.Contract.Operations() {
				t.Run(op.ID, func(t *testing.T) { faultInternal(t, w.send(t, s, op)) })
			}
			restore()
			for _, op := range s.Contract.Operations() {
				t.Run(op.ID+" repaired", func(t *testing.T) {
					if a := w.send(t, s, op); a.status != http.StatusOK {
						t.Errorf("status %d: %s", a.status, a.body)
					}
				})
			}
		})
	}
}

// Documents are read to be shown, and by no operation that shows none.
func TestFaultOfDocumentsKeepsToWhatShowsThem(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := isolationNew(t, s.Client)
	faultLose(t, s, "documents")
	shows := []string{"getUser", "getTransaction", "listTransactions"}
	for _, op := range s.Contract.Operations() {
		t.Run(op.ID, func(t *testing.T) {
			a := w.send(t, s, op)
			if slices.Contains(shows, op.ID) {
				faultInternal(t, a)
			} else if a.status != http.StatusOK {
				t.Errorf("status %d: %s", a.status, a.body)
			}
		})
	}
}

// A row that cannot be read is a fault like any other.
func TestFaultOfARow(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := isolationNew(t, s.Client)
	faultRun(t, s.Beside(t), `update users set profile = '{"first_name":'`)
	faultInternal(t, call(t, s, http.MethodGet, "/users/"+w["user_id"], nil))
}

// faultServe serves a sandbox from a handler, which goes on when the service behind it is closed.
func faultServe(t testing.TB, c server.Config) (*servertest.Server, *server.Server) {
	t.Helper()
	c.Sandbox = true
	srv, err := server.New(t.Context(), c)
	if err != nil {
		t.Fatalf("start server: %v", err)
	}
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(web.Close)
	s := &servertest.Server{URL: web.URL, Contract: servertest.Contract(t)}
	s.HTTP = &http.Client{Transport: servertest.Checked(t, s.Contract, web.Client().Transport)}
	s.Client = s.As(t, server.SandboxClients[0].ID, server.SandboxClients[0].Secret)
	return s, srv
}

// D-08: while the store is away every operation answers 503 and when to come back; /readyz tells so, and /healthz stays.
func TestFaultOfAStoreThatIsAway(t *testing.T) {
	t.Parallel()
	s, srv := faultServe(t, server.Config{Database: servertest.Database(t)})
	w := isolationNew(t, s.Client)
	page := func(path string, status int, body string) {
		t.Helper()
		resp, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text := make([]byte, 100)
		n, _ := resp.Body.Read(text)
		if resp.StatusCode != status || string(text[:n]) != body {
			t.Errorf("%s answers %d %q, want %d %q", path, resp.StatusCode, text[:n], status, body)
		}
	}
	page("/readyz", http.StatusOK, "ready\n")
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	for _, op := range s.Contract.Operations() {
		t.Run(op.ID, func(t *testing.T) { faultUnavailable(t, w.send(t, s, op)) })
	}
	page("/readyz", http.StatusServiceUnavailable, "not ready\nThe database does not answer.\n")
	page("/healthz", http.StatusOK, "ok\n")
}

// A request that takes longer than the service gives it answers 503 on every operation.
func TestFaultOfTime(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.Timeout = time.Nanosecond })
	for _, op := range s.Contract.Operations() {
		t.Run(op.ID, func(t *testing.T) { faultUnavailable(t, isolationNowhere().send(t, s, op)) })
	}
}

// D-16: a creation that failed with 500 used up neither its key nor the limit, and left nothing behind. The same key
// succeeds once after the repair, and is replayed from then on.
func TestFaultDuringACreationUsesUpNoKey(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"clients", "users", "payers", "transactions", "documents", "cip_tags", "limit_usage", "idempotency_keys"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			s := servertest.New(t)
			sender := servertest.NewSender(t, s.Client)
			receiver := servertest.NewReceiver(t, s.Client, sender.ID)
			body := servertest.Pickup(t, sender, receiver.ID, servertest.CashPayer, "100")
			body.PhysicalDocuments = []api.TransactionDocumentRequest{
				{DocumentType: "INVOICE", DocumentValue: "data:image/png;base64,iVBORw0KGgo="},
			}
			watch := badWatch{s.Beside(t)}
			restore := faultLose(t, s, table)
			watch.unchanged(t, func() {
				if r := servertest.Send(t, s.Client, sender.ID, "key", body); r.StatusCode() != http.StatusInternalServerError {
					t.Fatalf("status %d: %s", r.StatusCode(), r.Body)
				}
			})
			restore()
			faultCreatesOnce(t, s, sender, body)
		})
	}
}

// The same after a 503: the store went away, and came back with the next start.
func TestFaultOfAStoreThatIsAwayUsesUpNoKey(t *testing.T) {
	t.Parallel()
	config := server.Config{Database: servertest.Database(t)}
	before, srv := faultServe(t, config)
	sender := servertest.NewSender(t, before.Client)
	receiver := servertest.NewReceiver(t, before.Client, sender.ID)
	body := servertest.Deposit(t, sender, receiver, "100")
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	if r := servertest.Send(t, before.Client, sender.ID, "key", body); r.StatusCode() != http.StatusServiceUnavailable {
		t.Fatalf("status %d: %s", r.StatusCode(), r.Body)
	}
	after, srv := faultServe(t, config)
	t.Cleanup(func() { _ = srv.Close() })
	faultCreatesOnce(t, after, sender, body)
}

// faultCreatesOnce sends a transaction of 100 USD twice with the key "key", and finds one.
func faultCreatesOnce(t testing.TB, s *servertest.Server, sender servertest.Sender, body api.TransactionRequest) {
	t.Helper()
	var ids []uuid.UUID
	for _, replayed := range []string{"", "true"} {
		r := servertest.Send(t, s.Client, sender.ID, "key", body)
		ids = append(ids, servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, nil).ID)
		if got := r.HTTPResponse.Header.Get("Idempotent-Replayed"); got != replayed {
			t.Errorf("Idempotent-Replayed is %q, want %q", got, replayed)
		}
	}
	list, err := s.Client.ListTransactionsWithResponse(t.Context(), sender.ID, nil)
	items := servertest.OK(t, list.StatusCode(), list.Body, list.JSON200, err).Items
	if len(items) != 1 || items[0].ID != ids[0] || ids[0] != ids[1] {
		t.Errorf("created %v, listed %d", ids, len(items))
	}
	limit, err := s.Client.GetTransactionLimitWithResponse(t.Context(), sender.ID,
		&api.GetTransactionLimitParams{Destination: servertest.DestinationCountry})
	left := servertest.OK(t, limit.StatusCode(), limit.Body, limit.JSON200, err).RemainingLimit
	if got := left.DailyLimit.String(); got != "900.00" {
		t.Errorf("remaining daily limit %s, want 900.00", got)
	}
}

// D-28: beyond its burst a client is told 429 and how long to wait, on every operation. Neither another client nor a
// caller with wrong credentials shares its bucket.
func TestFaultOfTooManyRequests(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.RateLimit = 1 })
	for range 2 { // the burst
		if a := call(t, s, http.MethodGet, "/payers", nil); a.status != http.StatusOK {
			t.Fatalf("status %d within the burst: %s", a.status, a.body)
		}
	}
	for _, op := range s.Contract.Operations() {
		t.Run(op.ID, func(t *testing.T) {
			w := isolationNowhere()
			for range 100 {
				a := w.send(t, s, op)
				if a.status != http.StatusTooManyRequests {
					continue
				}
				faultRefusal(t, a, http.StatusTooManyRequests, api.ErrorCodeRateLimited, "Too many requests.")
				if wait, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || wait < 1 {
					t.Errorf("Retry-After is %q, want at least 1 second", a.header.Get("Retry-After"))
				}
				return
			}
			t.Error("100 requests at once were let through")
		})
	}
	payers := func(headers ...string) answer { return call(t, s, http.MethodGet, "/payers", nil, headers...) }
	for range 10 {
		payers("X-Client-Id", server.SandboxClients[1].ID).refusal(t, http.StatusUnauthorized, api.ErrorCodeUnauthorized)
	}
	if a := payers(asOther...); a.status != http.StatusOK {
		t.Errorf("the other client got status %d: %s", a.status, a.body)
	}
}

// D-08: the codes that the service can answer are those of the contract, no more and no fewer.
func TestFaultCodesAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	var declared, emitted []string
	for _, code := range document.Components.Schemas["ErrorCode"].Value.Enum {
		declared = append(declared, code.(string))
	}
	for _, code := range payout.Codes() {
		emitted = append(emitted, string(code))
	}
	slices.Sort(declared)
	slices.Sort(emitted)
	if !slices.Equal(declared, emitted) {
		t.Errorf("emitted %v\ndeclared %v", emitted, declared)
	}
}
