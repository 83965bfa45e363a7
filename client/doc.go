// Package client is the Go SDK of the payout service: one method for each operation of the contract
// (openapi/openapi.yaml), with the types of gen/api, and with keys, retries and errors taken care of.
//
//	c, err := client.New("https://payouts.example.com", clientID, clientSecret)
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
// Every call that creates something carries an idempotency key: the one that [IdempotencyKey] gives, or a new one. It
// is the same in all attempts of a call and is in its error, so that nothing is created twice (decisions D-16 and D-54).
// To be safe against the end of your own process too, derive the key from the record that the call is made for, or
// store it before the call.
//
// A call makes up to two more attempts after failures that may pass: a lost or refused connection, an answer that was
// cut, an attempt that took too long, 429, 503 and other 5xx but 501, 505 and 511. It waits a random time whose bound
// doubles, on top of what Retry-After asks for. It does not wait when Retry-After asks for more than 30 seconds or the
// deadline of the context comes first: then it returns the error at once, with [Error.RetryAfter]. Other answers,
// certificates that are not trusted, TLS that is refused and redirects are final, as is the end of the context. The two
// sandbox operations, which take no key, are never made again.
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
//	if e, ok := errors.AsType[*client.Error](err); ok && e.Temporary() {
//		queue.Later(record, e.IdempotencyKey, e.RetryAfter)
//	}
//
// [Error.Details] names each field that is wrong. Neither errors nor logs nor [Hooks] show credentials, bodies or query
// parameters. Quote [Error.RequestID] when you ask the operator about a call.
//
// # Money
//
// Amounts and rates are exact decimals, made from text by [ParseAmount] and [MustAmount] and never from floats. An
// amount has at most the decimals of its currency; the service refuses others and rounds nothing that you send.
//
// # Time
//
// An attempt takes at most 30 seconds ([WithTimeout]), a call as long as its context lets it. Answers are read up to
// 32 MiB, those of errors up to 256 KiB.
//
// # Testing
//
// Package client/payouttest starts the real service in sandbox mode inside a test, and makes it fail on demand. Its
// answers are those of production, so that nothing has to be faked.
//
// # Concurrency and compatibility
//
// Make one [Client] and share it: it is safe for concurrent use and keeps connections. It tolerates what a newer service
// of the same major version adds (decision D-31): fields, values of enums, codes. Treat an unknown status as pending,
// and an unknown code by its HTTP status. Within a major version this package changes as the contract does, by additions.
//
// What belongs here: calling the service. What does not: generated types (gen/api), scalars of the wire (openapi/wire),
// and anything of the server.
package client
