package store

import (
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"

	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// On a distributed database a new table is placed by its migration, because the coordinator refuses keys from a table of its own
// to one that is distributed.
func TestANewTableIsPlacedByItsMigration(t *testing.T) {
	t.Parallel()
	created := regexp.MustCompile(`(?m)^create table (\w+)`)
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d migrations, %v", len(files), err)
	}
	for _, file := range slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, ".sqlite.sql") }) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range created.FindAllStringSubmatch(string(text), -1) {
			table := found[1]
			if !slices.Contains(byClient, table) && !slices.Contains(onEveryNode, table) {
				t.Errorf("%s makes %s, which is not in distribute.go", file, table)
			}
			placed := regexp.MustCompile(`create_(distributed|reference)_table\('` + table + `'`).Match(text)
			if filepath.Base(file) > "00011" && !placed {
				t.Errorf("%s makes %s and does not place it on a distributed database", file, table)
			}
		}
	}
}

// What Citus refuses is not in the schema: a key of a table that is distributed without its client, and a foreign key from
// elsewhere to it.
func TestEveryKeyLeadsWithTheClient(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	wrong := func(query string) (lines []string) {
		t.Helper()
		rows, err := s.writer.QueryContext(t.Context(), query, byClient)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
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
		return lines
	}
	if all := wrong(`select indexrelid::regclass::text from pg_index i where indisunique and indrelid::regclass::text = any($1)
		and not exists (select 1 from pg_attribute a where a.attrelid = i.indrelid and a.attname = 'client_id' and a.attnum = i.indkey[0])`,
	); !slices.Equal(all, []string{"event_queue_pkey"}) { // Distribute replaces it
		t.Errorf("unique indexes that do not lead with client_id: %q", all)
	}
	if all := wrong(`select conname from pg_constraint where contype = 'f' and confrelid::regclass::text = any($1)
		and (conrelid::regclass::text <> all($1) or pg_get_constraintdef(oid) not like 'FOREIGN KEY (client_id, %')`); len(all) != 0 {
		t.Errorf("foreign keys that leave the node of a client: %q", all)
	}
}

// Distributing keeps every row and every constraint, does nothing where it has been done, and places what a migration forgot.
func TestDistributingKeepsTheRows(t *testing.T) {
	t.Parallel()
	url := pgtest.Citus(t)
	s, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fillForDistribution(t, s.writer)
	before := constraints(t, s.writer)
	placed, err := s.Distribute(t.Context())
	if err != nil || len(placed) != len(byClient)+len(onEveryNode) {
		t.Fatalf("distributed %q, %v", placed, err)
	}
	if after := constraints(t, s.writer); !slices.Equal(after, before) {
		t.Errorf("constraints were\n%q\nand are\n%q", before, after)
	}
	var users, here int
	if err := s.writer.QueryRowContext(t.Context(), `select (select count(*) from users),
		(select count(*) from pg_dist_partition where partmethod = 'h')`).Scan(&users, &here); err != nil || users != 100 || here != len(byClient) {
		t.Errorf("%d users, %d tables by client, %v", users, here, err)
	}
	if again, err := s.Distribute(t.Context()); err != nil || len(again) != 0 {
		t.Errorf("distributed again: %q, %v", again, err)
	}
}

// Migrations that make a table, change one and build an index, run on either database.
func TestAMigrationOfADistributedDatabase(t *testing.T) {
	t.Parallel()
	for name, fresh := range map[string]func(testing.TB) string{"PostgreSQL": pgtest.Database, "Citus": pgtest.Citus} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), fresh(t))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			fillForDistribution(t, s.writer)
			if name == "Citus" {
				if _, err := s.Distribute(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			migrator, err := goose.NewProvider(goose.DialectPostgres, s.writer, os.DirFS("testdata/distributed"), goose.WithTableName("goose_examples"))
			if err != nil {
				t.Fatal(err)
			}
			for _, move := range []func() error{
				func() error { _, err := migrator.Up(t.Context()); return err },
				func() error { _, err := migrator.DownTo(t.Context(), 0); return err },
				func() error { _, err := migrator.Up(t.Context()); return err },
			} {
				if err := move(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.writer.ExecContext(t.Context(), `insert into examples (client_id, id, user_id) values ('client-1', 'e', 'nobody')`); postgresCode(err) != "23503" {
				t.Errorf("an example of nobody: %v", err)
			}
			var named int
			if err := s.writer.QueryRowContext(t.Context(), `select count(*) from users where nickname = 'user'`).Scan(&named); err != nil || named != 100 {
				t.Errorf("%d users have a nickname, %v", named, err)
			}
		})
	}
}

func fillForDistribution(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, statement := range []string{
		`insert into clients (id, name, profile, created_at) select 'client-' || i, '', '{}', 0 from generate_series(1, 100) i`,
		`insert into users (client_id, id, created_at, status, business, sending, country, profile) select 'client-' || i, 'user', 0, '', false, true, 'US', '{}'
			from generate_series(1, 100) i`,
		`insert into cip_tags (client_id, user_id, tag, status) select 'client-' || i, 'user', 'EMAIL', 'SUBMIT' from generate_series(1, 100) i`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// constraints returns all of our tables, but for the key that Distribute replaces.
func constraints(t *testing.T, db *sql.DB) (lines []string) {
	t.Helper()
	tables := slices.DeleteFunc(slices.Concat(byClient, onEveryNode), func(table string) bool { return table == "event_queue" })
	rows, err := db.QueryContext(t.Context(), `select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
		where conrelid::regclass::text = any($1) order by 1`, tables)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
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
	return lines
}
