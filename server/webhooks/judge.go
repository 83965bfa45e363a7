package webhooks

import (
	"net/http"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// consequence is what an attempt changes (D-69).
type consequence struct {
	status       payout.WebhookDeliveryStatus
	pause        time.Duration // until the next attempt of a pending delivery
	failingSince time.Time     // of the endpoint
	disabled     payout.WebhookDisabledReason
}

// judge returns the consequence of an attempt, counted from 1, to an endpoint as it is when the attempt has ended. A failure from
// before the endpoint was changed says nothing about it.
func judge(o outcome, number int, endpoint payout.WebhookEndpoint, random float64) consequence {
	if o.failure == "" {
		return consequence{status: payout.WebhookDelivered}
	}
	changed := o.began.Before(endpoint.UpdatedAt)
	failed := consequence{status: payout.WebhookFailed, failingSince: endpoint.FailingSince}
	if failed.failingSince.IsZero() && !changed {
		failed.failingSince = o.began
	}
	switch {
	case o.status == http.StatusGone && !changed:
		failed.disabled = payout.EndpointGone
	case o.began.Sub(failed.failingSince) >= disableAfter && !changed:
		failed.disabled = payout.EndpointFailing
	default:
		if pause, again := pauseAfter(number, o.retryAfter, random); again {
			failed.status, failed.pause = payout.WebhookPending, pause
		}
	}
	return failed
}
