package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// webhooks is a webhook endpoint, as an integrator has one. The example of client.VerifyWebhook stores what it receives; this one
// passes it on.
type webhooks struct {
	server *httptest.Server
	secret string
	events chan *api.Event
}

// receive listens on this machine, and registers the address for events of transactions.
func receive(ctx context.Context, c *client.Client) (*webhooks, error) {
	h := &webhooks{events: make(chan *api.Event, 100)}
	h.server = httptest.NewServer(h)
	endpoint, err := c.CreateWebhookEndpoint(ctx, api.WebhookEndpointRequest{
		URL: h.server.URL, EventTypes: []api.EventType{api.EventTypeTransactionCreated, api.EventTypeTransactionStatusChanged},
	})
	if err != nil {
		h.close()
		return nil, err
	}
	h.secret = *endpoint.Secret
	return h, nil
}

func (h *webhooks) close() { h.server.Close() }

// ServeHTTP implements [http.Handler].
func (h *webhooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	event, err := client.VerifyWebhook(r.Header, body, h.secret)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.events <- event
	w.WriteHeader(http.StatusNoContent)
}
