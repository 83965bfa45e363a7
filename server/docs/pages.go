package docs

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	texttemplate "text/template"
)

// Config configures New. All fields but the credentials are required.
type Config struct {
	// YAML and JSON are the contract as it is published.
	YAML, JSON []byte
	// Decisions and Changelog are in Markdown.
	Decisions, Changelog string
	// ClientID and ClientSecret are filled in for the reader; they are public, as those of the sandbox are.
	ClientID, ClientSecret string
}

// firstPayout are the operations that lead to a first payout in a sandbox.
var firstPayout = []string{
	"createUser", "setVerification", "createFundingAccount", "setFundingAccountStatus", "createReceiveUser", "createBankAccount",
	"createTransaction", "getTransaction",
}

var (
	//go:embed templates
	templates embed.FS
	//go:embed assets/page.css
	style []byte
	//go:embed assets/page.js
	script []byte
	//go:embed assets/icon.svg
	icon []byte
)

// New renders all pages, and returns them by path. They serve GET and HEAD.
func New(c Config) (map[string]http.Handler, error) {
	root, err := parse(c.JSON)
	if err != nil {
		return nil, err
	}
	steps := firstPayout
	if c.ClientID == "" { // the reader has no credentials, and no sandbox operations
		steps = nil
	}
	ref, err := read(root, steps)
	if err != nil {
		return nil, err
	}
	s := &site{Reference: ref, ClientID: c.ClientID, ClientSecret: c.ClientSecret, pages: map[string]http.Handler{}}
	s.Style, s.Icon = s.asset(styleAsset()), s.asset(iconAsset())
	s.Script = s.asset(Asset("/docs/", "page.js", "text/javascript; charset=utf-8", script))

	s.pages["/openapi.yaml"] = sourceText("application/yaml", c.YAML)
	s.pages["/openapi.json"] = newPage("application/json", revalidate, c.JSON)
	s.pages["/decisions.md"] = sourceText("text/markdown; charset=utf-8", []byte(c.Decisions))
	s.pages["/changelog.md"] = sourceText("text/markdown; charset=utf-8", []byte(c.Changelog))
	s.pages["/docs/"] = http.RedirectHandler("/docs", http.StatusPermanentRedirect)
	index, err := s.markdown("llms.txt")
	if err != nil {
		return nil, err
	}
	s.pages["/llms.txt"] = newPage("text/plain; charset=utf-8", revalidate, index)
	whole, err := s.markdown("docs.md")
	if err != nil {
		return nil, err
	}
	s.pages["/docs.md"] = sourceText("text/markdown; charset=utf-8", whole)
	for _, p := range []struct{ path, template, title, text string }{
		{"/", "landing.html", "", ""},
		{"/docs", "docs.html", "Documentation", ref.Description},
		{"/decisions", "text.html", "Decisions", c.Decisions},
		{"/changelog", "text.html", "Changelog", c.Changelog},
	} {
		text, err := s.html(p.path, p.template, p.title, p.text)
		if err != nil {
			return nil, err
		}
		s.pages[p.path] = newPage("text/html; charset=utf-8", revalidate, text)
	}
	s.pages["/"] = forReaders{s.pages["/"], newPage("text/markdown; charset=utf-8", revalidate, index)}
	return s.pages, nil
}

// sourceText is a text with a media type that browsers would download: they are served plain text.
func sourceText(mediaType string, text []byte) http.Handler {
	program := newPage(mediaType, revalidate, text)
	browser := *program
	browser.mediaType = "text/plain; charset=utf-8"
	return forReaders{&browser, program}
}

// site is what all templates can use.
type site struct {
	Reference              *reference
	ClientID, ClientSecret string
	Style, Script, Icon    string // paths

	pages map[string]http.Handler
}

// Asset returns a handler of a file for browsers, and its path below a folder, which changes with the content.
func Asset(folder, name, mediaType string, text []byte) (path string, h http.Handler) {
	base, extension, _ := strings.Cut(name, ".")
	return folder + base + "-" + digest(text) + "." + extension, newPage(mediaType, forever, text)
}

// StylePath and IconPath are the paths of the style sheet and the icon of these pages, for others of the service.
func StylePath() string { path, _ := styleAsset(); return path }

// IconPath is documented at StylePath.
func IconPath() string { path, _ := iconAsset(); return path }

func styleAsset() (string, http.Handler) {
	return Asset("/docs/", "page.css", "text/css; charset=utf-8", style)
}
func iconAsset() (string, http.Handler) { return Asset("/docs/", "icon.svg", "image/svg+xml", icon) }

// asset adds a file, and returns its path.
func (s *site) asset(path string, h http.Handler) string {
	s.pages[path] = h
	return path
}

// view is what the template of one HTML page uses.
type view struct {
	*site
	Path, Title string
	Text        template.HTML
	Headings    []heading // of the text
}

// html renders a page; text is its main text, if it has one, in Markdown.
func (s *site) html(path, name, title, text string) ([]byte, error) {
	r := newRenderer()
	if path == "/docs" {
		for _, id := range []string{"content", "try", "credentials", "error-codes", "headers", "about", "filter"} { // of the template
			r.ids.take(id)
		}
		for _, op := range s.Reference.operations() {
			r.links[r.ids.take(op.ID)] = "#" + op.ID
			r.links[op.Method+" "+op.Path] = "#" + op.ID
		}
		for _, f := range s.Reference.Failures {
			r.links[f.Code] = "#" + r.ids.take("error-"+f.Code)
		}
	}
	functions := template.FuncMap{
		"markdown": func(text string, level int) (template.HTML, error) {
			html, _, err := r.render(text, level)
			return html, err
		},
		"json": func(v any) (string, error) {
			text, err := json.Marshal(v)
			return string(text), err
		},
		"lower": strings.ToLower, "anchor": decisionAnchor, "slug": slug,
	}
	t, err := template.New(name).Funcs(functions).ParseFS(templates, "templates/base.html", "templates/"+name)
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	v := view{site: s, Path: path, Title: title}
	if text != "" {
		if title != "Documentation" { // the text has a title of its own
			_, text, _ = strings.Cut(text, "\n")
		}
		if v.Text, v.Headings, err = r.render(text, 2); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	if err := t.ExecuteTemplate(&out, "base.html", v); err != nil {
		return nil, fmt.Errorf("docs: render %s: %w", path, err)
	}
	return out.Bytes(), nil
}

// markdown renders a text for people and programs that read Markdown.
func (s *site) markdown(name string) ([]byte, error) {
	functions := texttemplate.FuncMap{"line": oneLine, "below": below}
	t, err := texttemplate.New(name).Funcs(functions).ParseFS(templates, "templates/"+name)
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, s); err != nil {
		return nil, fmt.Errorf("docs: render %s: %w", name, err)
	}
	return out.Bytes(), nil
}

func slug(text string) string { return string(anchors{}.Generate([]byte(text), 0)) }
