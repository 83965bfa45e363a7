package httpapi

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// observation is what becomes known of a request on its way, for its one line in the log. It never holds personal data:
// the route is a template, and neither query, headers nor bodies are kept.
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

// observe gives each request its id, answers errors through the funnel, and writes one line per request.
func observe(log *slog.Logger, newID func() string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			start, caller := time.Now(), c.Request().Context()
			seen := &observation{requestID: newID()}
			c.Set(observationKey, seen)
			// At the last moment, because the generated code sets its own empty one.
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
				if caller.Err() == nil { // else the caller left, and nobody saw the answer
					level = slog.LevelError
				}
				line = append(line, slog.String("cause", fmt.Sprint(seen.cause)))
			}
			log.LogAttrs(c.Request().Context(), level, "request", line...)
			return nil
		}
	}
}

// recovered makes an error of a panic. The value stays out of the log, it may hold anything; the stack shows the place.
func recovered(_ echo.Context, _ error, stack []byte) error {
	return fmt.Errorf("panic: %s", stack)
}
