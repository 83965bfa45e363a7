package webhooks

import (
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

func TestConsequences(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	before := func(d time.Duration) time.Time { return now.Add(-d) }
	for _, c := range []struct {
		name    string
		outcome outcome
		number  int
		failing time.Time
		want    consequence
	}{
		{"a success is the end", outcome{status: 200}, 1, time.Time{}, consequence{status: payout.WebhookDelivered}},
		{"a success makes up for all failures", outcome{status: 204}, 3, before(200 * time.Hour), consequence{status: payout.WebhookDelivered}},
		{
			"the first failure is noted", outcome{status: 500, failure: failureStatus}, 1, time.Time{},
			consequence{status: payout.WebhookPending, pause: 5 * time.Second, failingSince: now},
		},
		{
			"and stays", outcome{failure: failureTimeout}, 3, before(time.Hour),
			consequence{status: payout.WebhookPending, pause: 30 * time.Minute, failingSince: before(time.Hour)},
		},
		{
			"a receiver may ask for a pause", outcome{status: 429, failure: failureStatus, retryAfter: time.Minute}, 1, time.Time{},
			consequence{status: payout.WebhookPending, pause: time.Minute, failingSince: now},
		},
		{
			"there are ten attempts", outcome{status: 500, failure: failureStatus}, 10, before(76 * time.Hour),
			consequence{status: payout.WebhookFailed, failingSince: before(76 * time.Hour)},
		},
		{
			"410 disables", outcome{status: 410, failure: failureStatus}, 1, time.Time{},
			consequence{status: payout.WebhookFailed, failingSince: now, disabled: payout.EndpointGone},
		},
		{
			"failures alone for less than five days do not disable", outcome{failure: failureRefused}, 2, before(disableAfter - time.Second),
			consequence{status: payout.WebhookPending, pause: 5 * time.Minute, failingSince: before(disableAfter - time.Second)},
		},
		{
			"for five days they do", outcome{failure: failureRefused}, 2, before(disableAfter),
			consequence{status: payout.WebhookFailed, failingSince: before(disableAfter), disabled: payout.EndpointFailing},
		},
	} {
		c.outcome.began = now
		if got := judge(c.outcome, c.number, payout.WebhookEndpoint{FailingSince: c.failing}, 0); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestAFailureFromBeforeAChangeDoesNotCount(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	endpoint := payout.WebhookEndpoint{UpdatedAt: began.Add(time.Second)}
	want := consequence{status: payout.WebhookPending, pause: 5 * time.Second}
	for _, o := range []outcome{
		{failure: failureTimeout, began: began}, {status: 500, failure: failureStatus, began: began}, {status: 410, failure: failureStatus, began: began},
	} {
		if got := judge(o, 1, endpoint, 0); got != want {
			t.Errorf("%+v: %+v, want %+v", o, got, want)
		}
	}
}
