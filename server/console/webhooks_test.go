package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
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
	b.visit(sandbox + "/webhooks/new")
	b.send(sandbox+"/webhooks/new", url.Values{"url": {"ftp://example.com"}, "event_types": {"transaction.created"}})
	b.shows(http.StatusBadRequest, "BAD_REQUEST", "/url")
	if kept := b.first(`name="url" [^>]*value="([^"]*)"`); kept != "ftp://example.com" || !strings.Contains(b.page, `value="transaction.created" checked`) {
		t.Errorf("the form has %q after the error", kept)
	}
	b.send(sandbox+"/webhooks/new", url.Values{"url": {receiver.URL}, "description": {"Orders"}, "event_types": {"user.status_changed"}})
	b.shows(http.StatusOK, "The endpoint was created", "whsec_")
	endpoint := b.first(`href="(/console/sandbox/webhooks/[0-9a-f-]{36})"`)
	b.visit(sandbox + "/webhooks")
	b.shows(http.StatusOK, "Orders", "user.status_changed")
	if strings.Contains(b.page, "whsec_") {
		t.Error("the secret is shown twice")
	}

	b.visit(endpoint)
	b.shows(http.StatusOK, "No deliveries yet")
	b.send(endpoint+"/test", nil)
	b.shows(http.StatusOK, "A ping was sent.", "ping")
	event := arrived()
	b.visit(endpoint, "X-Console-Part", "live") // as the script of the page asks
	for end := time.Now().Add(30 * time.Second); !strings.Contains(b.text(), "418"); b.visit(endpoint, "X-Console-Part", "live") {
		if time.Now().After(end) {
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

// An endpoint is changed, stopped, started and deleted by forms, and gets another secret, which is shown once.
func TestChangesOfEndpoints(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	made, err := sdk(t, s, 0).CreateWebhookEndpoint(t.Context(), api.WebhookEndpointRequest{URL: "http://127.0.0.1:9000/hook"})
	if err != nil {
		t.Fatal(err)
	}
	here := sandbox + "/webhooks/" + made.ID.String()
	b.visit(here)
	b.send(here+"/secret", url.Values{"key": {"another-secret"}})
	b.shows(http.StatusOK, "It is shown only now.", "The one before signs too until")
	if secret := b.first(`(whsec_[^<]+)<`); secret == *made.Secret {
		t.Error("the secret is the one before")
	}
	b.visit(here)
	if strings.Contains(b.page, "whsec_") {
		t.Error("the secret is shown twice")
	}
	b.send(here+"/disabled", url.Values{"disabled": {"true"}})
	b.shows(http.StatusOK, "The endpoint is disabled", "DISABLED", "Enable")
	b.send(here+"/disabled", url.Values{"disabled": {"false"}})
	b.shows(http.StatusOK, "The endpoint is enabled.", "ENABLED")
	b.visit(here + "/change")
	b.send(here+"/change", url.Values{"url": {"http://127.0.0.1:9001/hook"}, "description": {"Ledger"}, "event_types": {"user.status_changed"}})
	b.shows(http.StatusOK, "The endpoint was changed.", "http://127.0.0.1:9001/hook", "Ledger", "user.status_changed")
	b.visit(here + "/change")
	b.send(here+"/change", url.Values{"url": {"http://127.0.0.1:9001/hook"}})
	b.shows(http.StatusOK, "Events all")
	if strings.Contains(b.text(), "Ledger") {
		t.Error("the description is still there")
	}
	b.send(here+"/delete", nil)
	b.shows(http.StatusOK, "The endpoint was deleted.", "No endpoints yet")
	b.visit(here)
	b.shows(http.StatusNotFound, "NOT_FOUND")
}

// The list of endpoints has pages.
func TestManyEndpoints(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	for i := range 26 {
		_, err := sdk(t, s, 0).CreateWebhookEndpoint(t.Context(), api.WebhookEndpointRequest{URL: fmt.Sprintf("http://127.0.0.1:9000/hook-%d", i)})
		if err != nil {
			t.Fatal(err)
		}
	}
	b.visit(sandbox + "/webhooks")
	b.shows(http.StatusOK, "hook-24", "Newer endpoints")
	if strings.Contains(b.text(), "hook-25") {
		t.Error("the first page has all endpoints")
	}
	b.visit(b.path + b.first(`href="(\?cursor=[^"]+)"`))
	b.shows(http.StatusOK, "hook-25")
}
