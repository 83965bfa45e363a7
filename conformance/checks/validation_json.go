package checks

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// validationJSON returns the checks of what is taken for a JSON text, each with every operation that takes a body.
func validationJSON() []probe.Check {
	of := func(id, title, fix string, texts func(body []byte) [][]byte) probe.Check {
		return probe.Check{
			ID: "validation.json." + id, Title: title, Clauses: []string{"D-48"}, Fix: fix,
			Operations: operationIDs(operationsWhere(operation.takesBody)),
			Run: func(t *probe.T) {
				eachBody(t, func(op operation, r probe.Request, body []byte) {
					for _, text := range texts(body) {
						r.Body = text
						refusedBody(t, op, r)
					}
				})
			},
		}
	}
	return []probe.Check{
		of(
			"cut-off", "A body that is not a complete JSON text is refused", "Parse strictly and answer 400 BAD_REQUEST to what is no JSON.",
			func(body []byte) [][]byte {
				return [][]byte{body[:len(body)-1], append(body[:len(body)-1:len(body)-1], ",}"...)}
			},
		),
		of(
			"two-values", "A body with two JSON texts is refused", "After the first value, accept white space only; parsers of streams stop too early.",
			func(body []byte) [][]byte { return [][]byte{append(body[:len(body):len(body)], body...)} },
		),
		of(
			"top-level", "A body that is an array, null or a scalar is refused", "Answer 400 BAD_REQUEST, naming the whole body with an empty pointer, to JSON that is not an object.",
			func([]byte) [][]byte { return [][]byte{[]byte("[]"), []byte("null"), []byte("1")} },
		),
		of(
			"empty", "An operation that needs a body refuses a request without one", "Answer 400 BAD_REQUEST where the body is missing; do not take it for an empty object.",
			func([]byte) [][]byte { return [][]byte{{}} },
		),
		of(
			"relaxed", "A body that only parsers more relaxed than JSON can read is refused",
			"Answer 400 BAD_REQUEST to comments, to single quotes and to names without quotes: they are no JSON (RFC 8259).",
			func(body []byte) [][]byte {
				texts := [][]byte{append([]byte("/* conformance */"), body...), append([]byte("// conformance\n"), body...)}
				if bytes.Contains(body, []byte(`"`)) { // else it is an object without members
					texts = append(texts, bytes.ReplaceAll(body, []byte(`"`), []byte("'")), bytes.Replace(body, []byte(`"`), nil, 2))
				}
				return texts
			},
		),
		{
			ID: "validation.json.utf-8", Title: "A body that is not UTF-8 is refused", Clauses: []string{"D-48"},
			Operations: operationIDs(operationsWhere(operation.takesBody)),
			Fix:        "Refuse invalid UTF-8 with 400 BAD_REQUEST instead of replacing it.",
			Run: func(t *probe.T) {
				eachBody(t, func(op operation, r probe.Request, _ []byte) {
					body := encoded(t, op.sample(t, bankDeposit, allMembers))
					end := bytes.Index(body, []byte(`Conformance"`)) + len("Conformance") // of free text, where there is any
					if end < len("Conformance") {
						end = bytes.LastIndexByte(body, '"')
					}
					r.Body = slices.Concat(body[:end], []byte{0xff}, body[end:])
					refusedBody(t, op, r)
				})
			},
		},
		{
			ID: "validation.json.surrogates", Title: "A text with half of a surrogate pair is refused", Clauses: []string{"D-48"},
			Operations: []string{"createUser"},
			Fix:        "Refuse \\ud800 to \\udfff that are no pair with 400 BAD_REQUEST; most parsers replace them.",
			Run: func(t *probe.T) {
				body := encoded(t, t.UserRequest(func(u *api.UserRequest) { u.FirstName = "Conformance" }))
				for _, half := range []string{`\ud83d`, `\ude00`, `\ude00\ud83d`, `\ud83dx`} {
					text := bytes.Replace(body, []byte("Conformance"), []byte("Conformance "+half), 1)
					t.Refused(t.Send(probe.Request{Method: http.MethodPost, Path: "/users", Body: text}), nil, 400, badRequest)
				}
			},
		},
		{
			ID: "validation.json.case", Title: "A member whose name is in another case is one that the contract does not know, and refused", Clauses: []string{"D-13", "D-48"},
			Operations: operationIDs(operationsWhere(operation.takesBody)),
			Fix:        "Compare the names of members case-sensitively; some parsers of JSON do not.",
			Run: func(t *probe.T) {
				eachBody(t, func(op operation, r probe.Request, body []byte) {
					for _, text := range inOtherCase(t, body) {
						r.Body = text
						refusedBody(t, op, r)
					}
				})
			},
		},
		{
			ID: "validation.json.twice", Title: "A member that is given twice is refused, at any depth, and named", Clauses: []string{"D-48"},
			Operations: operationIDs(operationsWhere(operation.takesBody)),
			Fix:        "Use a parser that reports repeated names, and answer 400 BAD_REQUEST with their JSON pointer; most parsers keep one of the two.",
			Run: func(t *probe.T) {
				eachBody(t, func(op operation, r probe.Request, _ []byte) {
					for path, text := range repeated(t, op) {
						r.Body = text
						refusedBody(t, op, r, path)
					}
				})
			},
		},
	}
}

