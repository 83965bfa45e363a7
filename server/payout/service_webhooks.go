package payout

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"time"
)

// secretOverlap is how long the secret before signs too after a rotation (D-68).
const secretOverlap = 24 * time.Hour

// Sealer encrypts the secrets of webhook endpoints. What is sealed opens with the same context only.
type Sealer interface {
	Seal(plain, context []byte) ([]byte, error)
	Open(sealed, context []byte) ([]byte, error)
}

// NewWebhookEndpoint is what a client registers.
type NewWebhookEndpoint struct {
	URL         string
	EventTypes  []EventType // empty: all
	Description string
	Disabled    bool
}

// WebhookChange is what changes in a webhook endpoint; nil stays as it is.
type WebhookChange struct {
	URL         *string
	EventTypes  *[]EventType
	Description *string
	Disabled    *bool
}

// IssuedWebhookEndpoint is an endpoint with its secret in the form of Standard Webhooks.
type IssuedWebhookEndpoint struct {
	WebhookEndpoint
	Secret string
}

// WebhookSecret is a secret after a rotation. PreviousExpires is until when the one before signs too, zero if it does not.
type WebhookSecret struct {
	Secret          string
	PreviousExpires time.Time
}

// webhooks returns CodeServiceUnavailable if there is no key for the secrets.
func (s *Service) webhooks() error {
	if s.sealer != nil {
		return nil
	}
	e := NewError(CodeServiceUnavailable)
	e.Message = "The service has no key for the secrets of webhooks; its operator sets --secrets-key."
	return e
}

// CreateWebhookEndpoint registers an endpoint, once per key (see once); a repeat has the secret as it is then. It returns
// CodeBadRequest for an address that is not allowed, CodeTooManyWebhookEndpoints beyond MaxWebhookEndpoints, and
// CodeServiceUnavailable without a key for secrets, as all methods about webhooks do.
func (s *Service) CreateWebhookEndpoint(
	ctx context.Context, c Client, key Idempotency, n NewWebhookEndpoint,
) (_ IssuedWebhookEndpoint, replayed bool, err error) {
	if err := s.webhooks(); err != nil {
		return IssuedWebhookEndpoint{}, false, err
	}
	return once(ctx, s, c, key, creation[IssuedWebhookEndpoint, WebhookEndpointID]{
		check: func() error { return s.checkWebhookURL(n.URL) },
		create: func(tx Tx, id WebhookEndpointID) (IssuedWebhookEndpoint, error) {
			at, secret := s.now(), newWebhookSecret()
			sealed, err := s.sealWebhookSecret(c.ID, id, secret)
			if err != nil {
				return IssuedWebhookEndpoint{}, err
			}
			e := WebhookEndpoint{
				ID: id, URL: n.URL, EventTypes: eachOnce(n.EventTypes), Description: n.Description, Disabled: n.Disabled,
				Secrets: SealedWebhookSecrets{Current: sealed}, CreatedAt: at, UpdatedAt: at,
			}
			ok, err := tx.InsertWebhookEndpoint(ctx, c.ID, e, MaxWebhookEndpoints)
			if err == nil && !ok {
				err = NewError(CodeTooManyWebhookEndpoints)
			}
			return IssuedWebhookEndpoint{e, secret}, err
		},
		find: func(r Reader, id WebhookEndpointID) (IssuedWebhookEndpoint, bool, error) {
			e, ok, err := r.WebhookEndpoint(ctx, c.ID, id)
			if err != nil || !ok {
				return IssuedWebhookEndpoint{}, ok, err
			}
			secret, err := s.openWebhookSecret(c.ID, id, e.Secrets.Current)
			return IssuedWebhookEndpoint{e, secret}, true, err
		},
	})
}

