package httpapi

import (
	"bytes"
	"net/http"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/labstack/echo/v4"

	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// remembered are answers about reference data of the last seconds. They depend on the client, the path and the query alone, and
// change when an operator changes the client or imports data. Each request is authenticated and counted before.
type remembered struct {
	answers *lru.Cache[rememberedKey, rememberedAnswer]
	keep    time.Duration
	now     func() time.Time
}

type rememberedKey struct {
	client payout.ClientID
	target string // of the request: its path and query as they were sent
}

type rememberedAnswer struct {
	body []byte
	at   time.Time
}

// mostRemembered and longestRemembered bound the memory: 500 answers, each at most 128 KiB.
const (
	mostRemembered    = 500
	longestRemembered = 128 << 10
)

var ofReferenceData = []string{
	"listPayers", "getPayer", "listBanks", "getBank", "listCountryStates", "getCountryState", "listStatesV2", "getStateV2",
}

// newRemembered returns a memory; nil without a time.
func newRemembered(keep time.Duration, now func() time.Time) *remembered {
	if keep <= 0 {
		return nil
	}
	answers, err := lru.New[rememberedKey, rememberedAnswer](mostRemembered)
	if err != nil {
		panic(err) // of a size that is not positive
	}
	return &remembered{answers, keep, now}
}

// of returns the memory for an operation; nil if its answers are not remembered.
func (m *remembered) of(op *contract.Operation) *remembered {
	if !slices.Contains(ofReferenceData, op.ID) {
		return nil
	}
	return m
}

// answer calls next, unless the answer is known.
func (m *remembered) answer(c echo.Context, client payout.ClientID, next func() error) error {
	r := c.Request()
	if m == nil || r.Method != http.MethodGet || r.ContentLength != 0 {
		return next()
	}
	key, now := rememberedKey{client, r.URL.RequestURI()}, m.now()
	if known, ok := m.answers.Get(key); ok && !now.Before(known.at) && now.Sub(known.at) < m.keep {
		return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, known.body)
	}
	w := &recorder{ResponseWriter: c.Response().Writer}
	c.Response().Writer = w
	if err := next(); err != nil {
		return err
	}
	if c.Response().Status == http.StatusOK && w.body.Len() <= longestRemembered {
		m.answers.Add(key, rememberedAnswer{w.body.Bytes(), now})
	}
	return nil
}

// recorder keeps a copy of a body that is not too long.
type recorder struct {
	http.ResponseWriter
	body bytes.Buffer
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	if r.body.Len() <= longestRemembered {
		r.body.Write(b)
	}
	return r.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
