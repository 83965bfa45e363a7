// Package storetest is the suite that every engine of the store must pass: it tests what payout.Store promises.
//
// What belongs here: one function per topic, on any engine. What does not: what is particular to one engine, which is in
// the tests of package store.
package storetest
