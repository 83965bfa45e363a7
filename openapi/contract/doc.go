// Package contract checks HTTP messages against an OpenAPI document at runtime: [Contract.Middleware] judges the requests and
// responses of a service, [Contract.Transport] the responses to a client. Package front is a proxy with the middleware, for
// services that are not written in Go.
//
// What belongs here: everything that can be decided from the document and one message, reported as violations that name
// a field and what was expected, never the value. What does not: authentication, rules that need data (those of
// server/payout), and any web framework.
package contract
