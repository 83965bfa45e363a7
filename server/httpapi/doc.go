// Package httpapi is the transport: echo, the generated strict interface, and the way between gen/api and the domain.
//
// What belongs here: one short method per operation (one file per resource), the error funnel, authentication, the
// checks of the contract, request logs and the documentation page; all of echo. What does not: rules (server/payout),
// SQL, and anything that the contract does not show but for the pages that operate the service.
package httpapi
