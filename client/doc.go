// Package client is the Go SDK of the payout service: one method for each operation of the contract
// (openapi/openapi.yaml), with the types of gen/api, idempotency keys, retries and typed errors.
//
//	c, err := client.New(baseURL, clientID, clientSecret)
//	if err != nil {
//		return err
//	}
//	transaction, err := c.CreateTransaction(ctx, userID, api.TransactionRequest{
//		FromAmount: client.MustAmount("100.00"), FromCurrency: "USD", FromFundID: fundingAccountID,
//		ToCurrency: "NPR", ExchangeRate: client.MustAmount("132.25"),
//		To: client.BankDeposit(receiveUserID, bankAccountID), Note: new("For the school"),
//	}, client.IdempotencyKey("order-4711"))
//
// # Keys and retries
//
// Every call that creates something sends an idempotency key: that of [IdempotencyKey], or a new one. It is the same in
// all attempts of a call and is in its error, so that nothing is created twice (decisions D-16 and D-54). If your own
// process may crash, derive the key from the record that the call is made for, or store it before the call.
//
// A call is retried up to two times after a temporary failure: a lost or refused connection, a truncated response, a
// timeout, 408, 425, 429, 503 and any other 5xx but 501, 505 and 511. It waits a random time whose bound doubles, in addition to
// Retry-After. If Retry-After is more than 30 seconds, or the deadline of the context comes first, it does not wait but
// returns the error at once, with [Error.RetryAfter]. Other responses, untrusted certificates, TLS alerts, redirects and
// the end of the context are final. The two sandbox operations, which take no key, are never retried.
//
// # Errors
//
// Every error of a call is an [*Error]. Compare codes with errors.Is:
//
//	switch {
//	case errors.Is(err, client.LimitExceeded):
//		// ask for less
//	case errors.Is(err, client.KycNotEligible):
//		// verify first
//	}
//
// [Error.Details] names each invalid field. Errors, logs and [Hooks] never show credentials, bodies or query parameters.
// Quote [Error.RequestID] when you ask the operator about a call.
//
// # Outcome
//
// A creation that failed may have been done: its answer was lost or cannot be read, or a proxy answered in its place.
// [Error.OutcomeUnknown] reports it; only an error body of the contract proves that nothing was created (decision D-65).
// Repeat the call with the same key while OutcomeUnknown or [Error.Temporary]: the service creates what is missing, and
// returns what exists.
//
//	key := client.IdempotencyKey(row.Key)
//	if row.Sent { // perhaps, before the program was restarted
//		key = client.RepeatOf(row.Key)
//	} else if err := p.Store.Sent(row.Key); err != nil {
//		return err
//	}
//	for {
//		transaction, err := p.Client.CreateTransaction(ctx, row.UserID, row.Payout, key)
//		if err == nil {
//			return p.Store.Paid(row.Key, transaction.ID)
//		}
//		e, _ := errors.AsType[*client.Error](err) // every error of a call is one
//		if !e.OutcomeUnknown() && !e.Temporary() {
//			return p.Store.Refused(row.Key, e) // nothing was created
//		}
//		if err := p.Store.Open(row.Key, e); err != nil {
//			return err
//		}
//		if e.OutcomeUnknown() {
//			key = client.RepeatOf(row.Key)
//		}
//		select {
//		case <-time.After(max(e.RetryAfter, p.Pause)):
//		case <-ctx.Done():
//			return ctx.Err()
//		}
//	}
//
// The example Batch has the rest of this program. A refusal uses up no key: a row that was refused with [Unauthorized], which
// is about the program, can be sent again with its key.
//
// # Money
//
// Amounts and rates are exact decimals, parsed from text by [ParseAmount] and [MustAmount], never from floats. An amount
// has at most the decimals of its currency; the service rejects others and never rounds what you send.
//
// # Time
//
// An attempt takes at most 30 seconds ([WithTimeout]); the context limits the whole call. Responses are read up to 32 MiB,
// error responses up to 256 KiB.
//
// # Testing
//
// Package client/payouttest starts the real service in sandbox mode inside a test, and makes it fail on demand.
//
// # Concurrency
//
// Share one [Client]: it is safe for concurrent use and reuses connections.
//
// # Versions
//
// [Version] is semantic: within a major version this package only adds to its API. It runs with the last two versions of Go,
// today 1.26 and 1.27, on Linux, macOS and Windows. CHANGELOG.md lists the changes, and what a major version means.
//
// The service must be of the same major version of the contract as [ContractVersion] and at least as new: upgrade it first.
// What a newer one adds does no harm (decision D-31): fields, values, codes. Treat an unknown status as pending, and an
// unknown code by its HTTP status. An older service refuses what it does not know, with 404, 405 or 400.
//
// What belongs here: calling the service. What does not: generated types (gen/api), scalars (openapi/wire), and the
// server.
package client
