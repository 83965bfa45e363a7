package client_test

import (
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/client"
)

func TestInvalidBaseURLs(t *testing.T) {
	t.Parallel()
	for base, asked := range map[string]string{
		"https://payouts.test":           "https://payouts.test/users/" + userID.String(),
		"https://payouts.test/":          "https://payouts.test/users/" + userID.String(),
		"https://payouts.test:8443/a/b":  "https://payouts.test:8443/a/b/users/" + userID.String(),
		"https://payouts.test/a/b/":      "https://payouts.test/a/b/users/" + userID.String(),
		"https://payouts.test/a%2Fb":     "https://payouts.test/a%2Fb/users/" + userID.String(),
		"HTTPS://payouts.test":           "https://payouts.test/users/" + userID.String(),
		"http://127.0.0.1:8080":          "http://127.0.0.1:8080/users/" + userID.String(),
		"http://localhost":               "http://localhost/users/" + userID.String(),
		"http://[::1]:80/payouts":        "http://[::1]:80/payouts/users/" + userID.String(),
		"http://[::ffff:127.0.0.1]:8080": "http://[::ffff:127.0.0.1]:8080/users/" + userID.String(),
	} {
		n := &network{answers: []answer{ok}}
		c, err := client.New(base, clientID, secret, client.WithHTTPClient(&http.Client{Transport: n}))
		if err != nil {
			t.Errorf("%s: %v", base, err)
			continue
		}
		if _, err := c.GetUser(t.Context(), userID); err != nil || n.seen[0].url != asked {
			t.Errorf("%s: asked %v, %v", base, n.seen, err)
		}
	}
	for _, base := range []string{
		"", "/", "payouts.test", "//payouts.test", "https://", "https:///users", "https:payouts.test", "ftp://payouts.test",
		"file:///etc/passwd", "https://user:canary@payouts.test", "https://canary@payouts.test", "https://payouts.test/?canary=1",
		"https://payouts.test/?", "https://payouts.test/#canary", "https://payouts.test#", "https://payouts.test:99999",
		"https://payouts.test:0", "https://payouts.test:port", "https://pay outs.test", "https://:443", "https://%zz/canary",
		"http://payouts.test", "http://10.0.0.1", "http://127.0.0.1.payouts.test", "http://localhost.payouts.test", "http://[::2]",
	} {
		c, err := client.New(base, clientID, secret)
		if err == nil || c != nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v, %v", base, c, err)
		}
	}
	if _, err := client.New("http://payouts.test", clientID, secret, client.AllowInsecureHTTP()); err != nil {
		t.Error(err)
	}
}

func TestInvalidCredentials(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", " ", "canary ", "can ary", "canary\r\nX: y", "canary\x00", "canäry", "canary\x7f"} {
		for _, pair := range [][2]string{{bad, secret}, {clientID, bad}} {
			if c, err := client.New(baseURL, pair[0], pair[1]); err == nil || c != nil || strings.Contains(err.Error(), "can") {
				t.Errorf("%q: %v", pair, err)
			}
		}
	}
}

func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	own := client.WithHTTPClient(&http.Client{Timeout: time.Second})
	for want, options := range map[string][]client.Option{
		"WithTimeout is given twice":                    {client.WithTimeout(1), client.WithTimeout(1)},
		"WithRetries is given twice":                    {client.WithRetries(1), client.WithUserAgent("a"), client.WithRetries(2)},
		"WithHTTPClient is given twice":                 {own, own},
		"AllowInsecureHTTP is given twice":              {client.AllowInsecureHTTP(), client.AllowInsecureHTTP()},
		"WithTimeout and the Timeout of WithHTTPClient": {client.WithTimeout(time.Second), own},
		"WithHTTPClient: must not be nil":               {client.WithHTTPClient(nil)},
		"WithLogger: must not be nil":                   {client.WithLogger(nil)},
		"WithTimeout: must be above zero":               {client.WithTimeout(0)},
		"WithRetries: must be 0 to 10":                  {client.WithRetries(-1)},
		"WithRetries: must be 0 to":                     {client.WithRetries(11)},
		"WithBackoff: must be above zero":               {client.WithBackoff(0, time.Second)},
		"WithBackoff: ":                                 {client.WithBackoff(2, 1)},
		"WithUserAgent: must be":                        {client.WithUserAgent("a\r\nb")},
		"WithUserAgent: ":                               {client.WithUserAgent("")},
		"an Option must come from":                      {{}},
	} {
		c, err := client.New(baseURL, clientID, secret, options...)
		if err == nil || c != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	_, err := client.New("", "", "", client.WithTimeout(0), client.WithRetries(-1))
	for _, want := range []string{"base URL", "client id", "client secret", "WithTimeout", "WithRetries"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not in %v", want, err)
		}
	}
}

func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	for product, want := range map[string]string{
		"":                "payouts-go/" + client.Version + " contract/" + client.ContractVersion,
		"acme-wallet/3.2": "acme-wallet/3.2 payouts-go/" + client.Version + " contract/" + client.ContractVersion,
	} {
		options := []client.Option{client.WithLogger(slog.New(slog.DiscardHandler))}
		if product != "" {
			options = append(options, client.WithUserAgent(product))
		}
		n, c := dialWith(t, options, ok)
		if _, err := c.CreateUser(t.Context(), asha()); err != nil {
			t.Fatal(err)
		}
		h := n.seen[0].header
		for name, want := range map[string]string{
			"User-Agent": want, "X-Client-Id": clientID, "X-Client-Secret": secret, "Accept": "application/json", "Content-Type": "application/json",
		} {
			if got := h.Values(name); len(got) != 1 || got[0] != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
}

func TestHTTPClientOfTheCallerIsNotChanged(t *testing.T) {
	t.Parallel()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	n := &network{answers: []answer{respond(200, theUser, "Set-Cookie", "session=1")}}
	own := &http.Client{Transport: n, Jar: jar, Timeout: time.Minute}
	c, err := client.New(baseURL, clientID, secret, client.WithHTTPClient(own))
	if err != nil {
		t.Fatal(err)
	}
	own.Transport = nil // too late to matter
	for range 2 {
		if _, err := c.GetUser(t.Context(), userID); err != nil {
			t.Fatal(err)
		}
	}
	if got := n.seen[1].header["Cookie"]; got != nil || own.Jar != jar || own.CheckRedirect != nil || own.Timeout != time.Minute {
		t.Errorf("cookies %q; the client is now %+v", got, own)
	}
}
