// Package concurrency tests what must hold while many callers act concurrently, at one service or at replicas of it:
// keys create one thing, limits are exact.
package concurrency
