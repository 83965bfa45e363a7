package server_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// logLine is what a test reads of a line of the log.
type logLine struct {
	Message   string `json:"msg"`
	RequestID string `json:"request_id"`
	Operation string `json:"operation"`
	Status    int    `json:"status"`
	Client    string `json:"client"`
}

// logServer starts a server that logs everything into a text; read it with logLines once the server is stopped.
func logServer(t testing.TB) (*servertest.Server, *bytes.Buffer) {
	t.Helper()
	var text bytes.Buffer
	handler := slog.NewJSONHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})
	return servertest.New(t, func(c *server.Config) { c.Logger = slog.New(handler) }), &text
}

// logLines gives the lines of the requests.
func logLines(t testing.TB, text []byte) []logLine {
	t.Helper()
	var lines []logLine
	for line := range bytes.Lines(text) {
		var l logLine
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("line %s: %v", line, err)
		}
		if l.Message == "request" {
			lines = append(lines, l)
		}
	}
	return lines
}

// Each request, refused or not, has one line in the log, which the id in its answer leads to.
func TestLogHasOneLineForEachRequest(t *testing.T) {
	t.Parallel()
	s, text := logServer(t)
	w := isolationNew(t, s.Client)
	first, second := server.SandboxClients[0], server.SandboxClients[1]
	var want []logLine
	add := func(operation, client string, a answer) {
		want = append(want, logLine{"request", a.header.Get("X-Request-Id"), operation, a.status, client})
	}
	for _, op := range s.Contract.Operations() {
		add(op.ID, first.ID, w.send(t, s, op))
		add(op.ID, second.ID, w.send(t, s, op, asOther...))
		add(op.ID, "", w.send(t, s, op, "X-Client-Secret", "wrong"))
		add(op.ID, first.ID, call(t, s, op.Method, w.path(t, op)+"?&%zz", w.body(t, op)))
	}
	add("", "", call(t, s, http.MethodGet, "/nowhere", nil))
	add("", "", call(t, s, http.MethodDelete, "/payers", nil))
	for _, path := range []string{"/healthz", "/readyz", "/docs", "/openapi.yaml"} {
		add("", "", call(t, s, http.MethodGet, path, nil, withoutCredentials...))
	}
	add("listPayers", first.ID, call(t, s, http.MethodHead, "/payers", nil))
	restore := faultLose(t, s, "clients")
	add("listPayers", "", call(t, s, http.MethodGet, "/payers", nil))
	restore()
	s.Stop()
	lines := map[string][]logLine{}
	for _, l := range logLines(t, text.Bytes()) {
		lines[l.RequestID] = append(lines[l.RequestID], l)
	}
	for _, l := range want {
		if got := lines[l.RequestID]; l.RequestID == "" || !reflect.DeepEqual(got, []logLine{l}) {
			t.Errorf("lines %+v, want the one %+v", got, l)
		}
	}
}

// recorder keeps what every answer of a server tells: its id, and its body where it is an error.
type recorder struct {
	next   http.RoundTripper
	mu     sync.Mutex
	ids    []string
	errors []string
}

// RoundTrip implements http.RoundTripper.
func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	resp, err := r.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(text))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids = append(r.ids, resp.Header.Get("X-Request-Id"))
	if resp.StatusCode >= http.StatusBadRequest {
		r.errors = append(r.errors, string(text))
	}
	return resp, nil
}

// Values that are found wherever they turn up.
const (
	logWord    = "Canary"
	logToken   = "CANARY"
	logMail    = "canary@example.com"
	logNumber  = "8675309867"
	logAddress = "203.0.113.231"
	logDate    = "1971-07-23"
)

var logContent = base64.StdEncoding.EncodeToString([]byte("Canary document content"))

