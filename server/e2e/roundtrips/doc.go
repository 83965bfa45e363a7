// Package roundtrips holds how often each operation waits for PostgreSQL: a budget for each, counted on the wire. What the
// statements read is the matter of package plans.
package roundtrips
