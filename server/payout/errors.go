package payout

import (
	"errors"
	"fmt"
	"strings"
)

// Code is the machine-readable reason of an error: the enum ErrorCode of the contract (D-08, D-09).
type Code string

// Codes of failures other than the rules of section 1.
const (
	CodeBadRequest              Code = "BAD_REQUEST"
	CodeUnauthorized            Code = "UNAUTHORIZED"
	CodeNotFound                Code = "NOT_FOUND"
	CodeMethodNotAllowed        Code = "METHOD_NOT_ALLOWED"
	CodeIdempotencyKeyReused    Code = "IDEMPOTENCY_KEY_REUSED"
	CodePayloadTooLarge         Code = "PAYLOAD_TOO_LARGE"
	CodeUnsupportedMediaType    Code = "UNSUPPORTED_MEDIA_TYPE"
	CodeTooManyWebhookEndpoints Code = "TOO_MANY_WEBHOOK_ENDPOINTS"
	CodeRateLimited             Code = "RATE_LIMITED"
	CodeInternalError           Code = "INTERNAL_ERROR"
	CodeServiceUnavailable      Code = "SERVICE_UNAVAILABLE"
)

// Codes of the rules of section 1, in the order in which the rules are checked (D-09).
const (
	CodeCorridorNotEnabled      Code = "CORRIDOR_NOT_ENABLED"
	CodeSendingNotEnabled       Code = "SENDING_NOT_ENABLED"
	CodeKYCNotEligible          Code = "KYC_NOT_ELIGIBLE"
	CodeFundingAccountNotFound  Code = "FUNDING_ACCOUNT_NOT_FOUND"
	CodeFundingAccountNotActive Code = "FUNDING_ACCOUNT_NOT_ACTIVE"
	CodeReceiveUserNotFound     Code = "RECEIVE_USER_NOT_FOUND"
	CodeReceiveAccountNotFound  Code = "RECEIVE_ACCOUNT_NOT_FOUND"
	CodePayerNotFound           Code = "PAYER_NOT_FOUND"
	CodePickupLocationNotFound  Code = "PICKUP_LOCATION_NOT_FOUND"
	CodeAddressRequired         Code = "ADDRESS_REQUIRED"
	CodeCurrencyNotSupported    Code = "CURRENCY_NOT_SUPPORTED"
	CodeExchangeRateNotAllowed  Code = "EXCHANGE_RATE_NOT_ALLOWED"
	CodeAmountNotAllowed        Code = "AMOUNT_NOT_ALLOWED"
	CodeLimitExceeded           Code = "LIMIT_EXCEEDED"
)

// Codes of rules about further information (D-72).
const (
	CodeInformationVerified Code = "INFORMATION_VERIFIED"
	CodeTooManyDocuments    Code = "TOO_MANY_DOCUMENTS"
)

// Codes of the life cycle of a transaction (D-66).
const (
	CodeTransactionNotCancelable Code = "TRANSACTION_NOT_CANCELABLE"
	CodeTransitionNotAllowed     Code = "TRANSITION_NOT_ALLOWED"
	CodeInformationRequired      Code = "INFORMATION_REQUIRED"
)

// messages maps each code to its human-readable message; it is also the list of all codes.
var messages = map[Code]string{
	CodeBadRequest:              "The request is not valid.",
	CodeUnauthorized:            "The headers X-Client-Id and X-Client-Secret do not name an active client.",
	CodeNotFound:                "There is no such thing.",
	CodeMethodNotAllowed:        "This path does not have this method.",
	CodeIdempotencyKeyReused:    "This X-Idempotency-Key was used with a different request.",
	CodePayloadTooLarge:         "The body is too large.",
	CodeUnsupportedMediaType:    "The body must be sent as JSON.",
	CodeTooManyWebhookEndpoints: "A client has at most 100 webhook endpoints.",
	CodeRateLimited:             "Too many requests.",
	CodeInternalError:           "Something went wrong on our side.",
	CodeServiceUnavailable:      "The service is not available at the moment.",
	CodeCorridorNotEnabled:      "The country is not enabled for this client.",
	CodeSendingNotEnabled:       "The user does not have the capability to send.",
	CodeKYCNotEligible:          "The KYC status of the user does not allow transactions.",
	CodeFundingAccountNotFound:  "The user has no such funding account.",
	CodeFundingAccountNotActive: "The funding account is not active.",
	CodeReceiveUserNotFound:     "The user has no such receive user.",
	CodeReceiveAccountNotFound:  "The receive user has no such account for this payout method.",
	CodePayerNotFound:           "There is no such payer for this payout method and country.",
	CodePickupLocationNotFound:  "The payer has no such pick-up location.",
	CodeAddressRequired:         "Home delivery needs the address of the receive user.",
	CodeCurrencyNotSupported:    "The currency is not supported here.",
	CodeExchangeRateNotAllowed:  "The exchange rate is not allowed for these currencies.",
	CodeAmountNotAllowed:        "The amount is not allowed here.",
	CodeLimitExceeded:           "The amount is above the remaining limit of the user.",
	CodeInformationVerified:     "The information is verified and cannot change.",
	CodeTooManyDocuments:        "The user would have more documents than are kept.",

	CodeTransactionNotCancelable: "The transaction can no longer be canceled.",
	CodeTransitionNotAllowed:     "The transaction cannot get this status.",
	CodeInformationRequired:      "Information of the user must be verified first.",
}

// Codes lists every code, in no particular order.
func Codes() []Code {
	all := make([]Code, 0, len(messages))
	for code := range messages {
		all = append(all, code)
	}
	return all
}

// Violation is one thing that is wrong with a request: where, and what was expected there, but never the value.
type Violation struct {
	In     string // path, query, header or body
	Field  string // name of the parameter, or a JSON pointer into the body
	Reason string
}

// InBody returns a violation at a JSON pointer into the body.
func InBody(pointer, reason string) Violation { return Violation{"body", pointer, reason} }

// Error is every expected failure of the service. Message and Details go to the caller; the cause never does.
type Error struct {
	Code    Code
	Message string
	Details []Violation
	cause   error
}

// NewError returns an error with the message of its code.
func NewError(code Code, details ...Violation) *Error {
	return &Error{Code: code, Message: messages[code], Details: details}
}

// NotFound is the error for unknown identifiers and, indistinguishably, for those of another client (D-10).
func NotFound(what string) *Error {
	return &Error{Code: CodeNotFound, Message: "There is no such " + what + "."}
}

// Because attaches the cause, which goes to the log only.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Error returns code, places and cause. It is safe to log: reasons contain no values.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code))
	for _, d := range e.Details {
		fmt.Fprintf(&b, "; %s %s %s", d.In, d.Field, d.Reason)
	}
	if e.cause != nil {
		fmt.Fprintf(&b, ": %v", e.cause)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf returns the code of an error, CodeInternalError if it is not an Error.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternalError
}

// refused returns the violations as one BAD_REQUEST, or nil if there are none.
func refused(violations []Violation) error {
	if len(violations) == 0 {
		return nil
	}
	return NewError(CodeBadRequest, violations...)
}
