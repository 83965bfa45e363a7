package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// Operator is who writes with a command of payoutd. All fields are required.
type Operator struct {
	Actor   string // who runs the command
	Command string // such as "users verify"
	Now     func() time.Time
	NewID   func() string // a UUID, each greater than the one before
}

// As returns the store for a command of an operator: what it changes is written to the audit log, in the same transaction.
func (s *Store) As(o Operator) *Store {
	audited := *s
	audited.operator = &o
	return &audited
}

// Audit writes a change to the audit log if the store is that of an operator, and nothing if before and after are the same.
func (t tx) Audit(ctx context.Context, c payout.Change) error {
	if t.operator == nil {
		return nil
	}
	before, after := jsonText(c.Before), jsonText(c.After)
	if before == after {
		return nil
	}
	_, err := t.exec(ctx, `insert into audit_log (id, at, actor, command, client_id, object, object_id, state_before, state_after)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, t.operator.NewID(), micros(t.operator.Now()), t.operator.Actor,
		t.operator.Command, c.ClientID, c.Object, c.ID, before, after)
	return err
}

// AuditEntry is a change in the audit log.
type AuditEntry struct {
	ID       string
	At       time.Time
	Actor    string
	Command  string
	ClientID payout.ClientID // empty: it concerned no single client
	Object   string
	ObjectID string
	Before   json.RawMessage // null: it did not exist
	After    json.RawMessage
}

// AuditFilter narrows a list of the audit log; empty fields are ignored.
type AuditFilter struct {
	Since    time.Time
	Actor    string
	ClientID payout.ClientID
	ObjectID string
	After    string // the last entry of the page before
}

// AuditLog lists at most limit entries, newest first. It returns CodeNotFound if there is no entry to come after.
func (r reads) AuditLog(ctx context.Context, f AuditFilter, limit int) ([]AuditEntry, error) {
	where := conditions{text: `true`}
	if f.After != "" {
		at, ok, err := one(ctx, r, func(s scanner, v *int64) error { return s.Scan(v) }, `select at from audit_log where id = $1`, f.After)
		if err == nil && !ok {
			err = payout.NotFound("entry of the audit log")
		}
		if err != nil {
			return nil, err
		}
		where.add(true, `(at, id) < ($%d, $%d)`, at, f.After)
	}
	where.add(!f.Since.IsZero(), `at >= $%d`, micros(f.Since))
	where.add(f.Actor != "", `actor = $%d`, f.Actor)
	where.add(f.ClientID != "", `client_id = $%d`, f.ClientID)
	where.add(f.ObjectID != "", `object_id = $%d`, f.ObjectID)
	return list(ctx, r, func(s scanner, v *AuditEntry) error {
		var before, after string
		err := s.Scan(&v.ID, timeColumn{&v.At}, &v.Actor, &v.Command, &v.ClientID, &v.Object, &v.ObjectID, &before, &after)
		v.Before, v.After = json.RawMessage(before), json.RawMessage(after)
		return err
	}, `select id, at, actor, command, client_id, object, object_id, state_before, state_after from audit_log
		where `+where.text+fmt.Sprintf(` order by at desc, id desc limit %d`, limit), where.args...)
}

// clientState is what a command changes of a client.
type clientState struct {
	Profile  *payout.Profile `json:"profile,omitempty"`
	Disabled *bool           `json:"disabled,omitempty"`
	Secrets  []secretState   `json:"secrets,omitempty"` // including expired ones
}

type secretState struct {
	Fingerprint string    `json:"fingerprint"`
	ExpiresAt   time.Time `json:"expires_at,omitzero"`
}

func secretStates(c ClientRow) []secretState {
	return mapped(c.Secrets, func(s SecretRow) secretState { return secretState{s.Fingerprint, s.Expires} })
}

func (t tx) auditClient(ctx context.Context, id payout.ClientID, before, after *clientState) error {
	return t.Audit(ctx, payout.Change{ClientID: id, Object: "client", ID: string(id), Before: before, After: after})
}

// auditProfile writes a new client, whose before is nil, or a change of its profile. A profile that does not come from a file of an
// operator may have currencies that are unknown here.
func (t tx) auditProfile(ctx context.Context, before *payout.Client, after payout.Client, secrets ...secretState) error {
	if t.operator == nil {
		return nil
	}
	state := func(c payout.Client, secrets []secretState) *clientState {
		profile := payout.NewProfile(c)
		return &clientState{Profile: &profile, Secrets: secrets}
	}
	var was *clientState
	if before != nil {
		was = state(*before, nil)
	}
	return t.auditClient(ctx, after.ID, was, state(after, secrets))
}

// auditSecrets writes a change of the secrets of a client, which it reads again.
func (t tx) auditSecrets(ctx context.Context, before ClientRow) error {
	after, _, err := t.ClientRow(ctx, before.ID)
	if err != nil {
		return err
	}
	return t.auditClient(ctx, before.ID, &clientState{Secrets: secretStates(before)}, &clientState{Secrets: secretStates(after)})
}
