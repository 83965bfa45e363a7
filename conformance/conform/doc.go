// Command conform runs the conformance suite against a server and writes what it found: a tree for people, and JSON, JUnit
// XML and a page of HTML in a folder. What is checked, and how, is in conformance.
package main
