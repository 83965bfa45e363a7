package probe

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// Answer is a response of the generated client, or a [Reply].
type Answer interface {
	StatusCode() int
	GetBody() []byte
}

// Success is an [Answer] with a body B for status 200.
type Success[B any] interface {
	Answer
	GetJSON200() *B
}

// OK returns the body of a 200. Any other response fails the check and ends it.
func OK[B any, R Success[B]](t *T, r R, err error) B {
	t.judge()
	body, problem := ok(r, err)
	if problem != "" {
		t.Fatalf("%s", problem)
	}
	return body
}

// Setup returns the body of a 200 to a call that only prepares the check. Any other response ends the check with an [Error],
// because it says nothing about the rule.
func Setup[B any, R Success[B]](t *T, r R, err error) B {
	body, problem := ok(r, err)
	if problem != "" {
		t.Brokenf("set-up: %s", problem)
	}
	return body
}

func ok[B any, R Success[B]](r R, err error) (body B, problem string) {
	if err != nil {
		return body, Unusable(err)
	}
	if p := r.GetJSON200(); p != nil && r.StatusCode() == 200 {
		return *p, ""
	}
	return body, fmt.Sprintf("answered %s, want 200 with the body of the contract", summary(r))
}

// Refused expects an error of a status and a code, and details for each of the fields; a field is "in name", such as
// "body /email" or "query country". It continues after a failure, and returns the body as far as it could be decoded.
func (t *T) Refused(r Answer, err error, status int, code api.ErrorCode, fields ...string) api.Error {
	t.judge()
	if err != nil {
		t.Failf("%s; want %d %s", Unusable(err), status, code)
		return api.Error{}
	}
	var body api.Error
	if r.StatusCode() != status {
		t.Failf("answered %s, want %d %s", summary(r), status, code)
		return body
	}
	if err := json.Unmarshal(r.GetBody(), &body); err != nil {
		t.Failf("answered %d with a body that is not of the schema Error, want code %s", status, code)
		return body
	}
	if body.Code != code {
		t.Failf("answered %d with code %s, want %s", status, body.Code, code)
	}
	for _, field := range fields {
		if !slices.ContainsFunc(body.Details, func(d api.ErrorDetail) bool { return string(d.In)+" "+d.Field == field }) {
			t.Failf("answered %s without a detail for %q", summary(r), field)
		}
	}
	return body
}

// summary returns the status, and the code and fields of an error. It contains no free text of the server.
func summary(r Answer) string {
	var body api.Error
	if json.Unmarshal(r.GetBody(), &body) != nil || !body.Code.Valid() {
		return strconv.Itoa(r.StatusCode())
	}
	text := fmt.Sprintf("%d %s", r.StatusCode(), body.Code)
	for i, d := range body.Details {
		if i == 3 {
			return text + " ..."
		}
		text += fmt.Sprintf(" (%s %s)", d.In, d.Field)
	}
	return text
}
