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

// statuses is the one place where a code gets its HTTP status; all that is not here is 422 (D-08, D-09).
var statuses = map[payout.Code]int{
	payout.CodeBadRequest:           http.StatusBadRequest,
	payout.CodeUnauthorized:         http.StatusUnauthorized,
	payout.CodeNotFound:             http.StatusNotFound,
	payout.CodeMethodNotAllowed:     http.StatusMethodNotAllowed,
	payout.CodeIdempotencyKeyReused: http.StatusConflict,
	payout.CodePayloadTooLarge:      http.StatusRequestEntityTooLarge,
	payout.CodeUnsupportedMediaType: http.StatusUnsupportedMediaType,
	payout.CodeRateLimited:          http.StatusTooManyRequests,
	payout.CodeInternalError:        http.StatusInternalServerError,
	payout.CodeServiceUnavailable:   http.StatusServiceUnavailable,
}

func statusOf(code payout.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusUnprocessableEntity
}

// retryAfterOutage is what a caller is asked to wait while the service is not available.
const retryAfterOutage = time.Second

// fail is the funnel: every error of every request becomes an answer here, and only here.
func fail(err error, c echo.Context) {
	seen := observed(c)
	e := vocabulary(err)
	seen.code, seen.cause = e.Code, err
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
	body := api.Error{
		Status: int32(statusOf(e.Code)), Code: api.ErrorCode(e.Code), Message: e.Message, RequestID: seen.requestID,
	}
	for _, d := range e.Details {
		body.Details = append(body.Details, api.ErrorDetail{In: api.ErrorDetailIn(d.In), Field: d.Field, Reason: d.Reason})
	}
	if err := c.JSON(statusOf(e.Code), body); err != nil {
		seen.cause = err
	}
}

func setRetryAfter(header http.Header, wait time.Duration) {
	header.Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
}

// vocabulary finds the payout.Error in an error, or makes the one that it means.
func vocabulary(err error) *payout.Error {
	var known *payout.Error
	var refused *contract.Error
	var routed *echo.HTTPError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &refused):
		return fromContract(refused)
	case errors.As(err, &routed) && routed.Code == http.StatusNotFound:
		return payout.NotFound("path")
	case errors.As(err, &routed) && routed.Code == http.StatusMethodNotAllowed:
		return payout.NewError(payout.CodeMethodNotAllowed)
	}
	return payout.NewError(payout.CodeInternalError)
}

func fromContract(refused *contract.Error) *payout.Error {
	e := payout.NewError(payout.CodeBadRequest)
	switch refused.Status {
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
