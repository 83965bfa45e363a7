package storetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// Each kind of damage is found, and reported as one line that contains only ids.
func checkDamage(t *testing.T, db Database) {
	w := putSound(t, db)
	putFeed(t, db)
	wallet, user := "transactions "+string(w.transfer.ID)+" of client a: ", string(w.user.ID)
	counter := "limit_usage " + user + " of client a: counter "
	for _, d := range []struct {
		damage, repair string // repair undoes the damage
		want           []string
	}{
		{
			`update limit_usage set used = used + 1 where client_id = 'a' and period = '2026-03-14'`,
			`update limit_usage set used = used - 1 where client_id = 'a' and period = '2026-03-14'`,
			[]string{counter + "NP USD 2026-03-14 is 12346, the transactions are 12345"},
		},
		{
			`update limit_usage set period = '2031' where client_id = 'a' and period = '2027'`,
			`update limit_usage set period = '2027' where client_id = 'a' and period = '2031'`,
			[]string{
				counter + "NP USD 2031 is 12345, but there are no transactions",
				counter + "NP USD 2027 is missing, the transactions are 12345",
			},
		},
		{
			`update transactions set from_amount = 12300 where id = 'bank'`, `update transactions set from_amount = 12345 where id = 'bank'`,
			[]string{
				counter + "NP USD 2026 is 24690, the transactions are 24645", counter + "NP USD 2026-12 is 12345, the transactions are 12300",
				counter + "NP USD 2026-12-31 is 12345, the transactions are 12300",
			},
		},
		{
			`update users set status = 'KNOWN PERSON', profile = '{"first_name":"secret"' where client_id = 'a'`,
			`update users set status = 'VERIFIED', profile = '{}', email = '' where client_id = 'a'`,
			[]string{
				"users " + user + " of client a: profile is not the JSON that belongs there",
				"users " + user + " of client a: status is not a KYC status",
			},
		},
		{
			`update cip_tags set tag = 'EIN_DOC', status = 'DONE' where client_id = 'a' and tag = 'EMAIL'`,
			`update cip_tags set tag = 'EMAIL', status = 'FAILED' where client_id = 'a' and tag = 'EIN_DOC'`,
			[]string{
				"cip_tags " + user + " of client a: a user of this kind has no tag EIN_DOC",
				"cip_tags " + user + " of client a: the status of tag EIN_DOC is not a CIP status",
			},
		},
		{
			`update cip_tags set tag = 'secret 1' where client_id = 'a' and tag = 'EMAIL'`,
			`update cip_tags set tag = 'EMAIL' where client_id = 'a' and tag = 'secret 1'`,
			[]string{"cip_tags " + user + " of client a: a user of this kind has no tag (not a word of capital letters)"},
		},
		{
			`update transactions set from_currency = 'QQQ', to_currency = 'XXX' where id = 'keyless'`,
			`update transactions set from_currency = 'GBP', to_currency = 'NPR' where id = 'keyless'`,
			[]string{
				"transactions keyless of client a: from_currency is not a currency of ISO 4217",
				"transactions keyless of client a: to_currency is not a currency of ISO 4217",
				counter + "IN GBP 2026 is 12345, but there are no transactions",
				counter + "IN GBP 2026-03 is 12345, but there are no transactions",
				counter + "IN GBP 2026-03-11 is 12345, but there are no transactions",
				counter + "IN QQQ 2026 is missing, the transactions are 12345",
				counter + "IN QQQ 2026-03 is missing, the transactions are 12345",
				counter + "IN QQQ 2026-03-11 is missing, the transactions are 12345",
			},
		},
		{
			`update idempotency_keys set idempotency_key = '', fingerprint = '' where client_id = 'a' and resource_id = '` + sqlText(string(w.bank.ID)) + `'`,
			`update idempotency_keys set idempotency_key = 'k', fingerprint = 'f' where client_id = 'a' and idempotency_key = ''`,
			[]string{
				"idempotency_keys " + string(w.bank.ID) + " of client a: the key is empty",
				"idempotency_keys " + string(w.bank.ID) + " of client a: it has no fingerprint",
			},
		},
		{
			`update idempotency_keys set resource_id = 'gone' where client_id = 'a' and resource_id = '` + sqlText(string(w.wallet.ID)) + `'`,
			`update idempotency_keys set resource_id = '` + sqlText(string(w.wallet.ID)) + `' where client_id = 'a' and resource_id = 'gone'`,
			[]string{"idempotency_keys gone of client a: what it created does not exist"},
		},
		{ // of another client it is not there
			moved("idempotency_keys", "a", "c", "idempotency_key, fingerprint, resource_id", "resource_id = '"+sqlText(string(w.user.ID))+"'"),
			moved("idempotency_keys", "c", "a", "idempotency_key, fingerprint, resource_id", "true"),
			[]string{"idempotency_keys " + string(w.user.ID) + " of client c: what it created does not exist"},
		},
		{
			`update transactions set notes = 'x', receiver = '[]', exchange_rate = '0', to_amount = 0, fee_amount = -1 where id = 'cash'`,
			`update transactions set notes = '{}', receiver = '{}', exchange_rate = '1', to_amount = 1, fee_amount = 0 where id = 'cash'`,
			[]string{
				"transactions cash of client a: notes is not the JSON that belongs there",
				"transactions cash of client a: receiver is not the JSON that belongs there",
				"transactions cash of client a: to_amount is not above zero",
				"transactions cash of client a: fee_amount is below zero",
				"transactions cash of client a: exchange_rate is not a number above zero",
			},
		},
		{
			`update transactions set status = 'LOST', delivery_status = 'NONE' where id = 'cash'`,
			`update transactions set status = 'INITIATED' where id = 'cash'`,
			[]string{"transactions cash of client a: status is unknown"},
		},
		{
			`update transactions set status = 'COMPLETED', delivery_status = 'READY_FOR_PICKUP', status_reason = 'OTHER', updated_at = created_at - 1
				where id = 'cash'`,
			`update transactions set status = 'INITIATED', delivery_status = 'NONE', status_reason = '', updated_at = created_at where id = 'cash'`,
			[]string{
				"transactions cash of client a: delivery_status is not one of status COMPLETED",
				"transactions cash of client a: status_reason is unknown, or of another status",
				"transactions cash of client a: updated_at is before created_at",
			},
		},
		{
			`update transactions set status = 'PROCESSING', delivery_status = 'READY_FOR_PICKUP', required_information = '"' where id = 'bank'`,
			`update transactions set status = 'INITIATED', delivery_status = 'NONE', required_information = '[]' where id = 'bank'`,
			[]string{
				"transactions bank of client a: required_information is not the JSON that belongs there",
				"transactions bank of client a: delivery_status is not one of status PROCESSING",
			},
		},
		{ // it was not given back
			`update transactions set status = 'FAILED', delivery_status = 'FAILED' where id = 'bank'`,
			`update transactions set status = 'INITIATED', delivery_status = 'NONE' where id = 'bank'`,
			[]string{
				"transactions bank of client a: status_reason is missing",
				counter + "NP USD 2026 is 24690, the transactions are 12345", counter + "NP USD 2026-12 is 12345, the transactions are 0",
				counter + "NP USD 2026-12-31 is 12345, the transactions are 0",
			},
		},
		{
			`update transactions set payout_method = 'PIGEON', calculation_mode = 'x' where id = 'bank'`,
			`update transactions set payout_method = 'BANK_DEPOSIT', calculation_mode = 'SENDER_AMOUNT' where id = 'bank'`,
			[]string{"transactions bank of client a: payout_method is unknown", "transactions bank of client a: calculation_mode is unknown"},
		},
		{
			`update transactions set fund_id = 'gone' where client_id = 'a' and payout_method in ('BANK_DEPOSIT', 'WALLET') and id <> 'keyless'`,
			`update transactions set fund_id = case id when 'bank' then '` + sqlText(string(w.bank.ID)) + `' else '` + sqlText(string(w.wallet.ID)) + `' end
				where client_id = 'a' and fund_id = 'gone'`,
			[]string{
				"transactions bank of client a: its bank account does not exist, or is not of its receive user",
				wallet + "its wallet account does not exist, or is not of its receive user",
			},
		},
		{
			`update transactions set payer_id = 2 where client_id = 'a' and payout_method = 'WALLET' and payer_id = 1`,
			`update transactions set payer_id = 1 where client_id = 'a' and payout_method = 'WALLET' and payer_id = 2`,
			[]string{wallet + "its payer is not that of its wallet account"},
		},
		{
			`update transactions set payer_id = 0 where id = 'cash'`, `update transactions set payer_id = 2 where id = 'cash'`,
			[]string{"transactions cash of client a: its payer does not exist"},
		},
		{
			`update bank_accounts set bank_id = 9, currency = '' where client_id = 'a'`, `update bank_accounts set bank_id = 1, currency = 'NPR' where client_id = 'a'`,
			[]string{
				"bank_accounts " + string(w.bank.ID) + " of client a: currency is not a currency of ISO 4217",
				"bank_accounts " + string(w.bank.ID) + " of client a: its bank does not exist",
			},
		},
		{
			`delete from payers where id = 2`,
			`insert into payers (id, code, name, country, method, currency, network_limits, pickup_locations) values (2, '', '', '', 'CASH_PICKUP', 'NPR', 'null', '[]')`,
			[]string{"transactions cash of client a: its payer does not exist"},
		},
		{
			`update wallet_accounts set payer_id = 7 where client_id = 'b'`, `update wallet_accounts set payer_id = 1 where client_id = 'b'`,
			[]string{
				"wallet_accounts " + string(soundWorld("b").wallet.ID) + " of client b: its payer does not exist",
				"transactions " + string(soundWorld("b").transfer.ID) + " of client b: its payer is not that of its wallet account",
			},
		},
		{
			`update funding_accounts set status = 'OPEN' where client_id = 'a'`, `update funding_accounts set status = 'ACTIVE' where client_id = 'a'`,
			[]string{"funding_accounts " + string(w.funding.ID) + " of client a: status is unknown"},
		},
		{
			`update clients set profile = '' where id = 'a'`, `update clients set profile = '{}' where id = 'a'`,
			[]string{"clients a of client a: profile is not the JSON that belongs there"},
		},
		{
			`update payers set method = 'x', currency = 'npr', network_limits = '{}', pickup_locations = '[1]' where id = 1`,
			`update payers set method = 'WALLET', currency = 'NPR', network_limits = 'null', pickup_locations = '[]' where id = 1`,
			[]string{
				"payers 1: network_limits is not the JSON that belongs there", "payers 1: pickup_locations is not the JSON that belongs there",
				"payers 1: method is unknown", "payers 1: currency is not a currency of ISO 4217",
			},
		},
		{
			`update banks set branches = '[', txn_supported_types = '{}', currencies = '["Q"]' where id = 2`,
			`update banks set branches = '[]', txn_supported_types = '[]', currencies = '["NPR"]' where id = 2`,
			[]string{
				"banks 2: branches is not the JSON that belongs there", "banks 2: txn_supported_types is not the JSON that belongs there",
				"banks 2: one of currencies is not a currency of ISO 4217",
			},
		},
		{
			`update users set email = 'secret@example.com' where client_id = 'b'`, `update users set email = '', profile = '{}' where client_id = 'b'`,
			[]string{"users " + string(soundWorld("b").user.ID) + " of client b: email is not that of profile"},
		},
		{
			`update events set position = 4 where id = 'e3'`, `update events set position = 3 where id = 'e3'`,
			[]string{"events e3 of client a: the position before it is missing", "event_head a of client a: position is not that of the newest event"},
		},
		{
			`update event_head set position = 7 where client_id = 'a'`, `update event_head set position = 3 where client_id = 'a'`,
			[]string{"event_head a of client a: position is not that of the newest event"},
		},
		{ // of bank, in the feed
			`update events set resource_id = 'other' where id = 'e1'`, `update events set resource_id = 'bank' where id = 'e1'`,
			[]string{"transactions bank of client a: it has no event transaction.created"},
		},
		{ // of cash, in the queue
			`update event_queue set type = 'transaction.status_changed'`, `update event_queue set type = 'transaction.created'`,
			[]string{"transactions cash of client a: it has no event transaction.created"},
		},
		{ // before this time there may be none
			`update event_head set kept_since = 1 + (select max(created_at) from transactions where client_id = 'a' and id = 'bank') where client_id = 'a'`,
			`update event_head set kept_since = (select created_at from transactions where client_id = 'a' and id = 'bank') where client_id = 'a'`,
			nil,
		},
		{
			`update event_queue set id = 'e2' where id = 'e4'`, `update event_queue set id = 'e4' where id = 'e2'`,
			[]string{"event_queue e2 of client a: it is published already"},
		},
		{
			moved("event_head", "a", "c", "position, kept_since", "true"), moved("event_head", "c", "a", "position, kept_since", "true"),
			[]string{"events e1 of client a: its client has no event_head"},
		},
		{
			`update webhook_endpoints set event_types = '["x"]', disabled_reason = 'GONE' where id = 'hook'`,
			`update webhook_endpoints set event_types = '[]', disabled_reason = '' where id = 'hook'`,
			[]string{
				"webhook_endpoints hook of client a: one of event_types is unknown",
				"webhook_endpoints hook of client a: it has a disabled_reason, and is not disabled",
			},
		},
		{
			`update webhook_endpoints set event_types = '{', disabled = true, disabled_reason = 'secret' where id = 'hook'`,
			`update webhook_endpoints set event_types = '[]', disabled = false, disabled_reason = '' where id = 'hook'`,
			[]string{
				"webhook_endpoints hook of client a: event_types is not the JSON that belongs there",
				"webhook_endpoints hook of client a: disabled_reason is unknown",
			},
		},
		{
			`update webhook_deliveries set status = 'LOST', payload = '{' where event_id = 'e1'`,
			`update webhook_deliveries set status = 'PENDING', payload = null where event_id = 'e1'`,
			[]string{
				"webhook_deliveries e1 of client a: status is unknown",
				"webhook_deliveries e1 of client a: payload is not the JSON that belongs there",
			},
		},
		{
			`update river_job set kind = 'other'`, `update river_job set kind = 'webhook'`,
			[]string{"webhook_deliveries e1 of client a: it is PENDING, and no job makes its next attempt"},
		},
		{
			`update webhook_deliveries set event_id = 'e2', status = 'DELIVERED' where endpoint_id = 'hook'`,
			`update webhook_deliveries set event_id = 'e1', status = 'PENDING' where endpoint_id = 'hook'`,
			[]string{"river_job e1 of client a: its delivery does not exist"},
		},
		{ // the job will find out
			`update webhook_endpoints set disabled = true where id = 'hook'; delete from webhook_deliveries where endpoint_id = 'hook'`,
			`update webhook_endpoints set disabled = false where id = 'hook'; ` + pendingDelivery, nil,
		},
		{ // it is still to be canceled, if need be by its job
			`update webhook_endpoints set disabled = true where id = 'hook'`, `update webhook_endpoints set disabled = false where id = 'hook'`, nil,
		},
		{
			`update webhook_deliveries set status = 'CANCELED' where endpoint_id = 'hook'`,
			`update webhook_deliveries set status = 'PENDING' where endpoint_id = 'hook'`, nil,
		},
		{
			`update documents set kind = 'paper' where client_id = 'b' and kind = 'virtual' and transaction_id is null`,
			`update documents set kind = 'virtual' where kind = 'paper'`,
			[]string{"documents " + string(soundWorld("b").user.Documents[1].ID) + " of client b: kind is unknown"},
		},
	} {
		damage(t, db, d.damage)
		_, all := differences(t, db)
		if !slices.Equal(all, d.want) {
			t.Errorf("after %s\ngot  %s\nwant %s", d.damage, strings.Join(all, "\n     "), strings.Join(d.want, "\n     "))
		}
		damage(t, db, d.repair)
		if _, all := differences(t, db); len(all) > 0 {
			t.Fatalf("after the repair of %s\n%s", d.damage, strings.Join(all, "\n"))
		}
	}
}

