package console

import (
	"bytes"
	"embed"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	texttemplate "text/template"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
)

//go:embed snippets
var snippetFiles embed.FS

// snippet is a request as a program would send it.
type snippet struct{ Language, Text string }

var languages = []struct{ name, file string }{
	{"curl", "curl.txt"}, {"Go, with the SDK", "go.txt"}, {"Python", "python.txt"}, {"TypeScript", "typescript.txt"},
}

// sending is what the templates of snippets use.
type sending struct {
	Address, Body, Key string
	Client             Client
	User               uuid.UUID
	Request            api.TransactionRequest
	Way                way
	Receiver           bool
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

// snippets writes the creation of a payout in several languages.
func snippets(address string, as Client, user uuid.UUID, request api.TransactionRequest, w way, key string) []snippet {
	s := sending{
		Address: address, Key: key, Client: as, User: user, Request: request, Way: w, Receiver: request.ToAmount != nil, Body: body(request),
	}
	var all []snippet
	for _, l := range languages {
		var text strings.Builder
		if err := snippetTemplates.ExecuteTemplate(&text, l.file, s); err != nil {
			panic("console: a snippet: " + err.Error()) // a mistake in a template
		}
		all = append(all, snippet{l.name, text.String()})
	}
	return all
}

func body(request api.TransactionRequest) string {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(request); err != nil {
		panic("console: a request: " + err.Error()) // its types can always be written
	}
	return strings.TrimSpace(text.String())
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
