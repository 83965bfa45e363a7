// Package subject makes our server a subject of the conformance suite: in a condition, or with fixtures.
//
// What belongs here: what the tests of conformance and of openapi/contract/front both need. What does not: running the suite.
// It is no part of servertest, which client/payouttest imports, so that users of the SDK do not get the suite.
package subject
