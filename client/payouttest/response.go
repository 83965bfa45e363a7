package payouttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// Response is a whole response: one for [Calls.Answer], or one of the service that a [Change] changes.
type Response struct {
	Status int // 200 to 999

	// Header of [Calls.Answer] needs no Content-Type: a body that starts with "<" is text/html, another one application/json.
	// A Content-Type of nil sends none. A Content-Length that is not the length of Body is sent as it is.
	Header http.Header

	Body string
}

// check returns an error for a response that net/http cannot send.
func (r Response) check() error {
	switch {
	case r.Status < 200 || r.Status > 999:
		return fmt.Errorf("the status is %d, want 200 to 999", r.Status)
	case !r.hasBody() && r.Body != "":
		return fmt.Errorf("a response with status %d has no body", r.Status)
	}
	return nil
}

// hasBody reports whether HTTP allows a body with the status.
func (r Response) hasBody() bool {
	return r.Status != http.StatusNoContent && r.Status != http.StatusNotModified
}

// complete returns the response with a Content-Type and headers of its own.
func (r Response) complete() Response {
	header := http.Header{}
	for name, values := range r.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	if _, given := header["Content-Type"]; !given && r.Body != "" {
		header.Set("Content-Type", "application/json")
		if strings.HasPrefix(r.Body, "<") {
			header.Set("Content-Type", "text/html; charset=utf-8")
		}
	}
	r.Header = header
	return r
}

// Change changes a response for [Calls.ChangeResponse]. [Replace], [Add] and [Remove] change one member of the body; any
// other function may change what it likes. An error fails the test.
type Change func(*Response) error

// Replace replaces a member of the body, which must be there, by its JSON pointer, such as /items/0/status. The value is
// encoded by encoding/json: nil is null, and json.RawMessage is sent as it is, such as json.RawMessage("1e2").
func Replace(pointer string, value any) Change { return patch("replace", pointer, value) }

// Add adds a member to the body by its JSON pointer, with a value as that of [Replace], or an element to an array: before the
// one with the index, or with /items/- at the end.
func Add(pointer string, value any) Change { return patch("add", pointer, value) }

// Remove removes a member from the body, which must be there, by its JSON pointer.
func Remove(pointer string) Change { return patch("remove", pointer, nil) }

// patch is an operation of JSON Patch (RFC 6902). It leaves the other numbers of the body as they are written.
func patch(op, pointer string, value any) Change {
	return func(r *Response) error {
		if !strings.HasPrefix(pointer, "/") {
			return fmt.Errorf("%s %q: a JSON pointer starts with /", op, pointer)
		}
		text, err := json.Marshal([]map[string]any{{"op": op, "path": pointer, "value": value}})
		if err != nil {
			return fmt.Errorf("%s %s: %w", op, pointer, err)
		}
		operation, err := jsonpatch.DecodePatch(text)
		if err != nil {
			return fmt.Errorf("%s %s: %w", op, pointer, err)
		}
		body, err := operation.Apply([]byte(r.Body))
		switch {
		case !json.Valid([]byte(r.Body)):
			return fmt.Errorf("%s %s: the body is not JSON", op, pointer)
		case errors.Is(err, jsonpatch.ErrMissing):
			return fmt.Errorf("%s %s: the body has no such member", op, pointer)
		case err != nil:
			return fmt.Errorf("%s %s: %w", op, pointer, err)
		}
		r.Body = string(body)
		return nil
	}
}
