package client

import (
	"context"
	"log/slog"
	"time"
)

// Hooks are called around each attempt, from the goroutine of the call; each may be nil. They see no credentials, bodies or
// identifiers of users, so that they may feed metrics and logs.
type Hooks struct {
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
	if a.Wait > 0 {
		out = append(out, slog.Duration("wait", a.Wait))
	}
	return out
}

func (c *Client) before(ctx context.Context, a Attempt) {
	if c.hooks.Request != nil {
		c.hooks.Request(ctx, a)
	}
}

func (c *Client) after(ctx context.Context, a Attempt) {
	if c.hooks.Response != nil {
		c.hooks.Response(ctx, a)
	}
	if c.log != nil && c.log.Enabled(ctx, slog.LevelDebug) {
		c.log.LogAttrs(ctx, slog.LevelDebug, "payouts attempt", a.attributes()...)
	}
}

func (c *Client) again(ctx context.Context, a Attempt) {
	if c.hooks.Retry != nil {
		c.hooks.Retry(ctx, a)
	}
	if c.log != nil && c.log.Enabled(ctx, slog.LevelWarn) {
		c.log.LogAttrs(ctx, slog.LevelWarn, "payouts retry", a.attributes()...)
	}
}