// putFeed writes a feed of client a with the events of the transactions from that of "bank" on, one that waits in the queue, and
// a delivery.
func putFeed(t *testing.T, db Database) {
	t.Helper()
	const columns = `(client_id, id, type, resource_id, user_id, created_at, data`
	damage(t, db,
		`insert into event_head (client_id, position, kept_since) select 'a', 3, created_at from transactions where id = 'bank'`,
		`insert into events `+columns+`, position, seq) values ('a', 'e1', 'transaction.created', 'bank', '', 0, '{}', 1, 1),
			('a', 'e2', 'transaction.status_changed', 'cash', '', 0, '{}', 2, 2), ('a', 'e3', 'transaction.status_changed', 'bank', '', 0, '{}', 3, 3)`,
		`insert into event_queue `+columns+`) values ('a', 'e4', 'transaction.created', 'cash', '', 0, '{}')`,
		`insert into webhook_endpoints (client_id, id, url, event_types, description, disabled, disabled_reason, secret, created_at, updated_at)
			values ('a', 'hook', 'https://example.com', '[]', '', false, '', '', 0, 0)`,
		pendingDelivery)
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		return tx.EnqueueWebhook(ctx, "a", "hook", "e1", time.Hour)
	})
}

// pendingDelivery writes the delivery of putFeed.
const pendingDelivery = `insert into webhook_deliveries (client_id, endpoint_id, event_id, event_type, position, status, attempts, created_at)
	values ('a', 'hook', 'e1', 'transaction.created', 1, 'PENDING', 0, 0)`

// sqlText escapes a text for quotes.
func sqlText(s string) string { return strings.ReplaceAll(s, "'", "''") }

// moved gives rows to another client. A distributed table refuses an update of client_id.
func moved(table, from, to, columns, where string) string {
	where = ` from ` + table + ` where client_id = '` + from + `' and ` + where
	return `insert into ` + table + ` (client_id, ` + columns + `) select '` + to + `', ` + columns + where + `; delete` + where
}
