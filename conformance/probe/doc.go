// Package probe has the building blocks of a conformance check: the check and its status, the T that it is given, the
// recording transport, and the set-up of senders and receivers. The checks are in conformance/checks; conformance runs them.
package probe
