// Package mutants proves the conformance suite with servers that have a single fault: every one of them must be found, and
// every check must fail on at least one. A faulty server is the real one behind a layer that changes requests or responses. Most
// faults are generated from the contract; those that break a rule of behavior are written by hand. All of it is test code, so
// that no program can be built with a fault in it.
package mutants
