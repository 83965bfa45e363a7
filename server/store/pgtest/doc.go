// Package pgtest provides databases on a real PostgreSQL server for tests.
//
// What belongs here: starting a private server from the machine's programs, and empty databases on it. What does not:
// anything about tables.
package pgtest
