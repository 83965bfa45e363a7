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
	// Of half a body and a whole one, one finds no room: the one that the service reads later.
	halfFirst := func() bool {
		half := dial(t, address)
		defer half.Close() // its room is free for the next attempt
		if _, err := half.Write(append([]byte(header("/users", len(large), "")), large[:mib/2]...)); err != nil {
			t.Fatal(err)
		}
		res := send(large)
		if small := send(small); small.StatusCode != http.StatusOK {
			t.Errorf("a small body is answered %d", small.StatusCode)
		}
		if res.StatusCode != http.StatusServiceUnavailable {
			return false
		}
		if res.Header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After is %q", res.Header.Get("Retry-After"))
		}
		_, _ = half.Write(large[mib/2:]) // answer has the error
		status, _, err := answer(half)
		return err == nil && status == http.StatusOK
	}
	for n := 1; !halfFirst(); n++ {
		if n == 50 {
			t.Fatal("no body is rejected while another has the room and is accepted later")
		}
	}
	if res := send(large); res.StatusCode != http.StatusOK {
		t.Errorf("the repeat is answered %d", res.StatusCode)
	}
}
