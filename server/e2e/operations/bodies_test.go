package operations_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// D-48: a truncated or wrongly framed body is answered with 400, and nothing is written.
func TestBodiesThatBreakOff(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	watch := servertest.NewWatch(s.Beside(t))
	user := servertest.Registration.With()
	for name, framing := range map[string]string{
		"shorter than announced": "Content-Length: 1000\r\n\r\n" + user,
		"chunk cut off":          "Transfer-Encoding: chunked\r\n\r\nff\r\n" + user,
		"no chunk at all":        "Transfer-Encoding: chunked\r\n\r\n" + user,
	} {
		t.Run(name, func(t *testing.T) {
			watch.Unchanged(t, func() {
				conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				var head bytes.Buffer
				if err := servertest.Headers("Host", "payouts").Write(&head); err != nil {
					t.Fatal(err)
				}
				if _, err := conn.Write([]byte("POST /users HTTP/1.1\r\n" + head.String() + framing)); err != nil {
					t.Fatal(err)
				}
				if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
					t.Fatal(err)
				}
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				text, err := io.ReadAll(resp.Body)
				if err != nil {
					t.Fatal(err)
				}
				e := servertest.Answer{Status: resp.StatusCode, Header: resp.Header, Body: text}.Refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
				wantViolations(t, e, violation{api.ErrorDetailInBody, ""})
			})
		})
	}
}

// otherMediaTypes are media types that are not JSON in UTF-8 (D-52).
var otherMediaTypes = map[string][]string{
	"text":        {"text/plain"},
	"form":        {"application/x-www-form-urlencoded"},
	"xml":         {"application/xml"},
	"latin1":      {"application/json; charset=latin1"},
	"problem":     {"application/problem+json"},
	"not a type":  {"json"},
	"sent twice":  {"application/json", "application/json"},
	"left out":    nil,
	"empty":       {""},
	"longer name": {"application/jsonx"},
}

// D-52: every operation with a body answers 415 to another media type, and writes nothing.
func TestMediaTypesOtherThanJSON(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	watch := servertest.NewWatch(s.Beside(t))
	for _, op := range s.Contract.Operations() {
		if !servertest.TakesBody(op) {
			continue
		}
		for name, values := range otherMediaTypes {
			t.Run(op.ID+"/"+name, func(t *testing.T) {
				watch.Unchanged(t, func() {
					h := servertest.Headers()
					h["Content-Type"] = values
					body := w.Body(t, op)
					a := servertest.Do(t, s, op.Method, w.Path(t, op), h, bytes.NewReader(body), int64(len(body)))
					e := a.Refusal(t, http.StatusUnsupportedMediaType, api.ErrorCodeUnsupportedMediaType)
					wantViolations(t, e, violation{api.ErrorDetailInHeader, "Content-Type"})
				})
			})
		}
	}
}

// spaces is an endless body of white space.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) { return copy(p, blank), nil }

var blank = bytes.Repeat([]byte{' '}, 64<<10)

// D-15: every operation with a body answers 413 to more than 20 MiB: before the body is read if its length is announced,
// and after 20 MiB if not.
func TestBodiesAboveTheSizeLimit(t *testing.T) {
	t.Parallel()
	// No answer waits for the rest of a body: its caller may take an hour.
	s := servertest.New(t, func(c *server.Config) { c.BodyPace = bodies.Pace{Bytes: 1, Window: time.Hour} })
	w := servertest.NewWorld(t, s.Client)
	watch := servertest.NewWatch(s.Beside(t))
	for _, op := range s.Contract.Operations() {
		if !servertest.TakesBody(op) {
			continue
		}
		refused := func(name string, body io.Reader, length int64) {
			t.Run(op.ID+"/"+name, func(t *testing.T) {
				watch.Unchanged(t, func() {
					a := servertest.Do(t, s, op.Method, w.Path(t, op), servertest.Headers(), body, length)
					e := a.Refusal(t, http.StatusRequestEntityTooLarge, api.ErrorCodePayloadTooLarge)
					wantViolations(t, e, violation{api.ErrorDetailInBody, ""})
				})
			})
		}
		reader, writer := io.Pipe()
		t.Cleanup(func() { _ = writer.Close() })
		refused("announced", reader, 21<<20)
		refused("not announced", io.LimitReader(spaces{}, 20<<20+1), -1)
	}
}

// D-15: 20 MiB are accepted, one byte more is not.
func TestBodiesOneByteAboveTheSizeLimit(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	user := servertest.Registration.With()
	for length, want := range map[int64]int{20 << 20: http.StatusOK, 20<<20 + 1: http.StatusRequestEntityTooLarge} {
		for _, announced := range []int64{length, -1} {
			body := io.MultiReader(strings.NewReader(user), io.LimitReader(spaces{}, length-int64(len(user))))
			if a := servertest.Do(t, s, http.MethodPost, "/users", servertest.Headers(), body, announced); a.Status != want {
				t.Errorf("%d bytes, announced as %d: status %d, want %d", length, announced, a.Status, want)
			}
		}
	}
}
