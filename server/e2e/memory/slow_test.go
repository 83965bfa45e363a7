package memory_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// send writes text in pieces with pauses, until it is written or the connection breaks.
func send(conn net.Conn, text []byte, piece int, pause time.Duration) {
	for len(text) > 0 {
		n := min(piece, len(text))
		if _, err := conn.Write(text[:n]); err != nil {
			return
		}
		text = text[n:]
		<-time.After(pause)
	}
}

// A body that takes longer than the time to handle a request is accepted, because that time begins when it has arrived.
func TestSlowUpload(t *testing.T) {
	t.Parallel()
	const handling = 3 * time.Second
	s := servertest.New(t, func(c *server.Config) {
		c.Timeout, c.BodyPace = handling, bodies.Pace{Bytes: 64 << 10, Window: 2 * handling}
	})
	conn := dial(t, strings.TrimPrefix(s.URL, "http://"))
	body := registration(256 << 10)
	began := time.Now()
	go send(conn, append([]byte(header("/users", len(body), "")), body...), 16<<10, handling/8)
	status, text, err := answer(conn)
	if err != nil || status != http.StatusOK {
		t.Errorf("answered %d %s %v", status, text, err)
	}
	if took := time.Since(began); took < handling {
		t.Errorf("the body took %s only", took)
	}
}

// A body that is slower than the pace, or stops, is answered 400 or its connection is closed; without credentials 401 comes
// before it.
func TestTooSlowUpload(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.BodyPace = bodies.Pace{Bytes: 64 << 10, Window: time.Second} })
	body := registration(1 << 20)
	valid := header("/users", len(body), "")
	for name, tc := range map[string]struct {
		head   string
		piece  int
		status int
	}{
		"trickles":            {valid, 1, http.StatusBadRequest},
		"stops":               {valid, 64 << 10, http.StatusBadRequest},
		"without credentials": {strings.Replace(valid, "X-Client-Secret: ", "X-Client-Secret: not", 1), 1, http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, strings.TrimPrefix(s.URL, "http://"))
			if _, err := io.WriteString(conn, tc.head); err != nil {
				t.Fatal(err)
			}
			pause := 10 * time.Millisecond
			if tc.piece > 1 {
				pause = time.Hour
			}
			go send(conn, body, tc.piece, pause)
			status, text, err := answer(conn)
			if err != nil || status != tc.status {
				t.Errorf("answered %d %s %v", status, text, err)
			}
			if tc.status == http.StatusBadRequest && !strings.Contains(text, "must be sent completely") {
				t.Errorf("answered %s", text)
			}
		})
	}
}

// A caller that does not read its answers loses its connection.
func TestAnswersThatNobodyReads(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.BodyPace = bodies.Pace{Bytes: 1 << 20, Window: 100 * time.Millisecond} })
	conn := dial(t, strings.TrimPrefix(s.URL, "http://"))
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	request := []byte("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
	if err := conn.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for { // until the answers fill all buffers, and the service gives up
		if _, err := conn.Write(request); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("the connection stays")
		} else if err != nil {
			return
		}
	}
}
