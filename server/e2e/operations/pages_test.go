package operations_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// page reads a page without credentials.
func page(t testing.TB, s *servertest.Server, path, mediaType string, headers ...string) servertest.Answer {
	t.Helper()
	a := servertest.Call(t, s, http.MethodGet, path, nil, append(headers, servertest.WithoutCredentials...)...)
	if a.Status != http.StatusOK || !strings.HasPrefix(a.Header.Get("Content-Type"), mediaType) {
		t.Fatalf("%s answers %d %s, want 200 %s: %.200s", path, a.Status, a.Header.Get("Content-Type"), mediaType, a.Body)
	}
	return a
}

// pages are the paths for readers of the contract, with the media types for programs and for browsers.
var pages = map[string][2]string{
	"/":             {"text/markdown", "text/html"},
	"/docs":         {"text/html", "text/html"},
	"/decisions":    {"text/html", "text/html"},
	"/changelog":    {"text/html", "text/html"},
	"/openapi.yaml": {"application/yaml", "text/plain"},
	"/openapi.json": {"application/json", "application/json"},
	"/docs.md":      {"text/markdown", "text/plain"},
	"/decisions.md": {"text/markdown", "text/plain"},
	"/changelog.md": {"text/markdown", "text/plain"},
	"/llms.txt":     {"text/plain", "text/plain"},
}

// asBrowser are the headers of a browser that opens a page.
var asBrowser = []string{"Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}

// The published contract is the one that the service enforces, byte for byte, and its JSON is the same document.
func TestPublishedContract(t *testing.T) {
	t.Parallel()
	production, err := openapi.ProductionYAML()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		server *servertest.Server
		want   []byte
	}{
		"sandbox":    {servertest.New(t), openapi.YAML()},
		"production": {servertest.New(t, func(c *server.Config) { c.Sandbox = false }), production},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			published := page(t, c.server, "/openapi.yaml", "application/yaml")
			if !bytes.Equal(published.Body, c.want) {
				t.Error("/openapi.yaml is not the document of this mode")
			}
			var fromYAML, fromJSON any
			if err := yaml.Unmarshal(published.Body, &fromYAML); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(fromYAML)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &fromYAML); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(page(t, c.server, "/openapi.json", "application/json").Body, &fromJSON); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(fromJSON, fromYAML) {
				t.Error("/openapi.json is not the document of /openapi.yaml")
			}
		})
	}
}

// Programs receive each page with its own media type; browsers receive one that they show instead of saving it.
func TestPagesForProgramsAndBrowsers(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for path, mediaTypes := range pages {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			program, browser := page(t, s, path, mediaTypes[0]), page(t, s, path, mediaTypes[1], asBrowser...)
			for _, a := range []servertest.Answer{program, browser} {
				if varies := strings.Join(a.Header.Values("Vary"), ", "); mediaTypes[0] != mediaTypes[1] && !strings.Contains(varies, "Accept,") {
					t.Errorf("Vary is %q", varies)
				}
			}
		})
	}
}

// Pages load nothing from elsewhere, run no inline script, and cannot be framed.
func TestPagesAreConfined(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for path := range pages {
		header := page(t, s, path, "", asBrowser...).Header
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
				"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
			"X-Content-Type-Options": "nosniff",
			"Referrer-Policy":        "no-referrer",
		} {
			if header.Get(name) != want {
				t.Errorf("%s: %s is %q, want %q", path, name, header.Get(name), want)
			}
		}
	}
}

