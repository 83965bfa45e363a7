// Package transactions tests the rules of a transaction over the wire: who may send, to whom, which amounts, and limits
// (sections 1, 2.6 and 2.8 of the interface document).
package transactions
