// Package httpapi is the HTTP transport: echo, the generated strict interface, and the mapping between gen/api and the
// domain.
//
// What belongs here: one short method per operation (one file per resource), the guard (authentication, rate limit,
// contract), the one place where errors become responses, request logs, metrics, and the pages for operators and
// readers of the contract. What does not: rules (server/payout) and SQL.
package httpapi
