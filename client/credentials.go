package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// Credentials are those of a client organisation. Printing and logging them shows the id only.
type Credentials struct{ ClientID, ClientSecret string }

// WithCredentials asks for the credentials before each attempt, so that a secret that is rotated needs no new [Client];
// clientID and clientSecret of [New] must be empty. Keep them in memory for as long as they are valid: the function is
// called concurrently, with the context of the call.
//
// An attempt that is answered with 401 is repeated once, at once, if the function then returns other credentials. If it
// returns an error, or credentials that are empty or not valid in a header, the attempt is not made, and the call fails
// with an error that wraps it and is [Error.Temporary].
func WithCredentials(current func(context.Context) (Credentials, error)) Option {
	return Option{"WithCredentials", func(s *settings) error {
		if current == nil {
			return errors.New("must not be nil")
		}
		s.credentials = func(ctx context.Context) (Credentials, error) {
			held, err := current(ctx)
			if err != nil {
				return Credentials{}, credentialsError{"the function of WithCredentials failed", err}
			}
			if err := held.check(); err != nil {
				return Credentials{}, credentialsError{err.Error(), nil}
			}
			return held, nil
		}
		return nil
	}}
}

// credentialsError does not show the error of the function, which may hold anything.
type credentialsError struct {
	message string
	cause   error
}

func (e credentialsError) Error() string { return e.message }
func (e credentialsError) Unwrap() error { return e.cause }

// check names what is invalid, without its value.
func (c Credentials) check() error {
	var problems []error
	for _, part := range []struct{ name, value string }{{"client id", c.ClientID}, {"client secret", c.ClientSecret}} {
		if !visible(part.value) {
			problems = append(problems, fmt.Errorf("%s must be printable ASCII without spaces", part.name))
		}
	}
	return errors.Join(problems...)
}

// String returns the id.
func (c Credentials) String() string { return "credentials of " + c.ClientID }

// GoString is String, for %#v.
func (c Credentials) GoString() string { return c.String() }

// LogValue is String, for log/slog.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalText is String, for JSON.
func (c Credentials) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
