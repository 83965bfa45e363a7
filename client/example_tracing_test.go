package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// tracing returns the options of a client that reports to a provider. The spans of otelhttp show the URL, which has the ids of
// users and accounts, and nothing else about them.
func tracing(provider trace.TracerProvider, transport http.RoundTripper) []client.Option {
	return []client.Option{
		client.WithHTTPClient(&http.Client{Transport: otelhttp.NewTransport(quiet{transport}, otelhttp.WithTracerProvider(provider))}),
		client.WithHooks(attempts(provider.Tracer("payouts"))),
	}
}

// attempts starts a span for each attempt, named by the template of the path, and ends it with the error of the attempt, which
// shows no credentials and no bodies.
func attempts(tracer trace.Tracer) client.Hooks {
	return client.Hooks{
		Context: func(ctx context.Context, a client.Attempt) context.Context {
			ctx, _ = tracer.Start(ctx, a.Method+" "+a.Path, trace.WithAttributes(
				attribute.String("payouts.operation", a.Operation), attribute.Int("payouts.attempt", a.Number)))
			return ctx
		},
		Response: func(ctx context.Context, a client.Attempt) {
			span := trace.SpanFromContext(ctx)
			span.SetAttributes(attribute.String("payouts.request_id", a.RequestID))
			if a.Err != nil {
				span.SetStatus(codes.Error, a.Err.Error())
			}
			span.End()
		},
	}
}

// quiet hides what errors of net/http quote, because otelhttp writes these errors to spans: what cannot be parsed as HTTP may
// be the body of a response.
type quiet struct{ http.RoundTripper }

func (q quiet) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := q.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, quietError{err}
	}
	res.Body = quietBody{res.Body}
	return res, nil
}

type quietBody struct{ io.ReadCloser }

func (b quietBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = quietError{err}
	}
	return n, err
}

type quietError struct{ cause error }

func (e quietError) Error() string {
	before, _, _ := strings.Cut(e.cause.Error(), `"`)
	return strings.TrimRight(before, ": ")
}

// Unwrap keeps the kind of the error, by which the SDK decides whether to try again.
func (e quietError) Unwrap() error { return e.cause }

// Trace calls with OpenTelemetry: the span of the caller has a child for each attempt, and that has one for the exchange on the
// network. The first attempt is answered with 503 here, the second one with the transaction.
func ExampleHooks_openTelemetry() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	sender := sandbox.VerifiedSender()
	order := sandbox.Payout(sender, sandbox.ReceiveUser(sender, "NP"), api.PayoutMethodBankDeposit, "100.00")

	exporter := tracetest.NewInMemoryExporter() // in a program, for example that of OTLP
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	defer transport.CloseIdleConnections()
	c := sandbox.NewClient(tracing(provider, transport)...)

	sandbox.Next("createTransaction").RetryAfter(0).Fail(client.ServiceUnavailable)
	ctx, span := provider.Tracer("shop").Start(context.Background(), "pay order 4711")
	_, err := c.CreateTransaction(ctx, sender.ID, order, client.IdempotencyKey("order-4711"))
	check(err)
	span.End()

	printSpans(exporter.GetSpans(), trace.SpanID{}, "")
	// Output:
	// pay order 4711
	//   POST /users/{user_id}/transactions attempt=1 Error
	//     HTTP POST status_code=503 Error
	//   POST /users/{user_id}/transactions attempt=2
	//     HTTP POST status_code=200
}

// printSpans prints the children of a span, and theirs, without what differs from run to run.
func printSpans(all tracetest.SpanStubs, parent trace.SpanID, indent string) {
	for _, span := range all {
		if span.Parent.SpanID() != parent {
			continue
		}
		line := indent + span.Name
		for _, a := range span.Attributes {
			switch a.Key {
			case "payouts.attempt":
				line += " attempt=" + a.Value.String()
			case "http.response.status_code":
				line += " status_code=" + a.Value.String()
			}
		}
		if span.Status.Code == codes.Error {
			line += " " + span.Status.Code.String()
		}
		fmt.Println(line)
		printSpans(all, span.SpanContext.SpanID(), indent+"  ")
	}
}
