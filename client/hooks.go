package client

import (
	"context"
	"log/slog"
	"time"
)

// Hooks are called around each attempt, from the goroutine of the call; each may be nil. An [Attempt] that is printed shows
// no credentials, bodies or identifiers of users, so that hooks may feed metrics and logs.
type Hooks struct {
	// Context is called first. The attempt and its other hooks get the context that it returns, which must be derived from
	// the one that it is given, for example with a span.
	Context func(context.Context, Attempt) context.Context

	Request  func(context.Context, Attempt) // before an attempt
	Response func(context.Context, Attempt) // after it, whether or not there was a response
	Retry    func(context.Context, Attempt) // before the wait for the next one
}

// Attempt is one HTTP exchange of a call. net/http may repeat a read within it, if a reused connection was lost.
type Attempt struct {
	Operation      string // operationId of the contract, such as createTransaction
	Method         string
	Path           string // the template, such as /users/{user_id}/transactions
	Number         int    // from 1
	IdempotencyKey string // of a creating call; the same in all of its attempts

	// Once there is a response, or none:
	Status    int // 0 if there was none
	RequestID string
	Duration  time.Duration
	Code      Code   // of an error answer
	Reason    string // why the attempt failed and is retried; "" if it succeeded or failed for good
	Err       *Error // of the attempt; nil if it succeeded

	// In Retry:
	Wait time.Duration
}

// LogValue groups the known fields.
func (a Attempt) LogValue() slog.Value { return slog.GroupValue(a.attributes()...) }

func (a Attempt) attributes() []slog.Attr {
	out := []slog.Attr{
		slog.String("operation", a.Operation), slog.String("method", a.Method), slog.String("path", a.Path),
		slog.Int("attempt", a.Number), slog.Int("status", a.Status), slog.Duration("duration", a.Duration),
	}
	for _, optional := range []slog.Attr{
		slog.String("request_id", a.RequestID), slog.String("idempotency_key", a.IdempotencyKey),
		slog.String("code", string(a.Code)), slog.String("reason", a.Reason),
	} {
		if optional.Value.String() != "" {
			out = append(out, optional)
		}
	}
	if a.Err != nil {
		out = append(out, slog.String("error", a.Err.explanation()))
	}
	if a.Err != nil && a.Err.OutcomeUnknown() {
		out = append(out, slog.Bool("outcome_unknown", true))
	}
	if a.Wait > 0 {
		out = append(out, slog.Duration("wait", a.Wait))
	}
	return out
}

// before returns the context of the attempt.
func (c *Client) before(ctx context.Context, a Attempt) context.Context {
	if c.hooks.Context != nil {
		if derived := c.hooks.Context(ctx, a); derived != nil {
			ctx = derived
		}
	}
	if c.hooks.Request != nil {
		c.hooks.Request(ctx, a)
	}
	return ctx
}

func (c *Client) after(ctx context.Context, a Attempt) {
	if c.hooks.Response != nil {
		c.hooks.Response(ctx, a)
	}
	c.logAttempt(ctx, slog.LevelDebug, "payouts attempt", a)
}

func (c *Client) again(ctx context.Context, a Attempt) {
	if c.hooks.Retry != nil {
		c.hooks.Retry(ctx, a)
	}
	c.logAttempt(ctx, slog.LevelWarn, "payouts retry", a)
}

// failed logs the error of a call, with the last attempt.
func (c *Client) failed(ctx context.Context, k *call, e *Error) {
	a := k.seen
	a.Operation, a.Method, a.Path, a.IdempotencyKey = k.operation.id, k.request.Method, k.operation.path, k.key
	a.Err = e
	c.logAttempt(ctx, slog.LevelWarn, "payouts call failed", a)
}

func (c *Client) logAttempt(ctx context.Context, level slog.Level, message string, a Attempt) {
	if c.log != nil && c.log.Enabled(ctx, level) {
		c.log.LogAttrs(ctx, level, message, a.attributes()...)
	}
}
