package httpapi

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// observation collects what the log line of a request says. It never holds personal data: the route is a template, and
// query, headers and bodies are not kept.
type observation struct {
	requestID string
	operation string
	client    string
	code      payout.Code
	broken    []contract.Violation
	cause     error
}

const observationKey = "observation"

func observed(c echo.Context) *observation {
	seen, ok := c.Get(observationKey).(*observation)
	if !ok {
		panic("httpapi: a request is handled that is not observed")
	}
	return seen
}

// observe assigns each request an id, writes error responses, and logs one line per request.
func observe(log *slog.Logger, newID func() string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			start, caller := time.Now(), c.Request().Context()
			seen := &observation{requestID: newID()}
			c.Set(observationKey, seen)
			// As late as possible, because the generated code sets an empty one.
			c.Response().Before(func() { c.Response().Header().Set(echo.HeaderXRequestID, seen.requestID) })
			if err := next(c); err != nil {
				c.Error(err)
			}
			status := c.Response().Status
			line := []slog.Attr{
				slog.String("request_id", seen.requestID),
				slog.String("method", c.Request().Method),
				slog.String("route", c.Path()),
				slog.String("operation", seen.operation),
				slog.Int("status", status),
				slog.String("client", seen.client),
				slog.Int64("duration_us", time.Since(start).Microseconds()),
				slog.Int64("bytes", c.Response().Size),
			}
			level := slog.LevelInfo
			if seen.code != "" {
				line = append(line, slog.String("code", string(seen.code)))
			}
			if status >= 500 {
				if caller.Err() == nil { // otherwise the caller left, and nobody saw the response
					level = slog.LevelError
				}
				line = append(line, slog.String("cause", fmt.Sprint(seen.cause)))
			}
			log.LogAttrs(c.Request().Context(), level, "request", line...)
			return nil
		}
	}
}

// recovered converts a panic to an error. The value of the panic may hold anything and is not logged; the stack is.
func recovered(_ echo.Context, _ error, stack []byte) error {
	return fmt.Errorf("panic: %s", stack)
}
