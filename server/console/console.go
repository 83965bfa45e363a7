package console

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed" // the assets
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/server/docs"
	"github.com/crossborder-payouts/payouts/server/lifecycle"
)

// Config configures New. All fields are required.
type Config struct {
	// API answers the requests of the console: the handler of the service itself.
	API http.Handler
	// Clients are those of the sandbox. The first is shown first.
	Clients []Client
	// Contract is the description in the contract, which has the table of transitions.
	Contract string
	Now      func() time.Time
}

// Client is a client of the sandbox. Its secret is public.
type Client struct{ ID, Secret string }

// Console serves /console and all below it.
type Console struct {
	handler   http.Handler
	tenants   []*tenant
	moves     lifecycle.Table
	seen      journal
	now       func() time.Time
	token     string // of the forms of this process
	templates map[string]*template.Template

	style, script string // paths
}

// tenant is a client of the sandbox, for the console.
type tenant struct {
	Client
	sdk  *client.Client
	feed feed
}

var (
	//go:embed assets/console.css
	style []byte
	//go:embed assets/console.js
	script []byte
)

// policy lets a page load only what this service serves: no inline script or style, no other host, no frame around it.
const policy = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// maxForm is the size of a form in bytes. None has a file.
const maxForm = 64 << 10

// New returns the console.
func New(c Config) (*Console, error) {
	console := &Console{now: c.Now, token: rand.Text()}
	var err error
	if console.moves, err = lifecycle.ReadTable(c.Contract); err != nil {
		return nil, err
	}
	for _, each := range c.Clients {
		sdk, err := client.New("http://localhost", each.ID, each.Secret, client.WithRetries(0), client.WithUserAgent("console"),
			client.WithHTTPClient(&http.Client{Transport: inProcess{c.API}}))
		if err != nil {
			return nil, fmt.Errorf("console: %w", err)
		}
		console.tenants = append(console.tenants, &tenant{Client: each, sdk: sdk})
	}
	mux := http.NewServeMux()
	var handler http.Handler
	console.style, handler = docs.Asset("/console/assets/", "console.css", "text/css; charset=utf-8", style)
	mux.Handle("GET "+console.style, handler)
	console.script, handler = docs.Asset("/console/assets/", "console.js", "text/javascript; charset=utf-8", script)
	mux.Handle("GET "+console.script, handler)
	if console.templates, err = parseTemplates(); err != nil {
		return nil, err
	}
	console.mount(mux)
	console.handler = mux
	return console, nil
}

func (c *Console) mount(mux *http.ServeMux) {
	home := http.RedirectHandler("/console/"+url.PathEscape(c.tenants[0].ID)+"/payouts", http.StatusSeeOther)
	mux.Handle("GET /console", home)
	mux.Handle("GET /console/{$}", home)
	mux.Handle("GET /console/{client}", c.page(toPayouts))
	mux.Handle("GET /console/{client}/payouts", c.page(board))
	mux.Handle("GET /console/{client}/payouts/all", c.page(payouts))
	mux.Handle("GET /console/{client}/payouts/new", c.page(newPayout))
	mux.Handle("POST /console/{client}/payouts/new", c.action(createPayout, newPayout))
	mux.Handle("GET /console/{client}/payouts/{user}/{transaction}", c.page(payout))
	mux.Handle("POST /console/{client}/payouts/{user}/{transaction}/status", c.action(movePayout, payout))
	mux.Handle("POST /console/{client}/payouts/{user}/{transaction}/verify", c.action(verifyRequired, payout))
	mux.Handle("GET /console/{client}/users", c.page(users))
	mux.Handle("GET /console/{client}/users/{user}", c.page(user))
	mux.Handle("POST /console/{client}/users/{user}/verification", c.action(setVerification, user))
	mux.Handle("POST /console/{client}/users/{user}/funding-accounts/{account}/status", c.action(setFundingAccount, user))
	mux.Handle("GET /console/{client}/webhooks", c.page(webhooks))
	mux.Handle("POST /console/{client}/webhooks", c.action(createEndpoint, webhooks))
	mux.Handle("GET /console/{client}/webhooks/{endpoint}", c.page(endpoint))
	mux.Handle("POST /console/{client}/webhooks/{endpoint}/test", c.action(testEndpoint, endpoint))
	mux.Handle("POST /console/{client}/webhooks/{endpoint}/deliveries/{event}/retry", c.action(retryDelivery, endpoint))
	mux.Handle("GET /console/{client}/requests", c.page(requests))
	mux.Handle("GET /console/{client}/search", c.page(search))
	mux.Handle("POST /console/{client}/demo", c.action(createDemo, board))
	mux.Handle("/console/", c.page(nowhere))
}

