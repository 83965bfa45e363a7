package server_test

import (
	"errors"
	"testing"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// A database with the public secrets of the sandbox cannot be served as production, and one with other clients cannot be
// served as a sandbox.
func TestDatabaseIsServedInItsOwnModeOnly(t *testing.T) {
	t.Parallel()
	start := func(database string, sandbox bool) error {
		srv, err := server.New(t.Context(), server.Config{Database: database, Sandbox: sandbox})
		if err == nil {
			err = srv.Close()
		}
		return err
	}
	for _, c := range []struct {
		name    string
		sandbox bool
		want    error
	}{{"sandbox", true, server.ErrIsSandbox}, {"production", false, server.ErrNotSandbox}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			database := servertest.Database(t)
			if err := start(database, c.sandbox); err != nil {
				t.Fatal(err)
			}
			db := servertest.Beside(t, database)
			if !c.sandbox {
				servertest.Exec(t, db, `insert into clients (id, name, profile, created_at) values ('acme', 'Acme', '{}', 0)`)
			}
			servertest.NewWatch(db).Unchanged(t, func() {
				if err := start(database, !c.sandbox); !errors.Is(err, c.want) {
					t.Errorf("the other mode starts with %v, want %v", err, c.want)
				}
			})
			if err := start(database, c.sandbox); err != nil {
				t.Errorf("the same mode does not start again: %v", err)
			}
		})
	}
}
