package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// The guard checks credentials, then the rate limit, then the contract, whatever else is wrong (D-19, D-28, D-48).
func TestGuardOrder(t *testing.T) {
	t.Parallel()
	h := newHandler(t, func(c *Config) { c.RateLimit = 1 })
	valid := []string{"X-Client-Id", "acme", "X-Client-Secret", "secret", "Content-Type", "text/plain"}
	wrong := []string{"X-Client-Id", "acme", "X-Client-Secret", "wrong", "Content-Type", "text/plain"}
	send := func(headers []string) payout.Code {
		t.Helper()
		w := serve(h, http.MethodPost, "/users?unknown=1", "not JSON", headers...)
		var e api.Error
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		return payout.Code(e.Code)
	}
	for _, step := range []struct {
		headers []string
		want    payout.Code
	}{
		{wrong, payout.CodeUnauthorized}, {wrong, payout.CodeUnauthorized}, {wrong, payout.CodeUnauthorized}, // take no token
		{valid, payout.CodeUnsupportedMediaType}, {valid, payout.CodeUnsupportedMediaType}, // the burst
	} {
		if got := send(step.headers); got != step.want {
			t.Errorf("answers %s, want %s", got, step.want)
		}
	}
	for n := 0; send(valid) != payout.CodeRateLimited; n++ { // a token comes back each second
		if n == 100 {
			t.Fatal("there is no limit")
		}
	}
	if got := send(wrong); got != payout.CodeUnauthorized {
		t.Errorf("wrong credentials beyond the limit: %s", got)
	}
}

// D-19: of two values of a header a gateway may have judged the other one.
func TestCredentialsAreSentOnce(t *testing.T) {
	t.Parallel()
	h := newHandler(t)
	for _, name := range []string{"X-Client-Id", "X-Client-Secret"} {
		r := httptest.NewRequest(http.MethodGet, "/payers", nil)
		r.Header = http.Header{"X-Client-Id": {"acme"}, "X-Client-Secret": {"secret"}}
		r.Header.Add(name, r.Header.Get(name))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusUnauthorized {
			t.Errorf("%s twice answers %d, want 401", name, w.Code)
		}
	}
}

// A path with more segments than its route is another path, though echo's last parameter would take the rest.
func TestPathsAreWhole(t *testing.T) {
	t.Parallel()
	h := newHandler(t)
	valid := []string{"X-Client-Id", "acme", "X-Client-Secret", "secret"}
	for path, want := range map[string]int{"/payers/1001": 200, "/payers/1001/x": 404, "/payers/1001/": 404, "/payers/1001%2Fx": 400} {
		if w := serve(h, http.MethodGet, path, "", valid...); w.Code != want {
			t.Errorf("%s answers %d, want %d: %s", path, w.Code, want, w.Body)
		}
	}
}
