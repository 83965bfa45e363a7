-- One row or more of every table, as version 11 has them. Times are microseconds: 1773500966535897 is
-- 2026-03-14T15:09:26.535897 UTC. The text is plain SQL that both engines take.
insert into clients (id, name, profile, disabled, created_at) values
	('acme', 'Acme', '{"corridors":[{"country":"US","currency":"USD"}],"destinations":[{"country":"NP","tiers":[{"limits":[{"currency":"USD","daily":100000,"monthly":300000,"annual":1000000}],"required_tags":{"individual":["ID_DOC"],"business":["EIN_DOC"]}}]}]}', false, 1773500966535897),
	('closed', 'Closed', '{"corridors":null,"destinations":null}', true, 1773500966535898);

insert into client_secrets (client_id, hash, created_at, expires_at) values
	('acme', 'hash-one', 1773500966535897, null),
	('acme', 'hash-two', 1773500966535897, 1893456000000000);

insert into states (id, country, code, name) values
	(524001, 'NP', 'P1', 'Koshi'),
	(414006, 'KW', 'MU', 'Mubārak al Kabīr');

insert into payers (id, code, name, country, method, currency, network_limits, pickup_locations) values
	(1001, 'CP1', 'Cash', 'NP', 'CASH_PICKUP', 'NPR', '[{"Currency":"NPR","Min":10000,"Max":10000000}]', '[{"ID":30001,"Name":"Counter","AddressLine1":"1 Street","City":"Kathmandu"}]'),
	(1004, 'WL1', 'Wallet', 'NP', 'WALLET', 'NPR', 'null', 'null');

insert into banks (id, name, country, branches, txn_supported_types, currencies) values
	(2001, 'Bank', 'NP', '[{"ID":20010,"Name":"Branch"}]', '["C2C","B2C"]', '["NPR","USD"]');

insert into users (client_id, id, created_at, status, business, sending, country, email, profile) values
	('acme', 'u-1', 1773500966535897, 'VERIFIED', false, true, 'US', 'asha@example.com', '{"first_name":"Asha","last_name":"Example","email":"asha@example.com","gender":"F","date_of_birth":"1990-01-31","address_line1":"1 Road","mobile_phone":"15550100","city":"Town","zipcode":"00001","state":"CA","ip_address":"192.0.2.1"}'),
	('acme', 'u-2', 1773500966535899, 'IN PROGRESS', true, false, 'US', 'office@example.com', '{"first_name":"Example Ltd","email":"office@example.com","business_type":"LLC","user_scope":"RETAIL","company_website":"https://example.com","number_of_employee":"10","mailing_address":{"country":"US","city":"Town","address_line1":"2 Road","address_line2":null,"zipcode":"00002","state":"NY"}}');

insert into cip_tags (client_id, user_id, tag, status) values
	('acme', 'u-1', 'EMAIL', 'SUBMIT'),
	('acme', 'u-1', 'ID_DOC', 'VERIFIED'),
	('acme', 'u-2', 'EIN_DOC', 'REQUESTED');

insert into limit_usage (client_id, user_id, destination, currency, period, used) values
	('acme', 'u-1', 'NP', 'USD', '2026-03-14', 40123),
	('acme', 'u-1', 'NP', 'USD', '2026-03', 40123),
	('acme', 'u-1', 'NP', 'USD', '2026', 40123);

insert into funding_accounts (client_id, id, user_id, type, label, status, created_at) values
	('acme', 'f-1', 'u-1', 'CARD', 'My card', 'ACTIVE', 1773500966535897);

insert into receive_users (client_id, id, user_id, first_name, last_name, email, mobile_phone, address_line1, city, state, zipcode, country, created_at) values
	('acme', 'r-1', 'u-1', 'Bina', 'Example', 'bina@example.com', '9779800000000', '3 Road', 'Kathmandu', 'P3', '44600', 'NP', 1773500966535897);

insert into bank_accounts (client_id, id, receive_user_id, bank_id, branch_id, account_number, currency, created_at) values
	('acme', 'b-1', 'r-1', 2001, 20010, '0001234567', 'NPR', 1773500966535897);

insert into wallet_accounts (client_id, id, receive_user_id, payer_id, wallet_number, currency, created_at) values
	('acme', 'w-1', 'r-1', 1004, '9800000000', 'NPR', 1773500966535897);

