package probe

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// Session is what the checks of one run share.
type Session struct {
	Target   Target
	Contract *contract.Contract

	base      string // path of the base URL
	transport http.RoundTripper
	silent    atomic.Int32 // requests in a row without an answer
	catalogue catalogue
}

// NewSession prepares a run; it sends nothing. Close it when the run is over.
func NewSession(target Target, c *contract.Contract) (*Session, error) {
	u, err := url.Parse(target.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("the URL must be http or https with a host, not %q", target.URL)
	}
	target.URL = strings.TrimSuffix(target.URL, "/")
	s := &Session{Target: target, Contract: c, base: strings.TrimSuffix(u.Path, "/"), transport: target.Transport}
	if s.transport == nil {
		s.transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dial, TLSClientConfig: target.TLS, ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: 64, TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 30 * time.Second, ExpectContinueTimeout: 2 * time.Second,
		}
	}
	return s, nil
}

// Close lets go of idle connections.
func (s *Session) Close() {
	if t, ok := s.transport.(*http.Transport); ok && s.Target.Transport == nil {
		t.CloseIdleConnections()
	}
}

// patientConn reports no failed write once a request has been written in part. A server may answer and close a connection
// before it has read all of a request, and net/http would return the error of the write in place of that answer.
type patientConn struct {
	net.Conn
	begun atomic.Bool
}

// Write implements [net.Conn].
func (c *patientConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	switch {
	case err == nil:
		c.begun.Store(true)
	case c.begun.Load():
		return len(p), nil
	}
	return n, err
}

func dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{Timeout: 30 * time.Second}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &patientConn{Conn: c}, nil
}

// startRequest is called with the connection of each request.
func startRequest(i httptrace.GotConnInfo) {
	conn := i.Conn
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if c, ok := conn.(*patientConn); ok {
		c.begun.Store(false)
	}
}
