package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/store"
)

// reset is `payoutd reset`.
type reset struct{ database }

// Run deletes the database of a sandbox.
func (r reset) Run(ctx context.Context, std streams) error {
	r.Database = cmp.Or(r.Database, sandboxDatabase)
	removed, err := server.RemoveSandbox(ctx, r.Database)
	switch {
	case errors.Is(err, store.ErrNotSQLite):
		return usageError{"database", err}
	case err != nil:
		return err
	case removed == "":
		fmt.Fprintf(std.out, "There is no database %s; nothing was removed.\n", r.Database)
	default:
		fmt.Fprintf(std.out, "Removed %s. The next sandbox begins without users and transactions.\n", removed)
	}
	return nil
}
