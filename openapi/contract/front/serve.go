package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
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
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return usageError{"listen", err}
	}
	scheme := "http"
	if o.TLSCert != "" {
		certificate, failed := newCertificate(o.TLSCert, o.TLSKey)
		if failed != nil {
			return errors.Join(usageError{"tls-cert", failed}, listener.Close())
		}
		scheme = "https"
		listener = tls.NewListener(listener, &tls.Config{
			GetCertificate: certificate.get, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		})
	}
	about := []any{
		slog.String("address", scheme+"://"+listener.Addr().String()), slog.String("upstream", f.base.String()),
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

// server has no WriteTimeout: each part of a response has its own time.
func (f *front) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
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

// certificate is a certificate in files, which is read again when they change.
type certificate struct {
	cert, key string
	mu        sync.Mutex
	changed   [2]time.Time
	loaded    *tls.Certificate
}

func newCertificate(cert, key string) (*certificate, error) {
	c := &certificate{cert: cert, key: key}
	return c, c.load()
}

func (c *certificate) load() error {
	var changed [2]time.Time
	for i, name := range []string{c.cert, c.key} {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		changed[i] = info.ModTime()
	}
	if c.loaded != nil && changed == c.changed {
		return nil
	}
	loaded, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err == nil {
		c.loaded, c.changed = &loaded, changed
	}
	return err
}

// get is for [tls.Config]. While the files do not fit each other, the old certificate stays.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.load() // it stays
	return c.loaded, nil
}
