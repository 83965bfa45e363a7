package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Client calls one deployment of the service with the credentials of one client organisation. It is created by [New],
// immutable, and safe for concurrent use.
type Client struct {
	base        string // with a slash at its end
	path        string // of base
	http        *http.Client
	credentials func(context.Context) (Credentials, error) // a function, because fmt can print anything else
	who         string                                     // the client id, if it is fixed
	userAgent   []string
	timeout     time.Duration // of an attempt
	retries     int
	firstWait   time.Duration // maximum of the first wait; it doubles up to longestWait
	longestWait time.Duration
	hooks       Hooks
	log         *slog.Logger // nil for none
	newKey      func() (string, error)
	memory      *memory // nil for none
}

// New returns a client for the service at baseURL, an absolute URL such as https://payouts.example.com or
// https://example.com/payouts. Credentials are sent nowhere else: redirects are not followed.
//
// The credentials are fixed, unless they are empty and [WithCredentials] is given.
//
// New sends nothing. It returns an error for a base URL that is not https (http is accepted for loopback addresses, and
// elsewhere with [AllowInsecureHTTP]) or that has user information, a query or a fragment, for credentials that are
// empty or not valid in a header, and for options that are invalid, repeated or contradictory. No error shows a value.
func New(baseURL, clientID, clientSecret string, options ...Option) (*Client, error) {
	s, problems := apply(options)
	base, err := parseBase(baseURL, s.insecureHTTP)
	problems = append(problems, err)
	held := Credentials{clientID, clientSecret}
	switch {
	case s.credentials == nil:
		problems = append(problems, held.check())
		s.credentials = func(context.Context) (Credentials, error) { return held, nil }
	case held != Credentials{}:
		problems = append(problems, errors.New("WithCredentials needs an empty client id and client secret"))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("payouts: %w", err)
	}
	return &Client{
		base:        base.String(),
		path:        base.Path,
		http:        s.client(),
		credentials: s.credentials,
		who:         clientID,
		userAgent:   []string{strings.TrimSpace(s.product + " " + agent)},
		timeout:     s.timeout,
		retries:     s.retries,
		firstWait:   s.firstWait,
		longestWait: s.longestWait,
		hooks:       s.hooks,
		log:         s.log,
		newKey:      newKey,
		memory:      s.memory,
	}, nil
}

// parseBase returns the base URL with a slash at its end. Its errors do not show the URL, which may hold a password.
func parseBase(text string, insecureHTTP bool) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || !validPort(u.Port()):
		return nil, errors.New("base URL must be absolute, such as https://payouts.example.com")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("base URL must be https or http")
	case u.User != nil:
		return nil, errors.New("base URL must have no user information")
	case strings.ContainsAny(text, "?#"):
		return nil, errors.New("base URL must have neither query nor fragment")
	case u.Scheme == "http" && !insecureHTTP && !loopback(u.Hostname()):
		return nil, errors.New("base URL must be https, for credentials go there with every call; AllowInsecureHTTP permits http")
	}
	return u.JoinPath("/"), nil
}

func validPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return text == "" || (err == nil && port > 0)
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || (err == nil && address.Unmap().IsLoopback())
}

// visible reports whether text is printable ASCII without spaces.
func visible(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// CloseIdleConnections closes idle connections, with [WithHTTPClient] those of its transport. Calls in progress are not
// affected.
func (c *Client) CloseIdleConnections() {
	if c.http != nil {
		c.http.CloseIdleConnections()
	}
}

// String returns the base URL and the client id, without the secret.
func (c *Client) String() string {
	if c == nil || c.credentials == nil {
		return "payouts client, not made by New"
	}
	return fmt.Sprintf("payouts client %s at %s", cmp.Or(c.who, "with credentials of a function"), c.base)
}

// GoString is String, so that %#v does not show the secret either.
func (c *Client) GoString() string { return c.String() }

// LogValue is String, for log/slog.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }
