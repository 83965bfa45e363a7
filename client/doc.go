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
// the end of the context are final. Calls that change something and take no key are never retried; the methods say so.
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
// [Error.Details] names each invalid field. Errors never show credentials, bodies or query parameters when they are printed.
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
//	for pause := p.Pause; ; pause *= 2 {
//		transaction, err := p.Client.CreateTransaction(ctx, row.UserID, row.Payout, key)
//		if err == nil {
//			return p.Store.Paid(row.Key, transaction.ID)
//		}
//		e, _ := errors.AsType[*client.Error](err) // every error of a call is one
//		if e.Refused() {
//			return p.Store.Refused(row.Key, e) // nothing was created
//		}
//		if err := p.Store.Open(row.Key, e); err != nil {
//			return err
//		}
//		wait := max(e.RetryAfter, pause)
//		switch {
//		case !e.OutcomeUnknown() && !e.Temporary():
//			return e // about the program, such as a revoked secret: the same for all rows
//		case e.OutcomeUnknown():
//			key = client.RepeatOf(row.Key)
//		}
//		if wait > p.Patience {
//			return nil // the next run goes on with the row
//		}
//		select {
//		case <-time.After(wait):
//		case <-ctx.Done():
//			return ctx.Err()
//		}
//	}
//
// What a caller knows after an error, for example to tell its own user:
//
//   - [Error.Refused]: nothing was created; [Error.Code] says why.
//   - [Error.OutcomeUnknown]: it may be done. Say that it is in progress, and repeat the call with the key.
//   - [Error.Temporary] alone: nothing was created yet. Repeat the call with the key, or give up.
//   - None of these: nothing was created, and the program must be corrected first.
//
// The end of the caller's context is Temporary, and an unknown outcome if something was sent.
//
// The example Batch has the rest of this program. A refusal uses up no key: when the cause is gone, such as an old secret,
// send the row again with its key. Never with another one: a copy of the request that was held up on its way may still
// arrive, and then both would be paid. [IdempotencyKeyReused] for what you take for a repeat means that another request with
// the key created something: store the request with its key, and send that one.
//
// # Money
//
// Amounts and rates are exact decimals of at most 19 digits, parsed from text by [ParseAmount] and [MustAmount], never from
// floats (decision D-05). An amount has at most the decimals of its currency, such as 2 for USD and 0 for JPY; the service
// rejects others and never rounds what you send. Calculate with Decimal, whose result wire.AmountOf makes an amount again;
// compare with Equal, for which 100 is 100.00. An amount prints with the digits that the service sent.
//
// # Dates and times
//
// Times are in UTC, and so are the days, months and years of limits. Timestamps have no zone on the wire (decision D-14); in
// Go they are in UTC, so convert them for people with In.
//
// Dates, such as a date of birth or the end of a document, have no time and no zone. Write the day of the document:
//
//	request.DateOfBirth = &types.Date{Time: time.Date(1990, time.May, 17, 0, 0, 0, 0, time.UTC)}
//
// A date is sent as the day that its Time shows in its own location. Never convert it: in New York, midnight in UTC is the
// day before. Store it as text, or in a column without a time zone. A date of birth is neither before 1900-01-01 nor after
// today in UTC (decision D-61).
//
// # Lists
//
// [Client.Transactions], [Client.FundingAccounts], [Client.ReceiveUsers], [Client.BankAccounts] and [Client.WalletAccounts]
// read page after page, and so do [Client.Users] and [Client.ClientTransactions], the lists of all that is yours, with filters;
// what is added in the meantime neither repeats nor hides an entry. [CapturePosition] reports where a
// loop ended, for the next request of a web page, or after a crash. The methods whose names begin with List make one call:
// [Client.ListTransactions] returns a page, the others return the complete list unless they have a limit.
//
// # Reference data
//
// Payers, banks and states change rarely. With [WithReferenceMemory] the Client keeps their answers and their tags: each call
// asks the service, which sends the body again only if it has changed (decision D-75). [Info.NotModified] says that it has not.
//
// # Events and webhooks
//
// What becomes of a payout is an event, with the resource as it was after the change. There are two ways to get events:
//
//   - [Client.Events] reads the feed: every event once, in order, as often as you ask. It alone misses nothing.
//   - A webhook endpoint receives them as they happen. [Client.CreateWebhookEndpoint] registers its address and returns the
//     secret, [VerifyWebhook] checks a request and returns its event.
//
// Webhooks come at least once and in any order (decision D-69). The example of VerifyWebhook is a handler that is safe against
// that: it remembers the IDs of events in the transaction in which it takes them in, and replaces the state of a payout only by
// one whose UpdatedAt is later. Users and funding accounts have no UpdatedAt; read them when an event of theirs arrives.
//
// [Client.RotateWebhookSecret] replaces a secret. For 24 hours both sign, so give VerifyWebhook both until all of your programs
// know the new one. [Client.WebhookDeliveries] shows the attempts and why they failed, and [Client.RetryWebhookDelivery] makes
// the next one now.
//
// # Rate limits and batches
//
// The operator limits how many requests per second a client may send to each replica of the service (decision D-28). Each
// attempt is a request. One beyond the limit does nothing and is answered with 429, the code [RateLimited] and Retry-After. The
// call waits for that time and a random one, then tries again, as often as [WithRetries] or [Retries] says: twice unless you
// change it, ten times at most. After that it fails with an error that is [Error.Temporary].
//
// A batch keeps the pace instead, because too many workers would only wait. They share a limiter, which every attempt asks:
//
//	pace := rate.NewLimiter(50, 50) // of golang.org/x/time/rate: 50 requests per second
//	c, err := client.New(baseURL, clientID, clientSecret, client.WithHooks(client.Hooks{
//		Request: func(ctx context.Context, _ client.Attempt) { _ = pace.Wait(ctx) }, // no wait if ctx would end first
//	}))
//
// As many workers as requests per second times seconds per call are enough: 10 for 50 requests that take 200 ms each. Several
// programs with one client id share its limit. Leave some of it to others than the batch. The headers RateLimit and
// RateLimit-Policy of each response say what is left; a transport of [WithHTTPClient] can read them.
//
// # Time limits
//
// An attempt takes at most 30 seconds ([WithTimeout], or [Timeout] for one call) after its request is sent; sending may take
// longer at 16 KiB per second. The context limits the whole call. If it ended, errors.Is says so with context.Canceled or
// context.DeadlineExceeded, and not otherwise. Responses are read up to 32 MiB, error responses up to 256 KiB.
//
// # Logs and traces
//
// [WithLogger] logs attempts, retries and failed calls. [Hooks] are for metrics and traces: see the example of Hooks with
// OpenTelemetry, which starts a span for each attempt below that of the caller. Logs, and attempts that are printed, show no
// credentials, bodies or identifiers of users. One line is not the SDK's: net/http prints the first bytes that a broken proxy
// sends after a response to the standard logger of package log, which may be a part of a response; log.SetOutput turns it off.
//
// # Testing
//
// Package client/payouttest starts the real service in sandbox mode inside a test, and makes it fail on demand. It delivers
// webhooks to your handler, and moves payouts along.
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
