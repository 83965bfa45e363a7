package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
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

// versions lists the migrations; one that each engine has in words of its own is listed once.
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
	return slices.Compact(all)
}

func dataOf(version int64) string { return fmt.Sprintf("%s/%05d.sql", migrationData, version) }

// migrationEngine is where migrations run.
type migrationEngine struct {
	driver  string
	dialect goose.Dialect
	foreign string // pattern of the migrations that are not for it
	tables  string
	schema  string // selects a line for each column, constraint and index
	open    func(*testing.T) (url, name string)
}

var migrationEngines = map[string]migrationEngine{
	"SQLite": {
		"sqlite", goose.DialectSQLite3, "*.postgres.sql",
		`select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'goose_%'`,
		`select m.name || ' ' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || ifnull(c.dflt_value, '') || ' ' || c.pk
			from sqlite_schema m join pragma_table_info(m.name) c where m.type = 'table'
		union all select m.name || ' (' || k."from" || ') references ' || k."table" || ' (' || k."to" || ') ' || k.id || '.' || k.seq
			from sqlite_schema m join pragma_foreign_key_list(m.name) k where m.type = 'table'
		union all select m.name || ' ' || i.origin || ' ' || i."unique" || ' ' || i.partial || ' ' ||
			(select group_concat(c.name) from pragma_index_info(i.name) c)
			from sqlite_schema m join pragma_index_list(m.name) i where m.type = 'table'
		union all select sql from sqlite_schema where type <> 'table' and sql is not null`,
		func(t *testing.T) (string, string) {
			t.Helper()
			file := filepath.Join(t.TempDir(), "payouts.db")
			return "sqlite:" + file, "file:" + file + "?_foreign_keys=1&_busy_timeout=5000"
		},
	},
	"PostgreSQL": {
		"pgx", goose.DialectPostgres, "*.sqlite.sql",
		`select table_name from information_schema.tables where table_schema = 'public' and table_name not like 'goose_%'`,
		`select table_name || ' ' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '')
			from information_schema.columns where table_schema = 'public'
		union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid)
			from pg_constraint where connamespace = 'public'::regnamespace
		union all select indexdef from pg_indexes where schemaname = 'public'`,
		func(t *testing.T) (string, string) {
			t.Helper()
			url := pgtest.Database(t)
			return url, url
		},
	},
}

// connect opens a database directly.
func (e migrationEngine) connect(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(e.driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// at makes a database of a version, with the rows of that version.
func (e migrationEngine) at(t *testing.T, version int64) (url string, db *sql.DB, migrator *goose.Provider) {
	t.Helper()
	url, dsn := e.open(t)
	db = e.connect(t, dsn)
	files := os.DirFS("migrations")
	foreign, err := fs.Glob(files, e.foreign)
	if err != nil {
		t.Fatal(err)
	}
	if migrator, err = goose.NewProvider(e.dialect, db, files, goose.WithExcludeNames(foreign)); err != nil {
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
	noneIsEmpty(t, db, e.tables)
	return url, db, migrator
}

// What was written at any released version is read after all later migrations.
func TestDataOfEachVersionIsReadAfterAllMigrations(t *testing.T) {
	t.Parallel()
	for name, engine := range migrationEngines {
		for _, version := range versions(t) {
			t.Run(fmt.Sprint(name, " ", version), func(t *testing.T) {
				t.Parallel()
				url, db, _ := engine.at(t, version)
				readsAll(t, url, db)
				if version >= 7 {
					readsWebhooks(t, url)
				}
			})
		}
	}
}

// A migration that is taken back leaves the rows of the version before, which come up again.
func TestMigrationsGoDownWithTheirData(t *testing.T) {
	t.Parallel()
	for name, engine := range migrationEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, db, migrator := engine.at(t, 2)
			if _, err := migrator.DownTo(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			var key, fingerprint, without string
			if err := db.QueryRowContext(t.Context(), `select t.idempotency_key, t.fingerprint, u.fingerprint
				from transactions t join transactions u on u.idempotency_key is null and u.id = 't-2' where t.id = 't-1'`,
			).Scan(&key, &fingerprint, &without); err != nil || key != "key-1" || fingerprint != "fingerprint-1" || without != "" {
				t.Errorf("down again the key is %q with %q, and %q without a key, %v", key, fingerprint, without, err)
			}
			refuses(t, db, insertTransaction(`'t-9', 'u-1', 'key-1', ''`))
			readsAll(t, url, db)
		})
	}
}

// A replica of version 1 that still runs after the migration fails, rather than create what a key has created before.
func TestTheVersionBeforeWritesNoTransactionAnyMore(t *testing.T) {
	t.Parallel()
	for name, engine := range migrationEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, db, migrator := engine.at(t, 1)
			if _, err := db.ExecContext(t.Context(), insertTransaction(`'t-8', 'u-1', 'key-8', 'f'`)); err != nil {
				t.Errorf("version 1: %v", err)
			}
			if _, err := migrator.UpTo(t.Context(), 2); err != nil {
				t.Fatal(err)
			}
			refuses(t, db, insertTransaction(`'t-9', 'u-1', 'key-9', 'f'`))
		})
	}
}

