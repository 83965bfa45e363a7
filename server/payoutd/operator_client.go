package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/server/httpapi"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/reference"
	"github.com/crossborder-payouts/payouts/server/store"
)

// clientOf is the flag of every command for one client.
type clientOf struct {
	Client string `help:"Id of the client." required:""`
}

// operation is what a command for one client works with.
type operation struct {
	db      *store.Store
	service *payout.Service
	client  payout.Client
}

// within runs fn for the client, which must exist and may be disabled. The database is a database, or a changing for a command
// that changes something.
func (c clientOf) within(ctx context.Context, d interface {
	with(ctx context.Context, fn func(*store.Store) error) error
}, fn func(operation) error) error {
	if reason := payout.ClientIDReason(payout.ClientID(c.Client)); reason != "" {
		return usageError{"client", errors.New(reason)}
	}
	return d.with(ctx, func(db *store.Store) error {
		client, _, ok, err := db.Client(ctx, payout.ClientID(c.Client), time.Now())
		if err != nil {
			return inWords(err)
		}
		if !ok {
			return store.ErrNoClient
		}
		return inWords(fn(operation{db, newService(db), client}))
	})
}

// newService returns the service for commands.
func newService(db *store.Store) *payout.Service {
	return payout.NewService(payout.Config{
		Store: db, Country: reference.Country, Now: time.Now, NewID: newID, EventData: httpapi.EventData,
	})
}

// clientOfID is the flag of every command for something whose id is enough to find the client.
type clientOfID struct {
	Client string `help:"Id of the client; the client that has the id if left out."`
}

// within runs fn for the client that has a row of a kind.
func (c clientOfID) within(ctx context.Context, d interface {
	with(ctx context.Context, fn func(*store.Store) error) error
}, kind store.Kind, id string, fn func(operation) error) error {
	if c.Client == "" {
		if err := d.with(ctx, func(db *store.Store) error {
			all, err := db.Find(ctx, "", id)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(all, func(f store.Found) bool { return f.Kind == kind })
			if i < 0 {
				return payout.NotFound(string(kind))
			}
			c.Client = string(all[i].ClientID)
			return nil
		}); err != nil {
			return inWords(err)
		}
	}
	return clientOf(c).within(ctx, d, fn)
}

// inWords turns a NOT_FOUND of the service into words: "there is no such user". The advice after that is for callers of the API.
func inWords(err error) error {
	var e *payout.Error
	if !errors.As(err, &e) || e.Code != payout.CodeNotFound {
		return err
	}
	what, _, _ := strings.Cut(e.Message, ".")
	return errors.New(strings.ToLower(what[:1]) + what[1:])
}

// pages are the flags of every long list.
type pages struct {
	Limit int    `help:"Maximum number of rows, 1 to 1000." default:"50"`
	After string `help:"Where the page begins: the next_cursor of the previous page, which is the id of its last row."`
}

func (p *pages) check() error {
	if p.Limit < 1 || p.Limit > 1000 {
		return usageError{"limit", errors.New("must be 1 to 1000")}
	}
	if p.After == "" {
		return nil
	}
	return checkIDs(named{"after", &p.After})
}

// keyJSON is the idempotency key that created something; empty if there was none.
type keyJSON struct {
	IdempotencyKey     string `json:"idempotency_key,omitempty"`
	RequestFingerprint string `json:"request_fingerprint,omitempty"`
}

func newKeyJSON(key payout.Idempotency) keyJSON { return keyJSON{key.Key, key.Fingerprint} }

func (k keyJSON) fields() [][2]string {
	return [][2]string{{"IDEMPOTENCY KEY", printable(k.IdempotencyKey)}, {"FINGERPRINT", k.RequestFingerprint}}
}

// begin returns where the page begins. created returns when the row --after was created, and false if there is none; what
// says what it is.
func (p *pages) begin(what string, created func(id string) (time.Time, bool, error)) (payout.Position, error) {
	if p.After == "" {
		return payout.Position{}, nil
	}
	at, ok, err := created(p.After)
	if err == nil && !ok {
		err = payout.NotFound(what)
	}
	return payout.Position{CreatedAt: at, ID: p.After}, err
}

// rowsOf reads rows from a position on until it has as many as the limit, and returns the id to continue after; "" on the last
// page. It prints how to get the next page.
func rowsOf[T any](
	std streams, p pages, at payout.Position, read func(payout.Page) ([]T, payout.Position, error),
) (all []T, next string, err error) {
	for {
		rows, following, err := read(payout.Page{After: at, Limit: p.Limit - len(all)})
		if err != nil {
			return nil, "", err
		}
		all = append(all, rows...)
		switch {
		case following == payout.Position{}:
			return all, "", nil
		case len(all) == p.Limit:
			fmt.Fprintf(std.errs, "There are more: --after %s\n", following.ID)
			return all, following.ID, nil
		}
		at = following // with several filters, a read may end before it has enough
	}
}

// page cuts rows, which were read with one more than the limit, and returns the id to continue after; "" on the last page. It
// prints how to get the next page.
func page[T any](std streams, p pages, rows []T, id func(T) string) (cut []T, next string) {
	if len(rows) <= p.Limit {
		return rows, ""
	}
	next = id(rows[p.Limit-1])
	fmt.Fprintf(std.errs, "There are more: --after %s\n", next)
	return rows[:p.Limit], next
}

// pageJSON is one page of a long list.
type pageJSON[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"next_cursor,omitempty"` // for --after
}

// named is a flag or, in angle brackets, an argument.
type named struct {
	name  string
	value *string
}

// checkIDs rejects a value that is not a UUID, and converts the others to lower case, as they are stored.
func checkIDs(all ...named) error {
	for _, v := range all {
		id, err := uuid.Parse(*v.value)
		if err != nil || len(*v.value) != len(uuid.UUID{}.String()) {
			return usageError{v.name, errors.New("must be a UUID")}
		}
		*v.value = id.String()
	}
	return nil
}

// checkClient rejects an argument that cannot be the id of a client.
func checkClient(id string) error {
	if reason := payout.ClientIDReason(payout.ClientID(id)); reason != "" {
		return usageError{"<id>", errors.New(reason)}
	}
	return nil
}

// checkOneOf rejects a value that is not allowed.
func checkOneOf[T ~string](name, value string, allowed ...T) error {
	if slices.Contains(allowed, T(value)) {
		return nil
	}
	return usageError{name, fmt.Errorf("must be one of %s", joined(allowed))}
}

func joined[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}

// printFields prints v as JSON, or fields as lines of name and value; empty ones are left out.
func (l listing) printFields(out io.Writer, v any, fields [][2]string) error {
	if l.JSON {
		return printJSON(out, v)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range fields {
		if f[1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", f[0], f[1])
		}
	}
	return w.Flush()
}

// utc writes a time for a table; the zero time is empty.
func utc(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// printable replaces control characters, which could change the terminal or the table.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
