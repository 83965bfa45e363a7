package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/crossborder-payouts/payouts/server/store"
)

// migrate is `payoutd migrate`.
type migrate struct {
	Status migrateStatus `cmd:"" help:"List the migrations and when they were applied. Exit code 1 if one is pending."`
	Up     migrateUp     `cmd:"" help:"Apply the pending migrations, as payoutd serve does when it starts."`
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
		pending := 0
		cells := make([][]string, len(all))
		for i, v := range all {
			applied := "pending"
			if v.Applied.IsZero() {
				pending++
			} else {
				applied = v.Applied.UTC().Format(time.DateTime)
			}
			cells[i] = []string{strconv.FormatInt(v.Version, 10), v.Name, applied}
		}
		if err := m.print(std.out, all, []string{"VERSION", "NAME", "APPLIED"}, cells); err != nil {
			return err
		}
		if pending > 0 {
			return fmt.Errorf("%d pending", pending)
		}
		return nil
	})
}

type migrateUp struct{ database }

// Run applies the pending migrations.
func (m migrateUp) Run(ctx context.Context, std streams) error {
	return m.opened(ctx, store.Open, func(*store.Store) error {
		fmt.Fprintln(std.out, "The database has the newest migration.")
		return nil
	})
}
