package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/httpapi"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/reference"
	"github.com/crossborder-payouts/payouts/server/store"
)

// shutdownPatience is how long requests in flight may take to end when the service stops.
const shutdownPatience = 20 * time.Second

// Server is the service. Make it with New, and close it.
type Server struct {
	handler http.Handler
	store   *store.Store
	log     *slog.Logger
}

// New opens and migrates the database, seeds what belongs there, and wires the service. It does not listen yet.
func New(ctx context.Context, c Config) (*Server, error) {
	c.Timeout = cmp.Or(c.Timeout, 30*time.Second)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	document, err := openapi.Document()
	if err != nil {
		return nil, fmt.Errorf("read contract: %w", err)
	}
	published, err := openapi.JSON()
	if err != nil {
		return nil, fmt.Errorf("read contract: %w", err)
	}
	rules, err := contract.New(document)
	if err != nil {
		return nil, fmt.Errorf("compile contract: %w", err)
	}
	db, err := store.Open(ctx, c.Database)
	if err != nil {
		return nil, err
	}
	if err := seed(ctx, db, c); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	service := payout.NewService(payout.Config{Store: db, Country: reference.Country, Now: c.Now, NewID: c.NewID})
	api := httpapi.Config{
		Service: service, Contract: rules, Logger: c.Logger, Ready: db.Ready, NewID: c.NewID, Timeout: c.Timeout,
		RateLimit: c.RateLimit, YAML: openapi.YAML(), JSON: published,
	}
	if c.Sandbox {
		api.Sandbox = &httpapi.Credentials{ClientID: SandboxClients[0].ID, ClientSecret: SandboxClients[0].Secret}
	}
	return &Server{handler: httpapi.New(api), store: db, log: c.Logger}, nil
}

// Handler answers all requests of the service.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve answers requests on the listener until ctx ends; then it lets the requests in flight finish, for at most 20
// seconds, and returns nil.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	h := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       60 * time.Second, // a body of 20 MiB over a slow line
		WriteTimeout:      90 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	s.log.Info("shutting down", slog.Duration("patience", shutdownPatience))
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownPatience)
	defer cancel()
	if err := h.Shutdown(patience); err != nil {
		return errors.Join(fmt.Errorf("shut down: %w", err), h.Close())
	}
	return nil
}

// Close closes the database.
func (s *Server) Close() error { return s.store.Close() }
