//go:build linux

package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server"
)

// person is a sender with accounts and a receiver, in whose name requests are sent. It is replaced after some hundred
// requests, so that no list grows without end.
type person struct {
	base string
	http *http.Client
	rand *rand.Rand
	ids  map[string]string // path parameters and accounts
	key  string            // of the last transaction
	left int               // requests until it is replaced
}

// caller sends mixed requests, one after the other.
type caller struct{ person }

func newCaller(base string, transport *http.Client, number uint64) *caller {
	return &caller{person{base: base, http: transport, rand: rand.New(rand.NewPCG(number, 1))}}
}

// document is a copy of a document, as a data URI of this size.
func document(size int) string {
	return "data:image/png;base64," + strings.Repeat("iVBORw0KGgoAAAAN", size/16)
}

// request is one of the mixture: how often it is sent, its body if it has one, and the status that it must get.
type request struct {
	weight       int
	method, path string
	body         func(p *person) string
	status       int
	// into is the id in which that of the response is kept.
	into string
	// again sends the key of the last transaction.
	again bool
}

// mixture has every operation of a client's day, with what it does wrong. Wrong secrets are sent apart, because payoutd limits
// them.
var mixture = []request{
	{30, "POST", "/users/{user}/transactions", (*person).transaction, 200, "transaction", false},
	{5, "POST", "/users/{user}/transactions", (*person).transaction, 200, "transaction", true},
	{20, "GET", "/users/{user}/transactions/{transaction}", nil, 200, "", false},
	{10, "GET", "/users/{user}/transactions?limit=50", nil, 200, "", false},
	{10, "GET", "/users/{user}", nil, 200, "", false},
	{10, "GET", "/users/{user}/transaction-limit?destination=NP", nil, 200, "", false},
	{5, "GET", "/users/{user}/cip-info", nil, 200, "", false},
	{5, "GET", "/users/{user}/receive-users", nil, 200, "", false},
	{5, "GET", "/payers?country=NP", nil, 200, "", false},
	{3, "GET", "/banks?country=NP", nil, 200, "", false},
	{3, "POST", "/users/{user}/receive-users", (*person).receiveUser, 200, "", false},
	{3, "POST", "/users/{user}/receive-users/{receiver}/bank-accounts", (*person).bankAccount, 200, "", false},
	{3, "POST", "/users/{user}/transactions", (*person).unknownMember, 400, "", false},
	{3, "GET", "/users/00000000-0000-4000-8000-000000000000", nil, 404, "", false},
	{2, "POST", "/users/{user}/transactions", (*person).tooMuch, 422, "", false},
	{1, "POST", "/users", (*person).withDocuments, 200, "", false},
}

