package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/user"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// changing has the flags of every command that changes something: it writes to the audit log what it changes, in the same
// database transaction.
type changing struct {
	database
	Actor   string `help:"Who makes the change, for the audit log; by default the user of the operating system."`
	command string // such as "users verify"
}

// AfterApply keeps the name of the command. Kong calls it.
func (c *changing) AfterApply(parsed *kong.Context) error { //nolint:unparam // kong asks for an error
	words := strings.Fields(parsed.Command())
	for i, word := range words {
		if strings.HasPrefix(word, "<") { // the arguments follow
			words = words[:i]
			break
		}
	}
	c.command = strings.Join(words, " ")
	return nil
}

// maxActor is the length of the longest name of an actor, in characters.
const maxActor = 128

// with runs fn on the database as database.with does, for the audit log.
func (c changing) with(ctx context.Context, fn func(*store.Store) error) error {
	if utf8.RuneCountInString(c.actor()) > maxActor || strings.ContainsFunc(c.actor(), func(r rune) bool { return !unicode.IsPrint(r) }) {
		return usageError{"actor", errors.New("must be at most 128 printable characters")}
	}
	return c.database.with(ctx, func(db *store.Store) error {
		return fn(db.As(store.Operator{Actor: c.actor(), Command: c.command, Now: time.Now, NewID: newID}))
	})
}

// actor returns who makes the change.
func (c changing) actor() string { return cmp.Or(c.Actor, systemUser()) }

// systemUser returns the name of the user of the operating system, or its number if it has no name, as in a container.
func systemUser() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "uid " + strconv.Itoa(os.Getuid())
}

// newID returns a UUID that is greater than those of this process before.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// audit is `payoutd audit`.
type audit struct {
	List auditList `cmd:"" help:"List what commands have changed, newest first."`
}

type auditList struct {
	database
	listing
	pages
	Since  string `help:"Only changes since then: a UTC day such as 2026-03-01, a time such as 2026-03-01T12:00:00Z, or a duration such as 24h."`
	Actor  string `help:"Only changes by this actor."`
	Object string `help:"Only changes of the object with this id; of reference data: payers, banks or states."`
	Client string `help:"Only changes of this client, its users and their transactions."`
}

// auditJSON is an entry of the audit log.
type auditJSON struct {
	ID       string    `json:"id"`
	At       time.Time `json:"at"`
	Actor    string    `json:"actor"`
	Command  string    `json:"command"`
	ClientID string    `json:"client_id,omitempty"`
	Object   string    `json:"object"`
	ObjectID string    `json:"object_id"`
	Before   any       `json:"before"`
	After    any       `json:"after"`
}

// Run lists the audit log.
func (l auditList) Run(ctx context.Context, std streams) error {
	if err := l.check(); err != nil {
		return err
	}
	since, err := moment("since", l.Since, time.Now())
	if err != nil {
		return err
	}
	return l.with(ctx, func(db *store.Store) error {
		if l.Client != "" {
			if _, err := clientNamed(ctx, db, l.Client); err != nil {
				return err
			}
		}
		filter := store.AuditFilter{Since: since, Actor: l.Actor, ClientID: payout.ClientID(l.Client), ObjectID: l.Object, After: l.After}
		all, err := db.AuditLog(ctx, filter, l.Limit+1)
		if err != nil {
			return inWords(err)
		}
		all, next := page(std, l.pages, all, func(e store.AuditEntry) string { return e.ID })
		rows := make([]auditJSON, len(all))
		cells := make([][]string, len(all))
		for i, e := range all {
			rows[i] = auditJSON{e.ID, e.At, e.Actor, e.Command, string(e.ClientID), e.Object, e.ObjectID, e.Before, e.After}
			cells[i] = []string{
				utc(e.At), printable(e.Actor), e.Command, string(e.ClientID), e.Object, e.ObjectID,
				shortened(string(e.Before)), shortened(string(e.After)),
			}
		}
		return l.print(std.out, pageJSON[auditJSON]{rows, next},
			[]string{"AT", "ACTOR", "COMMAND", "CLIENT", "OBJECT", "ID", "BEFORE", "AFTER"}, cells)
	})
}

// shortened cuts the state of an object for a table; JSON has all of it.
func shortened(state string) string {
	const most = 80
	if state == "null" {
		return "-"
	}
	if runes := []rune(state); len(runes) > most {
		state = string(runes[:most-1]) + "…"
	}
	return printable(state)
}

// moment parses a day, a time, or a duration before now; "" is the zero time.
func moment(flag, text string, now time.Time) (time.Time, error) {
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	t, err := day(flag, text)
	if err != nil {
		err = usageError{flag, errors.New("must be a day YYYY-MM-DD, a time YYYY-MM-DDTHH:MM:SSZ, or a duration such as 24h")}
	}
	return t, err
}