// A reader that has a page is told so in 304, whatever the coding; the tag of a page changes with its media type and coding.
func TestPagesAreCached(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for path, mediaTypes := range pages {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			plain := page(t, s, path, mediaTypes[0], "Accept-Encoding", "identity")
			zipped := page(t, s, path, mediaTypes[0], "Accept-Encoding", "br, gzip")
			tag := plain.Header.Get("ETag")
			if !strings.HasPrefix(tag, `"`) || tag == zipped.Header.Get("ETag") || plain.Header.Get("Cache-Control") == "" {
				t.Errorf("tags %s and %s, Cache-Control %q", tag, zipped.Header.Get("ETag"), plain.Header.Get("Cache-Control"))
			}
			if browser := page(t, s, path, mediaTypes[1], append([]string{"Accept-Encoding", "identity"}, asBrowser...)...); mediaTypes[0] != mediaTypes[1] && browser.Header.Get("ETag") == tag {
				t.Error("browsers receive the same tag with another media type")
			}
			unzipped, err := gzip.NewReader(bytes.NewReader(zipped.Body))
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(unzipped); err != nil || !bytes.Equal(text, plain.Body) {
				t.Errorf("the compressed text is another one: %v", err)
			}
			for given, want := range map[string]int{tag: 304, `"other", W/` + tag: 304, `"other"`: 200} {
				a := servertest.Call(t, s, http.MethodGet, path, nil,
					append([]string{"Accept-Encoding", "identity", "If-None-Match", given}, servertest.WithoutCredentials...)...)
				if a.Status != want || a.Header.Get("ETag") != tag || (want == 304) != (len(a.Body) == 0) {
					t.Errorf("If-None-Match %s answers %d with %d bytes, want %d", given, a.Status, len(a.Body), want)
				}
			}
		})
	}
}

var assetLink = regexp.MustCompile(`(?i)<(?:script|link|img)\b[^>]*?\b(?:src|href)\s*=\s*["']?([^"'\s>]+)`)

// Pages are self-contained: the service serves all of their assets, without credentials, and a page with them is small.
func TestAssetsOfPages(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for _, path := range []string{"/", "/docs", "/decisions", "/changelog"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			html := page(t, s, path, "text/html", asBrowser...).Body
			size := len(html)
			assets := assetLink.FindAllSubmatch(html, -1)
			if len(assets) < 3 {
				t.Fatalf("refers to %d assets, a script, a style sheet and an icon at least are expected: %s", len(assets), html)
			}
			for _, match := range assets {
				asset := string(match[1])
				if !strings.HasPrefix(asset, "/") || strings.HasPrefix(asset, "//") {
					t.Errorf("%s is elsewhere", asset)
					continue
				}
				a := page(t, s, asset, "")
				if !bytes.Contains(match[0], []byte(`rel="alternate"`)) { // which a browser does not load
					size += len(a.Body)
				}
				if strings.Contains(asset, "/page-") && !strings.Contains(a.Header.Get("Cache-Control"), "immutable") {
					t.Errorf("%s is cached as %q", asset, a.Header.Get("Cache-Control"))
				}
			}
			if size > 900_000 { // the reference has 20,000 bytes at most for each of 45 operations, and is an eighth compressed
				t.Errorf("has %d bytes with its assets, want 900,000 at most", size)
			}
		})
	}
}

// HEAD answers what GET answers, without a body: for pages, operations and errors.
func TestHEAD(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	paths := append([]string{"/docs/", "/healthz", "/readyz", "/nowhere", "/users/x", "/payers/9999999"}, slices.Collect(maps.Keys(pages))...)
	for _, op := range s.Contract.Operations() {
		if op.Method == http.MethodGet {
			paths = append(paths, w.Path(t, op))
		}
	}
	for _, path := range paths {
		for name, headers := range map[string][]string{"": nil, "without credentials": servertest.WithoutCredentials} {
			t.Run(path+" "+name, func(t *testing.T) {
				t.Parallel()
				get := servertest.Call(t, s, http.MethodGet, path, nil, headers...)
				head := servertest.Call(t, s, http.MethodHead, path, nil, headers...)
				if head.Status != get.Status || len(head.Body) != 0 {
					t.Errorf("HEAD answers %d with %d bytes, GET %d", head.Status, len(head.Body), get.Status)
				}
				for _, name := range []string{"Content-Type", "Www-Authenticate"} {
					if head.Header.Get(name) != get.Header.Get(name) {
						t.Errorf("HEAD answers %s %q, GET %q", name, head.Header.Get(name), get.Header.Get(name))
					}
				}
				if head.Header.Get("X-Request-Id") == "" {
					t.Error("HEAD answers no X-Request-Id")
				}
			})
		}
	}
}

