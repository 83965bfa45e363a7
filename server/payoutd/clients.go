package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// clients is `payoutd clients`.
type clients struct {
	Apply        clientsApply   `cmd:"" help:"Create or update a client from a YAML file. The first secret of a new client is printed once."`
	List         clientsList    `cmd:"" help:"List all clients."`
	Show         clientsShow    `cmd:"" help:"Print a client as YAML that apply reads, and when its secrets were created and expire."`
	RotateSecret rotateSecret   `cmd:"" help:"Create a new secret, printed once; the old one expires after the grace period. At most two are active."`
	RevokeSecret revokeSecret   `cmd:"" help:"Revoke a secret, within 5 seconds on every replica (serve --clients-for)."`
	Disable      clientsDisable `cmd:"" help:"Reject all requests of a client, within 5 seconds on every replica (serve --clients-for)."`
	Enable       clientsEnable  `cmd:"" help:"Enable a disabled client again."`
}

type clientsApply struct {
	changing
	File   string `help:"YAML file of the client, or - for standard input." short:"f" required:""`
	DryRun bool   `help:"Print what would change, without changing it."`
}

// Run creates or updates a client. It is idempotent.
func (a clientsApply) Run(ctx context.Context, std streams) error {
	wanted, err := readClient(a.File)
	if err != nil {
		return usageError{"file", err}
	}
	return a.with(ctx, func(db *store.Store) error {
		if err := refuseSandbox(ctx, db); err != nil {
			return err
		}
		if a.DryRun {
			row, ok, err := db.ClientRow(ctx, wanted.ID)
			if err != nil {
				return err
			}
			printChanges(std.out, row.Client, wanted, ok)
			fmt.Fprintln(std.out, "Dry run: nothing was changed.")
			return nil
		}
		secret := newSecret()
		before, existed, err := db.ApplyClient(ctx, wanted, payout.HashSecret(secret), time.Now(),
			func(before payout.Client) bool { return len(profileChanges(before, wanted)) > 0 })
		if err != nil {
			return err
		}
		printChanges(std.out, before, wanted, existed)
		if !existed {
			printSecret(std.out, string(wanted.ID), secret)
		}
		return nil
	})
}

// refuseSandbox rejects the database of a sandbox, which does not start with other clients.
func refuseSandbox(ctx context.Context, db *store.Store) error {
	ids, err := db.ClientIDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		for _, s := range server.SandboxClients {
			if id == payout.ClientID(s.ID) {
				return usageError{"database", errors.New("is that of a sandbox, which accepts only the sandbox clients")}
			}
		}
	}
	return nil
}

func printChanges(out io.Writer, before, after payout.Client, existed bool) {
	lines := profileChanges(before, after)
	if !existed {
		before.Name = after.Name
		lines = append([]string{"+ client " + string(after.ID)}, profileChanges(before, after)...)
	}
	for _, line := range lines {
		fmt.Fprintln(out, line)
	}
	if len(lines) == 0 {
		fmt.Fprintf(out, "No change: client %s is already as in the file.\n", after.ID)
	}
}

// clientJSON is a client in a list.
type clientJSON struct {
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	Disabled     bool              `json:"disabled"`
	Corridors    []payout.Corridor `json:"corridors"`
	Destinations []string          `json:"destinations"`
	Secrets      int               `json:"active_secrets"`
	CreatedAt    time.Time         `json:"created_at"`
}

type clientsList struct {
	database
	listing
}

// Run lists all clients.
func (l clientsList) Run(ctx context.Context, std streams) error {
	return l.with(ctx, func(db *store.Store) error {
		all, err := db.Clients(ctx)
		if err != nil {
			return err
		}
		now := time.Now()
		rows := make([]clientJSON, len(all))
		cells := make([][]string, len(all))
		for i, c := range all {
			r := clientJSON{
				ID: string(c.ID), Name: c.Name, Disabled: c.Disabled, Corridors: payout.NewProfile(c.Client).Corridors,
				Destinations: make([]string, len(c.Destinations)), CreatedAt: c.CreatedAt,
			}
			for n, d := range c.Destinations {
				r.Destinations[n] = d.Country
			}
			for _, s := range c.Secrets {
				if s.Active(now) {
					r.Secrets++
				}
			}
			corridors := make([]string, len(c.Corridors))
			for n, o := range c.Corridors {
				corridors[n] = o.Country + "/" + o.Currency
			}
			rows[i] = r
			cells[i] = []string{
				string(c.ID), printable(c.Name), state(c.Disabled), strings.Join(corridors, ","),
				strings.Join(r.Destinations, ","), strconv.Itoa(r.Secrets), utc(c.CreatedAt),
			}
		}
		return l.print(std.out, rows, []string{"ID", "NAME", "STATE", "CORRIDORS", "DESTINATIONS", "SECRETS", "CREATED"}, cells)
	})
}

func state(disabled bool) string {
	if disabled {
		return "disabled"
	}
	return "enabled"
}

// shownClient is a client with its profile and its secrets.
type shownClient struct {
	payout.Profile
	Disabled  bool         `json:"disabled"`
	CreatedAt time.Time    `json:"created_at"`
	Secrets   []secretJSON `json:"secrets"`
}

type secretJSON struct {
	Fingerprint string    `json:"fingerprint"`
	CreatedAt   time.Time `json:"created_at"`
	ExpiresAt   time.Time `json:"expires_at,omitzero"`
	Active      bool      `json:"active"`
}

type clientsShow struct {
	database
	ID   string `arg:"" help:"Id of the client."`
	JSON bool   `help:"Print JSON instead of YAML."`
}

// Run prints a client: its profile, and the rest as comments.
func (s clientsShow) Run(ctx context.Context, std streams) error {
	if err := checkClient(s.ID); err != nil {
		return err
	}
	return s.with(ctx, func(db *store.Store) error {
		c, ok, err := db.ClientRow(ctx, payout.ClientID(s.ID))
		if err != nil {
			return err
		}
		if !ok {
			return store.ErrNoClient
		}
		shown := shownClient{payout.NewProfile(c.Client), c.Disabled, c.CreatedAt, make([]secretJSON, len(c.Secrets))}
		now := time.Now()
		for i, s := range c.Secrets {
			shown.Secrets[i] = secretJSON{s.Fingerprint, s.CreatedAt, s.Expires, s.Active(now)}
		}
		if s.JSON {
			return printJSON(std.out, shown)
		}
		fmt.Fprintf(std.out, "# created %s, %s\n", utc(shown.CreatedAt), state(shown.Disabled))
		for _, s := range shown.Secrets {
			fmt.Fprintf(std.out, "# secret %s created %s, %s\n", s.Fingerprint, utc(s.CreatedAt), s.expiry())
		}
		return printProfile(std.out, shown.Profile)
	})
}

func (s secretJSON) expiry() string {
	switch {
	case s.ExpiresAt.IsZero():
		return "does not expire"
	case s.Active:
		return "expires " + utc(s.ExpiresAt)
	}
	return "expired " + utc(s.ExpiresAt)
}