// D-08: neither the log nor an answer that refuses a request repeats a value of it: no name, address, number, document,
// secret or note, whatever goes wrong.
func TestLogAndRefusalsHoldNoPersonalData(t *testing.T) {
	t.Parallel()
	s, text := logServer(t)
	seen := &recorder{next: s.HTTP.Transport}
	s.HTTP.Transport = seen
	logPayout(t, s)
	accepted := len(seen.errors)
	if accepted != 0 {
		t.Fatalf("the payout was refused: %s", seen.errors)
	}
	logRefused(t, s)
	for _, table := range []string{"users", "clients"} {
		restore := faultLose(t, s, table)
		logRefused(t, s)
		restore()
	}
	s.Stop()
	if len(seen.errors) < 100 {
		t.Fatalf("%d requests were refused, 100 were meant to be", len(seen.errors))
	}
	where := slices.Concat(seen.errors, []string{text.String()})
	for _, canary := range []string{logWord, logMail, logNumber, logAddress, logDate, logContent, "Canary document content"} {
		for _, found := range where {
			if i := strings.Index(strings.ToLower(found), strings.ToLower(canary)); i >= 0 {
				t.Errorf("%q turns up in %.300s", canary, found[max(0, i-150):])
			}
		}
	}
	var logged []string
	for _, l := range logLines(t, text.Bytes()) {
		logged = append(logged, l.RequestID)
	}
	slices.Sort(logged)
	slices.Sort(seen.ids)
	if !slices.Equal(logged, seen.ids) {
		t.Errorf("%d lines for %d requests, want one of each", len(logged), len(seen.ids))
	}
}

// logUser is a registration full of canaries.
func logUser() badMembers {
	word := `"` + logWord + `"`
	return badMembers{
		"first_name": word, "last_name": word, "email": `"` + logMail + `"`, "gender": `"` + logToken + `"`,
		"date_of_birth": `"` + logDate + `"`, "address_line1": word, "mobile_phone": `"` + logNumber + `"`, "city": word,
		"zipcode": word, "state": `"CA"`, "country": `"US"`, "ip_address": `"` + logAddress + `"`, "type": `"SEND"`,
		"physical_documents": `[{"document_type":"STATE_ID","document_value":"data:image/png;base64,` + logContent + `"}]`,
		"virtual_documents":  `[{"document_type":"SSN","document_value":"` + logNumber + `","id_issuing_authority":` + word + `}]`,
	}
}

// logPayout runs a whole payout into a bank account and into a wallet.
func logPayout(t testing.TB, s *servertest.Server) {
	t.Helper()
	create := func(path, body string) (id string) {
		a := call(t, s, http.MethodPost, path, []byte(body), "X-Idempotency-Key", logWord+path)
		var created struct{ ID string }
		if err := json.Unmarshal(a.body, &created); err != nil || a.status != http.StatusOK {
			t.Fatalf("%s answers %d %s", path, a.status, a.body)
		}
		return created.ID
	}
	w := isolationWorld{"user_id": create("/users", logUser().with())}
	user := "/users/" + w["user_id"]
	create("/sandbox"+user+"/verification", `{"kyc_status":"VERIFIED"}`)
	w["funding_account_id"] = create(user+"/funding-accounts", `{"funding_source_type":"CANARY","label":"Canary"}`)
	create("/sandbox"+user+"/funding-accounts/"+w["funding_account_id"]+"/status", `{"status":"ACTIVE"}`)
	w["receive_user_id"] = create(user+"/receive-users", badMembers{
		"first_name": `"Canary"`, "last_name": `"Canary"`, "email": `"` + logMail + `"`, "mobile_phone": `"` + logNumber + `"`,
		"address_line1": `"Canary"`, "city": `"Canary"`, "state": `"P3"`, "zipcode": `"Canary"`, "country": `"NP"`,
	}.with())
	receiver := user + "/receive-users/" + w["receive_user_id"]
	bank := create(receiver+"/bank-accounts", `{"bank_id":2001,"account_number":"`+logNumber+`","currency":"NPR"}`)
	wallet := create(receiver+"/wallet-accounts", `{"payer_id":1004,"wallet_number":"`+logMail+`","currency":"NPR"}`)
	notes := `"note":"Canary","custom_purpose":"Canary","remittance_purpose":"Canary","purpose":"CANARY","ip_address":"` + logAddress +
		`","physical_documents":[{"document_type":"INVOICE","document_value":"data:application/pdf;base64,` + logContent + `"}],`
	create(user+"/transactions", "{"+notes+w.transfer("BANK_DEPOSIT", bank)[1:])
	for _, path := range []string{user, user + "/cip-info", user + "/transactions", user + "/receive-users", receiver + "/bank-accounts"} {
		if a := call(t, s, http.MethodGet, path, nil); a.status != http.StatusOK {
			t.Fatalf("%s answers %d %s", path, a.status, a.body)
		}
	}
	if a := call(t, s, http.MethodPost, user+"/transactions", []byte("{"+notes+w.transfer("WALLET", wallet)[1:])); a.status != http.StatusOK {
		t.Fatalf("wallet: %d %s", a.status, a.body)
	}
}

