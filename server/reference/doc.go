// Package reference is the reference data of the service: the countries and states of ISO 3166, a sample set of payers
// and banks, and the strict CSV readers that both the embedded files and an operator's import go through.
//
// What belongs here: file formats and what makes a line of them wrong. What does not: storing reference data, deciding
// which of it a client sees, and the wire. It imports payout only.
package reference
