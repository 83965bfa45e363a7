package store_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"
)

// A migration that is taken back leaves the columns, constraints and indexes of the version before, and comes again to its
// own. Version 2 changes only what concerns keys.
func TestMigrationsGoDownToTheSameSchema(t *testing.T) {
	t.Parallel()
	for name, engine := range migrationEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, db, migrator := engine.at(t, 1)
			first := schemaLines(t, db, engine.schema)
			up := func() []string {
				t.Helper()
				if _, err := migrator.UpTo(t.Context(), 2); err != nil {
					t.Fatal(err)
				}
				return schemaLines(t, db, engine.schema)
			}
			second := up()
			if _, err := migrator.DownTo(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			reads(t, "version 1 again", schemaLines(t, db, engine.schema), first, len(first) > 100, nil)
			reads(t, "version 2 again", up(), second, true, nil)
			reads(t, "what version 2 leaves alone", notOfKeys(second), notOfKeys(first), true, nil)
		})
	}
}

// schemaLines returns a line for each column, constraint and index.
func schemaLines(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

// notOfKeys leaves out the lines about idempotency keys.
func notOfKeys(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return strings.Contains(line, "idempotency_key") || strings.Contains(line, "transactions fingerprint")
	})
}
