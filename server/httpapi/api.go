package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	gen "github.com/crossborder-payouts/payouts/gen/server"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// Config configures New. All fields but RateLimit, Metrics, Sandbox and Pages are required.
type Config struct {
	Service *payout.Service
	// Contract checks requests.
	Contract *contract.Contract
	Logger   *slog.Logger
	// Ready returns why the service cannot take requests, for /readyz; the message of a payout.Error is public.
	Ready func(context.Context) error
	NewID func() string
	// Timeout is the time to handle one request.
	Timeout time.Duration
	// RateLimit is how many requests per second each client may send to this process, with bursts of twice as many;
	// 0 is no limit (D-28).
	RateLimit int
	// Metrics count the requests, unless they are nil.
	Metrics *Metrics
	// Sandbox enables /sandbox/...
	Sandbox bool
	// Pages are more pages by path, for GET and HEAD: those for readers of the contract.
	Pages map[string]http.Handler
}

// New returns the handler of the service.
func New(c Config) http.Handler {
	e := echo.New()
	e.HTTPErrorHandler = fail
	e.Binder = checkedBody{}
	e.IPExtractor = echo.ExtractIPDirect()
	e.Use(
		c.Metrics.observe,
		observe(c.Logger, c.NewID),
		middleware.RecoverWithConfig(middleware.RecoverConfig{DisableStackAll: true, LogErrorFunc: recovered}),
		middleware.ContextTimeoutWithConfig(middleware.ContextTimeoutConfig{
			Timeout: c.Timeout,
			// The default would write a response of another form.
			ErrorHandler: func(err error, _ echo.Context) error { return err },
		}),
		wholePath,
	)
	mountPages(e, c)
	router := router{
		echo: e, contract: c.Contract, sandbox: c.Sandbox,
		guard: guard{authenticate: c.Service.Authenticate, limits: newRateLimits(c.RateLimit)},
	}
	gen.RegisterHandlers(router, gen.NewStrictHandler(handlers{c.Service}, []gen.StrictMiddlewareFunc{c.Metrics.created}))
	return e
}

// wholePath answers 404 to a path with more segments than its route: the last parameter of echo matches all the rest.
func wholePath(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		route := c.Path()
		if !strings.Contains(route, "*") && strings.Count(echo.GetPath(c.Request()), "/") > strings.Count(route, "/") {
			c.SetPath("")
			return echo.ErrNotFound
		}
		return next(c)
	}
}

// handlers has one method per operation of the contract.
type handlers struct{ service *payout.Service }

var _ gen.StrictServerInterface = handlers{}
