package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
)

// front is the proxy, as a handler.
type front struct {
	options
	rules     *contract.Contract
	version   string // of the contract
	names     names
	base      *url.URL // of the service
	probed    *url.URL // see ask
	transport *http.Transport
	proxy     *httputil.ReverseProxy
	checked   http.Handler // the proxy behind the middleware
	log       *slog.Logger
	metrics   *metrics
	summary   *summary
	newID     func() string
}

// newFront returns the proxy. Its error is a usageError, or that of the built-in contract.
func newFront(o options, log *slog.Logger) (*front, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	f := &front{options: o, log: log, metrics: newMetrics(), summary: newSummary()}
	f.newID = func() string { return uuid.Must(uuid.NewV7()).String() }
	doc, rules, err := o.rules()
	if err != nil {
		return nil, err
	}
	f.rules, f.version, f.names = rules, doc.Info.Version, declared(doc)
	if f.base, err = o.upstream(); err != nil {
		return nil, err
	}
	if f.probed, err = o.probe(rules); err != nil {
		return nil, err
	}
	trusted, err := o.upstreamTLS()
	if err != nil {
		return nil, err
	}
	f.transport = &http.Transport{
		DialContext:         (&net.Dialer{Timeout: dialTime, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:     trusted,
		TLSHandshakeTimeout: dialTime,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        512,
		MaxIdleConnsPerHost: 512,
		IdleConnTimeout:     90 * time.Second,
		// The time to send a body to the service comes before it.
		ResponseHeaderTimeout:  o.Timeout,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // a response is passed on as it is
	}
	f.proxy = &httputil.ReverseProxy{
		Rewrite:      f.rewrite,
		Transport:    f.transport,
		ErrorHandler: f.unreachable,
		ErrorLog:     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		BufferPool:   buffers{},
	}
	f.checked = rules.Middleware(f.proxy,
		contract.BodyLimit(o.BodyLimit), contract.Memory(bodies.NewMemory(o.MemoryLimit, o.BodyLimit, bodies.DefaultPatience)),
		contract.Requests(modes[o.Requests]), contract.Responses(modes[o.Responses], o.ResponseLimit),
		contract.OnError(f.refuse), contract.RequestID(f.newID),
		contract.Watch(func(r *http.Request, found contract.Finding) { seen(r).finding = found }))
	return f, nil
}

// dialTime is the time to connect to the service.
const dialTime = 5 * time.Second

// rewrite makes the request to the service from that of the caller.
func (f *front) rewrite(r *httputil.ProxyRequest) {
	r.SetURL(f.base)
	r.Out.URL.RawQuery = r.In.URL.RawQuery // as it was sent: what is malformed there is for the service to refuse
	if f.TrustForwarded {
		for _, name := range []string{"Forwarded", "X-Forwarded-For"} {
			if values, ok := r.In.Header[name]; ok {
				r.Out.Header[name] = values
			}
		}
	}
	r.SetXForwarded()
	if f.TrustForwarded {
		for _, name := range []string{"X-Forwarded-Host", "X-Forwarded-Proto"} {
			if values, ok := r.In.Header[name]; ok {
				r.Out.Header[name] = values
			}
		}
	}
	if _, whole := contract.FromContext(r.In.Context()); whole {
		r.Out.Header.Del("Expect") // the body is here
	}
}

// unreachable answers a request to which there is no response of the service.
func (f *front) unreachable(w http.ResponseWriter, r *http.Request, err error) {
	o := seen(r)
	if o.caller.Err() != nil {
		panic(http.ErrAbortHandler) // nobody reads an answer
	}
	o.failure, o.cause, o.own = kindOf(err), causeOf(err), true
	f.rules.WriteError(w, r, &contract.Error{
		Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"1"}},
	}, f.newID())
}

// refuse answers a request that breaks the contract, once the service has accepted its credentials.
func (f *front) refuse(w http.ResponseWriter, r *http.Request, err error) {
	o := seen(r)
	if op := contract.OperationFromContext(r.Context()); f.probed != nil && op.Secured && !f.ask(w, r) {
		o.unknown = true
		return
	}
	o.own = true
	f.rules.WriteError(w, r, err, f.newID())
}

// ServeHTTP implements [http.Handler].
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o := &observation{start: time.Now(), caller: r.Context()}
	out := &observedWriter{ResponseWriter: w}
	f.metrics.inFlight.Inc()
	ended := false
	defer func() {
		f.metrics.inFlight.Dec()
		o.aborted = !ended
		f.observe(o, r, out)
	}()
	f.checked.ServeHTTP(out, r.WithContext(context.WithValue(r.Context(), observationKey{}, o)))
	ended = true
}

// buffers are for copying bodies.
type buffers struct{}

var pool = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// Get implements [httputil.BufferPool].
func (buffers) Get() []byte { return pool.Get().(*[32 << 10]byte)[:] }

// Put implements [httputil.BufferPool].
func (buffers) Put(b []byte) { pool.Put((*[32 << 10]byte)(b)) }

// observedWriter counts what is sent.
type observedWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader implements [http.ResponseWriter].
func (w *observedWriter) WriteHeader(status int) {
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w *observedWriter) Write(text []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(text)
	w.bytes += int64(n)
	return n, err
}

// Unwrap is for [http.ResponseController].
func (w *observedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
