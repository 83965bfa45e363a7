package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// observation is what is known of one request. Values of messages are not kept.
type observation struct {
	start   time.Time
	caller  context.Context //nolint:containedctx // it ends when the caller leaves, unlike those made from it
	finding contract.Finding
	unknown bool   // the service refused the request before it could be judged
	own     bool   // the front has answered by itself
	failure string // kind of failure of the service; "" if none
	cause   string // of the failure, without anything that the service sent
	aborted bool
}

type observationKey struct{}

// seen returns the observation of a request.
func seen(r *http.Request) *observation {
	o, ok := r.Context().Value(observationKey{}).(*observation)
	if !ok {
		panic("front: a request is handled that is not observed")
	}
	return o
}

// Kinds of failures of the service.
const (
	failureUnreachable = "unreachable"
	failureTimeout     = "timeout"
	failureBroken      = "broken"
	failureProbe       = "probe"
)

func kindOf(err error) string {
	var operation *net.OpError
	switch {
	case timedOut(err):
		return failureTimeout
	case errors.As(err, &operation) && operation.Op == "dial":
		return failureUnreachable
	}
	return failureBroken
}

// causeOf describes an error of the transport. Errors of net/http quote what is not HTTP, so only others are written out.
func causeOf(err error) string {
	var operation *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case timedOut(err):
		return "timeout"
	case errors.As(err, &operation):
		return operation.Error()
	case errors.As(err, &certificate):
		return certificate.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the service closed the connection"
	}
	return "the response is not HTTP, or the request broke off"
}

func timedOut(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}

// noOperation is the label and the log value for paths outside of the contract.
const noOperation = "none"

// methods have labels of their own; callers can invent others.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// observe logs and counts a request after it was answered.
func (f *front) observe(o *observation, r *http.Request, out *observedWriter) {
	operation, route := noOperation, ""
	if op := o.finding.Operation; op != nil {
		operation, route = op.ID, op.Path
	}
	method := r.Method
	if !slices.Contains(methods, method) {
		method = "other"
	}
	var requestWrong []contract.Violation
	if refused, ok := errors.AsType[*contract.Error](o.finding.Request); ok && !o.unknown {
		requestWrong = refused.Violations
	}
	by := "service"
	if o.own || out.status == http.StatusBadGateway && o.finding.Response != nil && f.Responses == "refuse" {
		by = "front"
	}
	gone := o.aborted && o.caller.Err() != nil
	if o.aborted && !gone && o.failure == "" {
		o.failure, o.cause = failureBroken, "the response broke off"
	}
	f.metrics.count(counted{
		operation: operation, method: method, status: out.status, by: by, duration: time.Since(o.start), failure: o.failure,
		request: requestWrong, response: o.finding.Response, notJudged: o.finding.NotJudged,
	})
	line := []slog.Attr{
		slog.String("request_id", out.Header().Get("X-Request-Id")),
		slog.String("method", method),
		slog.String("route", route),
		slog.String("operation", operation),
		slog.Int("status", out.status),
		slog.String("answered_by", by),
		slog.Int64("duration_us", time.Since(o.start).Microseconds()),
		slog.Int64("bytes", out.bytes),
	}
	level := slog.LevelInfo
	for _, found := range []struct {
		of   string
		list []contract.Violation
	}{{"request", requestWrong}, {"response", o.finding.Response}} {
		if len(found.list) == 0 {
			continue
		}
		places := make([]string, len(found.list))
		for i, v := range found.list {
			places[i] = f.names.describe(v)
			f.summary.add(found.of+" "+operation, out.status, places[i])
		}
		line = append(line, slog.Any(found.of+"_violations", slices.Compact(places)))
		if found.of == "response" {
			level = slog.LevelWarn
		}
	}
	if o.finding.NotJudged != "" {
		line = append(line, slog.String("not_judged", o.finding.NotJudged))
	}
	if gone {
		line = append(line, slog.Bool("caller_left", true))
	} else if o.failure != "" {
		level = slog.LevelError
		line = append(line, slog.String("failure", o.failure), slog.String("cause", o.cause))
	}
	f.summary.request(by, o.failure, o.finding.NotJudged)
	f.log.LogAttrs(context.WithoutCancel(r.Context()), level, "request", line...)
}

// names are those that the contract declares. Other names in a message are values of whoever sent it, such as the members of
// an object that should not have them, and reach no log.
type names map[string]bool

// declared returns the names of all members and parameters of a document.
func declared(doc *openapi3.T) names {
	all := names{"": true, "Content-Type": true}
	_ = doc.WalkSchemas(func(_ string, ref *openapi3.SchemaRef) error { // it returns only errors of this function
		for name := range ref.Value.Properties {
			all[name] = true
		}
		return nil
	})
	parameters := func(list openapi3.Parameters) {
		for _, p := range list {
			all[p.Value.Name] = true
		}
	}
	for _, item := range doc.Paths.Map() {
		parameters(item.Parameters)
		for _, op := range item.Operations() {
			parameters(op.Parameters)
			for _, response := range op.Responses.Map() {
				for name := range response.Value.Headers {
					all[name] = true
				}
			}
		}
	}
	return all
}

// describe returns a violation in words, with * for indexes and for names that the contract does not declare.
func (n names) describe(v contract.Violation) string {
	field := v.Field
	switch v.In {
	case "status":
		_, err := strconv.Atoi(field)
		if err != nil {
			field = "*"
		}
	case "body":
		tokens := strings.Split(field, "/")
		for i, token := range tokens {
			if !n[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)] {
				tokens[i] = "*"
			}
		}
		field = strings.Join(tokens, "/")
	default:
		if !n[field] {
			field = "*"
		}
	}
	return strings.TrimSpace(strings.Join(strings.Fields(v.In+" "+field+" "+v.Reason), " "))
}
