package client

import (
	"errors"
	"net"
	"net/http"
	"slices"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// OutcomeUnknown reports whether the call may have done what it was meant to do, although it failed: it was sent, and
// no answer proves that it was refused. Only an error of the contract with a code proves that; a lost answer, a redirect,
// a page of a proxy with any status, a success that cannot be read and every 5xx do not (decision D-65).
//
// Repeat a creating call with its IdempotencyKey, by [RepeatOf], while OutcomeUnknown or [Error.Temporary]: the service
// answers what was created, or creates it once. OutcomeUnknown is always false for a call that only reads. What the end of a
// context, or anything else, has prevented from being sent, does not make an outcome unknown.
func (e *Error) OutcomeUnknown() bool { return e.doubt }

// Refused reports whether the request itself was refused, by the service or before it was sent: it has created nothing,
// and will be refused again while the cause stays. Code says why; for [IdempotencyKeyReused], another request with the key
// did create something.
//
// An error that is neither Refused nor OutcomeUnknown nor Temporary is about the program, such as wrong credentials, an
// untrusted certificate, a wrong base URL or an invalid option: correct it, and repeat the call with its key.
func (e *Error) Refused() bool { return e.refused && !e.doubt }

// judge updates the doubt of a call after an attempt.
func (k *call) judge(e *Error) {
	switch {
	case k.operation.kind == reads || e == nil || e.settles():
		k.doubt = false
	case !e.proves() && !k.unsent(e.cause):
		k.doubt = true
	}
	if e != nil {
		e.doubt, e.refused = k.doubt, e.settles()
	}
}

// proves reports whether the service itself says that it refused this attempt. It does not answer 5xx for what it has
// certainly not done.
func (e *Error) proves() bool {
	return e.contract && e.Status >= 400 && e.Status <= 499 && e.Status != http.StatusRequestTimeout && e.Status != http.StatusTooEarly
}

// settles reports whether the service says so of every attempt with the key: it looks at the key before it judges
// what 404, 409 and 422 are about (decision D-16), and 413 and a 400 that names a field are about the request, which is
// the same each time. Another 400 is about a body that was damaged on its way, and a 404 that names the path as a whole
// about the way itself.
func (e *Error) settles() bool {
	switch e.Status {
	case http.StatusConflict, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge:
		return e.proves()
	case http.StatusBadRequest:
		return e.proves() && slices.ContainsFunc(e.Details, func(d api.ErrorDetail) bool { return d.Field != "" })
	case http.StatusNotFound:
		return e.proves() && !e.isAboutAll(api.ErrorDetailInPath)
	}
	return false
}

// damaged reports whether the service could not read the body, which was whole and JSON when it left.
func (e *Error) damaged() bool {
	return e.contract && e.Status == http.StatusBadRequest && !e.settles() && e.isAboutAll(api.ErrorDetailInBody)
}

// isAboutAll reports whether a detail is about a part of the request as a whole.
func (e *Error) isAboutAll(part api.ErrorDetailIn) bool {
	return slices.ContainsFunc(e.Details, func(d api.ErrorDetail) bool { return d.In == part && d.Field == "" })
}

// unsent reports whether a request certainly did not leave: there was no connection, or not to the right server.
func (k *call) unsent(err error) bool {
	if k.request.Body == nil { // net/http may have repeated it by itself
		return false
	}
	var (
		connection *net.OpError
		name       *net.DNSError
	)
	return isUntrusted(err) || errors.As(err, &name) ||
		errors.As(err, &connection) && (connection.Op == "dial" || connection.Op == "proxyconnect")
}
