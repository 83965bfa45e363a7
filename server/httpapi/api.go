package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	gen "github.com/crossborder-payouts/payouts/gen/server"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// Config configures New. Fields without a default are required.
type Config struct {
	Service *payout.Service
	// Contract checks requests.
	Contract *contract.Contract
	Logger   *slog.Logger
	// Ready returns why the service cannot take requests, for /readyz; the message of a payout.Error is public.
	Ready func(context.Context) error
	NewID func() string
	Now   func() time.Time
	// Timeout is the time to handle one request once its body has arrived.
	Timeout time.Duration
	// Bodies receives the bodies of requests.
	Bodies bodies.Receiver
	// ClientsFor is how long answers about reference data are given without reading it again (D-74).
	ClientsFor time.Duration
	// RateLimit is how many requests per second each client may send to this process, with bursts of twice as many;
	// 0 is no limit (D-28).
	RateLimit int
	// FailureLimit is how many requests with wrong credentials per minute this process takes from an address, and with a
	// client id; 0 is no limit (D-58).
	FailureLimit int
	// TrustedProxies may name the address of a caller in X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// OmitAddresses leaves the addresses of callers out of the log.
	OmitAddresses bool
	// Metrics count the requests, unless they are nil.
	Metrics *Metrics
	// Sandbox enables /sandbox/...
	Sandbox bool
	// Pages are more pages by path, for GET and HEAD: those for readers of the contract.
	Pages map[string]http.Handler
	// Console serves /console and all below it, for GET, HEAD and POST; nil: there is none.
	Console http.Handler
	// Watch is told of each request to the API once it is answered; nil: nobody is.
	Watch func(context.Context, Exchange)
}

// New returns the handler of the service.
func New(c Config) http.Handler { return build(c, c.Service.Authenticate, handlers{c.Service}) }

// Around returns the handler that New returns, but with these handlers of operations, and for any credentials as this client:
// what a request passes through before and after the service. It is for benchmarks.
func Around(c Config, client payout.Client, operations gen.StrictServerInterface) http.Handler {
	return build(c, func(context.Context, payout.ClientID, string) (payout.Client, error) { return client, nil }, operations)
}

func build(
	c Config, authenticate func(context.Context, payout.ClientID, string) (payout.Client, error), operations gen.StrictServerInterface,
) http.Handler {
	e, log, watcher := echo.New(), requestLog{c.Logger, !c.OmitAddresses}, watch{c.Watch, c.Now}
	methods := map[string][]string{} // by path
	e.HTTPErrorHandler = fail
	e.Binder = checkedBody{}
	e.IPExtractor = addressFrom(c.TrustedProxies)
	e.Use(
		observe(log, c.NewID, c.Metrics, watcher),
		unstored,
		middleware.RecoverWithConfig(middleware.RecoverConfig{DisableStackAll: true, LogErrorFunc: recovered}),
		wholePath,
		literalPath(methods),
	)
	mountPages(e, c)
	mountConsole(e, c.Console)
	router := router{
		echo: e, contract: c.Contract, sandbox: c.Sandbox,
		guard: guard{
			authenticate: authenticate, limits: newRateLimits(c.RateLimit),
			failures:  newFailureLimits(c.FailureLimit, c.Now, log.limited),
			reference: newReferenceAnswers(c.ClientsFor, c.Now),
			bodies:    c.Bodies, timeout: c.Timeout,
		},
	}
	around := []gen.StrictMiddlewareFunc{c.Metrics.created}
	if c.Watch != nil {
		around = append(around, watcher.created)
	}
	gen.RegisterHandlers(router, gen.NewStrictHandler(operations, around))
	for _, route := range e.Routes() {
		methods[route.Path] = append(methods[route.Path], route.Method)
	}
	return e
}

// Values of headers that all responses share: a header is replaced, never changed in place.
var noStore, noSniff = []string{"no-store"}, []string{"nosniff"}

// unstored keeps responses out of caches, and browsers from guessing types. Pages and reference data set other values.
func unstored(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h[echo.HeaderCacheControl], h[echo.HeaderXContentTypeOptions] = noStore, noSniff
		return next(c)
	}
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

// literalPath answers 405 to a method that a path lacks where echo falls back to a parameter: GET .../transactions/preview
// must not read the transaction with the id preview, because in OpenAPI a path goes before the templates that it matches.
func literalPath(methods map[string][]string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			route, path := c.Path(), echo.GetPath(c.Request())
			end := strings.LastIndex(route, "/:")
			if end < 0 || strings.Contains(route[end+1:], "/") {
				return next(c)
			}
			literal := route[:end] + path[strings.LastIndex(path, "/"):]
			has, found := methods[literal]
			if !found || literal == route {
				return next(c)
			}
			c.SetPath(literal)
			c.Response().Header().Set(echo.HeaderAllow, strings.Join(append([]string{http.MethodOptions}, has...), ", "))
			if c.Request().Method == http.MethodOptions {
				return c.NoContent(http.StatusNoContent)
			}
			return echo.ErrMethodNotAllowed
		}
	}
}

// handlers has one method per operation of the contract.
type handlers struct{ service *payout.Service }

var _ gen.StrictServerInterface = handlers{}
