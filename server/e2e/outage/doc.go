// Package outage tests the service while its PostgreSQL server restarts, crashes or drops connections. It runs with
// PAYOUTD_TEST_ENGINE=postgres.
package outage
