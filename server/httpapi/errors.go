package httpapi

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// statuses has the HTTP status of every code (D-08, D-09).
var statuses = map[payout.Code]int{
	payout.CodeBadRequest:              http.StatusBadRequest,
	payout.CodeUnauthorized:            http.StatusUnauthorized,
	payout.CodeNotFound:                http.StatusNotFound,
	payout.CodeMethodNotAllowed:        http.StatusMethodNotAllowed,
	payout.CodeIdempotencyKeyReused:    http.StatusConflict,
	payout.CodePayloadTooLarge:         http.StatusRequestEntityTooLarge,
	payout.CodeUnsupportedMediaType:    http.StatusUnsupportedMediaType,
	payout.CodeRateLimited:             http.StatusTooManyRequests,
	payout.CodeInternalError:           http.StatusInternalServerError,
	payout.CodeServiceUnavailable:      http.StatusServiceUnavailable,
	payout.CodeCorridorNotEnabled:      http.StatusUnprocessableEntity,
	payout.CodeSendingNotEnabled:       http.StatusUnprocessableEntity,
	payout.CodeKYCNotEligible:          http.StatusUnprocessableEntity,
	payout.CodeFundingAccountNotFound:  http.StatusUnprocessableEntity,
	payout.CodeFundingAccountNotActive: http.StatusUnprocessableEntity,
	payout.CodeReceiveUserNotFound:     http.StatusUnprocessableEntity,
	payout.CodeReceiveAccountNotFound:  http.StatusUnprocessableEntity,
	payout.CodePayerNotFound:           http.StatusUnprocessableEntity,
	payout.CodePickupLocationNotFound:  http.StatusUnprocessableEntity,
	payout.CodeAddressRequired:         http.StatusUnprocessableEntity,
	payout.CodeCurrencyNotSupported:    http.StatusUnprocessableEntity,
	payout.CodeExchangeRateNotAllowed:  http.StatusUnprocessableEntity,
	payout.CodeAmountNotAllowed:        http.StatusUnprocessableEntity,
	payout.CodeLimitExceeded:           http.StatusUnprocessableEntity,
	payout.CodeInformationVerified:     http.StatusUnprocessableEntity,
	payout.CodeTooManyDocuments:        http.StatusUnprocessableEntity,

	payout.CodeTransactionNotCancelable: http.StatusUnprocessableEntity,
	payout.CodeTransitionNotAllowed:     http.StatusUnprocessableEntity,
	payout.CodeInformationRequired:      http.StatusUnprocessableEntity,
	payout.CodeTooManyWebhookEndpoints:  http.StatusUnprocessableEntity,
}

// retryAfterOutage is the Retry-After of a 503.
const retryAfterOutage = time.Second

// fail writes the response of every error of every request.
func fail(err error, c echo.Context) {
	seen := observed(c)
	e := errorOf(err)
	seen.code, seen.details, seen.cause = e.Code, e.Details, err
	if c.Response().Committed {
		return
	}
	header := c.Response().Header()
	switch e.Code {
	case payout.CodeUnauthorized:
		header.Set("WWW-Authenticate", `Client headers="X-Client-Id X-Client-Secret"`)
	case payout.CodeServiceUnavailable:
		setRetryAfter(header, retryAfterOutage)
	case payout.CodeRateLimited:
		var limited rateLimitedError
		errors.As(err, &limited)
		setRetryAfter(header, max(limited.wait, time.Second))
	}
	status := statuses[e.Code]
	body := api.Error{
		Status: int32(status), Code: api.ErrorCode(e.Code), Message: e.Message, DocURL: new(docURL(e.Code)), RequestID: seen.requestID,
	}
	for _, d := range e.Details {
		body.Details = append(body.Details, api.ErrorDetail{In: api.ErrorDetailIn(d.In), Field: d.Field, Reason: d.Reason})
	}
	if err := c.JSON(status, body); err != nil {
		seen.cause = err
	}
}

// docURL is where the page of server/docs explains a code: a path, because the service does not know its public address (D-73).
func docURL(code payout.Code) string { return "/docs#error-" + string(code) }

func setRetryAfter(header http.Header, wait time.Duration) {
	header.Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
}

// errorOf returns the payout.Error that err wraps or stands for. Any other error, and a code without a status, is
// CodeInternalError.
func errorOf(err error) *payout.Error {
	var known *payout.Error
	var refused *contract.Error
	var routed *echo.HTTPError
	switch {
	case errors.As(err, &known):
		if _, ok := statuses[known.Code]; ok {
			return known
		}
	case errors.As(err, &refused):
		return fromContract(refused)
	case errors.As(err, &routed) && routed.Code == http.StatusNotFound:
		e := payout.NotFound("path")
		e.Message = "There is no such path. /openapi.json lists all of them."
		// Tells it from an identifier that does not exist, which is judged after the key (D-65).
		e.Details = []payout.Violation{{In: "path", Reason: "is no path of the contract"}}
		return e
	case errors.As(err, &routed) && routed.Code == http.StatusMethodNotAllowed:
		return payout.NewError(payout.CodeMethodNotAllowed)
	}
	return payout.NewError(payout.CodeInternalError)
}

func fromContract(refused *contract.Error) *payout.Error {
	e := payout.NewError(payout.CodeBadRequest)
	switch refused.Status {
	case http.StatusServiceUnavailable:
		e = payout.NewError(payout.CodeServiceUnavailable)
	case http.StatusRequestEntityTooLarge:
		e = payout.NewError(payout.CodePayloadTooLarge)
	case http.StatusUnsupportedMediaType:
		e = payout.NewError(payout.CodeUnsupportedMediaType)
	}
	for _, v := range refused.Violations {
		e.Details = append(e.Details, payout.Violation(v))
	}
	return e
}
