package server

import (
	"context"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/server/console"
	"github.com/crossborder-payouts/payouts/server/httpapi"
)

// newConsole returns the console and what tells it of requests; nil outside of sandbox mode. It calls the API of the same process
// through handler, which is not made yet.
func newConsole(c Config, contract *openapi3.T, handler func() http.Handler) (http.Handler, func(context.Context, httpapi.Exchange), error) {
	if !c.Sandbox {
		return nil, nil, nil
	}
	clients := make([]console.Client, len(SandboxClients))
	for i, s := range SandboxClients {
		clients[i] = console.Client{ID: s.ID, Secret: s.Secret}
	}
	pages, err := console.New(console.Config{
		API:     http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler().ServeHTTP(w, r) }),
		Clients: clients, Contract: contract, Now: c.Now,
	})
	if err != nil {
		return nil, nil, err
	}
	return pages, func(ctx context.Context, e httpapi.Exchange) { pages.Saw(ctx, console.Request(e)) }, nil
}
