package contract

import (
	"net/http"
	"strconv"
)

// CheckResponse checks a response to the operation: the status is declared, declared headers are present and valid, and
// the body follows the schema without unknown members, or is empty if none is declared. The response to HEAD is that to GET
// without the body, or 405: a service needs no HEAD. It returns nil if the response follows the contract.
func (op *Operation) CheckResponse(status int, header http.Header, body []byte, head bool) []Violation {
	declared, ok := op.responses[status]
	if !ok && (!head || status != http.StatusMethodNotAllowed) {
		return []Violation{{"status", strconv.Itoa(status), "is not declared for this operation"}}
	}
	return declared.check(header, body, head, op.judge)
}

func (r *response) check(h http.Header, text []byte, head bool, j *judge) []Violation {
	var found []Violation
	for _, p := range r.headers {
		found = append(found, p.check(h.Values(p.name), j, asResponse)...)
	}
	switch {
	case head || r.body == nil:
		if len(text) > 0 {
			found = append(found, Violation{"body", "", "must be empty"})
		}
	case !isJSON(h):
		found = append(found, Violation{"header", "Content-Type", "must be application/json"})
	default:
		found = append(found, j.body(text, r.body, asResponse)...)
	}
	if len(found) == 0 {
		return nil
	}
	return tidy(found)
}
