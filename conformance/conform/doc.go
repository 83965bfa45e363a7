// Command conform runs the conformance suite against a server and reports the result: as text, and as JSON, JUnit XML and HTML
// files. The checks are in conformance/checks.
package main
