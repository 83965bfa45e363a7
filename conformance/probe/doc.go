// Package probe is what a conformance check is made of: the check and its status, the T that a check talks to, the
// recording transport under it, and the world, which sets up senders and receivers. The checks themselves are in
// conformance/checks; what is done with their results is in conformance.
package probe
