package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

const migrationData = "testdata/migrations"

// Each migration has a file with rows as that version has them. A new migration without one fails here: write its rows,
// which tell the same story as those of the versions before.
func TestEachMigrationHasItsData(t *testing.T) {
	t.Parallel()
	have, err := filepath.Glob(migrationData + "/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, version := range versions(t) {
		want = append(want, dataOf(version))
	}
	if !slices.Equal(have, want) {
		t.Errorf("there are the files %q, want %q", have, want)
	}
}

// versions lists the migrations.
func versions(t *testing.T) []int64 {
	t.Helper()
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d migrations, %v", len(files), err)
	}
	all := make([]int64, len(files))
	for i, file := range files {
		if all[i], err = goose.NumericComponent(file); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func dataOf(version int64) string { return fmt.Sprintf("%s/%05d.sql", migrationData, version) }

// What was written at any released version is read after all later migrations.
func TestDataOfEachVersionIsReadAfterAllMigrations(t *testing.T) {
	t.Parallel()
	engines := map[string]struct {
		driver  string
		dialect goose.Dialect
		tables  string
		open    func(*testing.T) (url, name string)
	}{
		"SQLite": {"sqlite", goose.DialectSQLite3,
			`select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'goose_%'`,
			func(t *testing.T) (string, string) {
				t.Helper()
				file := filepath.Join(t.TempDir(), "payouts.db")
				return "sqlite:" + file, "file:" + file + "?_foreign_keys=1"
			}},
		"PostgreSQL": {"pgx", goose.DialectPostgres,
			`select table_name from information_schema.tables where table_schema = 'public' and table_name not like 'goose_%'`,
			func(t *testing.T) (string, string) {
				t.Helper()
				url := pgtest.Database(t)
				return url, url
			}},
	}
	for name, engine := range engines {
		for _, version := range versions(t) {
			t.Run(fmt.Sprint(name, " ", version), func(t *testing.T) {
				t.Parallel()
				url, dsn := engine.open(t)
				db, err := sql.Open(engine.driver, dsn)
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				migrator, err := goose.NewProvider(engine.dialect, db, os.DirFS("migrations"))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := migrator.UpTo(t.Context(), version); err != nil {
					t.Fatal(err)
				}
				rows, err := os.ReadFile(dataOf(version))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := db.ExecContext(t.Context(), string(rows)); err != nil {
					t.Fatalf("%s: %v", dataOf(version), err)
				}
				noneIsEmpty(t, db, engine.tables)
				s, err := store.Open(t.Context(), url) // migrates to the newest
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				if err := s.Ready(t.Context()); err != nil {
					t.Error(err)
				}
				readsMigrated(t, s)
				readsContent(t, db)
			})
		}
	}
}

// noneIsEmpty wants a row in each table.
func noneIsEmpty(t *testing.T, db *sql.DB, tables string) {
	t.Helper()
	found, err := db.QueryContext(t.Context(), tables)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	var names []string
	for found.Next() {
		var name string
		if err := found.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := found.Err(); err != nil || len(names) < 14 {
		t.Fatalf("tables %q, %v", names, err)
	}
	for _, name := range names {
		var n int
		if err := db.QueryRowContext(t.Context(), `select count(*) from `+name).Scan(&n); err != nil || n == 0 {
			t.Errorf("table %s has %d rows, %v", name, n, err)
		}
	}
}

// readsContent reads what the store writes and never reads.
func readsContent(t *testing.T, db *sql.DB) {
	t.Helper()
	var content []byte
	if err := db.QueryRowContext(t.Context(), `select content from documents where id = 'd-1'`).Scan(&content); err != nil ||
		string(content) != "content" {
		t.Errorf("the content is %q, %v", content, err)
	}
}

// readsMigrated reads every entity through the store, and finds that all fits.
func readsMigrated(t *testing.T, s *store.Store) {
	t.Helper()
	ctx, at := t.Context(), time.Date(2026, 3, 14, 15, 9, 26, 535897000, time.UTC)
	for _, want := range migratedClients {
		secrets := map[string][]payout.Secret{"acme": {
			{Hash: "hash-one"}, {Hash: "hash-two", Expires: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)},
		}}[want.ID]
		got, kept, ok, err := s.Client(ctx, want.ID, at)
		slices.SortFunc(kept, func(a, b payout.Secret) int { return strings.Compare(a.Hash, b.Hash) })
		reads(t, "client", got, want, ok, err)
		reads(t, "secrets", kept, secrets, true, nil)
	}
	every(t, "states", s.AllStates(ctx), migratedStates)
	every(t, "payers", s.AllPayers(ctx), migratedPayers)
	every(t, "banks", s.AllBanks(ctx), migratedBanks)
	for _, want := range migratedUsers {
		got, ok, err := s.User(ctx, "acme", want.ID)
		reads(t, "user", got, want, ok, err)
		tags, err := s.CIPTags(ctx, "acme", want.ID)
		reads(t, "tags", tags, migratedTags[want.ID], true, err)
	}
	used, err := s.Usage(ctx, "acme", payout.UsageKey{UserID: "u-1", Destination: "NP", Currency: "USD", At: at})
	reads(t, "usage", used, payout.Usage{Daily: 40123, Monthly: 40123, Annual: 40123}, true, err)
	funding, err := s.FundingAccounts(ctx, "acme", "u-1")
	reads(t, "funding accounts", funding, []payout.FundingAccount{
		{ID: "f-1", UserID: "u-1", Type: "CARD", Label: "My card", Status: payout.FundingActive, CreatedAt: at},
	}, true, err)
	receivers, err := s.ReceiveUsers(ctx, "acme", "u-1")
	reads(t, "receive users", receivers, []payout.ReceiveUser{{
		ID: "r-1", UserID: "u-1", FirstName: "Bina", LastName: "Example", Email: "bina@example.com",
		MobilePhone: "9779800000000", AddressLine1: "3 Road", City: "Kathmandu", State: "P3", Zipcode: "44600",
		Country: "NP", CreatedAt: at,
	}}, true, err)
	banks, err := s.BankAccounts(ctx, "acme", "r-1")
	reads(t, "bank accounts", banks, []payout.BankAccount{{
		ID: "b-1", ReceiveUserID: "r-1", BankID: 2001, BranchID: 20010, AccountNumber: "0001234567", Currency: "NPR",
		CreatedAt: at,
	}}, true, err)
	wallets, err := s.WalletAccounts(ctx, "acme", "r-1")
	reads(t, "wallet accounts", wallets, []payout.WalletAccount{
		{ID: "w-1", ReceiveUserID: "r-1", PayerID: 1004, WalletNumber: "9800000000", Currency: "NPR", CreatedAt: at},
	}, true, err)
	all, err := s.Transactions(ctx, "acme", "u-1", payout.Position{}, 10)
	reads(t, "transactions", all, migratedTransactions(at), true, err)
	done, err := s.Check(ctx, func(d store.Difference) error { return errors.New(d.String()) })
	reads(t, "check", done, store.Checked{
		Clients: 2, Users: 2, Accounts: 3, Transactions: 3, Documents: 3, Counters: 3, Reference: 5,
	}, true, err)
}

func reads[T any](t *testing.T, what string, got, want T, ok bool, err error) {
	t.Helper()
	if err != nil || !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: found %t, %v\ngot  %+v\nwant %+v", what, ok, err, got, want)
	}
}

func every[T any](t *testing.T, what string, rows func(func(T, error) bool), want []T) {
	t.Helper()
	var got []T
	for v, err := range rows {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got = append(got, v)
	}
	reads(t, what, got, want, true, nil)
}
