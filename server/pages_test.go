package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
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

// withoutCredentials takes away what call adds by itself.
var withoutCredentials = []string{"X-Client-Id", "", "X-Client-Secret", "", "Content-Type", ""}

// page reads a page as a browser does.
func page(t testing.TB, s *servertest.Server, path, mediaType string) answer {
	t.Helper()
	a := call(t, s, http.MethodGet, path, nil, withoutCredentials...)
	if a.status != http.StatusOK || !strings.HasPrefix(a.header.Get("Content-Type"), mediaType) {
		t.Fatalf("%s answers %d %s, want 200 %s: %.200s", path, a.status, a.header.Get("Content-Type"), mediaType, a.body)
	}
	return a
}

// The published contract is the one that the service enforces, byte for byte, and its JSON is the same document.
func TestPagesOfTheContract(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	published := page(t, s, "/openapi.yaml", "application/yaml")
	if !bytes.Equal(published.body, openapi.YAML()) {
		t.Error("/openapi.yaml is not the embedded document")
	}
	var fromYAML, fromJSON any
	if err := yaml.Unmarshal(published.body, &fromYAML); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(fromYAML)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &fromYAML); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(page(t, s, "/openapi.json", "application/json").body, &fromJSON); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(fromJSON, fromYAML) {
		t.Error("/openapi.json is not the document of /openapi.yaml")
	}
}

var (
	pageAsset  = regexp.MustCompile(`(?i)<(?:script|link|img)\b[^>]*?\b(?:src|href)\s*=\s*["']?([^"'\s>]+)`)
	pageOrigin = regexp.MustCompile(`(?:https?:)?//[a-zA-Z0-9.-]+\.[a-z]+`)
)

// The documentation needs nothing from anywhere else: the service serves each of its assets, without credentials.
func TestPagesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for _, path := range []string{"/docs", "/docs/"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			html := page(t, s, path, "text/html").body
			if foreign := pageOrigin.FindAll(html, -1); foreign != nil {
				t.Errorf("refers to %s", foreign)
			}
			if !bytes.Contains(html, []byte("/openapi.json")) {
				t.Error("does not show /openapi.json")
			}
			base, err := url.Parse(path)
			if err != nil {
				t.Fatal(err)
			}
			assets := pageAsset.FindAllSubmatch(html, -1)
			if len(assets) < 2 {
				t.Fatalf("refers to %d assets, a script and a style sheet at least are expected: %s", len(assets), html)
			}
			for _, match := range assets {
				asset, err := base.Parse(string(match[1]))
				if err != nil {
					t.Fatal(err)
				}
				if a := call(t, s, http.MethodGet, asset.RequestURI(), nil, withoutCredentials...); a.status != http.StatusOK || len(a.body) == 0 {
					t.Errorf("%s answers %d with %d bytes", asset, a.status, len(a.body))
				}
			}
		})
	}
}

// HEAD answers what GET answers, without a body: for pages, operations and errors.
func TestPagesAndOperationsAnswerHEAD(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := isolationNew(t, s.Client)
	paths := []string{"/docs", "/docs/", "/openapi.yaml", "/openapi.json", "/healthz", "/readyz", "/nowhere", "/users/x", "/payers/9999999"}
	for _, op := range s.Contract.Operations() {
		if op.Method == http.MethodGet {
			paths = append(paths, w.path(t, op))
		}
	}
	for _, path := range paths {
		for name, headers := range map[string][]string{"": nil, "without credentials": withoutCredentials} {
			t.Run(path+" "+name, func(t *testing.T) {
				t.Parallel()
				get := call(t, s, http.MethodGet, path, nil, headers...)
				head := call(t, s, http.MethodHead, path, nil, headers...)
				if head.status != get.status || len(head.body) != 0 {
					t.Errorf("HEAD answers %d with %d bytes, GET %d", head.status, len(head.body), get.status)
				}
				for _, name := range []string{"Content-Type", "Www-Authenticate"} {
					if head.header.Get(name) != get.header.Get(name) {
						t.Errorf("HEAD answers %s %q, GET %q", name, head.header.Get(name), get.header.Get(name))
					}
				}
				if head.header.Get("X-Request-Id") == "" {
					t.Error("HEAD answers no X-Request-Id")
				}
			})
		}
	}
}

