// Package crash kills replicas of payoutd and PostgreSQL with SIGKILL while payouts go through their transitions, and then
// compares what callers were told with the database, the event feed and what a receiver of webhooks got: no event is lost, none
// is there for a change that was not kept, and every event is delivered at least once, under one id (D-66 to D-69).
package crash
