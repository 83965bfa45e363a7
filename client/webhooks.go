package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// ErrWebhookSignature is returned by [VerifyWebhook] for a request that none of the secrets signed, or that is older or newer
// than five minutes. Answer it with 400.
var ErrWebhookSignature = errors.New("the webhook is not signed with any of the secrets, or not within the last five minutes")

// VerifyWebhook checks the signature of a request to a webhook endpoint and returns its event (decision D-68). body is the
// whole body as it arrived. secrets are those of the endpoint: one, and while it is being replaced the one before as well. It
// returns [ErrWebhookSignature] unless one of them signed the request within the last five minutes, and another error for a
// secret or a signed body that is malformed.
//
// Events come at least once, in any order. Remember the IDs of those that you have handled, and compare UpdatedAt of a
// transaction with what you have before you replace it: the example does both.
func VerifyWebhook(header http.Header, body []byte, secrets ...string) (*api.Event, error) {
	if len(secrets) == 0 {
		return nil, errors.New("VerifyWebhook needs a secret")
	}
	verified := false
	for i, secret := range secrets {
		hook, err := standardwebhooks.NewWebhook(secret)
		if err != nil || strings.TrimPrefix(secret, "whsec_") == "" { // anybody can sign with an empty one
			return nil, fmt.Errorf("secret %d is not one of Standard Webhooks", i+1) // the cause may quote it
		}
		verified = verified || hook.Verify(body, header) == nil
	}
	if !verified {
		return nil, ErrWebhookSignature
	}
	var event api.Event
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, fmt.Errorf("read the event of a webhook: %w", err)
	}
	return &event, nil
}
