package console

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/docs"
)

//go:embed templates
var templates embed.FS

// view is a page: the name of its template, and what the template shows.
type view struct {
	template string
	title    string
	section  string // of the navigation
	data     any
}

// frame is what a template gets.
type frame struct {
	*visit
	Title, Section     string
	Style, Look, Icon  string // paths
	Script             string
	Base, Token, Query string
	Client             string
	Clients            []string
	Problem            *problem
	Done               string
	Data               any
}

// Field returns what was typed into a field of the form that could not be sent.
func (f frame) Field(name string) string { return f.input(name) }

// Path is that of the page.
func (f frame) Path() string { return f.URL.Path }

// Typed reports whether the page shows a form again, with its input.
func (f frame) Typed() bool { return f.Method == http.MethodPost }

// problem is an error as a page shows it.
type problem struct {
	Status    int
	Code      string
	Message   string
	Details   []api.ErrorDetail
	RequestID string
}

// Errors of the console itself.
var (
	errForeignForm = errors.New("the form is from another site, or from before a restart of the service: reload its page and send it again")
	errTooLong     = errors.New("the form cannot be read, or is too long")
)

// invalid is an error in a field of a form, found before anything was sent.
type invalid struct{ field, reason string }

func (e invalid) Error() string { return e.field + " " + e.reason }

// problemOf returns nil for nil.
func problemOf(err error) *problem {
	if err == nil {
		return nil
	}
	var wrong invalid
	if errors.As(err, &wrong) {
		return &problem{
			Status: http.StatusBadRequest, Message: "The form is not complete; nothing was sent.",
			Details: []api.ErrorDetail{{Field: wrong.field, Reason: wrong.reason}},
		}
	}
	refused, ok := errors.AsType[*client.Error](err)
	switch {
	case ok && refused.Status != 0:
		return &problem{refused.Status, string(refused.Code), refused.Message, refused.Details, refused.RequestID}
	case ok: // the SDK refused to send it
		return &problem{http.StatusBadRequest, string(refused.Code), refused.Message, refused.Details, ""}
	case errors.Is(err, errNoPage):
		return &problem{Status: http.StatusNotFound, Message: "There is no such page."}
	case errors.Is(err, errForeignForm):
		return &problem{Status: http.StatusForbidden, Message: sentence(err)}
	case errors.Is(err, errTooLong):
		return &problem{Status: http.StatusBadRequest, Message: sentence(err)}
	}
	return &problem{Status: http.StatusInternalServerError, Message: "The console failed."}
}

func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// done has what a page says after an action, by the name in its address.
var done = map[string]string{
	"moved":    "The payout was moved.",
	"created":  "The payout was created.",
	"verified": "The verification was set.",
	"account":  "The status of the funding account was set.",
	"ping":     "A ping was sent. Its delivery is listed below.",
	"retry":    "The next attempt is made now.",
	"demo":     "There is a verified sender now, with an active card, and a payee with a bank account. Check the values, and create the payout.",
}

// render writes a page, or the error that replaces it.
func (c *Console) render(w http.ResponseWriter, v *visit, shown *view, err error) {
	var elsewhere redirect
	if errors.As(err, &elsewhere) {
		http.Redirect(w, v.Request, string(elsewhere), http.StatusSeeOther)
		return
	}
	status := http.StatusOK
	if v.problem != nil {
		status = v.problem.Status
	}
	if err != nil {
		v.problem = problemOf(err)
		status = v.problem.Status
		shown = &view{template: "problem.html", title: "That did not work"}
	}
	f := frame{
		visit: v, Title: shown.title, Section: shown.section, Style: c.style, Script: c.script, Look: docs.StylePath(), Icon: docs.IconPath(),
		Base: v.base(), Token: c.token, Client: v.tenant.ID, Problem: v.problem, Data: shown.data,
	}
	if v.Method == http.MethodGet {
		f.Done = done[v.URL.Query().Get("done")]
		f.Query = v.URL.Query().Get("q")
	}
	for _, t := range c.tenants {
		f.Clients = append(f.Clients, t.ID)
	}
	part := "base.html"
	if v.Header.Get("X-Console-Part") == "live" && err == nil { // the script replaces this part of the page
		part = "live"
	}
	var page bytes.Buffer
	if err := c.templates[shown.template].ExecuteTemplate(&page, part, f); err != nil {
		panic(fmt.Errorf("console: %s: %w", shown.template, err)) // a mistake in a template
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if v.Method != http.MethodHead {
		_, _ = w.Write(page.Bytes()) // the reader may have left
	}
}

// rows is a table of payouts.
type rows struct {
	Base    string
	Payouts []row
}

type row struct {
	*api.Transaction
	Next string
}

func parseTemplates() (map[string]*template.Template, error) {
	names, err := templates.ReadDir("templates")
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	parsed := map[string]*template.Template{}
	for _, each := range names {
		name := each.Name()
		if name == "base.html" || name == "parts.html" {
			continue
		}
		t, err := template.New(name).Funcs(functions).ParseFS(templates, "templates/base.html", "templates/parts.html", "templates/"+name)
		if err != nil {
			return nil, fmt.Errorf("console: %w", err)
		}
		parsed[name] = t
	}
	return parsed, nil
}

var functions = template.FuncMap{
	"tone": tone,
	"when": func(at any) template.HTML {
		var t time.Time
		switch at := at.(type) {
		case api.Timestamp:
			t = at.Time
		case *api.Timestamp:
			t = at.Time
		case time.Time:
			t = at
		}
		t = t.UTC()
		// Digits and letters alone.
		return template.HTML(fmt.Sprintf(`<time datetime="%s">%s</time>`, t.Format(time.RFC3339), t.Format("2006-01-02 15:04:05"))) //nolint:gosec // see above
	},
	"text":  plain,
	"words": func(s any) string { return strings.ToLower(strings.ReplaceAll(plain(s), "_", " ")) },
	"ms":    func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) },
	"host": func(address string) string {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			return u.Host
		}
		return address
	},
	// The client switch stays in its section, but not on a page of one thing.
	"section": func(name string) string {
		if name == "new" {
			return "payouts/new"
		}
		return name
	},
	"rows": func(f frame, payouts []api.Transaction) rows {
		r := rows{Base: f.Base}
		for i := range payouts {
			r.Payouts = append(r.Payouts, row{&payouts[i], f.waitingOf(&payouts[i], nil, nil).For})
		}
		return r
	},
	"list": func(items ...string) []string { return items },
	"tail": func(text string) string { return "…" + text[max(0, len(text)-4):] },
}

// plain returns the text of a member, which may be optional.
func plain(v any) string {
	switch v := v.(type) {
	case *string:
		if v != nil {
			return *v
		}
	case *api.StatusReason:
		if v != nil {
			return string(*v)
		}
	case *api.WebhookAttemptError:
		if v != nil {
			return string(*v)
		}
	case *api.WebhookDisabledReason:
		if v != nil {
			return string(*v)
		}
	default:
		return fmt.Sprint(v)
	}
	return ""
}

// tone is the colour of a status.
func tone(status any) string {
	switch fmt.Sprint(status) {
	case "COMPLETED", "DELIVERED", "VERIFIED", "ACTIVE", "SUCCEEDED":
		return "good"
	case "FAILED", "RETURNED", "SUSPENDED":
		return "bad"
	case "PROCESSING", "PENDING", "READY_FOR_PICKUP", "REVIEWING", "IN PROGRESS", "SUBMIT":
		return "busy"
	case "REQUESTED", "UNVERIFIED":
		return "warn"
	}
	return "calm"
}