// Outside of the sandbox there are no sandbox operations, and no page shows them or offers credentials (D-20).
func TestOutsideOfTheSandbox(t *testing.T) {
	t.Parallel()
	sandbox, production := servertest.New(t), servertest.New(t, func(c *server.Config) { c.Sandbox = false })
	for _, op := range production.Contract.Operations() {
		if !strings.HasPrefix(op.Path, "/sandbox/") {
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			servertest.Nowhere().Send(t, production, op).Refusal(t, http.StatusNotFound, api.ErrorCodeNotFound)
			servertest.Nowhere().Send(t, production, op, servertest.WithoutCredentials...).Refusal(t, http.StatusNotFound, api.ErrorCodeNotFound)
			for path, form := range map[string]string{
				"/docs": `id="%s"`, "/docs.md": "(operation `%s`)", "/llms.txt": "(%s)",
				"/openapi.yaml": "operationId: %s\n", "/openapi.json": `"operationId":"%s"`,
			} {
				published := fmt.Appendf(nil, form, op.ID)
				if !bytes.Contains(page(t, sandbox, path, "").Body, published) {
					t.Errorf("%s of the sandbox does not have %s", path, published)
				}
				if bytes.Contains(page(t, production, path, "").Body, published) {
					t.Errorf("%s has %s", path, published)
				}
			}
		})
	}
	// The guides name the credentials of a sandbox, but only its own pages offer them.
	for path, form := range map[string]string{"/": "<dd><code>%s</code></dd>", "/docs": `value="%s"`} {
		offered := fmt.Appendf(nil, form, server.SandboxClients[0].Secret)
		if bytes.Contains(page(t, production, path, "text/html", asBrowser...).Body, offered) {
			t.Errorf("%s offers the secret of the sandbox", path)
		}
		if !bytes.Contains(page(t, sandbox, path, "text/html", asBrowser...).Body, offered) {
			t.Errorf("%s of the sandbox does not offer its secret", path)
		}
	}
	for _, c := range server.SandboxClients {
		servertest.Call(t, production, http.MethodGet, "/payers", nil, "X-Client-Id", c.ID, "X-Client-Secret", c.Secret).
			Refusal(t, http.StatusUnauthorized, api.ErrorCodeUnauthorized)
	}
}

// D-08: an unknown path is 404, and an unknown method of a path is 405 with the header Allow; both have the error body, and
// need no credentials.
func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for _, path := range []string{"/nowhere", "/users/x/y/z", "/v1/payers", "/payers/", "/Payers", "/docs2", "//payers", "/payers/1/x", "/payers/1/"} {
		t.Run("404 "+path, func(t *testing.T) {
			t.Parallel()
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
				servertest.Call(t, s, method, path, nil, servertest.WithoutCredentials...).Refusal(t, http.StatusNotFound, api.ErrorCodeNotFound)
			}
		})
	}
	has := map[string][]string{}
	for _, path := range append([]string{"/healthz", "/readyz"}, slices.Collect(maps.Keys(pages))...) {
		has[path] = []string{http.MethodOptions, http.MethodGet, http.MethodHead}
	}
	for _, op := range s.Contract.Operations() {
		path := servertest.PathParameter.ReplaceAllString(op.Path, "1")
		has[path] = append(has[path], op.Method)
		if op.Method == http.MethodGet {
			has[path] = append(has[path], http.MethodHead)
		}
		if !slices.Contains(has[path], http.MethodOptions) {
			has[path] = append(has[path], http.MethodOptions)
		}
	}
	for path, methods := range has {
		slices.Sort(methods)
		t.Run("405 "+path, func(t *testing.T) {
			t.Parallel()
			allowed := func(a servertest.Answer) {
				got := strings.Split(a.Header.Get("Allow"), ", ")
				if slices.Sort(got); !slices.Equal(got, methods) {
					t.Errorf("Allow is %v, want %v", got, methods)
				}
			}
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
				if slices.Contains(methods, method) {
					continue
				}
				a := servertest.Call(t, s, method, path, nil, servertest.WithoutCredentials...)
				if allowed(a); method == http.MethodHead {
					if a.Status != http.StatusMethodNotAllowed {
						t.Errorf("HEAD answers %d", a.Status)
					}
					continue
				}
				a.Refusal(t, http.StatusMethodNotAllowed, api.ErrorCodeMethodNotAllowed)
			}
			options := servertest.Call(t, s, http.MethodOptions, path, nil, servertest.WithoutCredentials...)
			if allowed(options); options.Status != http.StatusNoContent || len(options.Body) != 0 {
				t.Errorf("OPTIONS answers %d with %d bytes, want 204 without a body", options.Status, len(options.Body))
			}
		})
	}
}
