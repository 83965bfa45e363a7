package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// Request is a request that the generated client would not send.
type Request struct {
	Method    string
	Path      string      // escaped, below the base URL, with its query
	Header    http.Header // in addition to the credentials, which it may override; an empty value removes one
	Body      any         // nil, []byte as it is, or a value to encode as JSON
	Spaces    int64       // number of spaces that follow the body; they are not recorded
	Chunked   bool        // send the body without Content-Length
	Anonymous bool        // send no credentials
}

// Reply is the response to a [Request]; it is an [Answer].
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// StatusCode implements [Answer].
func (r Reply) StatusCode() int { return r.Status }

// GetBody implements [Answer].
func (r Reply) GetBody() []byte { return r.Body }

// Try sends a request with the first client's credentials.
func (t *T) Try(r Request) (Reply, error) { return t.TryIn(t.ctx, r) }

// TryIn is Try with a context, such as that of [T.Together].
func (t *T) TryIn(ctx context.Context, r Request) (Reply, error) {
	var body io.Reader
	if r.Body != nil {
		text, ok := r.Body.([]byte)
		if !ok {
			var err error
			if text, err = json.Marshal(r.Body); err != nil {
				t.Brokenf("encode a request: %v", err)
			}
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, t.session.Target.URL+r.Path, body)
	if err != nil {
		t.Brokenf("make a request: %v", err)
	}
	if r.Spaces > 0 {
		text := req.GetBody
		req.GetBody = func() (io.ReadCloser, error) {
			body, err := text()
			return spacedBody{body, io.MultiReader(body, io.LimitReader(spaces{}, r.Spaces))}, err
		}
		req.ContentLength += r.Spaces
		if req.Body, err = req.GetBody(); err != nil {
			t.Brokenf("make a request: %v", err)
		}
	}
	if r.Chunked {
		req.ContentLength = -1
	}
	if r.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if !r.Anonymous {
		setCredentials(req.Header, t.session.Target.ClientID, t.session.Target.ClientSecret)
	}
	for name, values := range r.Header {
		req.Header.Del(name)
		if len(values) > 0 && values[0] != "" {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	res, err := t.http().Do(req)
	if err != nil {
		return Reply{}, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return Reply{res.StatusCode, res.Header, text}, err
}

// Send is [T.Try] for a request that must be answered; without a response the check fails and ends.
func (t *T) Send(r Request) Reply {
	reply, err := t.Try(r)
	if err != nil {
		t.Fatalf("%s %s: %s", r.Method, path(r.Path), NoAnswer(err))
	}
	return reply
}

// spacedBody is a text followed by spaces, which are not kept in memory.
type spacedBody struct {
	text  io.ReadCloser
	whole io.Reader
}

// Read implements [io.Reader].
func (b spacedBody) Read(p []byte) (int, error) { return b.whole.Read(p) }

// Close implements [io.Closer].
func (b spacedBody) Close() error { return b.text.Close() }

type spaces struct{}

// Read implements [io.Reader].
func (spaces) Read(p []byte) (int, error) { return copy(p, blank), nil }

var blank = bytes.Repeat([]byte{' '}, 32<<10)

// path returns a path without its query.
func path(p string) string {
	p, _, _ = strings.Cut(p, "?")
	return p
}

// Object returns a request of the generated types as JSON members, to be modified.
func Object(t *T, v any) map[string]any {
	text, err := json.Marshal(v)
	if err != nil {
		t.Brokenf("encode a request: %v", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // no amount becomes a float
	var members map[string]any
	if err := d.Decode(&members); err != nil {
		t.Brokenf("decode a request: %v", err)
	}
	return members
}
