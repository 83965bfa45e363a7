package client_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/server/servertest"
)

// storm is a proxy between the SDK and the service. Half of the requests with an idempotency key meet a fault, drawn from
// the seed, the key and how often the key has come, so that a run can be repeated whatever its goroutines do.
type storm struct {
	t        testing.TB
	seed     uint64
	faults   []fault
	server   *url.URL          // the service
	forward  http.RoundTripper // to the service; checks its answers against the contract
	url      string
	stranger string // a server that no request may reach, for redirects

	// before is called with each request, its number among all and its number among those with its key. If it returns a
	// fault, the request meets it. It may be nil.
	before func(number, attempt int, key string, random *rand.Rand) *fault

	// succeeded is called with the number of each success, if the proxy is one of another project. It must not wait.
	succeeded func(number int)

	background sync.WaitGroup // requests that arrive late

	mu       sync.Mutex
	requests int
	came     map[string]int // how often a request with this key has come
	met      map[string]string
	kinds    map[string]int
}

func newStorm(t testing.TB, s *servertest.Server) *storm {
	t.Helper()
	address, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	stranger := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a redirect was followed: %s %s", r.Method, r.URL.Path)
	}))
	t.Cleanup(stranger.Close)
	p := &storm{
		t: t, seed: uint64(setting(t, stormSeed, 1)), faults: allFaults(), server: address, forward: s.HTTP.Transport, stranger: stranger.URL,
		came: map[string]int{}, met: map[string]string{}, kinds: map[string]int{},
	}
	t.Log("seed", p.seed)
	web := httptest.NewUnstartedServer(p)
	web.Config.ErrorLog = log.New(io.Discard, "", 0) // it reports what some of the faults do
	web.Start()
	p.url = web.URL
	t.Cleanup(func() {
		p.background.Wait()
		web.Close()
	})
	return p
}

// calm is what happens to a request that meets no fault.
const calm = "no fault"

// ServeHTTP implements [http.Handler].
func (p *storm) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller left
	}
	m := &meeting{storm: p, w: w, r: r, body: body}
	key := r.Header.Get("X-Idempotency-Key")
	if key == "" {
		m.pass()
		return
	}
	f := p.draw(m, key)
	if f == nil {
		m.pass()
		return
	}
	if f.when == after || f.when == either && m.random.IntN(2) == 0 {
		if m.original = m.ask(); m.original == nil {
			m.raw("")
			return
		}
	}
	f.do(m)
}

// draw returns what happens to a request; nil for nothing.
func (p *storm) draw(m *meeting, key string) *fault {
	hash := fnv.New64a()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	p.came[key]++
	fmt.Fprintf(hash, "%s %d", key, p.came[key])
	m.random = rand.New(rand.NewPCG(p.seed, hash.Sum64()))
	var f *fault
	if p.before != nil {
		f = p.before(p.requests, p.came[key], key, m.random)
	}
	if f == nil && m.random.IntN(2) == 0 {
		f = &p.faults[m.random.IntN(len(p.faults))]
	}
	name := calm
	if f != nil {
		name = f.name
	}
	p.note(key, name)
	return f
}

// counts returns the number of requests, and how often each kind of fault happened: requests may still arrive.
func (p *storm) counts() (requests int, kinds map[string]int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests, maps.Clone(p.kinds)
}

// note records what a request met; p.mu is held.
func (p *storm) note(key, kind string) {
	p.met[key] = kind
	p.kinds[kind]++
}

// last returns what the last request with a key met.
func (p *storm) last(key string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.met[key]
}

// meeting is a request that meets a fault.
type meeting struct {
	*storm
	w        http.ResponseWriter
	r        *http.Request
	body     []byte
	random   *rand.Rand
	original *original // the answer of the service; nil if the request was not forwarded
}

// original is an answer of the service.
type original struct {
	status int
	header http.Header
	body   []byte
}

func (m *meeting) request() *http.Request {
	out := m.r.Clone(context.WithoutCancel(m.r.Context())) // the service handles it even if the caller leaves
	out.RequestURI, out.Host, out.URL.Scheme, out.URL.Host = "", m.server.Host, m.server.Scheme, m.server.Host
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(m.body)), int64(len(m.body))
	return out
}

// ask forwards the request to the service. It returns nil if there was no answer.
func (m *meeting) ask() *original {
	resp, err := m.forward.RoundTrip(m.request())
	if err != nil {
		m.t.Errorf("the service does not answer: %v", err)
		return nil
	}
	return read(resp)
}

func read(resp *http.Response) *original {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil
	}
	return &original{resp.StatusCode, resp.Header, body}
}

// pass forwards the request and its answer as they are.
func (m *meeting) pass() {
	if o := m.ask(); o != nil {
		m.answer(o)
	}
}

func (m *meeting) answer(o *original) {
	for name, values := range o.header {
		m.w.Header()[name] = values
	}
	m.w.WriteHeader(o.status)
	_, _ = m.w.Write(o.body) // fails if the caller left
}

// reply answers over a connection that stays open.
func (m *meeting) reply(status int, contentType, body string, headers ...string) {
	if contentType != "" {
		m.w.Header().Set("Content-Type", contentType)
	}
	for pair := range slices.Chunk(headers, 2) {
		m.w.Header().Set(pair[0], pair[1])
	}
	m.w.WriteHeader(status)
	_, _ = io.WriteString(m.w, body)
}

// take takes the connection from net/http.
func (m *meeting) take() net.Conn {
	conn, _, err := http.NewResponseController(m.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // the caller left
	}
	return conn
}

// raw writes these bytes and closes the connection.
func (m *meeting) raw(parts ...string) {
	conn := m.take()
	defer conn.Close()
	for _, part := range parts {
		if _, err := io.WriteString(conn, part); err != nil {
			return // the caller left
		}
	}
}

// hang writes these bytes, and nothing more until the caller leaves.
func (m *meeting) hang(parts ...string) {
	conn := m.take()
	defer conn.Close()
	_, _ = io.WriteString(conn, strings.Join(parts, ""))
	_, _ = io.Copy(io.Discard, conn)
}
