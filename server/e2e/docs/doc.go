// Package docs runs what the documentation shows: the commands and programs of the Markdown files and of the guides in the
// contract, the requests of the contract's examples, and the code in the documentation of Go packages.
//
// What belongs here: finding every block by itself, running it against a fresh service, and comparing what the text says
// about the output. What does not: tests of behaviour that no document shows.
package docs
