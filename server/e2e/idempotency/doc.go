// Package idempotency tests idempotency keys of one caller after another (D-16, D-54). Concurrent callers are in
// concurrency.
package idempotency
