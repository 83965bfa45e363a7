package operations_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
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
func page(t testing.TB, s *servertest.Server, path, mediaType string) servertest.Answer {
	t.Helper()
	a := servertest.Call(t, s, http.MethodGet, path, nil, servertest.WithoutCredentials...)
	if a.Status != http.StatusOK || !strings.HasPrefix(a.Header.Get("Content-Type"), mediaType) {
		t.Fatalf("%s answers %d %s, want 200 %s: %.200s", path, a.Status, a.Header.Get("Content-Type"), mediaType, a.Body)
	}
	return a
}

// The published contract is the one that the service enforces, byte for byte, and its JSON is the same document.
func TestPublishedContract(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	published := page(t, s, "/openapi.yaml", "application/yaml")
	if !bytes.Equal(published.Body, openapi.YAML()) {
		t.Error("/openapi.yaml is not the embedded document")
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
	if err := json.Unmarshal(page(t, s, "/openapi.json", "application/json").Body, &fromJSON); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(fromJSON, fromYAML) {
		t.Error("/openapi.json is not the document of /openapi.yaml")
	}
}

var (
	assetLink     = regexp.MustCompile(`(?i)<(?:script|link|img)\b[^>]*?\b(?:src|href)\s*=\s*["']?([^"'\s>]+)`)
	foreignOrigin = regexp.MustCompile(`(?:https?:)?//[a-zA-Z0-9.-]+\.[a-z]+`)
)

// The documentation is self-contained: the service serves all of its assets, without credentials.
func TestDocumentationPage(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for _, path := range []string{"/docs", "/docs/"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			html := page(t, s, path, "text/html").Body
			if foreign := foreignOrigin.FindAll(html, -1); foreign != nil {
				t.Errorf("refers to %s", foreign)
			}
			if !bytes.Contains(html, []byte("/openapi.json")) {
				t.Error("does not show /openapi.json")
			}
			base, err := url.Parse(path)
			if err != nil {
				t.Fatal(err)
			}
			assets := assetLink.FindAllSubmatch(html, -1)
			if len(assets) < 2 {
				t.Fatalf("refers to %d assets, a script and a style sheet at least are expected: %s", len(assets), html)
			}
			for _, match := range assets {
				asset, err := base.Parse(string(match[1]))
				if err != nil {
					t.Fatal(err)
				}
				if a := servertest.Call(t, s, http.MethodGet, asset.RequestURI(), nil, servertest.WithoutCredentials...); a.Status != http.StatusOK || len(a.Body) == 0 {
					t.Errorf("%s answers %d with %d bytes", asset, a.Status, len(a.Body))
				}
			}
		})
	}
}

// HEAD answers what GET answers, without a body: for pages, operations and errors.
func TestHEAD(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	paths := []string{"/docs", "/docs/", "/openapi.yaml", "/openapi.json", "/healthz", "/readyz", "/nowhere", "/users/x", "/payers/9999999"}
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

// Outside of the sandbox there are no sandbox operations, and the documentation contains no secret (D-20).
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
		})
	}
	for _, c := range server.SandboxClients {
		servertest.Call(t, production, http.MethodGet, "/payers", nil, "X-Client-Id", c.ID, "X-Client-Secret", c.Secret).
			Refusal(t, http.StatusUnauthorized, api.ErrorCodeUnauthorized)
		if bytes.Contains(page(t, production, "/docs", "text/html").Body, []byte(c.Secret)) {
			t.Errorf("the documentation holds the secret of %s", c.ID)
		}
	}
	if !bytes.Contains(page(t, sandbox, "/docs", "text/html").Body, []byte(server.SandboxClients[0].Secret)) {
		t.Error("the documentation of the sandbox does not hold its secret")
	}
}

// D-08: an unknown path is 404, and an unknown method of a path is 405 with the header Allow; both have the error body, and
// need no credentials.
func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for _, path := range []string{"/", "/nowhere", "/users/x/y/z", "/v1/payers", "/payers/", "/Payers", "/docs2", "//payers", "/payers/1/x", "/payers/1/"} {
		t.Run("404 "+path, func(t *testing.T) {
			t.Parallel()
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
				servertest.Call(t, s, method, path, nil, servertest.WithoutCredentials...).Refusal(t, http.StatusNotFound, api.ErrorCodeNotFound)
			}
		})
	}
	has := map[string][]string{}
	for _, path := range []string{"/docs", "/openapi.yaml", "/openapi.json", "/healthz", "/readyz"} {
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
