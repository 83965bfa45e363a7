package resources_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// D-74: an answer about reference data is given again for some seconds, to the same client and the same request alone.
func TestReferenceDataIsRememberedForAWhile(t *testing.T) {
	t.Parallel()
	const keep = 5 * time.Second
	s := servertest.New(t, func(c *server.Config) { c.ClientsFor = keep })
	second := []string{"X-Client-Id", server.SandboxClients[1].ID, "X-Client-Secret", server.SandboxClients[1].Secret}
	for _, path := range []string{"/payers?country=NP", "/payers/1001"} {
		begun, name := s.Clock.Now(), "Renamed for "+path
		shows := func(what, path string, want bool, credentials ...string) {
			t.Helper()
			a := servertest.Call(t, s, http.MethodGet, path, nil, credentials...)
			if a.Status != http.StatusOK || strings.Contains(string(a.Body), name) != want {
				t.Errorf("%s: status %d, the new name is shown: %t", what, a.Status, !want)
			}
		}
		shows("before the change", path, false)
		servertest.Exec(t, s.Beside(t), `update payers set name = '`+name+`' where id = 1001`)
		shows("at once", path, false)
		shows("to another client", path, true, second...)
		s.Clock.Set(begun.Add(keep - time.Microsecond))
		shows("in time", path, false)
		s.Clock.Set(begun.Add(keep))
		shows("after the time", path, true)
	}
	for range 2 { // what is refused is judged each time
		if a := servertest.Call(t, s, http.MethodGet, "/payers/999999999", nil); a.Status != http.StatusNotFound {
			t.Errorf("status %d", a.Status)
		}
		if a := servertest.Call(t, s, http.MethodGet, "/payers?country=NP&country=NP", nil); a.Status != http.StatusBadRequest {
			t.Errorf("status %d", a.Status)
		}
		if a := servertest.Call(t, s, http.MethodGet, "/payers?country=NP", nil, "X-Client-Secret", "wrong"); a.Status != http.StatusUnauthorized {
			t.Errorf("status %d", a.Status)
		}
	}
}

// D-74: a client that makes requests is read again meanwhile. The clock stands still, so that the time of no client is over.
func TestAClientIsReadAgainMeanwhile(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.ClientsFor = 400 * time.Millisecond })
	status := func() int { return servertest.Call(t, s, http.MethodGet, "/users?limit=1", nil).Status }
	if got := status(); got != http.StatusOK {
		t.Fatalf("status %d", got)
	}
	servertest.Exec(t, s.Beside(t), `update clients set disabled = true where id = '`+server.SandboxClients[0].ID+`'`)
	servertest.Await(t, time.Minute, "a client that was disabled is known as it was", func() bool { return status() == http.StatusUnauthorized })
}

// Credentials that cannot be judged in time are not refused.
func TestCredentialsHaveADeadline(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.Timeout = time.Nanosecond })
	if a := servertest.Call(t, s, http.MethodGet, "/users", nil, "X-Client-Secret", "wrong"); a.Status != http.StatusServiceUnavailable {
		t.Errorf("status %d", a.Status)
	}
}
