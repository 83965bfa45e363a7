// Package contract checks an OpenAPI document against HTTP messages at runtime: [Operation.CheckRequest] and
// [Contract.Middleware] judge requests, [Contract.Transport] judges responses.
//
// What belongs here: everything that can be decided from the document and one message, reported as violations that name
// a field and what was expected, never the value. What does not: authentication, rules that need data (those of
// server/payout), and any web framework.
package contract
