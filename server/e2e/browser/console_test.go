package browser_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// delivering is a sandbox that delivers webhooks, on the clock of the machine.
func delivering(t *testing.T) *servertest.Server {
	t.Helper()
	return servertest.New(t, func(c *server.Config) { c.WebhooksOff, c.Now = false, nil })
}

// press clicks a button by its text, and waits for the page that it leads to.
func (b *tab) press(text string) {
	b.t.Helper()
	b.follows(fmt.Sprintf(`//main//button[normalize-space()="%s"]`, text))
}

// open clicks a link by its text.
func (b *tab) open(text string) {
	b.t.Helper()
	b.follows(fmt.Sprintf(`//a[normalize-space()="%s"]`, text))
}

func (b *tab) follows(element string) {
	b.t.Helper()
	b.leads(chromedp.Click(element, chromedp.BySearch))
}

// leads does what leads to another page, and waits for it.
func (b *tab) leads(action chromedp.Action) {
	b.t.Helper()
	if _, err := chromedp.RunResponse(b.ctx, action); err != nil {
		b.t.Fatal(err)
	}
}

// shows waits until the page has a text.
func (b *tab) shows(text string) {
	b.t.Helper()
	b.run(chromedp.Poll(fmt.Sprintf(`document.querySelector("main").innerText.includes(%q)`, text), nil,
		chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(30*time.Second)))
}

// addEndpoint registers a webhook endpoint by clicking, and returns its secret.
func (b *tab) addEndpoint(base, address string) string {
	b.t.Helper()
	b.visit(base + "/console/sandbox/webhooks/new")
	b.run(chromedp.SendKeys("#url", address, chromedp.ByQuery))
	b.press("Add endpoint")
	return eval[string](b, `document.querySelector("main .notice pre").textContent`)
}

// In the console, a newcomer brings a payout to its end by clicking, and sees its webhooks arrive.
func TestPayoutInTheConsole(t *testing.T) {
	t.Parallel()
	s := delivering(t)
	type webhook struct {
		header http.Header
		body   []byte
	}
	received := make(chan webhook, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- webhook{r.Header, body}
	}))
	t.Cleanup(receiver.Close)

	b := open(t, s.URL)
	b.look(1280, "light")
	secret := b.addEndpoint(s.URL, receiver.URL)
	b.visit(s.URL)
	b.open("Open the console")
	b.press("Make demo data")
	b.press("Preview")
	b.shows("13225.00 NPR")
	b.press("Create payout")
	b.shows("It waits for the operator to release it.")
	b.press("Release")
	b.press("Complete")
	b.shows("It is paid out and waits for nothing.")
	b.shows("Moved to COMPLETED")

	for completed := false; !completed; {
		select {
		case w := <-received:
			event, err := client.VerifyWebhook(w.header, w.body, secret)
			if err != nil {
				t.Fatal(err)
			}
			completed = event.Data.Transaction != nil && event.Data.Transaction.Status == api.TransactionStatusCompleted
		case <-time.After(30 * time.Second):
			t.Fatal("no webhook says that the payout is completed")
		}
	}
	b.run(chromedp.Poll(`document.querySelectorAll(".timeline .attempt .pill.good").length >= 3`, nil, chromedp.WithPollingInterval(50*time.Millisecond),
		chromedp.WithPollingTimeout(30*time.Second)))
	key := eval[string](b, `Array.from(document.querySelectorAll("dt"), e => e).find(e => e.textContent === "Key").nextElementSibling.textContent`)
	here := eval[string](b, `location.pathname`)
	b.leads(chromedp.SendKeys("#q", key+kb.Enter, chromedp.ByQuery))
	if found := eval[string](b, `location.pathname`); found != here {
		t.Errorf("the key leads to %s, want %s", found, here)
	}
	b.shows("It is paid out and waits for nothing.")
}

// An error of the API is readable on the page with the form, which keeps its input.
func TestErrorsInTheConsole(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s.URL)
	b.look(390, "dark")
	b.visit(s.URL + "/console")
	b.press("Make demo data")
	b.run(chromedp.SetValue("#from_amount", "123.456", chromedp.ByQuery), chromedp.Click("//summary[starts-with(., 'Reference')]", chromedp.BySearch), chromedp.SendKeys("#note", "For school", chromedp.ByQuery))
	b.press("Create payout")
	b.shows("BAD_REQUEST")
	b.shows("/from_amount")
	if amount, note := b.value("from_amount"), b.value("note"); amount != "123.456" || note != "For school" {
		t.Errorf("the form has %q and %q", amount, note)
	}
	b.picture("console-error-390-dark")
	b.accessible()
}

