package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// axeRules are WCAG 2.2, level A and AA.
const axeRules = `{resultTypes: ["violations"], runOnly: {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}`

// unfold opens everything that is folded, so that it is judged as well.
const unfold = `document.querySelectorAll("main details").forEach(d => { d.open = true; })`

// Every page can be read on wide and narrow screens, in light and dark, and with assistive technology.
func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	sandbox := servertest.New(t)
	for _, path := range []string{"/", "/docs", "/decisions", "/changelog"} {
		for _, width := range []int64{1280, 390} {
			for _, scheme := range []string{"light", "dark"} {
				name := strings.Trim(path, "/")
				if name == "" {
					name = "landing"
				}
				name = fmt.Sprintf("%s-%d-%s", name, width, scheme)
				t.Run(name, func(t *testing.T) {
					b := open(t, sandbox.URL)
					b.look(width, scheme)
					b.visit(sandbox.URL + path)
					b.picture(name)
					b.accessible()
				})
			}
		}
	}
}

// accessible fails the test for what is wider than the window, and for each violation that axe finds.
func (b *tab) accessible() {
	b.t.Helper()
	eval[any](b, unfold)
	if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		b.t.Errorf("is %d pixels wider than the window", over)
	}
	eval[any](b, axe+"; undefined")
	for _, violation := range eval[[]violation](b, fmt.Sprintf(`axe.run(document, %s).then(r => r.violations)`, axeRules)) {
		for i, node := range violation.Nodes {
			if i == 3 {
				b.t.Errorf("%s: %d more", violation.ID, len(violation.Nodes)-i)
				break
			}
			b.t.Errorf("%s: %s\n%s", violation.ID, violation.Help, node.HTML)
		}
	}
}

type violation struct {
	ID, Help string
	Nodes    []struct{ HTML string }
}

// A link inside of a page has a target, and no two elements have the same id.
func TestLinksInsideOfPages(t *testing.T) {
	t.Parallel()
	for _, sandbox := range []bool{true, false} {
		s := servertest.New(t, func(c *server.Config) { c.Sandbox = sandbox })
		for _, path := range []string{"/", "/docs", "/decisions", "/changelog"} {
			t.Run(fmt.Sprintf("%s sandbox %t", path, sandbox), func(t *testing.T) {
				b := open(t, s.URL)
				b.visit(s.URL + path)
				if lost := eval[[]string](b, `Array.from(document.querySelectorAll("a[href^='#']"), a => a.getAttribute("href"))
					.filter(href => !document.getElementById(decodeURIComponent(href.slice(1))))`); len(lost) > 0 {
					t.Errorf("links without target: %q", lost)
				}
				if twice := eval[[]string](b, `Array.from(document.querySelectorAll("[id]"), e => e.id).filter((id, i, all) => all.indexOf(id) !== i)`); len(twice) > 0 {
					t.Errorf("ids used twice: %q", twice)
				}
			})
		}
	}
}

// The search field leaves the operations that have all words.
func TestOperationsCanBeFound(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s.URL)
	b.look(1280, "light")
	b.visit(s.URL + "/docs")
	const visible = `Array.from(document.querySelectorAll("article.operation:not([hidden])"), o => o.id).join()`
	all := eval[string](b, visible)
	b.run(chromedp.SendKeys("#filter", "post CREATEFUNDINGACCOUNT", chromedp.ByQuery))
	if found := eval[string](b, visible); found != "createFundingAccount" {
		t.Errorf("found %s", found)
	}
	eval[any](b, `document.querySelector("#filter").value = ""; document.querySelector("#filter").dispatchEvent(new Event("input"))`)
	if found := eval[string](b, visible); found != all {
		t.Errorf("with an empty field %s are left, want %s", found, all)
	}
}

// A request can be sent with the keyboard alone.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s.URL)
	b.look(1280, "light")
	b.visit(s.URL + "/docs")
	const focused = `document.activeElement.getAttribute("href") ?? document.activeElement.textContent`
	b.run(chromedp.KeyEvent(kb.Tab))
	if got := eval[string](b, focused); got != "#content" {
		t.Errorf("the first stop is %s, want the link to the content", got)
	}
	b.run(chromedp.KeyEvent(kb.Enter))
	for n := 0; eval[string](b, focused) != "#try-createUser"; n++ {
		if n == 20 {
			t.Fatalf("the first step cannot be reached, but %s", eval[string](b, focused))
		}
		b.run(chromedp.KeyEvent(kb.Tab))
	}
	b.run(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Enter)) // opens the form, and presses its button
	b.run(chromedp.Poll(fmt.Sprintf(settled, form("createUser")), nil, chromedp.WithPollingInterval(20*time.Millisecond)))
	b.answers("createUser", b.text(form("createUser")+" .result"), "200")
	if outline := eval[string](b, `getComputedStyle(document.activeElement).outlineStyle`); outline != "solid" {
		t.Errorf("the outline of the focus is %s", outline)
	}
}

// Without JavaScript everything can be read, and nothing is offered that would not work.
func TestWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s.URL)
	b.run(emulation.SetScriptExecutionDisabled(true))
	b.visit(s.URL + "/docs")
	b.run(emulation.SetScriptExecutionDisabled(false))
	const shown = `e => e.checkVisibility()`
	if controls := eval[int](b, `Array.from(document.querySelectorAll("input, textarea, select, button")).filter(`+shown+`).length`); controls != 0 {
		t.Errorf("%d controls are shown", controls)
	}
	if hidden := eval[int](b, `Array.from(document.querySelectorAll("article.operation")).filter(e => !e.checkVisibility()).length`); hidden != 0 {
		t.Errorf("%d operations are hidden", hidden)
	}
}
