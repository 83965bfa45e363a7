package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// D-08, D-09: every code has a status, and both are those of the contract: of its list of codes, and of its examples, which
// show every code with its status.
func TestCodesAndStatusesAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[payout.Code]int{}
	for _, response := range document.Components.Responses {
		for _, media := range response.Value.Content {
			for _, example := range media.Examples {
				body := example.Value.Value.(map[string]any)
				shown[payout.Code(body["code"].(string))] = int(body["status"].(float64))
			}
		}
	}
	if !maps.Equal(shown, statuses) {
		t.Errorf("the examples of the contract have %v\nthe service has %v", shown, statuses)
	}
	var declared []payout.Code
	for _, code := range openapi.KnownValues(document.Components.Schemas["ErrorCode"].Value) {
		declared = append(declared, payout.Code(code.(string)))
	}
	known := payout.Codes()
	slices.Sort(declared)
	slices.Sort(known)
	if !slices.Equal(declared, known) || len(statuses) != len(known) {
		t.Errorf("the contract has %v\nthe domain has %v", declared, known)
	}
}

// D-73: the examples of the contract show what the service answers: its doc_url, and its message unless the error knows more.
func TestExamplesShowTheErrorsOfTheService(t *testing.T) {
	t.Parallel()
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	knowMore := []payout.Code{
		payout.CodeNotFound, payout.CodeCorridorNotEnabled, payout.CodeKYCNotEligible, payout.CodeCurrencyNotSupported,
		payout.CodeExchangeRateNotAllowed, payout.CodeAmountNotAllowed, payout.CodeLimitExceeded,
		payout.CodeTransactionNotCancelable, payout.CodeTransitionNotAllowed, payout.CodeInformationRequired,
	}
	for name, response := range document.Components.Responses {
		for _, media := range response.Value.Content {
			for title, example := range media.Examples {
				body := example.Value.Value.(map[string]any)
				code := payout.Code(body["code"].(string))
				if want := docURL(code); body["doc_url"] != want {
					t.Errorf("%s, %s: the doc_url is %v, want %s", name, title, body["doc_url"], want)
				}
				if want := payout.NewError(code).Message; body["message"] != want && !slices.Contains(knowMore, code) && title != "notEquivalent" {
					t.Errorf("%s, %s: the message is %q, want %q", name, title, body["message"], want)
				}
			}
		}
	}
}

// answerTo serves one request whose handler returns err, through the middleware of every request.
func answerTo(handler echo.HandlerFunc) *httptest.ResponseRecorder {
	e := echo.New()
	e.HTTPErrorHandler = fail
	e.Use(
		observe(requestLog{slog.New(slog.DiscardHandler), true}, func() string { return "request-1" }, nil, watch{}),
		middleware.RecoverWithConfig(middleware.RecoverConfig{DisableStackAll: true, LogErrorFunc: recovered}),
	)
	e.GET("/", handler)
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	return w
}

// D-08: every error becomes one form of response, with its status, and says nothing of its cause.
func TestErrorResponses(t *testing.T) {
	t.Parallel()
	secret := errors.New("secret cause")
	violations := []contract.Violation{{In: "body", Field: "/a", Reason: "is missing"}, {In: "query", Field: "b", Reason: "is unknown"}}
	details := []api.ErrorDetail{{In: "body", Field: "/a", Reason: "is missing"}, {In: "query", Field: "b", Reason: "is unknown"}}
	for name, row := range map[string]struct {
		err     error
		status  int
		code    payout.Code
		details []api.ErrorDetail
		header  http.Header
	}{
		"of the domain": {
			err:    payout.NewError(payout.CodeLimitExceeded, payout.InBody("/from_amount", "is too high")).Because(secret),
			status: 422, code: payout.CodeLimitExceeded, details: []api.ErrorDetail{{In: "body", Field: "/from_amount", Reason: "is too high"}},
		},
		"wrapped":       {err: fmt.Errorf("secret: %w", payout.NotFound("user").Because(secret)), status: 404, code: payout.CodeNotFound},
		"of a contract": {err: &contract.Error{Status: 400, Violations: violations}, status: 400, code: payout.CodeBadRequest, details: details},
		"too large":     {err: &contract.Error{Status: 413, Violations: violations[:1]}, status: 413, code: payout.CodePayloadTooLarge, details: details[:1]},
		"not JSON":      {err: &contract.Error{Status: 415, Violations: violations[1:]}, status: 415, code: payout.CodeUnsupportedMediaType, details: details[1:]},
		"no route": {
			err: echo.ErrNotFound, status: 404, code: payout.CodeNotFound, details: []api.ErrorDetail{{In: "path", Reason: "is no path of the contract"}},
		},
		"no method":     {err: echo.ErrMethodNotAllowed, status: 405, code: payout.CodeMethodNotAllowed},
		"other of echo": {err: echo.NewHTTPError(http.StatusTeapot, "secret"), status: 500, code: payout.CodeInternalError},
		"unknown":       {err: secret, status: 500, code: payout.CodeInternalError},
		"a code without a status": {
			err: &payout.Error{Code: "SECRET", Message: "secret", Details: []payout.Violation{payout.InBody("/secret", "secret")}}, status: 500, code: payout.CodeInternalError,
		},
		"unauthorized": {
			err: payout.NewError(payout.CodeUnauthorized), status: 401, code: payout.CodeUnauthorized,
			header: http.Header{"Www-Authenticate": {`Client headers="X-Client-Id X-Client-Secret"`}},
		},
		"unavailable": {
			err: payout.NewError(payout.CodeServiceUnavailable).Because(secret), status: 503, code: payout.CodeServiceUnavailable,
			header: http.Header{"Retry-After": {"1"}},
		},
		"rate limited": {
			err: rateLimitedError{payout.NewError(payout.CodeRateLimited), 7 * time.Second}, status: 429, code: payout.CodeRateLimited,
			header: http.Header{"Retry-After": {"7"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := answerTo(func(echo.Context) error { return row.err })
			var body api.Error
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
				t.Fatalf("%s: %v", w.Body, err)
			}
			if w.Code != row.status || int(body.Status) != row.status || body.Code != api.ErrorCode(row.code) || body.Message == "" {
				t.Errorf("status %d: %+v, want %d %s", w.Code, body, row.status, row.code)
			}
			if !reflect.DeepEqual(body.Details, row.details) {
				t.Errorf("details %+v, want %+v", body.Details, row.details)
			}
			if body.RequestID != "request-1" || w.Header().Get("X-Request-Id") != "request-1" {
				t.Errorf("request id %q, header %v", body.RequestID, w.Header())
			}
			for _, name := range []string{"Www-Authenticate", "Retry-After"} {
				if got, want := w.Header().Get(name), row.header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			if strings.Contains(strings.ToLower(w.Body.String()), "secret") && row.code != payout.CodeUnauthorized {
				t.Errorf("the response tells the cause: %s", w.Body)
			}
		})
	}
}

func TestPanicsAnswer500(t *testing.T) {
	t.Parallel()
	w := answerTo(func(echo.Context) error { panic("secret value") })
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// A response that has begun is not followed by a second one.
func TestErrorsAfterTheResponseBegan(t *testing.T) {
	t.Parallel()
	w := answerTo(func(c echo.Context) error {
		if err := c.String(http.StatusOK, "begun"); err != nil {
			return err
		}
		return errors.New("too late")
	})
	if w.Code != http.StatusOK || w.Body.String() != "begun" {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}