// Transactions of version 4 wait for the tags of their users that are REQUESTED or FAILED, if any is REQUESTED.
func TestHeldTransactionsAreMigrated(t *testing.T) {
	t.Parallel()
	for name, engine := range migrationEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, db, _ := engine.at(t, 4)
			for _, statement := range []string{
				`insert into cip_tags (client_id, user_id, tag, status) values
					('acme', 'u-1', 'OCCUPATION', 'REQUESTED'), ('acme', 'u-1', 'CITY', 'FAILED'), ('acme', 'u-1', 'STATE', 'REVIEWING')`,
				`insert into users select client_id, 'u-3', created_at, status, business, sending, country, profile from users where id = 'u-1'`,
				`insert into cip_tags (client_id, user_id, tag, status) values ('acme', 'u-3', 'CITY', 'FAILED')`,
				`update transactions set user_id = 'u-3' where id = 't-3'`,
			} {
				if _, err := db.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			s := opened(t, url)
			for id, want := range map[payout.TransactionID][]string{"t-1": {"CITY", "OCCUPATION"}, "t-2": {"CITY", "OCCUPATION"}, "t-3": nil} {
				v, ok, err := s.ClientTransaction(t.Context(), "acme", id)
				reads(t, string(id), v.RequiredInformation, want, ok, err)
				reads(t, string(id), v.UpdatedAt, v.CreatedAt, ok, err)
			}
		})
	}
}

// Versions 1 and 2 do not read schema_requirements: on PostgreSQL the columns of version 5 make their inserts fail.
func TestVersionTwoWritesNoTransactionAnyMore(t *testing.T) {
	t.Parallel()
	engine := migrationEngines["PostgreSQL"]
	_, db, migrator := engine.at(t, 4)
	if _, err := migrator.UpTo(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	refuses(t, db, `insert into transactions (client_id, id, user_id, created_at, status, delivery_status, from_amount, from_currency,
		to_amount, to_currency, fee_amount, bonus_amount, exchange_rate, from_fund_id, funding_type, destination, notes, receive_user_id,
		payout_method, calculation_mode, fund_id, payer_id, pickup_location, receiver) select client_id, 't-9', user_id, created_at,
		status, delivery_status, from_amount, from_currency, to_amount, to_currency, fee_amount, bonus_amount, exchange_rate,
		from_fund_id, funding_type, destination, notes, receive_user_id, payout_method, calculation_mode, fund_id, payer_id,
		pickup_location, receiver from transactions where id = 't-2'`)
}

// insertTransaction is how version 1 writes a transaction; values are its id, user, key and fingerprint.
func insertTransaction(values string) string {
	return `insert into transactions (client_id, id, user_id, idempotency_key, fingerprint, created_at, status, delivery_status,
		from_amount, from_currency, to_amount, to_currency, fee_amount, bonus_amount, exchange_rate, from_fund_id, funding_type,
		destination, notes, receive_user_id, payout_method, calculation_mode, fund_id, payer_id, pickup_location, receiver)
		values ('acme', ` + values + `, 0, '', '', 1, '', 1, '', 0, 0, '', 'f-1', '', '', '', 'r-1', '', '', '', 0, 0, '')`
}

// refuses wants the database to refuse each statement.
func refuses(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("the database took %s", statement)
		}
	}
}

