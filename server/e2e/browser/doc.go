// Package browser tests the pages for readers of the contract and the console in Chromium: payouts by clicking, accessibility
// with axe-core, and what the pages load.
//
// What belongs here: what only a browser shows. What does not: status codes and headers of pages, which are in
// server/e2e/operations.
package browser
