package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// form selects the form of an operation.
func form(operation string) string { return fmt.Sprintf(`form[data-operation="%s"]`, operation) }

// settled is true once a form shows an answer.
const settled = `document.querySelector('%[1]s .result').textContent !== "" && !document.querySelector('%[1]s .result').textContent.startsWith("Sending")`

// send presses the button of a form that is open, and returns what the form shows then.
func (b *tab) send(operation string) string {
	b.t.Helper()
	eval[any](b, fmt.Sprintf(`document.querySelector('%s .result').replaceChildren()`, form(operation)))
	b.run(chromedp.Click(form(operation)+` [type="submit"]`, chromedp.ByQuery))
	b.run(chromedp.Poll(fmt.Sprintf(settled, form(operation)), nil, chromedp.WithPollingInterval(20*time.Millisecond)))
	return b.text(form(operation) + " .result")
}

// follow clicks the link to the next step, and returns the operation of its form.
func (b *tab) follow(operation string) string {
	b.t.Helper()
	link := form(operation) + " .next a"
	var target string
	b.run(chromedp.AttributeValue(link, "href", &target, nil, chromedp.ByQuery), chromedp.Click(link, chromedp.ByQuery))
	return strings.TrimPrefix(target, "#try-")
}

func (b *tab) text(selector string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf(`document.querySelector('%s').textContent`, selector))
}

// answers fails the test unless a form shows this status.
func (b *tab) answers(operation, shown, status string) {
	b.t.Helper()
	if !strings.HasPrefix(shown, status) {
		b.t.Fatalf("%s shows %.400s, want %s", operation, shown, status)
	}
}

// choose selects an example by its place.
func (b *tab) choose(operation string, n int) {
	b.t.Helper()
	eval[any](b, fmt.Sprintf(`(() => {
		const select = document.querySelector('%s .choose');
		select.selectedIndex = %d;
		select.dispatchEvent(new Event("change"));
	})()`, form(operation), n))
}

// unfoldForm opens the form of an operation by a click.
func (b *tab) unfoldForm(operation string) {
	b.t.Helper()
	b.run(chromedp.Click(fmt.Sprintf(`//article[@id="%s"]//details[contains(@class, "try")]/summary`, operation), chromedp.BySearch))
}

// firstPayout clicks from the list of steps to the last one, and returns the operations in order.
func (b *tab) firstPayout() (operations []string) {
	b.t.Helper()
	var first string
	b.run(chromedp.AttributeValue(".steps a", "data-step", &first, nil, chromedp.ByQuery), chromedp.Click(".steps a", chromedp.ByQuery))
	for operation := first; ; operation = b.follow(operation) {
		b.answers(operation, b.send(operation), "200")
		operations = append(operations, operation)
		var more []*cdp.Node
		b.run(chromedp.Nodes(form(operation)+" .next a", &more, chromedp.ByQueryAll, chromedp.AtLeast(0)))
		if len(more) == 0 {
			return operations
		}
	}
}

// In the sandbox, a reader makes a first payout by pressing buttons, without typing anything.
func TestFirstPayoutByClicking(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for name, width := range map[string]int64{"wide": 1280, "narrow": 390} {
		t.Run(name, func(t *testing.T) {
			b := open(t, s.URL)
			b.look(width, "light")
			b.visit(s.URL + "/docs")
			operations := b.firstPayout()
			if len(operations) < 7 || operations[len(operations)-1] != "getTransaction" {
				t.Fatalf("the steps were %q", operations)
			}
			b.picture("payout-" + name)
			answer := b.text(form("getTransaction") + " .answer")
			if !strings.Contains(answer, `"from_amount": 100.00,`) {
				t.Errorf("the answer lost digits: %s", answer)
			}
			if done := eval[int](b, `document.querySelectorAll(".steps .done").length`); done != len(operations) {
				t.Errorf("%d of %d steps are marked as done", done, len(operations))
			}
		})
	}
}

