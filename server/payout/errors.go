package payout

import (
	"errors"
	"fmt"
	"strconv"
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

// messages has what each code means and what to do about it, for people; it is also the list of all codes. An error that knows
// more, such as what is allowed, has a message of its own. No message has anything that was sent (D-08, D-73).
var messages = map[Code]string{
	CodeBadRequest: "The request is not valid. Correct what details names.",
	CodeUnauthorized: "The headers X-Client-Id and X-Client-Secret do not name an active client. Check both, and whether the secret " +
		"was replaced.",
	CodeNotFound:         notFound("thing"),
	CodeMethodNotAllowed: "This path does not have this method. Use one of those in the header Allow.",
	CodeIdempotencyKeyReused: "This X-Idempotency-Key was used with a different request. Use a new key for a new request, and this " +
		"one only to repeat the first request unchanged.",
	CodePayloadTooLarge:         "The body is too large. Send fewer or smaller documents at once.",
	CodeUnsupportedMediaType:    "The body must be sent as JSON. Set the header Content-Type to application/json.",
	CodeTooManyWebhookEndpoints: "A client has at most 100 webhook endpoints. Delete one that is no longer needed.",
	CodeRateLimited:             "Too many requests. Wait for the number of seconds in the header Retry-After.",
	CodeInternalError: "Something went wrong on our side. Repeat the request, a creation with the same X-Idempotency-Key; if it " +
		"fails again, give the operator the request_id.",
	CodeServiceUnavailable: "The service is not available at the moment. Repeat the request, a creation with the same " +
		"X-Idempotency-Key, after the number of seconds in the header Retry-After.",
	CodeCorridorNotEnabled:      "The country is not enabled for this client. Use one that is, or ask the operator to enable it.",
	CodeSendingNotEnabled:       "The user does not have the capability to send. Register the sender with type SEND.",
	CodeKYCNotEligible:          "The KYC status of the user does not allow transactions. It must be VERIFIED.",
	CodeFundingAccountNotFound:  "The user has no such funding account. Use one of GET /users/{user_id}/funding-accounts.",
	CodeFundingAccountNotActive: "The funding account is not active. Wait until its status is ACTIVE, or use another one.",
	CodeReceiveUserNotFound:     "The user has no such receive user. Use one of GET /users/{user_id}/receive-users.",
	CodeReceiveAccountNotFound: "The receive user has no such account for this payout method. Add a bank account for BANK_DEPOSIT or " +
		"a wallet account for WALLET, and send its id as fund_id.",
	CodePayerNotFound:          "There is no such payer for this payout method and country. Use one of GET /payers, filtered by both.",
	CodePickupLocationNotFound: "The payer has no such pick-up location. Use one of GET /payers/{payerId}, or leave it out.",
	CodeAddressRequired: "Home delivery needs the address of the receive user. Use a receive user with address_line1 and city, or " +
		"another payout method.",
	CodeCurrencyNotSupported:   "The currency is not supported here. Use the one that details asks for.",
	CodeExchangeRateNotAllowed: "The exchange rate is not allowed for these currencies. Use one within the bounds agreed with the operator.",
	CodeAmountNotAllowed:       "The amount is not allowed here. Use one within the bounds that details names.",
	CodeLimitExceeded: "The amount is above the remaining limit of the user. Send at most what " +
		"GET /users/{user_id}/transaction-limit returns.",
	CodeInformationVerified: "The information is verified and cannot change. Leave out what details names, or ask the operator to " +
		"request it again.",
	CodeTooManyDocuments: "The user would have more than 100 documents. Send fewer, or ask the operator for help.",

	CodeTransactionNotCancelable: "The transaction can no longer be canceled. Only one that is INITIATED can.",
	CodeTransitionNotAllowed:     "The transaction cannot get this status from the one that it has.",
	CodeInformationRequired:      "Information of the user must be verified first. Verify the tags in required_information.",
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
func NotFound(what string) *Error { return &Error{Code: CodeNotFound, Message: notFound(what)} }

func notFound(what string) string {
	return "There is no such " + what + ". Check its identifier: what belongs to another client, or is not enabled, is not found either."
}

// saying replaces the message of the code by one or two sentences that know more.
func (e *Error) saying(message string) *Error {
	e.Message = message
	return e
}

// maxNames bounds the names in a message, so that the SDK keeps all of it.
const maxNames = 150

// listed joins names for a message, and counts those for which there is no room.
func listed(names []string) string {
	text := ""
	for i, name := range names {
		if i > 0 && len(text)+len(name) > maxNames {
			return text + " and " + strconv.Itoa(len(names)-i) + " more"
		}
		if i > 0 {
			text += ", "
		}
		text += name
	}
	return text
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
