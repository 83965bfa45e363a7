package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
	"github.com/crossborder-payouts/payouts/openapi/contract/listen"
)

// besidesBodies is the memory that the program needs without bodies, in bytes, generously.
const besidesBodies = 128 << 20

// serve runs the front until ctx ends, and prints the summary.
func serve(ctx context.Context, o options, log *slog.Logger, out io.Writer) (err error) {
	f, err := newFront(o, log)
	if err != nil {
		return err
	}
	defer f.transport.CloseIdleConnections()
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(2*o.MemoryLimit + besidesBodies) // the garbage of bodies counts too
	}
	endpoint, err := listen.New(listen.Config{
		Address: o.Listen, TLSCertificate: o.TLSCertificate, TLSKey: o.TLSKey, Insecure: o.Insecure, Log: log,
	})
	if err != nil {
		return ofListening(err)
	}
	listener, err := endpoint.Listen(ctx)
	if err != nil {
		return ofListening(err)
	}
	about := []any{
		slog.String("address", endpoint.URL(listener)), slog.String("upstream", f.base.String()),
		slog.String("contract", f.version), slog.String("requests", o.Requests), slog.String("responses", o.Responses),
	}
	var stopping atomic.Bool
	if o.MetricsListen != "" {
		metrics, failed := (&net.ListenConfig{}).Listen(ctx, "tcp", o.MetricsListen)
		if failed != nil {
			return errors.Join(usageError{"metrics-listen", failed}, listener.Close())
		}
		about = append(about, slog.String("metrics", "http://"+metrics.Addr().String()+"/metrics"))
		operations := f.server(f.operations(&stopping))
		ended := make(chan error, 1)
		go func() { ended <- operations.Serve(metrics) }()
		defer func() { // after the requests in flight
			err = errors.Join(err, operations.Close())
			if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
				err = errors.Join(err, served)
			}
		}()
	}
	log.Info("listening", about...)
	server := f.server(f)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	stopping.Store(true)
	log.Info("shutting down", slog.Duration("delay", o.ShutdownDelay), slog.Duration("patience", o.ShutdownPatience))
	<-time.After(o.ShutdownDelay)
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.ShutdownPatience)
	defer cancel()
	if err = server.Shutdown(patience); err != nil {
		err = errors.Join(fmt.Errorf("shut down: %w", err), server.Close())
	}
	f.summary.print(out)
	return err
}

// ofListening returns an error of package listen as one of its flag.
func ofListening(err error) error {
	if invalid, ok := errors.AsType[*listen.Error](err); ok {
		return usageError{invalid.Flag, invalid.Err}
	}
	return err
}

// server holds bodies to a pace; its ReadTimeout is for those that nobody reads.
func (f *front) server(h http.Handler) *http.Server {
	pace := bodies.Pace{Bytes: bodies.DefaultPace.Bytes, Window: f.BodyTime}
	return &http.Server{
		Handler:           pace.Handler(h),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       f.BodyTime,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(f.log.Handler(), slog.LevelWarn),
	}
}

// operations serves metrics and health. They are not among the paths of the service, which are all its own.
func (f *front) operations(stopping *atomic.Bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", f.metrics.handler(f.log))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { health(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		switch err := f.reach(r.Context()); {
		case stopping.Load():
			health(w, http.StatusServiceUnavailable, "shutting down")
		case err != nil:
			health(w, http.StatusServiceUnavailable, "the service cannot be reached")
		default:
			health(w, http.StatusOK, "ok")
		}
	})
	return mux
}

func health(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, "{\"status\":%q}\n", text)
}

// reach connects to the service, without a request that it would count.
func (f *front) reach(ctx context.Context) error {
	port := f.base.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[f.base.Scheme]
	}
	conn, err := (&net.Dialer{Timeout: dialTime}).DialContext(ctx, "tcp", net.JoinHostPort(f.base.Hostname(), port))
	if err != nil {
		return err
	}
	return conn.Close()
}
