// Package events has tests of the event feed (D-67): of everything that is changed by many writers at several replicas, a
// reader sees every event once and those of a resource in their order. `make feed` measures a long feed.
package events
