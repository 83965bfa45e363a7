package plans_test

import (
	"cmp"
	"database/sql"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server/servertest"
)

// sizeVariable sets the number of transactions. `make explain` sets 1,000,000.
const sizeVariable = "PAYOUTD_TEST_TRANSACTIONS"

// scale returns the number of transactions, and of users, who have one row each in the other tables.
func scale(t testing.TB) (transactions, users int) {
	t.Helper()
	transactions, err := strconv.Atoi(cmp.Or(os.Getenv(sizeVariable), "100000"))
	if err != nil || transactions < 100000 {
		t.Fatalf("%s must be a number of at least 100000", sizeVariable)
	}
	return transactions, transactions / 10
}

// shape is how many rows there are and whose they are.
type shape struct {
	transactions, users int
	others              int            // rows of tables that do not grow with users, clients among them
	client              string         // the client of the user {user}
	empty               *regexp.Regexp // tables without rows; nil: none
}

// filling has the rows of each table, by their number i. User 0 is of the first sandbox client, and has every tenth transaction.
var filling = []struct {
	table  string
	per    int    // rows for each user; 0: those of shape.others
	user   string // the number of the user
	values string // {id} is the id of i, {user} that of the user, {client} the client of that user
}{
	{"clients (id, name, profile, created_at)", 0, "i",
		`'client-' || i, 'Client', '{}', 0`},
	{"client_secrets (client_id, hash, created_at)", 0, "i",
		`'client-' || i, 'hash', 0`},
	{"states (id, country, code, name)", 0, "i",
		`10000000 + i, 'X' || (i % 100), 'S' || i, 'State'`},
	{"payers (id, code, name, country, method, currency, network_limits, pickup_locations)", 0, "i",
		`10000000 + i, 'P' || i, 'Payer', 'X' || (i % 100), 'WALLET', 'XXX', '[]', '[]'`},
	{"banks (id, name, country, branches, txn_supported_types, currencies)", 0, "i",
		`10000000 + i, 'Bank', 'X' || (i % 100), '[]', '[]', '[]'`},
	{"users (client_id, id, created_at, status, business, sending, country, profile, email, client_reference, request_id)", 1, "i",
		`{client}, {id}, i, 'VERIFIED', false, true, 'US', '{"first_name":"Asha","email":"asha@example.com"}', 'asha@example.com',
		case when i % 4 = 0 then 'same' end, 'request ' || i`},
	{"cip_tags (client_id, user_id, tag, status)", 3, "(i % {users})",
		`{client}, {user}, case i / {users} when 0 then 'GENDER' when 1 then 'OCCUPATION' else 'MIDDLE_NAME' end, 'SUBMIT'`},
	{"limit_usage (client_id, user_id, destination, currency, period, used)", 3, "(i % {users})",
		`{client}, {user}, 'NP', 'USD', case i / {users} when 0 then '2026' when 1 then '2026-03' else '2026-03-14' end, 100`}, // today
	{"funding_accounts (client_id, id, user_id, type, label, status, created_at)", 1, "i",
		`{client}, {id}, {user}, 'CARD', '', 'ACTIVE', i`},
	{"receive_users (client_id, id, user_id, first_name, last_name, email, mobile_phone, address_line1, city, state, zipcode, country, created_at)", 1, "i",
		`{client}, {id}, {user}, 'Bina', '', case when i % 2 = 0 then 'bina@example.com' else '' end, '', '', '', '', '', 'NP', i`},
	{"bank_accounts (client_id, id, receive_user_id, bank_id, branch_id, account_number, currency, created_at)", 1, "i",
		`{client}, {id}, {user}, 2001, 0, '0001234567', 'NPR', i`},
	{"wallet_accounts (client_id, id, receive_user_id, payer_id, wallet_number, currency, created_at)", 1, "i",
		`{client}, {id}, {user}, 1004, '9800000000', 'NPR', i`},
	{`transactions (client_id, id, user_id, created_at, status, delivery_status, from_amount, from_currency, to_amount,
		to_currency, fee_amount, bonus_amount, exchange_rate, from_fund_id, funding_type, destination, notes, receive_user_id,
		payout_method, calculation_mode, fund_id, payer_id, pickup_location, receiver, required_information, client_reference, request_id)`, 10, "(case when i % 10 = 0 then 0 else i % {users} end)",
		`{client}, {id}, {user}, cast(1000000 as bigint) * (i / 5), {status}, {delivery}, 1, 'USD', 132, 'NPR', 0, 0,
		'132.25', {user}, 'CARD', 'NP', '{}', {user}, 'BANK_DEPOSIT', 'SENDER_AMOUNT', {user}, 0, 0, '{"first_name":"Bina"}', '[]', case when i % 2 = 0 then 'same' end, 'request ' || i`},
	{"idempotency_keys (client_id, idempotency_key, fingerprint, resource_id)", 10, "(case when i % 10 = 0 then 0 else i % {users} end)",
		`{client}, 'key ' || i, '', {id}`},
	{`events (client_id, position, id, seq, type, resource_id, user_id, created_at, data)`, 10, "(case when i % 10 = 0 then 0 else i % {users} end)",
		`{client}, i + 1, {id}, i + 1, case when i % 10 = 0 then 'transaction.created' else 'transaction.status_changed' end, {id}, {user}, i, '{}'`},
	{"event_head (client_id, position, kept_since)", 0, "i",
		`case when i = 0 then 'sandbox' else 'client-' || i end, {transactions} + 1, 0`},
	// The first client has 20 endpoints, one of them enabled. That has all its deliveries.
	{"webhook_endpoints (client_id, id, url, event_types, description, disabled, disabled_reason, secret, created_at, updated_at)", 0, "i",
		`case when i < 20 then 'sandbox' else 'client-' || (i % 2000) end, {id}, 'https://example.com', '[]', '', i > 0, '', '', i, i`},
	{"webhook_rotations (client_id, id, endpoint_id, created_at)", 0, "i",
		`case when i < 20 then 'sandbox' else 'client-' || (i % 2000) end, {id}, {id}, i`},
	{"webhook_deliveries (client_id, endpoint_id, event_id, event_type, position, status, attempts, created_at)", 10,
		"(case when i % 10 = 0 then 0 else i % {users} end)",
		`{client}, {endpoint}, {id}, 'transaction.created', i + 1, 'DELIVERED', 1, i`},
	{"webhook_attempts (client_id, endpoint_id, event_id, number, at, duration_ms, http_status, error)", 10,
		"(case when i % 10 = 0 then 0 else i % {users} end)", `{client}, {endpoint}, {id}, 1, i, 10, 200, ''`},
	{"audit_log (id, at, actor, command, client_id, object, object_id, state_before, state_after)", 1, "i",
		`{id}, i, case when i % 1000 = 2 then 'rare' else 'operator' end, 'users verify', {client}, 'user', {id}, 'null', '{}'`},
	{"payout_files (id, direction, sha256, name, actor, at, lines, totals)", 0, "i",
		`{id}, 'settle', cast(i as text), 'file', 'operator', i, 20, '{}'`},
	{"payout_file_lines (client_id, transaction_id, file_id, line)", 10, "(case when i % 10 = 0 then 0 else i % {users} end)",
		`{client}, {id}, {file}, i`},
	// One of a user and one of a transaction in turns: every tenth transaction has one, from the oldest to the newest.
	{`documents (client_id, id, user_id, transaction_id, position, kind, type, value, media_type, expiry_date, issuing_authority, country, state)`, 2,
		"(case when i % 2 = 1 then i % {users} when {documented} % 10 = 0 then 0 else {documented} % {users} end)",
		`{client}, {id}, {user}, case when i % 2 = 0 then {transaction} end, 0, 'virtual', 'PASSPORT', '1', '', '', '', '', ''`},
}