// eachBody returns each operation that takes a body, with a request and its body as text.
func eachBody(t *probe.T, send func(op operation, r probe.Request, body []byte)) {
	all := inProfile(t, operationsWhere(operation.takesBody))
	n := existing(t, all...)
	for _, op := range all {
		body, err := json.Marshal(op.sample(t, bankDeposit, requiredMembers))
		if err != nil {
			t.Brokenf("encode a body: %v", err)
		}
		send(op, op.request(t, n), body)
	}
}

// refusedBody expects a 400 that names places of the body.
func refusedBody(t *probe.T, op operation, r probe.Request, pointers ...string) {
	reply := t.Send(r)
	if reply.Status == 200 {
		t.Failf("%s accepts it", op.id)
		return
	}
	for i := range pointers {
		pointers[i] = "body " + pointers[i]
	}
	t.Refused(reply, nil, 400, badRequest, pointers...)
}

// inOtherCase returns the body with its first name in capitals; none if it has no members. Whether the answer names it is part of
// another check.
func inOtherCase(t *probe.T, body []byte) [][]byte {
	object := probe.Object(t, json.RawMessage(body))
	if len(object) == 0 {
		return nil
	}
	name := slices.Min(slices.Collect(maps.Keys(object)))
	object[strings.ToUpper(name)] = object[name]
	delete(object, name)
	return [][]byte{encoded(t, object)}
}

// repeated returns bodies in which the member at a pointer is given twice with the same value, one for each object.
func repeated(t *probe.T, op operation) map[string][]byte {
	texts := map[string][]byte{}
	body := op.sample(t, bankDeposit, allMembers)
	for _, d := range damages(undeclared, sampler{variant: bankDeposit}, op.body, body) {
		object, added := at(body, d.path[:len(d.path)-1]), `"conformance":"x"`
		name := slices.Min(slices.Collect(maps.Keys(object)))
		again, err := json.Marshal(map[string]any{name: object[name]})
		if err != nil {
			t.Brokenf("encode a member: %v", err)
		}
		text, err := json.Marshal(d.to(body, d.path...))
		if err != nil {
			t.Brokenf("encode a body: %v", err)
		}
		pointer := strings.TrimSuffix(d.pointer(), "conformance") + name
		texts[pointer] = bytes.Replace(text, []byte(added), again[1:len(again)-1], 1)
	}
	return texts
}

// at returns the object at a path of a sample.
func at(value any, path []string) map[string]any {
	for _, token := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[token]
		case []any:
			value = v[0] // samples have one item
		}
	}
	object, _ := value.(map[string]any)
	return object
}
