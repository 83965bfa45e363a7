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

// judge returns the consequence of an attempt, counted from 1, to an endpoint that fails since a time, zero if it works.
func judge(o outcome, number int, failingSince time.Time, random float64) consequence {
	if o.failure == "" {
		return consequence{status: payout.WebhookDelivered}
	}
	if failingSince.IsZero() {
		failingSince = o.began
	}
	failed := consequence{status: payout.WebhookFailed, failingSince: failingSince}
	switch {
	case o.status == http.StatusGone:
		failed.disabled = payout.EndpointGone
	case o.began.Sub(failingSince) >= disableAfter:
		failed.disabled = payout.EndpointFailing
	default:
		if pause, again := pauseAfter(number, o.retryAfter, random); again {
			failed.status, failed.pause = payout.WebhookPending, pause
		}
	}
	return failed
}
