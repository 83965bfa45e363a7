package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// observation collects what the log line of a request says. Apart from the address it never holds personal data: the route
// is a template, and query, headers and bodies are not kept.
type observation struct {
	requestID string
	operation string
	address   netip.Addr
	client    payout.ClientID
	named     payout.ClientID // an existing client, whose id was sent with other credentials than its own
	failure   string          // of the credentials, as the metrics name it
	code      payout.Code
	details   []payout.Violation // of the error
	broken    []contract.Violation
	created   string // the id of what the request created, if it is watched
	cause     error
}

// observedContext has the observation of its request.
type observedContext struct {
	echo.Context
	seen *observation
}

// Error handles an error with this context, where echo's would do it without the observation.
func (c observedContext) Error(err error) { c.Echo().HTTPErrorHandler(err, c) }

func observed(c echo.Context) *observation {
	o, ok := c.(observedContext)
	if !ok {
		panic("httpapi: a request is handled that is not observed")
	}
	return o.seen
}

// requestLog is the log of requests.
type requestLog struct {
	*slog.Logger
	addresses bool // whether those of callers are logged
}

// caller adds to a line what the log says of a caller beside the client that it is.
func (l requestLog) caller(line []slog.Attr, seen *observation) []slog.Attr {
	if l.addresses {
		line = append(line, slog.Any("address", seen.address))
	}
	if seen.named != "" {
		line = append(line, slog.String("named_client", string(seen.named)))
	}
	return line
}

// limited warns that the credentials of a caller are refused, at the beginning of a flood.
func (l requestLog) limited(seen *observation) {
	line := append(l.caller(nil, seen), slog.String("result", seen.failure))
	l.LogAttrs(context.Background(), slog.LevelWarn, "too many wrong credentials", line...)
}

// mostAttributes is how many a line for a request has at most.
const mostAttributes = 12

// observe assigns each request an id, writes error responses, counts each request, and logs one line for it.
func observe(log requestLog, newID func() string, m *Metrics, w watch) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			defer m.begun()()
			start, caller := time.Now(), c.Request().Context()
			seen := &observation{requestID: newID(), address: addressOf(c)}
			c = observedContext{c, seen}
			// As late as possible, because the generated code sets an empty one.
			c.Response().Before(func() { c.Response().Header().Set(echo.HeaderXRequestID, seen.requestID) })
			if err := next(c); err != nil {
				c.Error(err)
			}
			status, took := c.Response().Status, time.Since(start)
			m.answered(c, seen, took)
			w.answered(c, seen, took)
			line := append(make([]slog.Attr, 0, mostAttributes),
				slog.String("request_id", seen.requestID),
				slog.String("method", c.Request().Method),
				slog.String("route", c.Path()),
				slog.String("operation", seen.operation),
				slog.Int("status", status),
				slog.String("client", string(seen.client)),
				slog.Int64("duration_us", took.Microseconds()),
				slog.Int64("bytes", c.Response().Size),
			)
			line = log.caller(line, seen)
			level := slog.LevelInfo
			if seen.code != "" {
				line = append(line, slog.String("code", string(seen.code)))
			}
			if status >= 500 && caller.Err() == nil { // otherwise the caller left, and nobody saw the response
				level = slog.LevelError
			}
			if status >= 500 || status == http.StatusUnauthorized {
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
