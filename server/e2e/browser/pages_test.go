package browser_test

import (
	"fmt"
	"strings"
	"testing"

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
					eval[any](b, unfold)
					if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
						t.Errorf("is %d pixels wider than the window", over)
					}
					eval[any](b, axe+"; undefined")
					for _, violation := range eval[[]violation](b, fmt.Sprintf(`axe.run(document, %s).then(r => r.violations)`, axeRules)) {
						for i, node := range violation.Nodes {
							if i == 3 {
								t.Errorf("%s: %d more", violation.ID, len(violation.Nodes)-i)
								break
							}
							t.Errorf("%s: %s\n%s", violation.ID, violation.Help, node.HTML)
						}
					}
				})
			}
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
