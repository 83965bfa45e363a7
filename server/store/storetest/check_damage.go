package storetest

import (
	"slices"
	"strings"
	"testing"
)

// Each kind of damage is found, and reported as one line that contains only ids.
func checkDamage(t *testing.T, db Database) {
	w := putSound(t, db)
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
			`update users set status = 'VERIFIED', profile = '{}' where client_id = 'a'`,
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
			`update idempotency_keys set client_id = 'c' where client_id = 'a' and resource_id = '` + sqlText(string(w.user.ID)) + `'`,
			`update idempotency_keys set client_id = 'a' where client_id = 'c'`,
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

// sqlText escapes a text for quotes.
func sqlText(s string) string { return strings.ReplaceAll(s, "'", "''") }
