package httpapi

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"
)

// mountPages registers the pages for operators and for readers of the contract.
func mountPages(e *echo.Echo, c Config) {
	page := func(path string, h echo.HandlerFunc) {
		e.GET(path, h)
		e.HEAD(path, h)
	}
	page("/healthz", func(c echo.Context) error { return c.String(http.StatusOK, "ok\n") })
	page("/readyz", func(ctx echo.Context) error {
		within, cancel := context.WithTimeout(ctx.Request().Context(), c.Timeout)
		defer cancel()
		if err := c.Ready(within); err != nil {
			observed(ctx).cause = err
			return ctx.String(http.StatusServiceUnavailable, "not ready\n"+errorOf(err).Message+"\n")
		}
		return ctx.String(http.StatusOK, "ready\n")
	})
	for path, h := range c.Pages {
		page(path, echo.WrapHandler(h))
	}
}