// readsAll migrates to the newest version, reads all rows, and finds that they still hold each other.
func readsAll(t *testing.T, url string, db *sql.DB) {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	readsMigrated(t, s)
	readsContent(t, db)
	refuses(t, db, `delete from transactions where id = 't-1'`, // it has a document
		`update documents set transaction_id = 'gone' where id = 'd-3'`,
		`update transactions set user_id = 'gone' where id = 't-2'`, `update transactions set from_fund_id = 'gone' where id = 't-2'`,
		`update transactions set receive_user_id = 'gone' where id = 't-2'`, `update transactions set notes = null where id = 't-2'`,
		`insert into idempotency_keys (client_id, idempotency_key, fingerprint, resource_id) values ('acme', 'key-1', '', 'u-1')`)
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
		}}[string(want.ID)]
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
		documents := want.Documents
		want.Documents = nil
		reads(t, "user", got, want, ok, err)
		read, err := s.UserDocuments(ctx, "acme", want.ID)
		reads(t, "documents", read, documents, true, err)
		want.Documents = documents
		byEmail, _, err := s.Users(ctx, "acme", payout.UserFilter{Email: want.Profile.Email}, payout.Page{})
		reads(t, "by email address", byEmail, []payout.User{want}, true, err)
		tags, err := s.CIPTags(ctx, "acme", want.ID)
		reads(t, "tags", tags, migratedTags[string(want.ID)], true, err)
	}
	used, err := s.Usage(ctx, "acme", payout.UsageKey{UserID: "u-1", Destination: "NP", Currency: "USD", At: at})
	reads(t, "usage", used, payout.Usage{Daily: 40123, Monthly: 40123, Annual: 40123}, true, err)
	funding, err := s.FundingAccounts(ctx, "acme", "u-1", payout.Page{})
	reads(t, "funding accounts", funding, []payout.FundingAccount{
		{ID: "f-1", UserID: "u-1", Type: "CARD", Label: "My card", Status: payout.FundingActive, CreatedAt: at},
	}, true, err)
	receivers, err := s.ReceiveUsers(ctx, "acme", "u-1", payout.Page{})
	reads(t, "receive users", receivers, []payout.ReceiveUser{{
		ID: "r-1", UserID: "u-1", FirstName: "Bina", LastName: "Example", Email: "bina@example.com",
		MobilePhone: "9779800000000", AddressLine1: "3 Road", City: "Kathmandu", State: "P3", Zipcode: "44600",
		Country: "NP", CreatedAt: at,
	}}, true, err)
	banks, err := s.BankAccounts(ctx, "acme", "r-1", payout.Page{})
	reads(t, "bank accounts", banks, []payout.BankAccount{{
		ID: "b-1", ReceiveUserID: "r-1", BankID: 2001, BranchID: 20010, AccountNumber: "0001234567", Currency: "NPR",
		CreatedAt: at,
	}}, true, err)
	wallets, err := s.WalletAccounts(ctx, "acme", "r-1", payout.Page{})
	reads(t, "wallet accounts", wallets, []payout.WalletAccount{
		{ID: "w-1", ReceiveUserID: "r-1", PayerID: 1004, WalletNumber: "9800000000", Currency: "NPR", CreatedAt: at},
	}, true, err)
	all, err := s.Transactions(ctx, "acme", "u-1", payout.Page{Limit: 10})
	reads(t, "transactions", all, migratedTransactions(at), true, err)
	service := payout.NewService(payout.Config{Store: s})
	first, replayed, err := service.CreateTransaction(ctx, migratedClients[0],
		payout.Idempotency{Key: "key-1", Fingerprint: "fingerprint-1"}, "u-1", payout.NewTransaction{})
	reads(t, "repeat", first, all[2], replayed, err)
	done, err := s.Check(ctx, func(d store.Difference) error { return errors.New(d.String()) })
	reads(t, "check", done, store.Checked{
		Clients: 2, Users: 2, Accounts: 3, Transactions: 3, Documents: 3, Keys: 1, Counters: 3, Reference: 5,
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
