// Package plans tests that every SQL statement finds its rows by an index, at 100,000 transactions and more. It runs with
// PAYOUTD_TEST_ENGINE=postgres; `make explain` runs it at 1,000,000.
package plans
