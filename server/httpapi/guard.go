package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// guard checks every request of an operation: credentials first, then the rate limit, then the contract (D-19, D-28, D-58).
type guard struct {
	authenticate func(ctx context.Context, clientID payout.ClientID, secret string) (payout.Client, error) // with a deadline of its own
	failures     *failureLimits
	limits       *rateLimits
	bodies       bodies.Receiver
	reference    *referenceAnswers
	timeout      time.Duration // for everything after the body has arrived
}

// before is the middleware for an operation.
func (g guard) before(op *contract.Operation) echo.MiddlewareFunc {
	reference := g.reference.of(op)
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			seen := observed(c)
			seen.operation = op.ID
			client, err := g.identify(r, seen)
			if err != nil {
				return err
			}
			seen.client = client.ID
			if err := g.limits.take(client.ID, c.Response().Header()); err != nil {
				return err
			}
			return g.handle(c, op, client, seen, func(c echo.Context) error { return reference.answer(c, client.ID, next) })
		}
	}
}

// handle checks a request and passes it on.
func (g guard) handle(c echo.Context, op *contract.Operation, client payout.Client, seen *observation, next echo.HandlerFunc) error {
	r := c.Request()
	params, err := pathParams(c)
	if err != nil {
		return err
	}
	body, err := op.ReceiveBody(r, g.bodies)
	defer body.Release()
	var checked *contract.Request
	if err == nil {
		checked, err = op.Check(r, params, body)
	}
	var refused *contract.Error
	switch {
	case errors.As(err, &refused):
		seen.broken = refused.Violations
	case err != nil:
		// The caller stopped sending, or took too long.
		err = payout.NewError(payout.CodeBadRequest, payout.InBody("", "must be sent completely")).Because(err)
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), g.timeout)
	defer cancel()
	r = r.WithContext(context.WithValue(checked.WithContext(ctx), callerKey{}, caller{client, seen.requestID}))
	r.Body, r.GetBody = http.NoBody, nil // the binder has the body, and the last reference to it
	c.SetRequest(r)
	return next(c)
}

// identify returns the client whose credentials the request has.
func (g guard) identify(r *http.Request, seen *observation) (payout.Client, error) {
	id, secret := credential(r.Header, "X-Client-Id"), credential(r.Header, "X-Client-Secret")
	attempt, err := g.failures.begin(seen, id, secret)
	if err != nil {
		return payout.Client{}, err
	}
	client, err := g.authenticate(r.Context(), payout.ClientID(id), secret)
	attempt.end(seen, client.ID, err)
	return client, err
}

// credential returns the value of a header; "" if it is sent twice, because a gateway may have judged the other value.
func credential(h http.Header, name string) string {
	if values := h.Values(name); len(values) == 1 {
		return values[0]
	}
	return ""
}

type callerKey struct{}

// caller is who sent a request, and the id of that.
type caller struct {
	client    payout.Client
	requestID string
}

// callerOf returns the caller that the guard has authenticated.
func callerOf(ctx context.Context) caller {
	c, ok := ctx.Value(callerKey{}).(caller)
	if !ok {
		panic("httpapi: an operation was reached without its guard")
	}
	return c
}

// clientOf returns the client that the guard has authenticated.
func clientOf(ctx context.Context) payout.Client { return callerOf(ctx).client }

// idempotency returns the key of a creation and the fingerprint of its request (D-16); empty if no key was sent.
func idempotency(ctx context.Context, key *api.IdempotencyKey) payout.Idempotency {
	if key == nil {
		return payout.Idempotency{}
	}
	return payout.Idempotency{Key: *key, Fingerprint: checkedOf(ctx).Fingerprint()}
}

// forget drops the body of a request once its documents are decoded: the text of both together would take twice the memory
// while the database is written.
func forget[T any](ctx context.Context, documents *[]T) {
	*documents = nil
	checkedOf(ctx).Forget()
}

// checkedOf returns the request that the guard has checked.
func checkedOf(ctx context.Context) *contract.Request {
	checked, ok := contract.FromContext(ctx)
	if !ok {
		panic("httpapi: an operation was reached without its guard")
	}
	return checked
}

// pathParams returns the decoded path parameters; echo leaves them encoded if the path has encoded slashes or dots.
func pathParams(c echo.Context) (map[string]string, error) {
	names, values := c.ParamNames(), c.ParamValues()
	params := make(map[string]string, len(names))
	for i, name := range names {
		value := values[i]
		if c.Request().URL.RawPath != "" {
			var err error
			if value, err = url.PathUnescape(value); err != nil {
				return nil, payout.NewError(payout.CodeBadRequest, payout.Violation{In: "path", Field: name, Reason: "must be percent-encoded"})
			}
		}
		params[name] = value
	}
	return params, nil
}

// checkedBody binds the body that the guard has checked; echo's default binder also reads forms and XML.
type checkedBody struct{}

// Bind implements echo.Binder.
func (checkedBody) Bind(into any, c echo.Context) error {
	checked, ok := contract.FromContext(c.Request().Context())
	if !ok {
		return errors.New("a body was bound before it was checked")
	}
	if err := checked.Decode(into); err != nil {
		// The contract accepted it, so this is a defect of ours. The cause may hold a value and is dropped.
		return fmt.Errorf("a checked body does not fit %T", into)
	}
	return nil
}
