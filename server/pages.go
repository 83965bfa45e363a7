package server

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server/docs"
)

// pages returns the pages for readers of the contract. Each mode's are rendered once, for all servers of a process.
func pages(sandbox bool) (map[string]http.Handler, error) {
	if sandbox {
		return sandboxPages()
	}
	return productionPages()
}

var (
	sandboxPages = sync.OnceValues(func() (map[string]http.Handler, error) {
		json, err := openapi.JSON()
		if err != nil {
			return nil, fmt.Errorf("read contract: %w", err)
		}
		return docs.New(docs.Config{
			YAML: openapi.YAML(), JSON: json, Decisions: openapi.Decisions, Changelog: openapi.Changelog,
			ClientID: SandboxClients[0].ID, ClientSecret: SandboxClients[0].Secret,
		})
	})
	productionPages = sync.OnceValues(func() (map[string]http.Handler, error) {
		yaml, err := openapi.ProductionYAML()
		if err != nil {
			return nil, fmt.Errorf("read contract: %w", err)
		}
		json, err := openapi.ProductionJSON()
		if err != nil {
			return nil, fmt.Errorf("read contract: %w", err)
		}
		return docs.New(docs.Config{YAML: yaml, JSON: json, Decisions: openapi.Decisions, Changelog: openapi.Changelog})
	})
)
