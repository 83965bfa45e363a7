// Package webhooks delivers events to the webhook endpoints of clients (D-69): from a River queue in the database of the
// service, at least once, in no order, by any number of replicas.
//
// What belongs here: the queue and its worker, the schedule, the HTTP client with its check of addresses, and what keeps a dead
// endpoint from delaying others. What does not: SQL (package store), and the operations about endpoints and deliveries
// (payout and httpapi).
package webhooks
