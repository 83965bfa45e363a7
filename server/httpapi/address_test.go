package httpapi

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/labstack/echo/v4"
)

// The address of a caller is that of the connection, unless a trusted proxy names another one. Nothing that a caller writes
// into the header counts, because each proxy appends.
func TestAddressOfACaller(t *testing.T) {
	t.Parallel()
	one := []string{"10.0.0.1/32", "fd00::/8", "::1/128"}
	for name, c := range map[string]struct {
		trusted []string
		peer    string
		header  []string
		want    string
	}{
		"direct":                         {nil, "203.0.113.9:1", nil, "203.0.113.9"},
		"no proxy is trusted":            {nil, "203.0.113.9:1", []string{"198.51.100.1"}, "203.0.113.9"},
		"another proxy is trusted":       {one, "203.0.113.9:1", []string{"198.51.100.1"}, "203.0.113.9"},
		"loopback is not trusted":        {one, "127.0.0.1:1", []string{"198.51.100.1"}, "127.0.0.1"},
		"private is not trusted":         {one, "10.0.0.2:1", []string{"198.51.100.1"}, "10.0.0.2"},
		"behind a proxy":                 {one, "10.0.0.1:1", []string{"198.51.100.1"}, "198.51.100.1"},
		"the proxy itself":               {one, "10.0.0.1:1", nil, "10.0.0.1"},
		"an invented entry":              {one, "10.0.0.1:1", []string{"127.0.0.1, 198.51.100.1"}, "198.51.100.1"},
		"a trusted address was invented": {one, "10.0.0.1:1", []string{"10.0.0.1, 198.51.100.1"}, "198.51.100.1"},
		"behind two proxies":             {one, "10.0.0.1:1", []string{"203.0.113.7, 198.51.100.1, fd00::2"}, "198.51.100.1"},
		"in several headers":             {one, "10.0.0.1:1", []string{"203.0.113.7", "198.51.100.1", "fd00::2"}, "198.51.100.1"},
		"an invented header":             {one, "10.0.0.1:1", []string{"10.0.0.1", "198.51.100.1"}, "198.51.100.1"},
		"garbage before it":              {one, "10.0.0.1:1", []string{"unknown, , \x00, 198.51.100.1"}, "198.51.100.1"},
		"garbage alone":                  {one, "10.0.0.1:1", []string{"unknown"}, "10.0.0.1"},
		"empty":                          {one, "10.0.0.1:1", []string{""}, "10.0.0.1"},
		"with a port":                    {one, "10.0.0.1:1", []string{"198.51.100.1:4711"}, "10.0.0.1"},
		"IPv6":                           {one, "[::1]:1", []string{"2001:db8::1"}, "2001:db8::1"},
		"IPv6 in brackets":               {one, "[fd00::1]:1", []string{"[2001:db8::1]"}, "2001:db8::1"},
		"IPv4 in IPv6":                   {one, "[::ffff:10.0.0.1]:1", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		"a zone":                         {one, "[fe80::1%eth0]:1", nil, "fe80::1"},
		"no address":                     {one, "@", []string{"198.51.100.1"}, "invalid IP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var trusted []netip.Prefix
			for _, text := range c.trusted {
				trusted = append(trusted, netip.MustParsePrefix(text))
			}
			e := echo.New()
			e.IPExtractor = addressFrom(trusted)
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr, r.Header["X-Forwarded-For"] = c.peer, c.header
			if got := addressOf(e.NewContext(r, httptest.NewRecorder())).String(); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