// logRefused sends requests full of canaries that are refused, each for something else.
func logRefused(t testing.TB, s *servertest.Server) {
	t.Helper()
	user, nowhere := logUser(), isolationNowhere()
	bodies := []string{
		user.with() + logWord, user.with()[:200], user.with("country", `"ZZ"`), user.with("country", `"FR"`), user.with("business", "true"),
		strings.ReplaceAll(user.with(), `"`, `'`), `"` + logMail + `"`, `["` + logMail + `"]`, "{}" + logMail, "\xff" + user.with(),
	}
	for name := range user {
		for _, wrong := range []string{
			"null", "true", `["Canary"]`, `{"x":"Canary"}`, `"Canary\u0000"`, `"` + strings.Repeat(logWord, 500) + `"`, logNumber + logNumber + logNumber,
		} {
			bodies = append(bodies, user.with(name, wrong))
		}
		bodies = append(bodies, fmt.Sprintf(`{%q:"Canary",`, name)+user.with()[1:])
	}
	for _, name := range []string{"email", "date_of_birth", "mobile_phone", "state", "country", "ip_address", "type"} {
		bodies = append(bodies, user.with(name, `"Canary `+logNumber+`"`))
	}
	for _, body := range bodies {
		if a := call(t, s, http.MethodPost, "/users", []byte(body)); a.status < http.StatusBadRequest {
			t.Fatalf("accepted: %s", body)
		}
	}
	call(t, s, http.MethodPost, "/users", []byte(user.with()), "Content-Type", "text/"+logWord)
	call(t, s, http.MethodPost, "/users", []byte(user.with()), "X-Client-Secret", logWord)
	call(t, s, http.MethodPost, "/users", []byte(user.with()), "X-Client-Id", logWord)
	for _, path := range []string{
		"/" + logWord, "/users/" + logMail, "/users/" + logWord + "/transactions", "/payers/" + logWord, "/payers?country=" + logWord,
		"/payers?country=NP&country=" + logWord, "/payers?payout_method=" + logWord, "/banks?country=" + logWord + "%zz",
		"/countries/" + logWord + "/states", "/countries/US/states/" + logWord, "/v2/states/" + logNumber, "/users/" + nowhere["user_id"] + "/" + logWord,
		"/users/" + nowhere["user_id"] + "/transactions?cursor=" + logWord, "/users/" + nowhere["user_id"] + "/transactions?limit=" + logNumber,
	} {
		call(t, s, http.MethodGet, path, nil)
	}
	transfer := nowhere.transfer("BANK_DEPOSIT", nowhere["bank"])
	for _, wrong := range []string{
		strings.Replace(transfer, "1.00", `"`+logNumber+`"`, 1), strings.Replace(transfer, "1.00", logNumber+".123456789012", 1),
		strings.Replace(transfer, "USD", logWord, 1), strings.Replace(transfer, "BANK_DEPOSIT", logToken, 1),
		strings.Replace(transfer, nowhere["bank"], logNumber, 1), strings.Replace(transfer, "{", `{"note":"Canary","purpose":"Canary",`, 1),
	} {
		call(t, s, http.MethodPost, "/users/"+nowhere["user_id"]+"/transactions", []byte(wrong), "X-Idempotency-Key", logWord)
	}
	call(t, s, http.MethodPost, "/users/"+nowhere["user_id"]+"/transactions", []byte(transfer), "X-Idempotency-Key", strings.Repeat(logWord, 100))
}
