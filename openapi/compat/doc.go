// Package compat compares two versions of a contract, says of each change whether it breaks callers, and judges whether the
// newer one may be published after the older one.
//
// Whether a change breaks depends on its direction. A request may accept more than before, never less; a response may
// return less than before, never more. A closed set of values is part of that, a set of known values is not: it may grow,
// but a value that callers act on must not go. Text and examples ("prose") change nothing that travels over the network.
// What this package does not know counts as breaking. Decision D-31 has the rules for versions.
//
// The documents are compared as they are written, keyword by keyword, and not as parsed by a library, which drops what it
// does not know and cannot tell where a schema is used.
//
// What belongs here: the comparison, the classes of changes, the gate, and the program spec-diff. What does not: checking
// messages against a contract (openapi/contract), and style (make lint-spec).
package compat