// WebhookEndpoints lists a page of the endpoints of a client as FundingAccounts does.
func (s *Service) WebhookEndpoints(ctx context.Context, c Client, page Page) ([]WebhookEndpoint, Position, error) {
	if err := s.webhooks(); err != nil {
		return nil, Position{}, err
	}
	return pageOf(page, func(p Page) ([]WebhookEndpoint, error) { return s.store.WebhookEndpoints(ctx, c.ID, p) },
		func(v WebhookEndpoint) Position { return Position{v.CreatedAt, string(v.ID)} })
}

// WebhookEndpoint returns an endpoint; CodeNotFound if there is none.
func (s *Service) WebhookEndpoint(ctx context.Context, c Client, id WebhookEndpointID) (WebhookEndpoint, error) {
	if err := s.webhooks(); err != nil {
		return WebhookEndpoint{}, err
	}
	return foundWebhook(s.store.WebhookEndpoint(ctx, c.ID, id))
}

// UpdateWebhookEndpoint changes an endpoint and never its secrets. A disabled one is so at once, however much waits for it: a job
// cancels what is left. An endpoint is enabled when nothing is left; a call that fails on the way has canceled a part, and can be
// repeated. It returns CodeNotFound for an unknown endpoint, and
// CodeBadRequest for an address that is not allowed.
func (s *Service) UpdateWebhookEndpoint(ctx context.Context, c Client, id WebhookEndpointID, change WebhookChange) (WebhookEndpoint, error) {
	if err := s.webhooks(); err != nil {
		return WebhookEndpoint{}, err
	}
	if change.URL != nil {
		if err := s.checkWebhookURL(*change.URL); err != nil {
			return WebhookEndpoint{}, err
		}
	}
	var e WebhookEndpoint
	for again := true; again; {
		if err := s.store.Write(ctx, func(tx Tx) (err error) {
			again = false
			if e, err = foundWebhook(tx.LockWebhookEndpoint(ctx, c.ID, id)); err != nil {
				return err
			}
			was := e.Disabled
			if !change.apply(&e) {
				return nil
			}
			e.UpdatedAt = s.now()
			if was || e.Disabled {
				more, err := tx.CancelWebhookDeliveries(ctx, c.ID, id)
				if again = more && !e.Disabled; err != nil || again {
					return err
				}
			}
			return tx.UpdateWebhookEndpoint(ctx, c.ID, e)
		}); err != nil {
			return WebhookEndpoint{}, err
		}
	}
	return e, nil
}

// apply reports whether it changed anything. An endpoint with a new address, or one that is enabled again, has not failed yet.
func (n WebhookChange) apply(e *WebhookEndpoint) (changed bool) {
	if n.URL != nil && *n.URL != e.URL {
		e.URL, e.FailingSince, changed = *n.URL, time.Time{}, true
	}
	if n.EventTypes != nil && !slices.Equal(eachOnce(*n.EventTypes), e.EventTypes) {
		e.EventTypes, changed = eachOnce(*n.EventTypes), true
	}
	if n.Description != nil && *n.Description != e.Description {
		e.Description, changed = *n.Description, true
	}
	if n.Disabled != nil && *n.Disabled != e.Disabled {
		e.Disabled, e.DisabledReason, e.FailingSince, changed = *n.Disabled, "", time.Time{}, true
	}
	return changed
}

// webhookDeletionBatch is how many deliveries are deleted in one write.
const webhookDeletionBatch = 1000

