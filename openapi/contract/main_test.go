package contract_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"go.uber.org/goleak"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

func TestMain(m *testing.M) {
	// A flag on the command line, which is parsed later, still wins.
	if err := flag.Set("rapid.checks", "2000"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

const (
	account = "0b54f3a5-6d1f-4f0a-9f0e-3a1f7c9d2e11"
	orders  = "/accounts/{account_id}/orders"
	least   = `{"total":1,"delivery":{"kind":"LOCKER","locker":7}}`
	limit   = 1 << 20
)

func document(t testing.TB) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("testdata/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func shop(t testing.TB) *contract.Contract {
	t.Helper()
	c, err := contract.New(document(t))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func post(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// place checks body as the body of placeOrder.
func place(c *contract.Contract, body string) (*contract.Request, error) {
	return c.Operation(http.MethodPost, orders).CheckRequest(post(body), map[string]string{"account_id": account}, limit)
}

// with returns the smallest order with one more member.
func with(member string) string { return strings.Replace(least, "{", "{"+member+",", 1) }

// lines writes violations as "in field reason", one per line.
func lines(list []contract.Violation) string {
	var b strings.Builder
	for _, v := range list {
		fmt.Fprintf(&b, "%s %s: %s\n", v.In, v.Field, v.Reason)
	}
	return strings.TrimSpace(b.String())
}

// wantRefused fails the test unless err has this status and exactly these violations.
func wantRefused(t *testing.T, err error, status int, want string) {
	t.Helper()
	var refused *contract.Error
	if !errors.As(err, &refused) {
		t.Fatalf("got %v, want a refusal: %s", err, want)
	}
	if got := lines(refused.Violations); refused.Status != status || got != want {
		t.Errorf("got  %d\n%s\nwant %d\n%s", refused.Status, got, status, want)
	}
}

func wantAccepted(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("refused: %v", err)
	}
}

type brokenReader struct{ err error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.err }

func readAll(t *testing.T, r io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
