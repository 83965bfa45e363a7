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

// Migration 4 adds indexes, and takes them back.
func TestIndexesOfListings(t *testing.T) {
	t.Parallel()
	for name, engine := range migrationEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, db, migrator := engine.at(t, 3)
			before := schemaLines(t, db, engine.schema)
			for range 2 {
				if _, err := migrator.UpTo(t.Context(), 4); err != nil {
					t.Fatal(err)
				}
				if n := len(schemaLines(t, db, engine.schema)) - len(before); n < 3 {
					t.Errorf("there are %d more lines, want those of three indexes", n)
				}
				if _, err := migrator.DownTo(t.Context(), 3); err != nil {
					t.Fatal(err)
				}
				reads(t, "version 3 again", schemaLines(t, db, engine.schema), before, true, nil)
			}
		})
	}
}

// PostgreSQL leaves an invalid index where a concurrent build was interrupted. The migration builds it again.
func TestAnInterruptedIndexIsBuiltAgain(t *testing.T) {
	t.Parallel()
	engine := migrationEngines["PostgreSQL"]
	_, db, migrator := engine.at(t, 3)
	invalid := func() (names []string) {
		t.Helper()
		return schemaLines(t, db, `select indexrelid::regclass::text from pg_index where not indisvalid`)
	}
	for _, interrupted := range []string{"users_by_time", "users_by_status", "transactions_by_time"} {
		// A unique index fails when it finds the second row.
		table, _, _ := strings.Cut(interrupted, "_")
		if _, err := db.ExecContext(t.Context(), `create unique index concurrently `+interrupted+` on `+table+` (client_id)`); err == nil {
			t.Fatalf("%s was built", interrupted)
		}
	}
	if names := invalid(); len(names) != 3 {
		t.Fatalf("invalid are %q", names)
	}
	if _, err := migrator.UpTo(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	if names := invalid(); len(names) != 0 {
		t.Errorf("invalid are %q", names)
	}
	for _, line := range schemaLines(t, db, `select indexdef from pg_indexes where indexname like '%_by_time' or indexname like '%_by_status'`) {
		if strings.Contains(line, "UNIQUE") {
			t.Errorf("%s was not built again", line)
		}
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
