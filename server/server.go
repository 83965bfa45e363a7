package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
	"github.com/crossborder-payouts/payouts/server/httpapi"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/reference"
	"github.com/crossborder-payouts/payouts/server/store"
	"github.com/crossborder-payouts/payouts/server/webhooks"
)

// Server is the service. The zero value is not usable; see [New].
type Server struct {
	handler  http.Handler
	metrics  *httpapi.Metrics
	store    *store.Store
	log      *slog.Logger
	config   Config
	info     Info
	stopping atomic.Bool
	end      func() // ends what runs beside the requests

	endWebhooks func() error // stops their delivery
}

// New opens and migrates the database, seeds what belongs there, and wires the service. It does not listen yet.
func New(ctx context.Context, c Config) (*Server, error) {
	c.Timeout = cmp.Or(c.Timeout, 30*time.Second)
	c.ShutdownPatience = cmp.Or(c.ShutdownPatience, 20*time.Second)
	c.BodyMemory = cmp.Or(c.BodyMemory, defaultBodyMemory())
	c.BodyPatience = cmp.Or(c.BodyPatience, bodies.DefaultPatience)
	c.BodyPace = cmp.Or(c.BodyPace, bodies.DefaultPace)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.WebhookNow == nil {
		c.WebhookNow = c.Now
	}
	if c.NewID == nil {
		c.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	document, err := openapi.Document()
	if err != nil {
		return nil, fmt.Errorf("read contract: %w", err)
	}
	readers, err := pages(c.Sandbox)
	if err != nil {
		return nil, err
	}
	rules, err := contract.Published()
	if err != nil {
		return nil, fmt.Errorf("compile contract: %w", err)
	}
	db, err := store.Open(ctx, c.Database)
	if err != nil {
		return nil, err
	}
	for _, file := range db.Exposed() {
		c.Logger.Warn("other users of the machine can read the database; run chmod 600", slog.String("file", file))
	}
	if err := seed(ctx, db, c); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	warnOfLoss(ctx, db, c.Logger)
	s := &Server{store: db, log: c.Logger, config: c, info: newInfo(document.Info.Version, db)}
	feed := newEvents(db, c)
	deliveries := webhooks.NewMetrics(db)
	s.metrics = newMetrics(s.info, db, feed, deliveries)
	sealer, err := sealer(c)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	service := payout.NewService(payout.Config{
		Store: db, Country: reference.Country, Now: c.Now, NewID: c.NewID, EventData: httpapi.EventData, Publish: feed.publish,
		ClientsFor: c.ClientsFor, ClientTimeout: c.Timeout,
		Sealer: sealer, PrivateWebhooks: c.Sandbox,
	})
	if sealer != nil {
		warnOfOtherKey(ctx, c, db, service)
	}
	if s.endWebhooks, err = deliver(ctx, c, db, service, deliveries); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	endFeed, endClients := background(feed.run), background(func(ctx context.Context) { readClientsAgain(ctx, c, service) })
	s.end = func() {
		endFeed()
		endClients()
	}
	inside, watch, err := newConsole(c, document, func() http.Handler { return s.handler })
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.handler = httpapi.New(httpapi.Config{
		Service: service, Contract: rules, Logger: c.Logger, Ready: s.ready, NewID: c.NewID, Now: c.Now, Timeout: c.Timeout,
		ClientsFor: c.ClientsFor,
		RateLimit:  c.RateLimit, FailureLimit: c.FailureLimit, TrustedProxies: c.TrustedProxies, OmitAddresses: c.OmitAddresses,
		Metrics: s.metrics, Sandbox: c.Sandbox, Pages: readers, Console: inside, Watch: watch, Bodies: bodies.Receiver{
			Limit: contract.DefaultBodyLimit, Memory: newBodyMemory(c.BodyMemory, c.BodyPatience),
		},
	})
	return s, nil
}

// readClientsAgain keeps what is known of the clients that make requests. Where it fails, their next requests read it.
func readClientsAgain(ctx context.Context, c Config, service *payout.Service) {
	if c.ClientsFor == 0 {
		return
	}
	tick := time.NewTicker(c.ClientsFor / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			within, cancel := context.WithTimeout(ctx, c.ClientsFor/2)
			_ = service.ReadClientsAgain(within)
			cancel()
		}
	}
}

// ready returns why the service cannot take requests, or nil.
func (s *Server) ready(ctx context.Context) error {
	if s.stopping.Load() {
		e := payout.NewError(payout.CodeServiceUnavailable)
		e.Message = "The service is shutting down."
		return e.Because(errors.New("shutting down"))
	}
	return s.store.Ready(ctx)
}

// Handler serves all requests but those for metrics.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve serves requests on the listener until ctx ends, then shuts down as Config says and returns nil.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	warnOfNoKey(s.config)
	return s.serve(ctx, listener, s.handler, func() {
		s.stopping.Store(true)
		s.log.Info("shutting down",
			slog.Duration("delay", s.config.ShutdownDelay), slog.Duration("patience", s.config.ShutdownPatience))
		go s.endWebhooks() //nolint:errcheck // Close waits for it and returns its error
		<-time.After(s.config.ShutdownDelay)
	})
}

// serve serves requests until ctx ends, calls stopping, and waits for the requests in flight.
func (s *Server) serve(ctx context.Context, listener net.Listener, handler http.Handler, stopping func()) error {
	h := &http.Server{
		Handler:           s.config.BodyPace.Handler(handler),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       s.config.BodyPace.Window, // for bodies that nobody reads
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 100},
		ErrorLog:          log.New(errorLog{s.log, !s.config.OmitAddresses}, "", 0),
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	stopping()
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.ShutdownPatience)
	defer cancel()
	if err := h.Shutdown(patience); err != nil {
		return errors.Join(fmt.Errorf("shut down: %w", err), h.Close())
	}
	return nil
}

// background runs fn until end is called, which waits for it.
func background(fn func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// Close ends what runs beside the requests, and closes the database.
func (s *Server) Close() error {
	failed := s.endWebhooks()
	s.end()
	return errors.Join(failed, s.store.Close())
}