// DeleteWebhookEndpoint deletes an endpoint with its deliveries and returns it as it was. An endpoint may have many deliveries,
// so it is disabled first, emptied in parts, and then deleted; after a failure on the way it is there, disabled. It returns
// CodeNotFound for an unknown endpoint.
func (s *Service) DeleteWebhookEndpoint(ctx context.Context, c Client, id WebhookEndpointID) (WebhookEndpoint, error) {
	stop := true
	e, err := s.WebhookEndpoint(ctx, c, id)
	if err != nil {
		return WebhookEndpoint{}, err
	}
	if _, err := s.UpdateWebhookEndpoint(ctx, c, id, WebhookChange{Disabled: &stop}); err != nil {
		return WebhookEndpoint{}, err
	}
	for n := webhookDeletionBatch; n == webhookDeletionBatch; {
		if err := s.store.Write(ctx, func(tx Tx) (err error) {
			n, err = tx.DeleteWebhookDeliveries(ctx, c.ID, id, webhookDeletionBatch)
			return err
		}); err != nil {
			return WebhookEndpoint{}, err
		}
	}
	return e, s.store.Write(ctx, func(tx Tx) error {
		if _, err := foundWebhook(tx.LockWebhookEndpoint(ctx, c.ID, id)); err != nil {
			return err
		}
		for n := 1; n > 0; { // what was written meanwhile
			var err error
			if n, err = tx.DeleteWebhookDeliveries(ctx, c.ID, id, webhookDeletionBatch); err != nil {
				return err
			}
		}
		return tx.DeleteWebhookEndpoint(ctx, c.ID, id)
	})
}

// RotateWebhookSecret makes a new secret for an endpoint, once per key (see once); a repeat has the secret as it is then. The
// one before signs too for secretOverlap, any other no more. It returns CodeNotFound for an unknown endpoint.
func (s *Service) RotateWebhookSecret(
	ctx context.Context, c Client, key Idempotency, id WebhookEndpointID,
) (_ WebhookSecret, replayed bool, err error) {
	if err := s.webhooks(); err != nil {
		return WebhookSecret{}, false, err
	}
	return once(ctx, s, c, key, creation[WebhookSecret, WebhookRotationID]{
		create: func(tx Tx, rotation WebhookRotationID) (WebhookSecret, error) {
			e, err := foundWebhook(tx.LockWebhookEndpoint(ctx, c.ID, id))
			if err != nil {
				return WebhookSecret{}, err
			}
			// With another key than that of the other replicas, none could sign with both secrets.
			if _, err := s.openWebhookSecret(c.ID, id, e.Secrets.Current); err != nil {
				return WebhookSecret{}, err
			}
			at, secret := s.now(), newWebhookSecret()
			sealed, err := s.sealWebhookSecret(c.ID, id, secret)
			if err != nil {
				return WebhookSecret{}, err
			}
			secrets := SealedWebhookSecrets{Current: sealed, Old: e.Secrets.Current, OldExpires: at.Add(secretOverlap)}
			if err := tx.SetWebhookSecrets(ctx, c.ID, id, secrets); err != nil {
				return WebhookSecret{}, err
			}
			return WebhookSecret{secret, secrets.OldExpires}, tx.InsertWebhookRotation(ctx, c.ID, WebhookRotation{rotation, id, at})
		},
		find: func(r Reader, rotation WebhookRotationID) (WebhookSecret, bool, error) {
			id, ok, err := r.WebhookRotation(ctx, c.ID, rotation)
			if err != nil || !ok {
				return WebhookSecret{}, ok, err
			}
			e, ok, err := r.WebhookEndpoint(ctx, c.ID, id)
			if err != nil || !ok {
				return WebhookSecret{}, ok, err
			}
			secret, err := s.openWebhookSecret(c.ID, id, e.Secrets.Current)
			found := WebhookSecret{Secret: secret}
			if e.Secrets.OldExpires.After(s.now()) {
				found.PreviousExpires = e.Secrets.OldExpires
			}
			return found, true, err
		},
	})
}

