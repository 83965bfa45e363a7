package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/crossborder-payouts/payouts/server/store"
)

// migrate is `payoutd migrate`.
type migrate struct {
	Status migrateStatus `cmd:"" help:"List the migrations and when they were applied. Exit code 1 if one is pending, or unknown to this version of payoutd."`
	Up     migrateUp     `cmd:"" help:"Apply the pending migrations, as payoutd serve does when it starts."`

	Distribute migrateDistribute `cmd:"" help:"Spread the tables over the nodes of Citus, by client. The database must have the extension citus and know the nodes, and no payoutd may serve it meanwhile. What is distributed already stays where it is."`
}

type migrateStatus struct {
	database
	listing
}

// Run lists the migrations.
func (m migrateStatus) Run(ctx context.Context, std streams) error {
	return m.connected(ctx, func(db *store.Store) error {
		all, err := db.Migrations(ctx)
		if err != nil {
			return err
		}
		pending, unknown := 0, 0
		cells := make([][]string, len(all))
		for i, v := range all {
			name, applied := v.Name, "pending"
			if name == "" {
				name = "unknown to this version of payoutd"
				unknown++
			}
			if v.Applied.IsZero() {
				pending++
			} else {
				applied = v.Applied.UTC().Format(time.DateTime)
			}
			cells[i] = []string{strconv.FormatInt(v.Version, 10), name, applied}
		}
		if err := m.print(std.out, all, []string{"VERSION", "NAME", "APPLIED"}, cells); err != nil {
			return err
		}
		switch {
		case pending > 0:
			return fmt.Errorf("%d pending", pending)
		case unknown > 0:
			if err := db.CheckSchema(ctx); err != nil {
				return err
			}
			return fmt.Errorf("%d unknown to this version of payoutd, which may still be used", unknown)
		}
		return nil
	})
}

type migrateUp struct{ database }

// Run applies the pending migrations.
func (m migrateUp) Run(ctx context.Context, std streams) error {
	return m.opened(ctx, store.Open, func(*store.Store) error {
		fmt.Fprintln(std.out, "The database has the newest migration of this version of payoutd.")
		return nil
	})
}

type migrateDistribute struct{ database }

// Run distributes the tables.
func (m migrateDistribute) Run(ctx context.Context, std streams) error {
	return m.with(ctx, func(db *store.Store) error {
		placed, err := db.Distribute(ctx)
		switch {
		case errors.Is(err, store.ErrNoCitus):
			return fmt.Errorf("%w; install it on all nodes, and run CREATE EXTENSION citus and SELECT citus_add_node('HOST', PORT)", err)
		case errors.Is(err, store.ErrNoCoordinator):
			return fmt.Errorf("%w; run SELECT citus_set_coordinator_host('HOST', PORT)", err)
		case err != nil:
			return err
		case len(placed) == 0:
			fmt.Fprintln(std.out, "All tables are distributed already.")
		default:
			fmt.Fprintf(std.out, "Distributed %d tables: %s.\n", len(placed), strings.Join(placed, ", "))
		}
		return nil
	})
}