insert into transactions (client_id, id, user_id, created_at, status, delivery_status, from_amount, from_currency, to_amount, to_currency, fee_amount, bonus_amount, exchange_rate, from_fund_id, funding_type, destination, notes, receive_user_id, payout_method, calculation_mode, fund_id, payer_id, pickup_location, receiver, updated_at, status_reason, required_information) values
	('acme', 't-1', 'u-1', 1773500966535897, 'INITIATED', 'NONE', 10000, 'USD', 1322500, 'NPR', 199, 0, '132.250', 'f-1', 'CARD', 'NP', '{"note":"n","purpose":"GIFT","custom_purpose":"","remittance_purpose":"FAMILY","ip_address":"192.0.2.1"}', 'r-1', 'BANK_DEPOSIT', 'SENDER_AMOUNT', 'b-1', 0, 0, '{"first_name":"Bina","last_name":"Example","email":"bina@example.com","mobile_phone":"9779800000000","address_line1":"3 Road"}', 1773500966535897, '', '[]'),
	('acme', 't-2', 'u-1', 1773500966535898, 'INITIATED', 'NONE', 20000, 'USD', 2645000, 'NPR', 0, 0, '132.25', 'f-1', 'BANK', 'NP', '{}', 'r-1', 'WALLET', 'RECEIVER_AMOUNT', 'w-1', 1004, 0, '{"first_name":"Bina"}', 1773500966535898, '', '["ID_DOC"]'),
	('acme', 't-3', 'u-1', 1773500966535899, 'INITIATED', 'NONE', 10123, 'USD', 1338767, 'NPR', 0, 0, '132.25', 'f-1', 'CARD', 'NP', '{}', 'r-1', 'CASH_PICKUP', 'SENDER_AMOUNT', '', 1001, 30001, '{"first_name":"Bina"}', null, '', '[]');

insert into idempotency_keys (client_id, idempotency_key, fingerprint, resource_id) values
	('acme', 'key-1', 'fingerprint-1', 't-1');

insert into documents (client_id, id, user_id, transaction_id, position, kind, type, value, media_type, content, expiry_date, issuing_authority, country, state) values
	('acme', 'd-1', 'u-1', null, 0, 'physical', 'PASSPORT', '', 'image/png', 'content', '2030-12-31', 'Authority', 'US', 'CA'),
	('acme', 'd-2', 'u-1', null, 1, 'virtual', 'SSN', '000-00-0000', '', null, '', '', 'US', ''),
	('acme', 'd-3', 'u-1', 't-1', 0, 'physical', 'INVOICE', '', 'application/pdf', 'content', '', '', 'US', '');

insert into webhook_endpoints (client_id, id, url, event_types, description, disabled, disabled_reason, failing_since, secret, old_secret, old_secret_expires_at, created_at, updated_at) values
	('acme', 'e-1', 'https://example.com/webhooks', '["transaction.created"]', 'Payouts', true, 'GONE', 1773500966535897, 'sealed', 'sealed before', 1773587366535897, 1773500966535897, 1773500966535898);

insert into webhook_deliveries (client_id, endpoint_id, event_id, event_type, position, payload, status, attempts, next_attempt_at, created_at) values
	('acme', 'e-1', 'v-1', 'ping', 0, '{"type":"ping"}', 'CANCELED', 1, 1773500971535897, 1773500966535897);

insert into webhook_attempts (client_id, endpoint_id, event_id, number, at, duration_ms, http_status, error) values
	('acme', 'e-1', 'v-1', 1, 1773500966535899, 12, 500, 'HTTP_STATUS');

insert into audit_log (id, at, actor, command, client_id, object, object_id, state_before, state_after) values
	('a-1', 1773500966535897, 'operator', 'users verify', 'acme', 'user', 'u-1', '{"kyc_status":"UNVERIFIED"}', '{"kyc_status":"VERIFIED"}');

insert into payout_files (id, direction, sha256, name, actor, at, lines, totals) values
	('p-1', 'settle', 'e3b0c442', 'settle.csv', 'operator', 1773500966535897, 1, '{"NPR":1322500}');

insert into payout_file_lines (client_id, transaction_id, file_id, line) values
	('acme', 't-1', 'p-1', 2);

insert into event_queue (seq, client_id, id, type, resource_id, user_id, created_at, data) values
	(2, 'acme', 'e-2', 'user.status_changed', 'u-1', 'u-1', 1773500966535899, '{"user":{"id":"u-1"}}');

insert into events (client_id, position, id, seq, type, resource_id, user_id, created_at, data) values
	('acme', 1, 'e-1', 1, 'transaction.created', 't-3', 'u-1', 1773500966535899, '{"transaction":{"id":"t-3"}}');

insert into event_head (client_id, position, kept_since) values
	('acme', 1, 1773500966535899);

insert into webhook_rotations (client_id, id, endpoint_id, created_at) values
	('acme', 'rotation-1', 'e-1', 1773500966535898);
