package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// connectTime limits connecting to each host, unless the URL has a connect_timeout.
	connectTime = 2 * time.Second
	// silence is how long no connection to a server receives anything, although one waits, before the server is probed. It
	// may be well: a statement that waits for a lock is silent as well.
	silence = time.Second
	// probeTime is how long a probe may take.
	probeTime = 1500 * time.Millisecond
	// watchInterval is how often silence is looked for.
	watchInterval = 250 * time.Millisecond
	// forgetTime is how long a hung server is probed that nobody wants to connect to any more.
	forgetTime = time.Minute
)

// errHung is the error of connecting to a server that hangs.
var errHung = errors.New("the server hangs")

// watch finds servers that hang. A server that is frozen, or whose host is gone, breaks no connection: statements would wait
// for the deadline of their request, while the next host of the URL may have been promoted. If a server is silent and does
// not answer a probe on a new connection either, watch closes all connections to it and refuses new ones until it answers.
type watch struct {
	config  *pgconn.Config // of the pool, with a DialFunc that does not come back here
	mu      sync.Mutex
	servers map[string]*watchedServer // by address
	ended   context.Context           //nolint:containedctx // of the goroutines, which belong to no call
	end     context.CancelFunc
	all     sync.WaitGroup
}

// watchedServer is one address. Its fields are guarded by watch.mu, except heard.
type watchedServer struct {
	network, address string
	connections      map[*watchedConn]struct{}
	heard            atomic.Int64 // when a connection last received something, in microseconds since 1970
	probed           bool         // a probe is under way
	hung             bool
	wanted           time.Time // when a connection was last asked for
}

// watchConnections makes all connections of a configuration watched ones. Stop ends the watch.
func watchConnections(config *pgconn.Config) (stop func()) {
	w := &watch{config: config.Copy(), servers: map[string]*watchedServer{}}
	w.ended, w.end = context.WithCancel(context.Background())
	config.DialFunc = w.dial
	w.all.Go(w.run)
	return func() { w.end(); w.all.Wait() }
}

func (w *watch) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	s := w.servers[address]
	if s == nil {
		s = &watchedServer{network: network, address: address, connections: map[*watchedConn]struct{}{}}
		w.servers[address] = s
	}
	s.wanted = time.Now()
	hung := s.hung
	w.mu.Unlock()
	if hung {
		return nil, errHung
	}
	conn, err := w.config.DialFunc(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &watchedConn{Conn: conn, watch: w, server: s}
	w.mu.Lock()
	defer w.mu.Unlock()
	s.connections[c] = struct{}{}
	return c, nil
}

func (w *watch) run() {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-w.ended.Done():
			return
		case <-tick.C:
			w.look(time.Now())
		}
	}
}

// look starts a probe of each server that is silent, or that hung and may be back.
func (w *watch) look(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for address, s := range w.servers {
		unused := len(s.connections) == 0 && now.Sub(s.wanted) > forgetTime
		switch {
		case s.probed:
		case unused:
			delete(w.servers, address)
		case s.hung || s.silent(now):
			s.probed = true
			w.all.Go(func() { w.probe(s, now) })
		}
	}
}

// silent reports whether a connection waits and none receives anything.
func (s *watchedServer) silent(now time.Time) bool {
	since := now.Add(-silence).UnixMicro()
	if s.heard.Load() > since {
		return false
	}
	for c := range s.connections {
		if waits := c.waits.Load(); waits != 0 && waits <= since {
			return true
		}
	}
	return false
}

// probe finds out whether a server hangs, and if it does, closes the connections to it.
func (w *watch) probe(s *watchedServer, began time.Time) {
	answers := w.answers(s)
	w.mu.Lock()
	defer w.mu.Unlock()
	s.probed = false
	if heard := s.heard.Load(); answers || heard > began.UnixMicro() {
		s.hung = false
		s.heard.Store(max(heard, time.Now().UnixMicro())) // the next probe is not due before a further silence
		return
	}
	s.hung = true
	for c := range s.connections {
		_ = c.Conn.Close() // its users get the error
	}
}

// answers reports whether a server answers on a new connection, be it with an error. It asks for a statement as well, because
// a pooler accepts connections for a server that hangs.
func (w *watch) answers(s *watchedServer) bool {
	ctx, cancel := context.WithTimeout(w.ended, probeTime)
	defer cancel()
	config := w.config.Copy()
	config.ConnectTimeout, config.ValidateConnect = 0, nil
	var heard atomic.Bool
	config.LookupFunc = func(context.Context, string) ([]string, error) { return []string{s.address}, nil }
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if address != s.address { // a socket of another host, which is not looked up
			return nil, errors.New("not this host")
		}
		conn, err := w.config.DialFunc(ctx, s.network, s.address)
		return listening{conn, &heard}, err
	}
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err == nil {
		err = conn.Ping(ctx)
		_ = conn.Close(ctx)
	}
	return err == nil || heard.Load() && ctx.Err() == nil
}

// listening is a connection that notes whether anything was received.
type listening struct {
	net.Conn
	heard *atomic.Bool
}

func (l listening) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	if n > 0 {
		l.heard.Store(true)
	}
	return n, err
}

// watchedConn is a connection that notes since when it waits for the server.
type watchedConn struct {
	net.Conn
	watch  *watch
	server *watchedServer
	waits  atomic.Int64 // since when Read waits, in microseconds since 1970; 0: it does not
}

// Read notes that the connection waits, because pgconn reads only what it expects.
func (c *watchedConn) Read(b []byte) (int, error) {
	c.waits.Store(time.Now().UnixMicro())
	n, err := c.Conn.Read(b)
	c.waits.Store(0)
	if n > 0 {
		c.server.heard.Store(time.Now().UnixMicro())
	}
	return n, err
}

// Close forgets the connection.
func (c *watchedConn) Close() error {
	c.watch.mu.Lock()
	delete(c.server.connections, c)
	c.watch.mu.Unlock()
	return c.Conn.Close()
}

// watchedConnector stops the watch when its pool is closed.
type watchedConnector struct {
	driver.Connector
	stop func()
}

// Close is called by the pool when it is closed.
func (c watchedConnector) Close() error {
	c.stop()
	return nil
}
