package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// Defaults of a [Client].
const (
	DefaultTimeout   = 30 * time.Second       // of one attempt without its upload, including reading the response
	DefaultRetries   = 2                      // a call makes at most three attempts
	DefaultFirstWait = 500 * time.Millisecond // maximum wait before the first retry; doubles with each
	DefaultMaxWait   = 8 * time.Second        // maximum wait before any retry
)

// maxRetries bounds [WithRetries]: a call that has failed ten times belongs in a queue.
const maxRetries = 10

// idlePerHost is the number of idle connections that are kept. All calls go to one host, for which net/http keeps two.
const idlePerHost = 64

// Option configures [New]. Each may be used once.
type Option struct {
	name  string
	apply func(*settings) error
}

type settings struct {
	given                  map[string]bool
	http                   *http.Client
	timeout                time.Duration
	retries                int
	firstWait, longestWait time.Duration
	product                string
	hooks                  Hooks
	log                    *slog.Logger
	insecureHTTP           bool
	credentials            func(context.Context) (Credentials, error) // nil for fixed ones
	memory                 *memory                                    // nil for none
}

// apply applies all options, so that an error names every problem.
func apply(options []Option) (settings, []error) {
	s := settings{
		given: map[string]bool{}, timeout: DefaultTimeout, retries: DefaultRetries,
		firstWait: DefaultFirstWait, longestWait: DefaultMaxWait,
	}
	var problems []error
	for _, o := range options {
		switch {
		case o.apply == nil:
			problems = append(problems, errors.New("an Option must come from a function of this package"))
			continue
		case s.given[o.name]:
			problems = append(problems, fmt.Errorf("%s is given twice", o.name))
			continue
		}
		s.given[o.name] = true
		if err := o.apply(&s); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", o.name, err))
		}
	}
	if s.given["WithTimeout"] && s.http != nil && s.http.Timeout > 0 {
		problems = append(problems, errors.New("WithTimeout and the Timeout of WithHTTPClient: give one of them"))
	}
	return s, problems
}

// client returns the HTTP client for calls: a copy, so that the caller's does not change.
func (s *settings) client() *http.Client {
	var c http.Client
	if s.http != nil {
		c = *s.http
	} else if shared, ok := http.DefaultTransport.(*http.Transport); ok {
		own := shared.Clone()
		own.MaxIdleConnsPerHost = idlePerHost
		c.Transport = own
	}
	if c.Timeout > 0 {
		s.timeout = c.Timeout
	}
	c.Timeout = 0 // its failure would look like the end of the caller's context
	c.Jar = nil   // credentials alone identify a caller
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// WithHTTPClient uses the transport of h, for example one that adds traces. Its Timeout, if it has one, bounds each
// attempt. h is copied; its cookies and its CheckRedirect are not used. The default is a copy of [http.DefaultTransport],
// which uses the proxies of the environment.
func WithHTTPClient(h *http.Client) Option {
	return Option{"WithHTTPClient", func(s *settings) error {
		if h == nil {
			return errors.New("must not be nil")
		}
		s.http = h
		return nil
	}}
}

// WithTimeout bounds each attempt of a call, from the connection to the end of the response, instead of [DefaultTimeout].
// The upload of a body, which may be 20 MiB, has time of its own while it keeps a pace of 16 KiB per second, after its end
// too for what is in buffers on the way, at most 8 MiB. The context of a call bounds all of its attempts together. A failure by this limit is no [context.DeadlineExceeded].
func WithTimeout(attempt time.Duration) Option {
	return Option{"WithTimeout", func(s *settings) error {
		if attempt <= 0 {
			return errors.New("must be above zero")
		}
		s.timeout = attempt
		return nil
	}}
}

// WithRetries retries a call up to n times, 0 to 10, after temporary failures, instead of [DefaultRetries]; 0 turns retries
// off.
func WithRetries(n int) Option {
	return Option{"WithRetries", func(s *settings) error {
		if n < 0 || n > maxRetries {
			return fmt.Errorf("must be 0 to %d", maxRetries)
		}
		s.retries = n
		return nil
	}}
}

// WithBackoff sets the waits between attempts, instead of [DefaultFirstWait] and [DefaultMaxWait]: a random time up to first
// before the first retry, then up to twice as much each time, at most longest. The Retry-After of a response is added.
func WithBackoff(first, longest time.Duration) Option {
	return Option{"WithBackoff", func(s *settings) error {
		if first <= 0 || longest < first {
			return errors.New("must be above zero, the second not below the first")
		}
		s.firstWait, s.longestWait = first, longest
		return nil
	}}
}

// WithUserAgent puts the name of the calling program, such as acme-wallet/3.2, before those of this package and of the contract
// in the header User-Agent.
func WithUserAgent(product string) Option {
	return Option{"WithUserAgent", func(s *settings) error {
		if !visible(product) || len(product) > 100 {
			return errors.New("must be 1 to 100 characters of printable ASCII without spaces")
		}
		s.product = product
		return nil
	}}
}

// WithHooks calls functions around each attempt of each call.
func WithHooks(h Hooks) Option {
	return Option{"WithHooks", func(s *settings) error {
		s.hooks = h
		return nil
	}}
}

// WithLogger logs each attempt at debug and each retry at warn level, with the fields of [Attempt] only.
func WithLogger(l *slog.Logger) Option {
	return Option{"WithLogger", func(s *settings) error {
		if l == nil {
			return errors.New("must not be nil")
		}
		s.log = l
		return nil
	}}
}

// AllowInsecureHTTP accepts a base URL with http that is not a loopback address, for networks that encrypt below HTTP.
// Credentials and personal data are then sent unencrypted.
func AllowInsecureHTTP() Option {
	return Option{"AllowInsecureHTTP", func(s *settings) error {
		s.insecureHTTP = true
		return nil
	}}
}