// All payout methods work with the ids of earlier answers; what is missing is named, with a link to the operation that creates it.
func TestEveryPayoutMethodByClicking(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s.URL)
	b.visit(s.URL + "/docs")
	b.firstPayout()
	const create = "createTransaction"
	methods := map[string]bool{}
	for n := range eval[int](b, fmt.Sprintf(`document.querySelectorAll('%s .choose option').length`, form(create))) {
		b.choose(create, n)
		shown := b.send(create)
		for strings.HasPrefix(shown, "Needed first") {
			link := form(create) + " .result a"
			var target string
			b.run(chromedp.AttributeValue(link, "href", &target, nil, chromedp.ByQuery), chromedp.Click(link, chromedp.ByQuery))
			missing := strings.TrimPrefix(target, "#try-")
			b.answers(missing, b.send(missing), "200")
			shown = b.send(create)
		}
		b.answers(create, shown, "200")
		methods[eval[string](b, fmt.Sprintf(`JSON.parse(document.querySelector('%s .answer').textContent).to.payout_method`, form(create)))] = true
	}
	for _, method := range []string{"BANK_DEPOSIT", "WALLET", "CASH_PICKUP", "HOME_DELIVERY"} {
		if !methods[method] {
			t.Errorf("no payout by %s", method)
		}
	}
}

// The same key and request again is a replay, the same key with another request a conflict; a new key creates something new.
func TestReplayAndConflictByClicking(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s.URL)
	b.visit(s.URL + "/docs")
	const create = "createUser"
	b.unfoldForm(create)
	first := b.send(create)
	b.answers(create, first, "200")
	if strings.Contains(first, "Idempotent-Replayed") {
		t.Errorf("the first request is shown as a replay: %s", first)
	}
	again := b.send(create)
	b.answers(create, again, "200")
	if !strings.Contains(again, "Idempotent-Replayed") {
		t.Errorf("a replay is not shown as one: %s", again)
	}
	b.run(chromedp.SetValue(form(create)+" .body", `{"first_name":"Bina","email":"bina@example.com","country":"US"}`, chromedp.ByQuery))
	conflict := b.send(create)
	b.answers(create, conflict, "409")
	if !strings.Contains(conflict, "IDEMPOTENCY_KEY_REUSED: ") {
		t.Errorf("the error is not readable: %s", conflict)
	}
	b.picture("conflict")
	b.run(chromedp.Click(form(create)+" .new-key", chromedp.ByQuery))
	b.answers(create, b.send(create), "200")
}

// An id that the page has not seen yet is asked for, instead of sending the one of an example.
func TestMissingIDsAreNamed(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s.URL)
	b.visit(s.URL + "/docs")
	b.unfoldForm("createTransaction")
	shown := b.send("createTransaction")
	for _, missing := range []string{"user", "funding account", "receive user", "bank account"} {
		if !strings.Contains(shown, "Needed first: "+missing+".") {
			t.Errorf("a missing %s is not named: %s", missing, shown)
		}
	}
}

// Outside of the sandbox the reader types the credentials, and the command that is shown does not repeat the secret.
func TestCredentialsOutsideOfTheSandbox(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.Sandbox = false })
	b := open(t, s.URL)
	b.visit(s.URL + "/docs")
	const list = "listPayers"
	b.unfoldForm(list)
	if shown := b.send(list); !strings.HasPrefix(shown, "Needed first: X-Client-Id") {
		t.Errorf("missing credentials are not named: %s", shown)
	}
	b.run(chromedp.SendKeys("#client-id", "partner", chromedp.ByQuery), chromedp.SendKeys("#client-secret", "unknown-secret", chromedp.ByQuery))
	shown := b.send(list)
	b.answers(list, shown, "401")
	if strings.Contains(shown, "unknown-secret") || !strings.Contains(shown, "$CLIENT_SECRET") {
		t.Errorf("the command has the secret: %s", shown)
	}
	if kept := eval[int](b, `localStorage.length + sessionStorage.length + document.cookie.length`); kept != 0 {
		t.Error("the page keeps something after it is closed")
	}
}