func (p *person) fill(text string) string {
	for name, id := range p.ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

func (p *person) transaction() string {
	return p.fill(`{"from_amount":0.01,"exchange_rate":132.25,"from_currency":"USD","to_currency":"NPR","from_fund_id":"{fund}",` +
		`"note":"For the school","to":{"id":"{receiver}","fund_id":"{bank}","payout_method":"BANK_DEPOSIT"}}`)
}

func (p *person) tooMuch() string { return strings.Replace(p.transaction(), "0.01", "90000.00", 1) }

func (p *person) unknownMember() string { return strings.Replace(p.transaction(), "note", "notice", 1) }

func (*person) receiveUser() string {
	return `{"first_name":"Bina","last_name":"Example","country":"NP","city":"Kathmandu","address_line1":"3 Sample Road"}`
}

func (p *person) bankAccount() string {
	return fmt.Sprintf(`{"bank_id":2001,"account_number":"%010d","currency":"NPR"}`, p.rand.IntN(1_000_000_000))
}

func (*person) withDocuments() string {
	return fmt.Sprintf(`{"first_name":"Asha","last_name":"Example","email":"asha@example.com","country":"US","type":"SEND",`+
		`"physical_documents":[{"document_type":"STATE_ID","document_value":%q}]}`, document(256<<10))
}

// outcome is a response.
type outcome struct {
	status int
	body   []byte
}

// send sends a request with a secret, and with a key if there is one.
func (p *person) send(ctx context.Context, method, path, body, secret, key string) (outcome, error) {
	r, err := http.NewRequestWithContext(ctx, method, p.base+p.fill(path), strings.NewReader(body))
	if err != nil {
		return outcome{}, err
	}
	r.Header.Set("X-Client-Id", server.SandboxClients[0].ID)
	r.Header.Set("X-Client-Secret", secret)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("X-Idempotency-Key", key)
	}
	response, err := p.http.Do(r)
	if err != nil {
		return outcome{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return outcome{response.StatusCode, text}, err
}

// next sends one request of the mixture, and returns an error for an unexpected response.
func (c *caller) next(ctx context.Context) error {
	if c.left--; c.left < 0 {
		return c.register(ctx)
	}
	total := 0
	for _, r := range mixture {
		total += r.weight
	}
	at := c.rand.IntN(total)
	for _, r := range mixture {
		if at -= r.weight; at < 0 {
			return c.expect(ctx, r)
		}
	}
	return nil
}

// expect sends a request and checks its status.
func (c *caller) expect(ctx context.Context, r request) error {
	body := ""
	if r.body != nil {
		body = r.body(&c.person)
	}
	key := ""
	switch {
	case r.again:
		key = c.key
	case r.method == http.MethodPost && !strings.HasPrefix(r.path, "/sandbox/"):
		key = fmt.Sprintf("%016x%016x", c.rand.Uint64(), c.rand.Uint64())
	}
	got, err := c.send(ctx, r.method, r.path, body, server.SandboxClients[0].Secret, key)
	if err != nil {
		return err
	}
	var answer struct{ ID, Code string }
	if got.status != r.status || r.into != "" {
		if err := json.Unmarshal(got.body, &answer); err != nil {
			return fmt.Errorf("%s %s: %d: %w", r.method, r.path, got.status, err)
		}
	}
	switch {
	case got.status != r.status:
		return fmt.Errorf("%s %s: %d %s, want %d", r.method, r.path, got.status, answer.Code, r.status)
	case r.again && answer.ID != c.ids[r.into]:
		return fmt.Errorf("%s %s: the repeat of a key returns another transaction", r.method, r.path)
	case r.into != "":
		c.ids[r.into] = answer.ID
	}
	if r.into == "transaction" {
		c.key = key
	}
	return nil
}

// register replaces the person, with a document, accounts and a first transaction.
func (c *caller) register(ctx context.Context) error {
	c.ids, c.left = map[string]string{}, 300
	for _, r := range []request{
		{0, "POST", "/users", (*person).withDocuments, 200, "user", false},
		{0, "POST", "/sandbox/users/{user}/verification", func(*person) string { return `{"kyc_status":"VERIFIED"}` }, 200, "", false},
		{0, "POST", "/users/{user}/funding-accounts", func(*person) string { return `{"funding_source_type":"CARD"}` }, 200, "fund", false},
		{0, "POST", "/sandbox/users/{user}/funding-accounts/{fund}/status", func(*person) string { return `{"status":"ACTIVE"}` }, 200, "", false},
		{0, "POST", "/users/{user}/receive-users", (*person).receiveUser, 200, "receiver", false},
		{0, "POST", "/users/{user}/receive-users/{receiver}/bank-accounts", (*person).bankAccount, 200, "bank", false},
		{0, "POST", "/users/{user}/transactions", (*person).transaction, 200, "transaction", false},
	} {
		if err := c.expect(ctx, r); err != nil {
			c.left = 0 // again
			return err
		}
	}
	return nil
}

// wrongSecret is refused.
func (c *caller) wrongSecret(ctx context.Context) error {
	got, err := c.send(ctx, http.MethodGet, "/payers", "", "not-the-secret", "")
	if err == nil && got.status != http.StatusUnauthorized {
		err = fmt.Errorf("a wrong secret: %d", got.status)
	}
	return err
}

// The mixture has all kinds of answers that a client's day has.
func TestMixture(t *testing.T) {
	t.Parallel()
	statuses := map[int]bool{}
	for _, r := range mixture {
		statuses[r.status] = true
	}
	for _, want := range []int{200, 400, 404, 422} {
		if !statuses[want] {
			t.Errorf("nothing expects %d", want)
		}
	}
}
