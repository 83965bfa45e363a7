// Package store persists everything in SQLite or PostgreSQL. It is the only implementation of payout.Store.
//
// What belongs here: SQL (one text in the portable subset of SQLite and PostgreSQL), migrations, and the little that
// differs between engines (engine.go). What does not: rules, HTTP, and sample data (server/reference).
//
// Money is kept in minor units, rates as text, times as microseconds since 1970 in UTC. Every row of a client carries its
// client id, and keys lead with it, so that the tables can be sharded by client.
package store
