// Package docs makes the pages for readers of the contract: the documentation with its "Try it" forms, decisions and
// changelog, and the contract as YAML, JSON and Markdown. All are rendered once.
//
// What belongs here: the walk from the contract to what pages show, templates, one style sheet, one script, and how a page is
// served. What does not: texts about the interface, which are in openapi, and echo.
package docs
