// Package report writes a conformance report: as a tree for a terminal, JSON, JUnit XML, and a self-contained HTML page.
// Package conformance decides what is in a report and keeps secrets out of it.
package report