// A service that is no sandbox has no sandbox operations, and its documentation gives no secret away (D-20).
func TestPagesOutsideOfTheSandbox(t *testing.T) {
	t.Parallel()
	sandbox, production := servertest.New(t), servertest.New(t, func(c *server.Config) { c.Sandbox = false })
	for _, op := range production.Contract.Operations() {
		if !strings.HasPrefix(op.Path, "/sandbox/") {
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			isolationNowhere().send(t, production, op).refusal(t, http.StatusNotFound, api.ErrorCodeNotFound)
			isolationNowhere().send(t, production, op, withoutCredentials...).refusal(t, http.StatusNotFound, api.ErrorCodeNotFound)
		})
	}
	for _, c := range server.SandboxClients {
		call(t, production, http.MethodGet, "/payers", nil, "X-Client-Id", c.ID, "X-Client-Secret", c.Secret).
			refusal(t, http.StatusUnauthorized, api.ErrorCodeUnauthorized)
		if bytes.Contains(page(t, production, "/docs", "text/html").body, []byte(c.Secret)) {
			t.Errorf("the documentation holds the secret of %s", c.ID)
		}
	}
	if !bytes.Contains(page(t, sandbox, "/docs", "text/html").body, []byte(server.SandboxClients[0].Secret)) {
		t.Error("the documentation of the sandbox does not hold its secret")
	}
}

// A database with the public secrets of the sandbox cannot be served as production, and one with other clients cannot be
// served as a sandbox.
func TestPagesAreServedInTheModeOfTheDatabase(t *testing.T) {
	t.Parallel()
	start := func(database string, sandbox bool) error {
		srv, err := server.New(t.Context(), server.Config{Database: database, Sandbox: sandbox})
		if err == nil {
			err = srv.Close()
		}
		return err
	}
	for _, c := range []struct {
		name    string
		sandbox bool
		want    error
	}{{"sandbox", true, server.ErrIsSandbox}, {"production", false, server.ErrNotSandbox}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			database := servertest.Database(t)
			if err := start(database, c.sandbox); err != nil {
				t.Fatal(err)
			}
			db := servertest.Beside(t, database)
			if !c.sandbox {
				faultRun(t, db, `insert into clients (id, name, profile, created_at) values ('acme', 'Acme', '{}', 0)`)
			}
			badWatch{db}.unchanged(t, func() {
				if err := start(database, !c.sandbox); !errors.Is(err, c.want) {
					t.Errorf("the other mode starts with %v, want %v", err, c.want)
				}
			})
			if err := start(database, c.sandbox); err != nil {
				t.Errorf("the same mode does not start again: %v", err)
			}
		})
	}
}

// D-08: a path that does not exist answers 404, and a method that a path does not have 405 with those that it has; both
// with the one error body, and without credentials.
func TestPagesThatDoNotExist(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for _, path := range []string{"/", "/nowhere", "/users/x/y/z", "/v1/payers", "/payers/", "/Payers", "/docs2", "//payers", "/payers/1/x", "/payers/1/"} {
		t.Run("404 "+path, func(t *testing.T) {
			t.Parallel()
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
				call(t, s, method, path, nil, withoutCredentials...).refusal(t, http.StatusNotFound, api.ErrorCodeNotFound)
			}
		})
	}
	has := map[string][]string{}
	for _, path := range []string{"/docs", "/openapi.yaml", "/openapi.json", "/healthz", "/readyz"} {
		has[path] = []string{http.MethodOptions, http.MethodGet, http.MethodHead}
	}
	for _, op := range s.Contract.Operations() {
		path := pathParameter.ReplaceAllString(op.Path, "1")
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
			allowed := func(a answer) {
				got := strings.Split(a.header.Get("Allow"), ", ")
				if slices.Sort(got); !slices.Equal(got, methods) {
					t.Errorf("Allow is %v, want %v", got, methods)
				}
			}
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
				if slices.Contains(methods, method) {
					continue
				}
				a := call(t, s, method, path, nil, withoutCredentials...)
				if allowed(a); method == http.MethodHead {
					if a.status != http.StatusMethodNotAllowed {
						t.Errorf("HEAD answers %d", a.status)
					}
					continue
				}
				a.refusal(t, http.StatusMethodNotAllowed, api.ErrorCodeMethodNotAllowed)
			}
			options := call(t, s, http.MethodOptions, path, nil, withoutCredentials...)
			if allowed(options); options.status != http.StatusNoContent || len(options.body) != 0 {
				t.Errorf("OPTIONS answers %d with %d bytes, want 204 without a body", options.status, len(options.body))
			}
		})
	}
}
