package client

import (
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

// Client calls one deployment of the service with the credentials of one client organisation. It is made by [New],
// does not change afterwards, and may be used by any number of goroutines at the same time.
type Client struct {
	base        string // with a slash at its end
	path        string // of base
	http        *http.Client
	credentials func() credentials // a function, because fmt has ways to print all else
	userAgent   []string
	retries     int
	firstWait   time.Duration // the bound of the first wait; it doubles up to longestWait
	longestWait time.Duration
	hooks       Hooks
	log         *slog.Logger // nil for none
	newKey      func() (string, error)
}

// credentials are header values, made once for all requests.
type credentials struct{ id, secret []string }

// New makes a client for the service at baseURL, an absolute URL such as https://payouts.example.com or
// https://example.com/payouts; its path is kept. Credentials are sent nowhere else: redirects are not followed.
//
// It calls nobody. It returns an error for a base URL that is not https (http is accepted for loopback addresses, and
// elsewhere with [AllowInsecureHTTP]) or that has user information, a query or a fragment, for credentials that are
// empty or no header value, and for options that are wrong, given twice or contradict each other. No error shows a
// value.
func New(baseURL, clientID, clientSecret string, options ...Option) (*Client, error) {
	s, problems := apply(options)
	base, err := parseBase(baseURL, s.insecureHTTP)
	problems = append(problems, err)
	for _, c := range []struct{ name, value string }{{"client id", clientID}, {"client secret", clientSecret}} {
		if !visible(c.value) {
			problems = append(problems, fmt.Errorf("%s must be printable ASCII without spaces", c.name))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("payouts: %w", err)
	}
	held := credentials{[]string{clientID}, []string{clientSecret}}
	return &Client{
		base:        base.String(),
		path:        base.Path,
		http:        s.client(),
		credentials: func() credentials { return held },
		userAgent:   []string{strings.TrimSpace(s.product + " payouts-go/" + ContractVersion)},
		retries:     s.retries,
		firstWait:   s.firstWait,
		longestWait: s.longestWait,
		hooks:       s.hooks,
		log:         s.log,
		newKey:      newKey,
	}, nil
}

// parseBase gives the base URL with a slash at its end. Its errors do not show the URL, which may hold a password.
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

// visible tells whether text can be one word of a header.
func visible(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// CloseIdleConnections closes connections that are kept for further calls; calls under way are not affected. With
// [WithHTTPClient] it closes those of its transport.
func (c *Client) CloseIdleConnections() {
	if c.http != nil {
		c.http.CloseIdleConnections()
	}
}

// String names the base URL, and the client id but not its secret.
func (c *Client) String() string {
	if c == nil || c.credentials == nil {
		return "payouts client, not made by New"
	}
	return fmt.Sprintf("payouts client %s at %s", c.credentials().id[0], c.base)
}

// GoString is String, so that %#v does not show the secret either.
func (c *Client) GoString() string { return c.String() }

// LogValue is String, for log/slog.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }
