package console

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// inProcess is a transport that calls a handler instead of an address.
type inProcess struct{ handler http.Handler }

type ours struct{}

// isOurs reports whether a request comes from the console.
func isOurs(ctx context.Context) bool { return ctx.Value(ours{}) != nil }

// RoundTrip implements http.RoundTripper.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(context.WithValue(r.Context(), ours{}, true))
	in.RequestURI, in.Host, in.RemoteAddr = r.URL.RequestURI(), r.URL.Host, "127.0.0.1:0"
	if in.Body == nil {
		in.Body = http.NoBody
	}
	w := &written{header: http.Header{}}
	t.handler.ServeHTTP(w, in)
	if r.Body != nil {
		_ = r.Body.Close() // as a transport must
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w.WriteHeader(http.StatusOK)
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.sent,
		Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// written is a response that is kept. It implements http.ResponseWriter.
type written struct {
	header, sent http.Header
	status       int
	body         bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *written) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *written) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status, w.sent = status, w.header.Clone()
	}
}

// Write implements http.ResponseWriter.
func (w *written) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}
