package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// call sends a request as a program does, with the first client's credentials unless others are given.
func call(t *testing.T, s *servertest.Server, method, path, body string, headers ...string) http.Header {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Client-Id", server.SandboxClients[0].ID)
	r.Header.Set("X-Client-Secret", server.SandboxClients[0].Secret)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.Header
}

// The page of requests says what was asked and why it was refused, and nothing of what was in it.
func TestRequestsHaveNothingPersonal(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	const (
		secret = "wrong-secret-4711"
		email  = "zelda@example.com"
		name   = "Zelda"
	)
	body := fmt.Sprintf(`{"first_name":%q,"email":%q,"country":"US"}`, name, email)
	call(t, s, http.MethodPost, "/users", body, "X-Idempotency-Key", "order-4711")
	refused := call(t, s, http.MethodPost, "/users", `{"first_name":"Zelda","email":"no email","country":"US"}`)
	call(t, s, http.MethodGet, "/users?email="+email, "")
	call(t, s, http.MethodGet, "/users/"+email, "")
	call(t, s, http.MethodGet, "/nowhere/"+email, "")
	call(t, s, http.MethodGet, "/users", "", "X-Client-Secret", secret)
	b := open(t, s)
	b.visit(sandbox + "/requests")
	b.shows(http.StatusOK, "POST /users", "key order-4711", "200", "400 BAD_REQUEST", "body /email", "/users/{user_id}", "no path of the contract", "401 UNAUTHORIZED",
		refused.Get("X-Request-Id"))
	for _, leaked := range []string{secret, "sandbox-secret", email, "zelda", name, "no email", "?"} {
		if strings.Contains(b.text(), leaked) {
			t.Errorf("the page shows %q: %s", leaked, b.text())
		}
	}
	if newest, oldest := strings.Index(b.text(), "401"), strings.Index(b.text(), "key order-4711"); newest > oldest {
		t.Error("the newest request is not the first")
	}
}

// What the console reads for its pages is not among the requests; what its buttons do is.
func TestReadsOfTheConsoleAreNotKept(t *testing.T) {
	t.Parallel()
	b := open(t, servertest.New(t))
	b.visit(sandbox + "/payouts")
	b.visit(sandbox + "/requests")
	b.shows(http.StatusOK, "No requests yet")
	b.create(b.demo())
	b.visit(sandbox + "/requests")
	b.shows(http.StatusOK, "by this console", "POST /users", "/transactions")
	if strings.Contains(b.text(), "GET ") {
		t.Errorf("a read is kept: %s", b.text())
	}
}

// The last 200 requests are kept, on pages.
func TestRequestsAreBounded(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	const short = "/payers/1001" // a long answer arrives before its request is kept
	first := call(t, s, http.MethodGet, short, "").Get("X-Request-Id")
	second := call(t, s, http.MethodGet, short, "").Get("X-Request-Id")
	for range 199 {
		call(t, s, http.MethodGet, short, "")
	}
	b := open(t, s)
	b.visit(sandbox + "/requests")
	b.shows(http.StatusOK, "Page 1 of 8", "Older")
	if size := len(b.page); size > 50_000 {
		t.Errorf("the page has %d bytes", size)
	}
	b.visit(sandbox + "/requests?page=8")
	b.shows(http.StatusOK, second)
	b.visit(sandbox + "/requests?id=" + first)
	b.shows(http.StatusOK, "No requests yet")
}

// One text leads to the page of what it identifies, or to a list if there are several things.
func TestSearch(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	form := b.demo()
	b.create(form, "client_reference", "order-4711", "key", "key-4711")
	page := b.path
	sender, payout := b.ids()
	here := sandbox + "/users/" + sender.String()
	ctx, c := t.Context(), sdk(t, s, 0)
	events, err := c.ListEvents(ctx, &api.ListEventsParams{Type: new(api.EventTypeTransactionCreated)})
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := c.CreateWebhookEndpoint(ctx, api.WebhookEndpointRequest{URL: "http://127.0.0.1:9/hook"})
	if err != nil {
		t.Fatal(err)
	}
	to := strings.Split(form.Get("to"), "/")
	request := b.first(`<code>POST</code> createTransaction.*?requests\?id=([^"]+)"`)
	for name, search := range map[string]struct{ text, leads string }{
		"payout":           {payout.String(), page},
		"payout, in upper": {strings.ToUpper(payout.String()), page},
		"reference":        {"order-4711", page},
		"key":              {"key-4711", page},
		"request":          {request, page},
		"event":            {events.Items[0].ID.String(), page},
		"user":             {sender.String(), here},
		"email":            {"asha@example.com", here},
		"endpoint":         {endpoint.ID.String(), sandbox + "/webhooks/" + endpoint.ID.String()},
		"with spaces":      {"  order-4711 ", page},
	} {
		for _, from := range []string{"sandbox", "sandbox-2"} {
			b.visit("/console/" + from + "/search?q=" + strings.ReplaceAll(search.text, " ", "+"))
			if b.path != search.leads || b.status != http.StatusOK {
				t.Errorf("%s, as %s, leads to %s with %d, want %s: %s", name, from, b.path, b.status, search.leads, b.text())
			}
		}
	}
	for _, id := range []string{form.Get("from_fund_id"), to[2], to[3]} { // funding account, payee, account of the payee
		b.visit("/console/sandbox-2/search?q=" + id)
		b.shows(http.StatusOK, "Payout, INITIATED", "waits for the operator to release it", "The user is VERIFIED")
	}
	b.visit(sandbox + "/search?q=" + uuid.NewString())
	b.shows(http.StatusOK, "Nothing found")
	b.shows(http.StatusOK, "known here only for requests that this process remembers", "payoutd find")
	b.visit(sandbox + "/search?q=" + strings.Repeat("x", 300))
	b.shows(http.StatusOK, "Nothing found")
}
