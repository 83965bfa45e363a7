// Package payoutfiles has the formats of the files by which operators pay: exports for the bank, releases and settlements, as
// CSV with a header or as JSON lines.
//
// What belongs here: columns, cells and what makes a line malformed. What does not: which transactions are exported, what a
// line changes (package payout), and files of the operating system.
//
// A spreadsheet would run a cell that begins with = + - @, a tab or a carriage return as a formula. In CSV such a cell, if it is
// a text, has an apostrophe before it, as spreadsheets write it themselves; so has one that begins with apostrophes before such a
// character. A reader removes that one apostrophe, so that no value is lost: +977 is written as '+977, and read as +977. JSON
// lines have all values as they are.
package payoutfiles
