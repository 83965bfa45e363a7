package client_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

const (
	baseURL  = "https://payouts.test"
	clientID = "acme"
	secret   = "s3cret-canary"
)

var (
	userID    = uuid.MustParse("0b0c2c5e-54f4-4b0e-9d5b-5f5a4f7d2f11")
	otherID   = uuid.MustParse("7c1b5a94-1d35-4a8c-9f5e-2f7a1b3c4d44")
	accountID = uuid.MustParse("91d2c3b4-5e6f-4708-9a1b-2c3d4e5f6a55")
)

// exchange is a received request.
type exchange struct {
	at     time.Time
	method string
	url    string
	header http.Header
	body   string
}

// network is a fake transport that answers requests in order, and repeats the last answer.
type network struct {
	mu      sync.Mutex
	answers []answer
	seen    []exchange
}

// answer answers one request.
type answer func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err // as net/http's own transport does
	}
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
	}
	n.mu.Lock()
	n.seen = append(n.seen, exchange{time.Now(), r.Method, r.URL.String(), r.Header.Clone(), string(body)})
	next := n.answers[min(len(n.seen), len(n.answers))-1]
	n.mu.Unlock()
	return next(r)
}

// dial returns a client with a network of these answers.
func dial(t testing.TB, answers ...answer) (*network, *client.Client) {
	t.Helper()
	return dialWith(t, nil, answers...)
}

func dialWith(t testing.TB, options []client.Option, answers ...answer) (*network, *client.Client) {
	t.Helper()
	n := &network{answers: answers}
	options = append(options, client.WithHTTPClient(&http.Client{Transport: n}))
	c, err := client.New(baseURL, clientID, secret, options...)
	if err != nil {
		t.Fatal(err)
	}
	return n, c
}

// respond answers with JSON; headers are name, value pairs.
func respond(status int, body string, headers ...string) answer {
	return func(r *http.Request) (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"request-1"}}
		for i := 0; i < len(headers); i += 2 {
			h.Set(headers[i], headers[i+1])
		}
		return &http.Response{
			StatusCode: status, Header: h, Request: r, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	}
}

// refuse answers with an error of the contract.
func refuse(status int, code client.Code, headers ...string) answer {
	body := fmt.Sprintf(`{"status":%d,"code":"%s","message":"A message.","request_id":"request-1"}`, status, code)
	return respond(status, body, headers...)
}

// lose fails without a response.
func lose(err error) answer {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// cut loses the connection in the middle of the body.
func cut(err error) answer {
	return func(r *http.Request) (*http.Response, error) {
		res, _ := respond(http.StatusOK, theUser)(r)
		res.Body = io.NopCloser(io.MultiReader(strings.NewReader(theUser[:20]), failing{err}))
		return res, nil
	}
}

// hang returns when the context of the request ends.
func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

const (
	theUser = `{"id":"0b0c2c5e-54f4-4b0e-9d5b-5f5a4f7d2f11","created_at":"2026-01-31T09:00:00.000000","status":"UNVERIFIED",` +
		`"business":false,"first_name":"Asha","email":"asha@example.com","country":"US"}`
	thePayer = `{"country":"NP","delivery_method":"CASH_PICKUP","id":1001,"name":"Sample","pickup_location":[],` +
		`"code":"SMPL","network_limit":[],"receiving_currency":"NPR"}`
	theFundingAccount = `{"id":"3f9d8a3e-6f0f-4b57-9b55-0f5f2f1d6a33","funding_source_type":"CARD","status":"ACTIVE","created_at":"2026-01-31T09:10:00.000000"}`

	theTransaction = `{"id":"5b0c1d2e-3f40-4152-8637-48596a7b8c05","user_id":"0b0c2c5e-54f4-4b0e-9d5b-5f5a4f7d2f11",` +
		`"created_at":"2026-01-31T09:30:00.000000","status":"INITIATED","delivery_status":"NONE","bonus_amount":0.00,` +
		`"exchange_rate":132.25,"fee_amount":0.00,"from_amount":100.00,"from_currency":"USD","to_amount":13225.00,` +
		`"to_currency":"NPR","from_fund_id":"3f9d8a3e-6f0f-4b57-9b55-0f5f2f1d6a33","funding_source_type":"CARD",` +
		`"physical_documents":[],"to":{"id":"7c1b5a94-1d35-4a8c-9f5e-2f7a1b3c4d44","first_name":"Bina",` +
		`"calculation_mode":"SENDER_AMOUNT","payout_method":"BANK_DEPOSIT","fund_id":"91d2c3b4-5e6f-4708-9a1b-2c3d4e5f6a55"}}`
)

var ok = respond(http.StatusOK, theUser)

// asha is a request that creates a user.
func asha() api.UserRequest {
	return api.UserRequest{FirstName: "Asha-canary", Email: "canary@example.com", Country: "US", MobilePhone: new("1415canary")}
}

func deposit() api.TransactionRequest {
	return api.TransactionRequest{
		FromAmount: client.MustAmount("100.00"), ExchangeRate: client.MustAmount("132.25"), FromCurrency: "USD",
		ToCurrency: "NPR", FromFundID: accountID, To: client.BankDeposit(otherID, accountID), Note: new("note-canary"),
	}
}

func errorOf(t testing.TB, err error) *client.Error {
	t.Helper()
	e, ok := err.(*client.Error) //nolint:errorlint // every error of a call is one, not wraps one
	if !ok {
		t.Fatalf("the error is %T: %v", err, err)
	}
	return e
}
