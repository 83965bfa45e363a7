// Package report gives a conformance report its forms: a tree for a terminal, JSON, JUnit XML, and one HTML page that
// needs nothing else. What is in a report, and that it holds no secret, is decided in conformance.
package report
