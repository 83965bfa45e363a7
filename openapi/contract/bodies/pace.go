package bodies

import (
	"io"
	"net/http"
	"time"
)

// Pace is the least speed of a body: in each Window so many Bytes must arrive, or the rest of the body. A window is time spent
// in reading; what the service does meanwhile does not count.
type Pace struct {
	Bytes  int64
	Window time.Duration
}

// DefaultPace is 16 KiB per second, over 15 seconds: 20 MiB may take 21 minutes.
var DefaultPace = Pace{Bytes: 240 << 10, Window: 15 * time.Second}

// Handler holds requests and responses to the pace: a request that is slower cannot be read any more, as one whose caller
// has left, and the connection of a response whose caller reads slower is closed. The server needs no WriteTimeout; its
// ReadTimeout is then only for bodies that next does not read.
func (p Pace) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Errors of deadlines are ignored: only writers of tests have none.
		conn := http.NewResponseController(w)
		_ = conn.SetWriteDeadline(time.Time{}) // of the request before, on this connection
		if r.Body != nil && r.Body != http.NoBody {
			// A copy, because net/http waits for the rest of a body that it does not know before it sends the answer.
			r = r.WithContext(r.Context())
			r.Body = &pacedBody{ReadCloser: r.Body, conn: conn, pace: p}
		}
		next.ServeHTTP(&pacedWriter{ResponseWriter: w, conn: conn, pace: p}, r)
	})
}

// pacedBody is the body of a request.
type pacedBody struct {
	io.ReadCloser
	conn *http.ResponseController
	pace Pace
	left int64         // bytes of this window
	time time.Duration // that is left of it
}

// Read implements [io.Reader].
func (b *pacedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.left, b.time = b.pace.Bytes, b.pace.Window
	}
	start := time.Now()
	_ = b.conn.SetReadDeadline(start.Add(b.time))
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	b.time -= time.Since(start)
	return n, err
}

// pacedWriter is a response.
type pacedWriter struct {
	http.ResponseWriter
	conn *http.ResponseController
	pace Pace
	due  time.Time
}

// WriteHeader implements [http.ResponseWriter].
func (w *pacedWriter) WriteHeader(status int) {
	w.allow(0)
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w *pacedWriter) Write(text []byte) (int, error) {
	w.allow(len(text))
	return w.ResponseWriter.Write(text)
}

// allow sets the time by which n more bytes must be sent. Time that is left of the part before is kept, because that part may
// still be in a buffer. There are two windows at least, because net/http first discards a body that was not read, for which
// the ReadTimeout is one.
func (w *pacedWriter) allow(n int) {
	now := time.Now()
	if least := now.Add(2 * w.pace.Window); w.due.Before(least) {
		w.due = least
	}
	w.due = w.due.Add(time.Duration(float64(n) / float64(w.pace.Bytes) * float64(w.pace.Window)))
	_ = w.conn.SetWriteDeadline(w.due)
}

// Unwrap is for [http.ResponseController].
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
