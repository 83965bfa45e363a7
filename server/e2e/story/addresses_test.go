package story

import (
	"crypto/tls"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// inside listens on all addresses of the place, with a certificate of every name, and returns the connections that it accepts.
func (p *place) inside(t *testing.T, network, address string) <-chan net.Conn {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(p.certificate, p.key)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen(network, address, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	accepted := make(chan net.Conn, 100)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	return accepted
}

// test sends a ping to an endpoint.
func (s *service) test(t *testing.T, id uuid.UUID) (event uuid.UUID) {
	t.Helper()
	return got(s.TestWebhookEndpoint(t.Context(), id))(t).EventID
}

// attempted waits for the first attempt of a delivery.
func (s *service) attempted(t *testing.T, id, event uuid.UUID) api.WebhookAttempt {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		for d, err := range s.WebhookDeliveries(t.Context(), id, nil) {
			if err != nil {
				t.Fatal(err)
			}
			if d.EventID == event && len(d.Attempts) > 0 {
				return d.Attempts[0]
			}
		}
		select {
		case <-deadline:
			t.Fatal("never: an attempt")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// outcome is the status or the error of an attempt.
func outcome(a api.WebhookAttempt) string {
	if a.Error != nil {
		return string(*a.Error)
	}
	return fmt.Sprint(*a.HTTPStatus)
}

// reach connects without looking at the address. The kernel takes its time to add the route to an address of IPv6.
func reach(t *testing.T, address string) {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		c, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = c.Close()
			return
		}
		select {
		case <-deadline:
			t.Fatalf("nobody listens: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// A name may lead to any address. Somebody listens at all of these, and never gets a connection.
func TestNamesThatLeadInsideAreNotConnectedTo(t *testing.T) {
	t.Parallel()
	onSQLite(t, func(t *testing.T, p *place) {
		s := p.serve(t)
		accepted := p.inside(t, "tcp", ":8443")
		type sent struct {
			address         string
			endpoint, event uuid.UUID
		}
		var all []sent
		for i, address := range []string{
			"127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "100.100.100.200",
			"192.0.0.192", "198.18.0.1", "::1", "::", "fd00:ec2::254", "fc00::1", "fec0::1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::1",
			"2001:0:4136:e378:8000:63bf:3fff:fdd2", "2606:4700::5efe:127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
		} {
			if !p.address(t, address) {
				continue
			}
			name := fmt.Sprintf("inside-%d.example.com", i)
			p.names.set(name, address)
			reach(t, net.JoinHostPort(name, "8443"))
			_ = (<-accepted).Close()
			endpoint := got(s.CreateWebhookEndpoint(t.Context(), api.WebhookEndpointRequest{URL: "https://" + name + ":8443/"}))(t)
			all = append(all, sent{address, endpoint.ID, s.test(t, endpoint.ID)})
		}
		for _, v := range all {
			if a := s.attempted(t, v.endpoint, v.event); outcome(a) != "ADDRESS_NOT_ALLOWED" {
				t.Errorf("%s: %s", v.address, outcome(a))
			}
		}
		if len(all) < 11 || len(accepted) > 0 {
			t.Errorf("%d addresses, %d connections", len(all), len(accepted))
		}
	})
}

// A name is judged at each look-up: public when its endpoint is tested first, it leads inside the second time.
func TestANameThatTurnsPrivateIsNotConnectedTo(t *testing.T) {
	t.Parallel()
	onSQLite(t, func(t *testing.T, p *place) {
		s := p.serve(t)
		const name = "rebind.example.com"
		p.names.set(name, public, "127.0.0.1")
		outside, inside := p.inside(t, "tcp4", public+":8443"), p.inside(t, "tcp4", "127.0.0.1:8443")
		endpoint := got(s.CreateWebhookEndpoint(t.Context(), api.WebhookEndpointRequest{URL: "https://" + name + ":8443/"}))(t)
		go func() {
			c := <-outside
			_, _ = c.Read(make([]byte, 4<<10))
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"))
			_ = c.Close()
		}()
		for i, want := range []string{"200", "ADDRESS_NOT_ALLOWED"} {
			a := s.attempted(t, endpoint.ID, s.test(t, endpoint.ID))
			if outcome(a) != want || p.names.lookups(name) != i+1 || len(inside) != 0 || len(outside) != 0 {
				t.Errorf("%s after %d look-ups, %d and %d connections; want %s", outcome(a), p.names.lookups(name), len(outside), len(inside), want)
			}
		}
	})
}

// A redirect to the inside is not followed, nor is one to the outside.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	onSQLite(t, func(t *testing.T, p *place) {
		s := p.serve(t)
		p.names.set("hooks.example.com", public)
		outside, inside := p.inside(t, "tcp4", public+":8443"), p.inside(t, "tcp4", "127.0.0.1:8443")
		for _, to := range []string{"https://127.0.0.1:8443/", "https://hooks.example.com:8443/again"} {
			endpoint := got(s.CreateWebhookEndpoint(t.Context(), api.WebhookEndpointRequest{URL: "https://hooks.example.com:8443/"}))(t)
			go func() {
				c := <-outside
				_, _ = c.Read(make([]byte, 4<<10))
				_, _ = c.Write([]byte("HTTP/1.1 307 Temporary Redirect\r\nConnection: close\r\nLocation: " + to + "\r\nContent-Length: 0\r\n\r\n"))
				_ = c.Close()
			}()
			if a := s.attempted(t, endpoint.ID, s.test(t, endpoint.ID)); outcome(a) != "REDIRECT" || len(inside) != 0 || len(outside) != 0 {
				t.Errorf("%s: %s, %d and %d further connections", to, outcome(a), len(outside), len(inside))
			}
			got(s.DeleteWebhookEndpoint(t.Context(), endpoint.ID))(t)
		}
	})
}
