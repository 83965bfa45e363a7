package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/labstack/echo/v4"

	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// referenceAnswers tags the answers about reference data (D-75), and remembers those of the last seconds (D-74). They depend on
// the client, the path and the query alone, and change when an operator changes the client or imports data.
type referenceAnswers struct {
	remembered *lru.Cache[requested, taggedAnswer] // nil: each is made anew
	keep       time.Duration
	now        func() time.Time
}

type requested struct {
	client payout.ClientID
	target string // of the request: its path and query as they were sent
}

type taggedAnswer struct {
	body []byte
	tag  string // with its quotation marks
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

// newReferenceAnswers remembers answers for some time; none without a time.
func newReferenceAnswers(keep time.Duration, now func() time.Time) *referenceAnswers {
	if keep <= 0 {
		return &referenceAnswers{now: now}
	}
	remembered, err := lru.New[requested, taggedAnswer](mostRemembered)
	if err != nil {
		panic(err) // of a size that is not positive
	}
	return &referenceAnswers{remembered, keep, now}
}

// of returns the answers of an operation; nil if it is not about reference data.
func (a *referenceAnswers) of(op *contract.Operation) *referenceAnswers {
	if !slices.Contains(ofReferenceData, op.ID) {
		return nil
	}
	return a
}

// answer answers a request that was authenticated, counted and checked: with what is remembered, or what next answers.
func (a *referenceAnswers) answer(c echo.Context, client payout.ClientID, next echo.HandlerFunc) error {
	if a == nil {
		return next(c)
	}
	key, now := requested{client, c.Request().URL.RequestURI()}, a.now()
	known, ok := a.known(key, now)
	if !ok {
		body, err := bodyOf(c, next)
		if err != nil {
			return err
		}
		known = taggedAnswer{body, tagOf(body), now}
		if a.remembered != nil && len(body) <= longestRemembered {
			a.remembered.Add(key, known)
		}
	}
	header := c.Response().Header()
	header.Set("ETag", known.tag)
	header.Set(echo.HeaderCacheControl, "private, no-cache")
	if matches(c.Request().Header.Values("If-None-Match"), known.tag) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, known.body)
}

func (a *referenceAnswers) known(key requested, now time.Time) (taggedAnswer, bool) {
	if a.remembered == nil {
		return taggedAnswer{}, false
	}
	known, ok := a.remembered.Get(key)
	return known, ok && !now.Before(known.at) && now.Sub(known.at) < a.keep
}

// tagOf returns a strong tag: replicas answer the same bytes, and share no state to number them with.
func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// matches compares weakly, as RFC 9110, 13.1.2 says. A tag of ours with its quotation marks is part of no other one.
func matches(ifNoneMatch []string, tag string) bool {
	return slices.ContainsFunc(ifNoneMatch, func(list string) bool {
		return strings.TrimSpace(list) == "*" || strings.Contains(list, tag)
	})
}

// bodyOf returns what next writes with 200, the one status that an operation does not return as an error.
func bodyOf(c echo.Context, next echo.HandlerFunc) ([]byte, error) {
	written, outer := &held{header: http.Header{}}, c.Response()
	c.SetResponse(echo.NewResponse(written, c.Echo()))
	defer c.SetResponse(outer)
	err := next(c)
	return written.body.Bytes(), err
}

// held keeps a body until its tag is known.
type held struct {
	header http.Header // dropped: the generated code sets empty values
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (h *held) Header() http.Header { return h.header }

// WriteHeader implements http.ResponseWriter.
func (h *held) WriteHeader(int) {}

// Write implements http.ResponseWriter.
func (h *held) Write(b []byte) (int, error) { return h.body.Write(b) }
