package server_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// isolationWorld has the id of one of each thing that the requests of all operations name, by path parameter; bank and
// wallet are those of the receive user.
type isolationWorld map[string]string

// isolationReference are the path parameters of reference data, which no client owns.
var isolationReference = isolationWorld{
	"payerId": "1001", "bankId": "2001", "countryCode": "US", "stateCode": "CA", "stateId": "840002",
}

// isolationNew makes a sender with accounts, a receive user with accounts, and a transaction.
func isolationNew(t testing.TB, c *api.ClientWithResponses) isolationWorld {
	t.Helper()
	sender := servertest.NewSender(t, c)
	receiver := servertest.NewReceiver(t, c, sender.ID)
	r := servertest.Send(t, c, sender.ID, "", servertest.Deposit(t, sender, receiver, "1"))
	transaction := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, nil)
	w := maps.Clone(isolationReference)
	maps.Copy(w, isolationWorld{
		"user_id": sender.ID.String(), "funding_account_id": sender.Fund.String(),
		"receive_user_id": receiver.ID.String(), "bank": receiver.Bank.String(), "wallet": receiver.Wallet.String(),
		"transaction_id": transaction.ID.String(),
	})
	return w
}

// isolationNowhere names things that never existed.
func isolationNowhere() isolationWorld {
	w := isolationWorld{"payerId": "9999999", "bankId": "9999999", "countryCode": "QQ", "stateCode": "QQQ", "stateId": "9999999"}
	for _, name := range []string{"user_id", "funding_account_id", "receive_user_id", "bank", "wallet", "transaction_id"} {
		w[name] = uuid.NewString()
	}
	return w
}

// with gives the world with some things taken from another one.
func (w isolationWorld) with(other isolationWorld, names ...string) isolationWorld {
	w = maps.Clone(w)
	for _, name := range names {
		w[name] = other[name]
	}
	return w
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// isolationParameters names the path parameters of an operation.
func isolationParameters(op *contract.Operation) []string {
	var names []string
	for _, match := range pathParameter.FindAllStringSubmatch(op.Path, -1) {
		names = append(names, match[1])
	}
	return names
}

// takesBody tells whether an operation expects a body: only those can be sent the wrong media type.
func takesBody(op *contract.Operation) bool {
	return slices.Contains(op.Statuses(), http.StatusUnsupportedMediaType)
}

// takesKey tells whether an operation takes an idempotency key: only those can be sent one that was used.
func takesKey(op *contract.Operation) bool {
	return slices.Contains(op.Statuses(), http.StatusConflict)
}

// path gives the path of an operation in this world, with the query that it requires.
func (w isolationWorld) path(t testing.TB, op *contract.Operation) string {
	t.Helper()
	path := op.Path
	for _, name := range isolationParameters(op) {
		value, ok := w[name]
		if !ok {
			t.Fatalf("%s has the path parameter %s, for which there is no case", op.ID, name)
		}
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	if op.ID == "getTransactionLimit" {
		path += "?destination=" + servertest.DestinationCountry
	}
	return path
}

// body gives a body that the operation accepts in this world; nil where it takes none.
func (w isolationWorld) body(t testing.TB, op *contract.Operation) []byte {
	t.Helper()
	if !takesBody(op) {
		return nil
	}
	text, ok := map[string]string{
		"createUser":              `{"first_name":"Asha","email":"asha@example.com","country":"US","type":"SEND"}`,
		"createFundingAccount":    `{"funding_source_type":"CARD"}`,
		"createReceiveUser":       `{"first_name":"Bina","country":"NP"}`,
		"createBankAccount":       `{"bank_id":2001,"account_number":"0001234567","currency":"NPR"}`,
		"createWalletAccount":     `{"payer_id":1004,"wallet_number":"9800000000","currency":"NPR"}`,
		"setVerification":         `{"kyc_status":"VERIFIED"}`,
		"setFundingAccountStatus": `{"status":"ACTIVE"}`,
		"createTransaction":       w.transfer("BANK_DEPOSIT", w["bank"]),
	}[op.ID]
	if !ok {
		t.Fatalf("%s takes a body, for which there is no case", op.ID)
	}
	return []byte(text)
}

// transfer is the body of a transaction into an account.
func (w isolationWorld) transfer(method, account string) string {
	return fmt.Sprintf(`{"from_amount":1.00,"exchange_rate":132.25,"from_currency":"USD","to_currency":"NPR",`+
		`"from_fund_id":%q,"to":{"id":%q,"fund_id":%q,"payout_method":%q}}`,
		w["funding_account_id"], w["receive_user_id"], account, method)
}

// send sends the request of an operation in this world.
func (w isolationWorld) send(t testing.TB, s *servertest.Server, op *contract.Operation, headers ...string) answer {
	t.Helper()
	return call(t, s, op.Method, w.path(t, op), w.body(t, op), headers...)
}

// faultRun runs statements that damage or repair a database.
func faultRun(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// badWatch tells whether anything was written.
type badWatch struct{ db *sql.DB }

// version changes with every commit that writes, on SQLite by the count that it gives to other connections, and on
// PostgreSQL, which keeps no such count, with the place and the writer of any row. The lock of the migrations is no data.
func (w badWatch) version(t testing.TB) (version string) {
	t.Helper()
	query := `pragma data_version`
	if servertest.OnPostgreSQL(t) {
		var rows string
		badRead(t, w.db, &rows, `select string_agg(format('select tableoid, ctid, xmin from %I', relname), ' union all ')
			from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'goose_lock'`)
		query = `select coalesce(md5(string_agg(v::text, ';' order by tableoid, ctid)), '') from (` + rows + `) v`
	}
	badRead(t, w.db, &version, query)
	return version
}

func badRead(t testing.TB, db *sql.DB, into *string, query string) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query).Scan(into); err != nil {
		t.Fatalf("read version: %v", err)
	}
}

// unchanged fails the test if act writes.
func (w badWatch) unchanged(t testing.TB, act func()) {
	t.Helper()
	before := w.version(t)
	act()
	if w.version(t) != before {
		t.Error("a refused request was written")
	}
}