// rowID is the id of row i.
func rowID(i int) string { return fmt.Sprintf("00000000-0000-7000-8000-%012d", i) }

// fill writes these rows in addition to those of the sandbox.
func fill(t testing.TB, db *sql.DB, s shape) {
	t.Helper()
	id := func(number string) string {
		return `('00000000-0000-7000-8000-' || substr(cast(1000000000000 + ` + number + ` as text), 2))`
	}
	users, others := strconv.Itoa(s.users), strconv.Itoa(s.others)
	documented := `(5 * i + i / 2 % 10)`
	for _, r := range filling {
		if s.empty != nil && s.empty.MatchString(r.table) {
			continue
		}
		user := strings.NewReplacer("{users}", users, "{documented}", documented).Replace(r.user)
		client := strings.ReplaceAll(s.client, "{user}", user)
		values := strings.NewReplacer("{id}", id("i"), "{user}", id(user), "{client}", client, "{users}", users,
			"{endpoint}", id(`(case when `+user+` % 2 = 0 then 0 else `+user+` % `+others+` end)`), "{file}", id("(i % "+others+")"),
			"{transaction}", id(documented), "{transactions}", strconv.Itoa(s.transactions),
			// Most rows of the table have a status that the first client has nowhere, and the reverse.
			"{status}", `case when i <> 10 and `+user+` % 2 = 0 then 'COMPLETED' else 'INITIATED' end`,
			"{delivery}", `case when i <> 10 and `+user+` % 2 = 0 then 'DELIVERED' else 'NONE' end`).Replace(r.values)
		n := cmp.Or(r.per*s.users, s.others)
		servertest.Exec(t, db, fmt.Sprintf(`insert into %s with recursive numbers(i) as (select 0 union all select i + 1 from numbers where i < %d)
			select %s from numbers`, r.table, n-1, values))
	}
}
