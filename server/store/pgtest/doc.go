// Package pgtest provides databases on a real PostgreSQL server for tests.
//
// What belongs here: starting a private server from the machine's programs, empty databases on it, and addresses for
// programs that tests start. What does not: anything about tables.
package pgtest
