package console_test

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// browser reads pages and sends forms, without a script.
type browser struct {
	t      *testing.T
	base   string
	http   *http.Client
	path   string // of the page
	status int
	header http.Header
	page   string
}

func open(t *testing.T, s *servertest.Server) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t: t, base: s.URL, http: &http.Client{Jar: jar}}
}

func (b *browser) visit(path string, headers ...string) {
	b.t.Helper()
	b.do(http.MethodGet, path, nil, headers)
}

// send sends a form with the token of the page, and follows the redirect.
func (b *browser) send(path string, form url.Values, headers ...string) {
	b.t.Helper()
	if form == nil {
		form = url.Values{}
	}
	if _, sent := form["token"]; !sent {
		form.Set("token", b.token())
	}
	b.do(http.MethodPost, path, strings.NewReader(form.Encode()), append(headers, "Content-Type", "application/x-www-form-urlencoded"))
}

func (b *browser) do(method, path string, body io.Reader, headers []string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, body)
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := b.http.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	b.path, b.status, b.header, b.page = answer.Request.URL.Path, answer.StatusCode, answer.Header, string(text)
}

var tokens = regexp.MustCompile(`name="token" value="([^"]+)"`)

func (b *browser) token() string {
	b.t.Helper()
	found := tokens.FindStringSubmatch(b.page)
	if found == nil {
		b.t.Fatalf("%s has no form: %s", b.path, b.text())
	}
	return found[1]
}

var tags = regexp.MustCompile(`(?s)<[^>]*>`)

// text is what the page shows.
func (b *browser) text() string {
	shown := b.page[max(0, strings.Index(b.page, "<main")):]
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(shown, " "))), " ")
}

// shows fails the test unless the page has this status and these texts.
func (b *browser) shows(status int, texts ...string) {
	b.t.Helper()
	if b.status != status {
		b.t.Fatalf("%s answers %d, want %d: %s", b.path, b.status, status, b.text())
	}
	for _, text := range texts {
		if !strings.Contains(b.text(), text) {
			b.t.Fatalf("%s does not show %q: %s", b.path, text, b.text())
		}
	}
}

// sandbox is the path of the pages of the first client.
const sandbox = "/console/sandbox"

// demo makes the demo data and returns the form for a payout that is filled in.
func (b *browser) demo() url.Values {
	b.t.Helper()
	b.visit(sandbox + "/payouts")
	b.send(sandbox+"/demo", nil)
	b.shows(http.StatusOK, "There is a verified sender now")
	form := url.Values{"do": {"create"}, "token": {b.token()}}
	for _, field := range []string{"from_amount", "from_currency", "exchange_rate", "key"} {
		form.Set(field, b.first(`name="`+field+`"[^>]*value="([^"]*)"`))
	}
	form.Set("user", b.first(`<select id="user".*?<option value="([^"]+)"`))
	form.Set("from_fund_id", b.first(`<select id="from_fund_id".*?<option value="([^"]+)"`))
	form.Set("to", b.first(`<select id="to".*?<option value="([^"]+)"`))
	return form
}

// first returns what a pattern finds first in the page.
func (b *browser) first(pattern string) string {
	b.t.Helper()
	found := regexp.MustCompile(`(?s)` + pattern).FindStringSubmatch(b.page)
	if found == nil {
		b.t.Fatalf("%s has no %s", b.path, pattern)
	}
	return html.UnescapeString(found[1])
}

// create creates a payout of the demo with these fields, and leaves its page open.
func (b *browser) create(form url.Values, fields ...string) {
	b.t.Helper()
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	b.send(sandbox+"/payouts/new", form)
	b.shows(http.StatusOK, "The payout was created.")
}

// ids returns the sender and the payout of the open page.
func (b *browser) ids() (sender, payout uuid.UUID) {
	b.t.Helper()
	parts := strings.Split(b.path, "/")
	if len(parts) < 6 {
		b.t.Fatalf("%s is no page of a payout", b.path)
	}
	return uuid.MustParse(parts[4]), uuid.MustParse(parts[5])
}

// sdk is the SDK as a program of a partner has it.
func sdk(t *testing.T, s *servertest.Server, n int) *client.Client {
	t.Helper()
	c, err := client.New(s.URL, server.SandboxClients[n].ID, server.SandboxClients[n].Secret)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func read(t *testing.T, s *servertest.Server, sender, payout uuid.UUID) *api.Transaction {
	t.Helper()
	found, err := sdk(t, s, 0).GetTransaction(context.Background(), sender, payout)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
