package docs

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi"
)

func TestRender(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"headings start at the level": {"# A b\n\n## C", `<h3 id="a-b">A b</h3><h4 id="c">C</h4>`},
		"a heading twice":             {"# A\n\n# A", `<h3 id="a">A</h3><h3 id="a-2">A</h3>`},
		"a decision":                  {"## D-31 What may change", `<h3 id="d-31">D-31 What may change</h3>`},
		"a mention of a decision":     {"see D-31.", `<p>see <a href="/decisions#d-31">D-31</a>.</p>`},
		"no mention":                  {"`D-31`, AD-31, D-3, D-311", `<p><code>D-31</code>, AD-31, D-3, D-311</p>`},
		"a decision in a link":        {"[D-31](decisions.md)", `<p><a href="/decisions">D-31</a></p>`},
		"a code":                      {"`BAD_REQUEST` and `OTHER`", `<p><a href="#error"><code>BAD_REQUEST</code></a> and <code>OTHER</code></p>`},
		"a code in a heading":         {"# `BAD_REQUEST`", `<h3 id="bad-request"><code>BAD_REQUEST</code></h3>`},
		"HTML is left out":            {"a<script>alert(1)</script>", `<p>a<!-- raw HTML omitted -->alert(1)<!-- raw HTML omitted --></p>`},
		"no script in a link":         {"[a](javascript:alert(1))", `<p><a href="">a</a></p>`},
		"alignment without style":     {"|a|\n|-:|\n|1|", `<div class="scroll" role="group" aria-label="Table" tabindex="0"><table><thead><tr><th align="right">a</th></tr></thead><tbody><tr><td align="right" data-label="a">1</td></tr></tbody></table></div>`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRenderer()
			r.links["BAD_REQUEST"] = "#error"
			html, _, err := r.render(c.source, 3)
			if got := strings.ReplaceAll(string(html), "\n", ""); err != nil || got != c.want {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
		})
	}
}

func newPages(t *testing.T, text []byte) map[string]http.Handler {
	t.Helper()
	pages, err := New(Config{
		YAML: openapi.YAML(), JSON: text, Decisions: openapi.Decisions, Changelog: openapi.Changelog, ClientID: "id", ClientSecret: "secret",
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func body(t *testing.T, pages map[string]http.Handler, path string) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept", "text/html")
	pages[path].ServeHTTP(w, r)
	return w.Body.Bytes()
}

// Every mark x-decision leads to its entry.
func TestDecisionsAreReached(t *testing.T) {
	t.Parallel()
	pages := newPages(t, published(t)["sandbox"])
	decisions := body(t, pages, "/decisions")
	links := regexp.MustCompile(`href="/decisions#(d-[0-9]+)"`).FindAllSubmatch(body(t, pages, "/docs"), -1)
	if len(links) < 100 {
		t.Errorf("%d links to decisions", len(links))
	}
	for _, link := range links {
		if !bytes.Contains(decisions, []byte(`<h2 id="`+string(link[1])+`"`)) {
			t.Errorf("%s is no entry", link[1])
		}
	}
}

// The Markdown form has what the page has.
func TestMarkdownForm(t *testing.T) {
	t.Parallel()
	text := published(t)["sandbox"]
	pages := newPages(t, text)
	whole, index := string(body(t, pages, "/docs.md")), string(body(t, pages, "/llms.txt"))
	for _, op := range reading(t, text).operations() {
		for _, want := range []string{"\n### " + op.Summary + "\n", "`" + op.Method + " " + op.Path + "` (operation `" + op.ID + "`)"} {
			if !strings.Contains(whole, want) {
				t.Errorf("/docs.md lacks %q", want)
			}
		}
		if want := "- `" + op.Method + " " + op.Path + "` (" + op.ID + "): " + op.Summary + "\n"; !strings.Contains(index, want) {
			t.Errorf("/llms.txt lacks %q", want)
		}
	}
	for _, want := range []string{"- `from_amount` (number (decimal), required", "  - `fund_id` (string (uuid), required", `"from_amount": 100.00,`} {
		if !strings.Contains(whole, want) {
			t.Errorf("/docs.md lacks %q", want)
		}
	}
}

func TestBelow(t *testing.T) {
	t.Parallel()
	const text = "a\n\n## B\n\n### C\n\n```\n# no heading\n```\n"
	if got, want := below(text, 4), "a\n\n#### B\n\n##### C\n\n```\n# no heading\n```"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := below("# A\n## B", 1), "# A\n## B"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What a page shows as a list is told apart in a line of Markdown, too.
func TestTheMarkdownSeparatesWhatAPageLists(t *testing.T) {
	t.Parallel()
	text, err := openapi.JSON()
	if err != nil {
		t.Fatal(err)
	}
	markdown := string(body(t, newPages(t, text), "/docs.md"))
	for _, want := range []string{
		"- 400 `BAD_REQUEST`: two violations; an identifier that is no UUID; ",
		"429 `RATE_LIMITED`; 500 `INTERNAL_ERROR`; 503 `SERVICE_UNAVAILABLE`.\n",
	} {
		if !strings.Contains(markdown, want) {
			t.Errorf("there is no %q", want)
		}
	}
}