func (b *tab) value(id string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf(`document.getElementById(%q).value`, id))
}

// A payout can be made and released with the keyboard alone.
func TestConsoleByKeyboard(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s.URL)
	b.look(1280, "light")
	b.visit(s.URL + "/console")
	for _, button := range []string{"Make demo data", "Create payout", "Release", "Complete"} {
		for n := 0; eval[string](b, `document.activeElement.textContent.trim()`) != button; n++ {
			if n == 40 {
				t.Fatalf("%s cannot be reached", button)
			}
			b.run(chromedp.KeyEvent(kb.Tab))
		}
		if outline := eval[string](b, `getComputedStyle(document.activeElement).outlineStyle`); outline != "solid" {
			t.Errorf("the outline of %s is %s", button, outline)
		}
		b.leads(chromedp.KeyEvent(kb.Enter))
	}
	b.shows("It is paid out")
}

// Every page of the console can be read on wide and narrow screens, in light and dark, and with assistive technology.
func TestConsoleIsAccessible(t *testing.T) {
	t.Parallel()
	s := delivering(t)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	b := open(t, s.URL)
	b.look(1280, "light")
	pages := b.fill(s, receiver.URL)
	for name, path := range pages {
		for _, width := range []int64{1280, 390} {
			for _, scheme := range []string{"light", "dark"} {
				t.Run(fmt.Sprintf("%s-%d-%s", name, width, scheme), func(t *testing.T) {
					b := open(t, s.URL)
					b.look(width, scheme)
					b.visit(s.URL + path)
					b.picture(fmt.Sprintf("console-%s-%d-%s", name, width, scheme))
					if size := eval[int](b, `performance.getEntriesByType("navigation")[0].decodedBodySize`); size > 50_000 {
						t.Errorf("has %d bytes", size)
					}
					b.accessible()
				})
			}
		}
	}
}

// fill makes payouts in every status by clicking, and returns a path of each page by name.
func (b *tab) fill(s *servertest.Server, receiver string) map[string]string {
	b.t.Helper()
	base := "/console/sandbox"
	pages := map[string]string{
		"empty": "/console/sandbox-2/payouts", "nobody": "/console/sandbox-2/users", "board": base + "/payouts", "list": base + "/payouts/all", "users": base + "/users",
		"webhooks": base + "/webhooks", "requests": base + "/requests", "search": base + "/search?q=0198c0de-0000-7000-8000-000000000000", "missing": base + "/nowhere",
	}
	here := `location.pathname + location.search`
	b.addEndpoint(s.URL, receiver)
	b.visit(s.URL + base + "/payouts")
	b.press("Make demo data")
	pages["new"] = eval[string](b, here)
	for i, clicks := range []string{"", "Release", "Release Complete", "Cancel", "Release Fail", "Release Complete Return", "Release Complete", ""} {
		b.visit(s.URL + pages["new"])
		eval[any](b, unfold)
		b.run(chromedp.SendKeys("#client_reference", fmt.Sprintf("order-%d", 4711+i), chromedp.ByQuery))
		if i == 7 {
			b.run(chromedp.SetValue("#from_amount", "1500", chromedp.ByQuery)) // above the first tier
		}
		b.press("Create payout")
		for click := range strings.FieldsSeq(clicks) {
			b.press(click)
		}
		name := map[int]string{5: "payout", 6: "paid", 7: "held"}[i]
		if name != "" {
			pages[name] = eval[string](b, `location.pathname`)
		}
	}
	b.follows(`//dt[.="Sender"]/following-sibling::dd/a`)
	pages["user"] = eval[string](b, `location.pathname`)
	b.forms(s.URL, pages["user"], pages)
	b.visit(s.URL + base + "/webhooks")
	b.follows("//main//table//a")
	b.press("Send a test")
	pages["endpoint"] = eval[string](b, `location.pathname`)
	return pages
}
