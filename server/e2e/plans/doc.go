// Package plans tests that every SQL statement finds its rows by an index, at 100,000 transactions and more: those of
// requests, of operators' listings, and those of a check that go through ranges of users. It runs with
// PAYOUTD_TEST_ENGINE=postgres. `make explain` runs it at 1,000,000, and `make growth` compares times there with those in a
// small database, and those of both ends of long lists.
package plans
