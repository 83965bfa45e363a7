package listen

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
)

// Config is what a program is told by its flags of the same names. The zero value of each field but Address is its default.
type Config struct {
	Address        string // of the flag --listen
	TLSCertificate string // PEM file with the certificate and those that it depends on; "": clear text
	TLSKey         string // PEM file with its key
	Insecure       bool   // clear text is allowed outside of loopback
	Log            *slog.Logger
}

// Error is an invalid value of a flag.
type Error struct {
	Flag string // without --
	Err  error
}

// Error returns flag and reason.
func (e *Error) Error() string { return "--" + e.Flag + " " + e.Err.Error() }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Endpoint is an address at which a program may listen.
type Endpoint struct {
	address *net.TCPAddr
	tls     *tls.Config // nil: clear text
}

// New resolves the address and reads the certificate, but does not listen yet. Its error is an [*Error]: among others, for
// clear text at an address that others can reach.
func New(c Config) (*Endpoint, error) {
	address, err := net.ResolveTCPAddr("tcp", c.Address)
	if err != nil {
		return nil, &Error{"listen", fmt.Errorf("must be HOST:PORT, such as 127.0.0.1:8080: %w", err)}
	}
	e := &Endpoint{address: address}
	switch {
	case (c.TLSCertificate == "") != (c.TLSKey == ""):
		return nil, &Error{"tls-key", errors.New("and --tls-certificate need each other")}
	case c.TLSCertificate != "":
		certificate := &certificate{cert: c.TLSCertificate, key: c.TLSKey, log: c.Log}
		if err := certificate.load(); err != nil {
			return nil, &Error{"tls-certificate", err}
		}
		e.tls = &tls.Config{
			GetCertificate: certificate.get, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		}
	case !c.Insecure && !e.Loopback():
		return nil, &Error{"listen", fmt.Errorf("is %s, which others can reach: serve TLS with --tls-certificate and --tls-key, "+
			"or set --insecure if TLS ends in front of it", c.Address)}
	}
	return e, nil
}

// Loopback reports whether only programs of the same machine can reach the address.
func (e *Endpoint) Loopback() bool { return e.address.IP.IsLoopback() }

// Listen listens. Its error is an [*Error].
func (e *Endpoint) Listen(ctx context.Context) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", e.address.String())
	switch {
	case err != nil:
		return nil, &Error{"listen", err}
	case e.tls != nil:
		listener = tls.NewListener(listener, e.tls)
	}
	return listener, nil
}

// URL returns the base URL of what listens.
func (e *Endpoint) URL(listener net.Listener) string {
	if e.tls != nil {
		return "https://" + listener.Addr().String()
	}
	return "http://" + listener.Addr().String()
}
