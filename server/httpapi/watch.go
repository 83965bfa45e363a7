package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/crossborder-payouts/payouts/gen/api"
	gen "github.com/crossborder-payouts/payouts/gen/server"
)

// Exchange is a request to an operation, or to a path that the contract does not have, and how it was answered. It never has
// a body, a query, a secret, or a part of the path that is not an identifier.
type Exchange struct {
	At        time.Time
	Duration  time.Duration
	Client    string // empty without valid credentials
	Method    string
	Path      string // with identifiers, and {name} in place of anything else; empty if the contract does not have it
	Operation string
	Status    int
	Code      string
	Details   []api.ErrorDetail
	RequestID string
	Key       string            // the idempotency key
	IDs       map[string]string // the identifiers in the path, by name
	Created   string            // the id of what it created, or repeated
}

// watch tells Config.Watch about each request. The zero value does nothing.
type watch struct {
	tell func(context.Context, Exchange)
	now  func() time.Time
}

// answered is called when the response is written.
func (w watch) answered(c echo.Context, seen *observation, took time.Duration) {
	if w.tell == nil || seen.operation == "" && seen.code == "" { // a page
		return
	}
	r := c.Request()
	e := Exchange{
		At: w.now().Add(-took), Duration: took, Client: string(seen.client), Method: r.Method, Operation: seen.operation,
		Status: c.Response().Status, Code: string(seen.code), RequestID: seen.requestID,
		Key: credential(r.Header, "X-Idempotency-Key"), Created: seen.created,
	}
	if seen.operation != "" {
		e.Path, e.IDs = shownPath(c)
	}
	for _, d := range seen.details {
		e.Details = append(e.Details, api.ErrorDetail{In: api.ErrorDetailIn(d.In), Field: d.Field, Reason: d.Reason})
	}
	w.tell(r.Context(), e)
}

// created remembers the id of what a request created.
func (w watch) created(next gen.StrictHandlerFunc, _ string) gen.StrictHandlerFunc {
	return func(c echo.Context, request any) (any, error) {
		response, err := next(c, request)
		var id uuid.UUID
		switch r := response.(type) {
		case gen.CreateUser200JSONResponse:
			id = r.Body.ID
		case gen.CreateFundingAccount200JSONResponse:
			id = r.Body.ID
		case gen.CreateReceiveUser200JSONResponse:
			id = r.Body.ID
		case gen.CreateBankAccount200JSONResponse:
			id = r.Body.ID
		case gen.CreateWalletAccount200JSONResponse:
			id = r.Body.ID
		case gen.CreateTransaction200JSONResponse:
			id = r.Body.ID
		case gen.CreateWebhookEndpoint200JSONResponse:
			id = r.Body.ID
		default:
			return response, err
		}
		observed(c).created = id.String()
		return response, err
	}
}

// shownPath returns the path of a request to an operation, and the identifiers in it. Callers can write anything into a path, an email
// for example: what is not an identifier is left out.
func shownPath(c echo.Context) (string, map[string]string) {
	ids := map[string]string{}
	parts := strings.Split(c.Path(), "/")
	for i, part := range parts {
		name, ok := strings.CutPrefix(part, ":")
		if !ok {
			continue
		}
		parts[i] = "{" + name + "}"
		if value := c.Param(name); isIdentifier(value) {
			parts[i], ids[name] = value, value
		}
	}
	return strings.Join(parts, "/"), ids
}

// isIdentifier reports whether text is a UUID, a number, or a code of a country or state.
func isIdentifier(text string) bool {
	if _, err := uuid.Parse(text); err == nil {
		return len(text) == len(uuid.Nil.String())
	}
	digits := strings.Trim(text, "0123456789") == ""
	code := strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
	return text != "" && (digits && len(text) <= 19 || code && len(text) <= 3)
}

// mountConsole registers the pages of the console, at its path and all below it.
func mountConsole(e *echo.Echo, console http.Handler) {
	if console == nil {
		return
	}
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		e.Add(method, "/console", echo.WrapHandler(console))
		e.Add(method, "/console/*", echo.WrapHandler(console))
	}
}
