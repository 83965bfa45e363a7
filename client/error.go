package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// Limits of what is kept of an error response, whoever sent it.
const (
	maxErrorBody    = 256 << 10
	maxErrorDetails = 100
	maxErrorText    = 300 // characters of a message, or of a part of a detail
	maxIdentifier   = 128
	maxDocURL       = 200
	shownDetails    = 5
)

// Code says what went wrong, for programs. The constants of this package are those of the contract; a newer service may
// send others: treat them by their HTTP status.
//
// A Code is an error, so that errors.Is(err, client.NotFound) works across the wire.
type Code string //nolint:errname // it reads as client.NotFound, and is a code first

// Error returns the code.
func (c Code) Error() string { return string(c) }

// Error is every error that a call returns. Use [errors.As] for its fields and [errors.Is] for its code and cause:
//
//	switch {
//	case errors.Is(err, client.NotFound): // what the service said
//	case errors.Is(err, context.Canceled): // the caller's context ended
//	}
//
// Of the request it has only the identifiers of the call, so it may be logged.
type Error struct {
	Operation string // operationId of the contract
	Status    int    // of the HTTP response; 0 if there was none, or only part of a success
	Code      Code   // "" if there is no error of the service; [BadRequest] also for a request that is not valid and was not sent
	Message   string // for people, in one line
	Details   []api.ErrorDetail
	DocURL    string // where the service explains Code; "" if it does not say
	RequestID string // of the last response; quote it when you ask the operator about a call

	// IdempotencyKey is that of a creating call, generated or set. Repeat the call with this key while the error is
	// [Error.OutcomeUnknown] or [Error.Temporary].
	IdempotencyKey string

	Attempts   int           // 0 if nothing was sent
	RetryAfter time.Duration // of the response, at most 24 hours; 0 if it had none

	// Of a response that was meant as a success, but is none:
	Field      string // the first member that is missing or cannot be read, as a JSON pointer
	ResourceID string // the id of the resource, if it could be read

	Answer Answer // the last response, as it came

	contract bool // the response has the form of the contract's errors
	doubt    bool // see OutcomeUnknown
	refused  bool // see Refused
	cause    error
}

// Error returns operation, status, code, message, the first details, whether the outcome is unknown, request id and key.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("payouts: " + e.Operation + ": ")
	if e.Status != 0 {
		b.WriteString(strconv.Itoa(e.Status) + " ")
	}
	if e.Code != "" {
		b.WriteString(string(e.Code) + ": ")
	}
	b.WriteString(e.explanation())
	separator := " ("
	if e.doubt {
		b.WriteString(" (outcome unknown")
		separator = ", "
	}
	for _, id := range [][2]string{{"request ", e.RequestID}, {"key ", e.IdempotencyKey}} {
		if id[1] != "" {
			b.WriteString(separator + id[0] + id[1])
			separator = ", "
		}
	}
	if separator == ", " {
		b.WriteString(")")
	}
	return b.String()
}

// explanation returns the message and the first details.
func (e *Error) explanation() string {
	var b strings.Builder
	b.WriteString(e.Message)
	for i, d := range e.Details {
		if i == shownDetails {
			b.WriteString("; ...")
			break
		}
		b.WriteString("; " + strings.Join(slices.DeleteFunc([]string{string(d.In), d.Field, d.Reason}, isEmpty), " "))
	}
	return b.String()
}

func isEmpty(text string) bool { return text == "" }

// Is reports whether target is the code of the error.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code != "" && code == e.Code
}

// Unwrap returns why there is no response: the end of the caller's context, or a failure of the network.
func (e *Error) Unwrap() error { return e.cause }

// Temporary reports whether the same call may succeed later: there was no whole response, the service was busy or failed,
// or there were no credentials. Repeat a creating call with its IdempotencyKey, so that it creates once.
func (e *Error) Temporary() bool {
	var missing credentialsError
	return e.reason() != "" || isContext(e.cause) || errors.As(e.cause, &missing)
}

