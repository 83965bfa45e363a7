package httpapi

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"
)

// mountPages registers the pages for operators and for readers of the contract.
func mountPages(e *echo.Echo, c Config) {
	page := func(path string, h echo.HandlerFunc) {
		e.GET(path, h)
		e.HEAD(path, h)
	}
	page("/healthz", func(c echo.Context) error { return c.String(http.StatusOK, "ok\n") })
	page("/readyz", func(ctx echo.Context) error {
		if err := c.Ready(ctx.Request().Context()); err != nil {
			observed(ctx).cause = err
			return ctx.String(http.StatusServiceUnavailable, "not ready\n"+errorOf(err).Message+"\n")
		}
		return ctx.String(http.StatusOK, "ready\n")
	})
	page("/openapi.yaml", func(ctx echo.Context) error {
		return ctx.Blob(http.StatusOK, "application/yaml", c.YAML)
	})
	page("/openapi.json", func(ctx echo.Context) error {
		return ctx.Blob(http.StatusOK, echo.MIMEApplicationJSON, c.JSON)
	})
	docs := swgui.Config{
		Title: "Cross-border payouts", SwaggerJSON: "/openapi.json", BasePath: "/docs/",
		SettingsUI: map[string]string{
			"tryItOutEnabled": "true", "displayRequestDuration": "true", "docExpansion": `"list"`, "defaultModelsExpandDepth": "0",
		},
	}
	if c.Sandbox != nil {
		docs.PreAuthorizeApiKey = map[string]string{
			"ClientId": c.Sandbox.ClientID, "ClientSecret": c.Sandbox.ClientSecret,
		}
	}
	ui := echo.WrapHandler(v5emb.NewHandlerWithConfig(docs))
	page("/docs", ui)
	page("/docs/*", ui)
}
