package roundtrips_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// proxy stands between the service and PostgreSQL, and counts.
type proxy struct {
	url      string       // of the database, through it
	trips    atomic.Int64 // how often the server has finished what it was sent
	listener net.Listener
}

// newProxy starts a proxy to the server of a database, for the time of the test.
func newProxy(t testing.TB, databaseURL string) *proxy {
	t.Helper()
	config, err := pgconn.ParseConfig(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	host, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("host", host)
	query.Set("port", port)
	query.Set("sslmode", "disable") // it reads what is sent
	u.Host, u.RawQuery = "", query.Encode()
	p := &proxy{url: u.String(), listener: listener}
	go p.accept(context.WithoutCancel(t.Context()), config) // the connections end with their clients
	return p
}

func (p *proxy) accept(ctx context.Context, target *pgconn.Config) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		network, address := pgconn.NetworkAddress(target.Host, target.Port)
		server, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			client.Close()
			continue
		}
		go func() {
			_, _ = io.Copy(server, client)
			server.Close()
		}()
		go p.answer(client, pgproto3.NewFrontend(server, io.Discard))
	}
}

// answer hands on what the server sends, and counts before the client can go on.
func (p *proxy) answer(client net.Conn, server *pgproto3.Frontend) {
	defer client.Close()
	for {
		message, err := server.Receive()
		if err != nil {
			return
		}
		if _, ok := message.(*pgproto3.ReadyForQuery); ok {
			p.trips.Add(1)
		}
		text, err := message.Encode(nil)
		if err != nil {
			return
		}
		if _, err := client.Write(text); err != nil {
			return
		}
	}
}

// during returns how many round trips there were while fn ran.
func (p *proxy) during(fn func()) int {
	before := p.trips.Load()
	fn()
	return int(p.trips.Load() - before)
}
