package console

import (
	"embed"
	"encoding/json"
	"go/format"
	"regexp"
	"strconv"
	"strings"
	texttemplate "text/template"
)

//go:embed snippets
var snippetFiles embed.FS

// snippet is a request as a program would send it.
type snippet struct{ Operation, Language, Text string }

var languages = []struct{ name, file string }{
	{"curl", "curl.txt"}, {"Go, with the SDK", "go.txt"}, {"Python", "python.txt"}, {"TypeScript", "typescript.txt"},
}

// sending is a request as the templates of snippets use it.
type sending struct {
	Method, Origin, Address, Body, Key string
	Client                             Client
	Go                                 goCall
}

var snippetTemplates = texttemplate.Must(texttemplate.New("").Funcs(texttemplate.FuncMap{
	"quote": strconv.Quote,
	"shell": func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" },
	"json": func(text string) (string, error) {
		quoted, err := json.Marshal(text)
		return string(quoted), err
	},
	"python": func(text string) string {
		return "'''" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'''"
	},
	"ts": func(text string) string {
		return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`", "${", "\\${").Replace(text) + "`"
	},
}).ParseFS(snippetFiles, "snippets/*.txt"))

// codeOf writes a request in several languages. body is nil for a request without one.
func (v *visit) codeOf(o *operation, ids []string, body any, key string) []snippet {
	s := sending{Method: o.method, Origin: v.address(), Address: v.address() + o.at(ids), Client: v.tenant.Client, Go: goCallOf(o, ids, body)}
	if o.creates {
		s.Key = key
	}
	if body != nil {
		s.Body = pretty(body)
	}
	var all []snippet
	for _, l := range languages {
		var text strings.Builder
		if err := snippetTemplates.ExecuteTemplate(&text, l.file, s); err != nil {
			panic("console: a snippet: " + err.Error()) // a mistake in a template
		}
		written := text.String()
		if l.file == "go.txt" {
			formatted, err := format.Source([]byte(written))
			if err != nil {
				panic("console: a snippet: " + err.Error()) // a mistake in a template
			}
			written = strings.TrimSpace(string(formatted))
		}
		all = append(all, snippet{o.id, l.name, written})
	}
	return all
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9.:\[\]-]{1,255}$`)

// address is that of the service, as the browser knows it.
func (v *visit) address() string {
	if !hostName.MatchString(v.Host) {
		return "http://127.0.0.1:8080"
	}
	if v.TLS != nil {
		return "https://" + v.Host
	}
	return "http://" + v.Host
}