const redirected = "the base URL is redirected; redirects are not followed, for credentials are sent to the base URL alone"

// refused reads an error response.
func (k *call) refused(ctx context.Context, l *limit, res *http.Response, base string) *Error {
	// A body that cannot be read does not change the status.
	var body []byte
	var err error
	if res.StatusCode >= 200 { // the body of 101 is the connection itself, which nothing bounds
		body, err = io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	}
	k.answer = answerOf(body)
	e := k.fail("", nil)
	e.Status = res.StatusCode
	e.RetryAfter = retryAfter(res.Header.Get("Retry-After"), time.Now())
	e.parse(body, base, k.hide)
	if e.RequestID == "" {
		e.RequestID = k.requestID
	}
	k.requestID = e.RequestID
	switch {
	case e.contract:
	case res.Header.Get("Location") != "" && res.StatusCode >= 300 && res.StatusCode <= 399:
		e.Message = redirected
	case err != nil:
		e.cause = lost(ctx, l.explain(err))
		e.Message = strings.TrimLeft(http.StatusText(res.StatusCode)+", the answer was cut: "+oneLine(e.cause.Error()), ", ")
	default:
		// The text of a proxy is not repeated: it may echo the request.
		e.Message = strings.TrimLeft(http.StatusText(res.StatusCode)+", not an answer of the service", ", ")
	}
	return e
}

// parse decodes the known members of an error body one by one, because a newer service, or a proxy, may send anything. It
// takes nothing from a body that is not an error of the contract. hide is applied to each text before it is shortened.
func (e *Error) parse(body []byte, base string, hide func(string) string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return
	}
	text := func(raw json.RawMessage) string { return hide(text(raw)) }
	code, message, requestID := text(members["code"]), oneLine(text(members["message"])), identifier(text(members["request_id"]))
	if !isCode(code) || message == "" || requestID == "" || string(members["status"]) != strconv.Itoa(e.Status) {
		return
	}
	e.Code, e.Message, e.contract = Code(code), message, true
	e.DocURL = docURL(base, text(members["doc_url"]))
	e.RequestID = cmp.Or(e.RequestID, requestID)
	var details []json.RawMessage
	_ = json.Unmarshal(members["details"], &details)
	for _, raw := range details[:min(len(details), maxErrorDetails)] {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			continue
		}
		d := api.ErrorDetail{
			In:     api.ErrorDetailIn(oneLine(text(members["in"]))),
			Field:  oneLine(text(members["field"])),
			Reason: oneLine(text(members["reason"])),
		}
		if d != (api.ErrorDetail{}) {
			e.Details = append(e.Details, d)
		}
	}
}

// docURL completes a path with the base URL of the service, as the paths of the contract (decision D-73). It returns "" for
// what is no address of a web page.
func docURL(base, reference string) string {
	if len(reference) > maxDocURL || !visible(reference) {
		return ""
	}
	if strings.HasPrefix(reference, "/") && !strings.HasPrefix(reference, "//") {
		reference = strings.TrimSuffix(base, "/") + reference
	}
	u, err := url.Parse(reference)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return reference
}

// text is the string that raw holds, or "".
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// isCode reports whether text has the form of a code.
func isCode(text string) bool {
	return text != "" && len(text) <= maxIdentifier && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_'
	})
}

// identifier is text if it is one word that can be logged, else "".
func identifier(text string) string {
	if len(text) > maxIdentifier || !visible(text) {
		return ""
	}
	return text
}

// oneLine makes text printable, one line, and short.
func oneLine(text string) string {
	var b strings.Builder
	n, space := 0, false
	for _, r := range text {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar || unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			n, space = n+1, false
		}
		if n++; n > maxErrorText {
			return b.String() + "..."
		}
		b.WriteRune(r)
	}
	return b.String()
}

// withoutURL unwraps the error of net/http that shows the URL, with identifiers and query.
func withoutURL(err error) error {
	for {
		var shown *url.Error
		if !errors.As(err, &shown) {
			return err
		}
		err = shown.Err
	}
}
