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
	"sync"
	"sync/atomic"
	"time"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// Session is shared by the checks of a run.
type Session struct {
	Target   Target
	Contract *contract.Contract

	base      string // path of the base URL
	transport http.RoundTripper
	receiver  *webhookServer // of webhooks; nil if the target names no address
	silent    atomic.Int32   // requests in a row without an answer
	limited   sync.Map       // client id to whether its first answer said what is left of its rate limit
	catalogue catalogue
}

// NewSession prepares a run without sending anything; it listens for webhooks if the target names an address. Close it after
// the run.
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
	if target.Receiver != "" {
		s.receiver, err = listen(target.Receiver, target.ReceiverURL)
	}
	return s, err
}

// Close closes idle connections, and the listener for webhooks.
func (s *Session) Close() {
	if s.receiver != nil {
		s.receiver.close()
	}
	if t, ok := s.transport.(*http.Transport); ok && s.Target.Transport == nil {
		t.CloseIdleConnections()
	}
}

// patientConn hides write errors once part of a request has been written. A server may respond and close the connection before
// it has read the whole request; net/http would return the write error instead of that response.
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

// startRequest resets the connection of a request before anything is written.
func startRequest(i httptrace.GotConnInfo) {
	conn := i.Conn
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if c, ok := conn.(*patientConn); ok {
		c.begun.Store(false)
	}
}
