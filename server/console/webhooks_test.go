package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// An endpoint is made, tested and sent to again by forms; its secret is shown once.
func TestEndpointsByForms(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.WebhooksOff, c.Now = false, nil })
	received := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		received <- r.Header.Get("webhook-id")
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(receiver.Close)
	arrived := func() string {
		t.Helper()
		select {
		case id := <-received:
			return id
		case <-time.After(30 * time.Second):
			t.Fatal("no webhook arrived")
			return ""
		}
	}

	b := open(t, s)
	b.visit(sandbox + "/webhooks")
	b.shows(http.StatusOK, "No endpoints yet")
	b.send(sandbox+"/webhooks", url.Values{"url": {"ftp://example.com"}, "type": {"transaction.created"}})
	b.shows(http.StatusBadRequest, "BAD_REQUEST", "/url")
	if kept := b.first(`name="url" [^>]*value="([^"]*)"`); kept != "ftp://example.com" || !strings.Contains(b.page, `value="transaction.created" checked`) {
		t.Errorf("the form has %q after the error", kept)
	}
	b.send(sandbox+"/webhooks", url.Values{"url": {receiver.URL}, "description": {"Orders"}, "type": {"user.status_changed"}})
	b.shows(http.StatusOK, "The endpoint was created.", "whsec_", "user.status_changed")
	endpoint := b.first(`href="(/console/sandbox/webhooks/[^"]+)"`)
	b.visit(sandbox + "/webhooks")
	b.shows(http.StatusOK, "Orders")
	if strings.Contains(b.page, "whsec_") {
		t.Error("the secret is shown twice")
	}

	b.visit(endpoint)
	b.shows(http.StatusOK, "No deliveries yet")
	b.send(endpoint+"/test", nil)
	b.shows(http.StatusOK, "A ping was sent.", "ping")
	event := arrived()
	for end := time.Now().Add(30 * time.Second); !strings.Contains(b.text(), "418"); { // as the script of the page asks
		if b.visit(endpoint, "X-Console-Part", "live"); time.Now().After(end) {
			t.Fatalf("the attempt is not shown: %s", b.text())
		}
	}
	if strings.Contains(b.page, "<html") {
		t.Error("the part is a whole page")
	}
	b.visit(endpoint)
	b.shows(http.StatusOK, "PENDING", "Next attempt")
	b.send(endpoint+"/deliveries/"+event+"/retry", nil)
	b.shows(http.StatusOK, "The next attempt is made now.")
	if again := arrived(); again != event {
		t.Errorf("%s was sent again, want %s", again, event)
	}
}