// ServeHTTP implements http.Handler.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin")
	c.handler.ServeHTTP(w, r)
}

// Saw tells the console of a request to the API, by anybody.
func (c *Console) Saw(ctx context.Context, r Request) { c.seen.add(r, isOurs(ctx)) }

// visit is one request to the console.
type visit struct {
	*http.Request
	*Console
	tenant  *tenant
	problem *problem // of the action that was tried
	outcome any      // of an action that is shown on the page that follows at once, and never again
}

// base is the path of the pages of a client.
func (v *visit) base() string { return "/console/" + url.PathEscape(v.tenant.ID) }

func (v *visit) sdk() *client.Client { return v.tenant.sdk }

// A redirect is returned by a page or an action that leads to another page.
type redirect string

func (redirect) Error() string { return "see another page" }

// errNoPage is returned for a page that does not exist.
var errNoPage = errors.New("there is no such page")

func nowhere(*visit) (*view, error) { return nil, errNoPage }

func toPayouts(v *visit) (*view, error) { return nil, redirect(v.base() + "/payouts") }

// page serves what show returns.
func (c *Console) page(show func(*visit) (*view, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := c.visit(r)
		if v == nil {
			c.render(w, &visit{Request: r, Console: c, tenant: c.tenants[0]}, nil, errNoPage)
			return
		}
		shown, err := show(v)
		c.render(w, v, shown, err)
	})
}

// action does what a form asks for and leads to the page that act returns as a redirect. Otherwise it shows the page that the form
// is on, with what went wrong and the input, or with what is shown only once.
func (c *Console) action(act func(*visit) error, show func(*visit) (*view, error)) http.Handler {
	origin := http.NewCrossOriginProtection() // judges Sec-Fetch-Site
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := c.visit(r)
		if v == nil {
			c.render(w, &visit{Request: r, Console: c, tenant: c.tenants[0]}, nil, errNoPage)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if r.ParseForm() != nil {
			c.render(w, v, nil, errTooLong)
			return
		}
		if origin.Check(r) != nil || subtle.ConstantTimeCompare([]byte(r.PostForm.Get("token")), []byte(c.token)) != 1 {
			c.render(w, v, nil, errForeignForm)
			return
		}
		err := act(v)
		var elsewhere redirect
		if errors.As(err, &elsewhere) {
			http.Redirect(w, r, string(elsewhere), http.StatusSeeOther)
			return
		}
		v.problem = problemOf(err)
		shown, err := show(v)
		c.render(w, v, shown, err)
	})
}

// visit returns nil for a client that the sandbox does not have.
func (c *Console) visit(r *http.Request) *visit {
	id := r.PathValue("client")
	for _, t := range c.tenants {
		if t.ID == id {
			return &visit{Request: r, Console: c, tenant: t}
		}
	}
	return nil
}

// input returns a field of the form, without white space around it.
func (v *visit) input(name string) string { return strings.TrimSpace(v.FormValue(name)) }

// optional returns nil for an empty field.
func (v *visit) optional(name string) *string {
	if text := v.input(name); text != "" {
		return &text
	}
	return nil
}
