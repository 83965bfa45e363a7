package client_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

const (
	webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
	oldSecret     = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs="
	webhookBody   = `{"id":"8e9f0a1b-2c3d-4e4f-8a5b-6c7d8e9f0a11","type":"ping","created_at":"2026-01-31T09:30:00.000000","data":{}}`
)

// signedBy returns the headers of a request with a signature of each secret.
func signedBy(t *testing.T, at time.Time, secrets ...string) http.Header {
	t.Helper()
	const id = "8e9f0a1b-2c3d-4e4f-8a5b-6c7d8e9f0a11"
	var signatures []string
	for _, secret := range secrets {
		hook, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := hook.Sign(id, at, []byte(webhookBody))
		if err != nil {
			t.Fatal(err)
		}
		signatures = append(signatures, signature)
	}
	header := http.Header{}
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	header.Set("webhook-signature", strings.Join(signatures, " "))
	return header
}

func TestWebhooksAreVerified(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for what, c := range map[string]struct {
		header  http.Header
		body    string
		secrets []string
		ok      bool
	}{
		"as signed":                 {signedBy(t, now, webhookSecret), webhookBody, []string{webhookSecret}, true},
		"with both secrets":         {signedBy(t, now, webhookSecret, oldSecret), webhookBody, []string{oldSecret}, true},
		"with one of two secrets":   {signedBy(t, now, oldSecret), webhookBody, []string{webhookSecret, oldSecret}, true},
		"four minutes ago":          {signedBy(t, now.Add(-4*time.Minute), webhookSecret), webhookBody, []string{webhookSecret}, true},
		"with another secret":       {signedBy(t, now, oldSecret), webhookBody, []string{webhookSecret}, false},
		"changed":                   {signedBy(t, now, webhookSecret), webhookBody + " ", []string{webhookSecret}, false},
		"six minutes ago":           {signedBy(t, now.Add(-6*time.Minute), webhookSecret), webhookBody, []string{webhookSecret}, false},
		"in six minutes":            {signedBy(t, now.Add(6*time.Minute), webhookSecret), webhookBody, []string{webhookSecret}, false},
		"without headers":           {http.Header{}, webhookBody, []string{webhookSecret}, false},
		"without the new signature": {signedBy(t, now), webhookBody, []string{webhookSecret}, false},
	} {
		event, err := client.VerifyWebhook(c.header, []byte(c.body), c.secrets...)
		switch {
		case c.ok && (err != nil || event.Type != api.EventTypePing):
			t.Errorf("%s: %v, %v", what, event, err)
		case !c.ok && (!errors.Is(err, client.ErrWebhookSignature) || event != nil):
			t.Errorf("%s: %v, %v", what, event, err)
		}
	}
	for _, secrets := range [][]string{nil, {""}, {"whsec_"}, {"whsec_not base64"}, {webhookSecret, "whsec_!"}} {
		_, err := client.VerifyWebhook(signedBy(t, now, webhookSecret), []byte(webhookBody), secrets...)
		if err == nil || errors.Is(err, client.ErrWebhookSignature) || strings.Contains(err.Error(), "not base64") {
			t.Errorf("with the secrets %q: %v", secrets, err)
		}
	}
}
