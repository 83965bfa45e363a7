package memory_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// A large body that finds no room in time is answered 503 with Retry-After, while small ones are accepted; it is accepted
// when it is repeated after there is room.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.BodyMemory, c.BodyPatience = 1, 50*time.Millisecond }) // one large body
	address := strings.TrimPrefix(s.URL, "http://")
	large, small := registration(mib), registration(60<<10)
	send := func(body []byte) *http.Response {
		t.Helper()
		conn := dial(t, address)
		go func() { _, _ = conn.Write(append([]byte(header("/users", len(body), "")), body...)) }() // it may be rejected before its end
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(res.Body); err != nil || res.StatusCode >= 500 && !strings.Contains(string(text), `"code":"SERVICE_UNAVAILABLE"`) {
			t.Fatalf("answered %d %s %v", res.StatusCode, text, err)
		}
		return res
	}
	// Half a body, until it has got the room.
	half := dial(t, address)
	if _, err := half.Write(append([]byte(header("/users", len(large), "")), large[:mib/2]...)); err != nil {
		t.Fatal(err)
	}
	for {
		if res := send(large); res.StatusCode == http.StatusServiceUnavailable {
			if res.Header.Get("Retry-After") != "1" {
				t.Errorf("Retry-After is %q", res.Header.Get("Retry-After"))
			}
			break
		}
	}
	if res := send(small); res.StatusCode != http.StatusOK {
		t.Errorf("a small body is answered %d", res.StatusCode)
	}
	if _, err := half.Write(large[mib/2:]); err != nil {
		t.Fatal(err)
	}
	if status, text, err := answer(half); err != nil || status != http.StatusOK {
		t.Errorf("the first is answered %d %s %v", status, text, err)
	}
	if res := send(large); res.StatusCode != http.StatusOK {
		t.Errorf("the repeat is answered %d", res.StatusCode)
	}
}