// WebhookDeliveries lists a page of the deliveries to an endpoint, newest first, with a status or all; the position is as for
// FundingAccounts. What waits at a disabled endpoint is CANCELED, written or not (D-69). It returns CodeNotFound for an unknown
// endpoint.
func (s *Service) WebhookDeliveries(
	ctx context.Context, c Client, id WebhookEndpointID, status WebhookDeliveryStatus, page Page,
) ([]WebhookDelivery, Position, error) {
	if err := s.webhooks(); err != nil {
		return nil, Position{}, err
	}
	position := func(v WebhookDelivery) Position { return Position{v.CreatedAt, string(v.EventID)} }
	return pageOf(page, func(p Page) (all []WebhookDelivery, err error) {
		err = s.store.Read(ctx, func(r Reader) error { // one snapshot, because a job may cancel meanwhile
			e, err := foundWebhook(r.WebhookEndpoint(ctx, c.ID, id))
			if err != nil {
				return err
			}
			if e.Disabled && status == WebhookPending {
				return nil
			}
			if all, err = r.WebhookDeliveries(ctx, c.ID, id, status, p); err != nil || !e.Disabled {
				return err
			}
			if status == WebhookCanceled {
				waiting, err := r.WebhookDeliveries(ctx, c.ID, id, WebhookPending, p)
				if err != nil {
					return err
				}
				all = append(all, waiting...)
				slices.SortFunc(all, func(a, b WebhookDelivery) int {
					return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.EventID, a.EventID))
				})
				if p.Limit > 0 {
					all = all[:min(len(all), p.Limit)]
				}
			}
			for i, d := range all {
				if d.Status == WebhookPending {
					all[i].Status, all[i].NextAttemptAt = WebhookCanceled, time.Time{}
				}
			}
			return nil
		})
		return all, err
	}, position)
}

// WebhookSecrets returns the secrets that sign what is sent to an endpoint at a time, the newest first.
func (s *Service) WebhookSecrets(clientID ClientID, e WebhookEndpoint, at time.Time) ([]string, error) {
	if err := s.webhooks(); err != nil {
		return nil, err
	}
	sealed := [][]byte{e.Secrets.Current}
	if e.Secrets.OldExpires.After(at) {
		sealed = append(sealed, e.Secrets.Old)
	}
	secrets := make([]string, len(sealed))
	for i, text := range sealed {
		var err error
		if secrets[i], err = s.openWebhookSecret(clientID, e.ID, text); err != nil {
			return nil, err
		}
	}
	return secrets, nil
}

func (s *Service) checkWebhookURL(text string) error {
	if reason := webhookURL(text, s.privateWebhooks); reason != "" {
		return NewError(CodeBadRequest, InBody("/url", reason))
	}
	return nil
}

// newWebhookSecret returns 32 random bytes in the form of Standard Webhooks.
func newWebhookSecret() string {
	random := make([]byte, 32)
	rand.Read(random) // never fails
	return "whsec_" + base64.StdEncoding.EncodeToString(random)
}

func (s *Service) sealWebhookSecret(clientID ClientID, id WebhookEndpointID, secret string) ([]byte, error) {
	sealed, err := s.sealer.Seal([]byte(secret), sealedFor(clientID, id))
	if err != nil {
		return nil, fmt.Errorf("seal the secret of webhook endpoint %s: %w", id, err)
	}
	return sealed, nil
}

func (s *Service) openWebhookSecret(clientID ClientID, id WebhookEndpointID, sealed []byte) (string, error) {
	secret, err := s.sealer.Open(sealed, sealedFor(clientID, id))
	if err != nil {
		e := NewError(CodeServiceUnavailable)
		e.Message = "The service does not have the key of this webhook secret; its operator sets --secrets-key."
		return "", e.Because(fmt.Errorf("open the secret of webhook endpoint %s: %w", id, err))
	}
	return string(secret), nil
}

// sealedFor binds a secret to its endpoint, so that a copy in another row does not open.
func sealedFor(clientID ClientID, id WebhookEndpointID) []byte {
	return fmt.Appendf(nil, "webhook secret\x00%s\x00%s", clientID, id)
}

func foundWebhook(e WebhookEndpoint, ok bool, err error) (WebhookEndpoint, error) {
	if err == nil && !ok {
		err = NotFound("webhook endpoint")
	}
	return e, err
}

// eachOnce returns the values in order, without repeats; nil if there are none.
func eachOnce(values []EventType) []EventType {
	if len(values) == 0 {
		return nil
	}
	return slices.Compact(slices.Sorted(slices.Values(values)))
}
