package mutants_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/conformance/coverage"
	"github.com/crossborder-payouts/payouts/openapi"
)

// responseMutants return wrong what the contract says of the responses of an operation.
func responseMutants(op operationSpec) []mutant {
	return slices.Concat(op.bodyMutants(http.StatusOK), op.bodyMutants(op.refusals()...), op.statusMutants(), op.codeMutants(), op.headerMutants())
}

// bodyMutants return a wrong body with some statuses.
func (op operationSpec) bodyMutants(statuses ...int) (all []mutant) {
	what := of(statuses)
	root := place{schema: bodyOf(op.response(statuses[0]).Content).Schema.Value}
	add := func(kind, sentence string, p place, change func(any) any) {
		all = append(all, op.mutant(kind, fmt.Sprintf(sentence, p, what), func(r request, next ask) answer {
			a := next(r)
			if slices.Contains(statuses, a.status) {
				a = a.as(func(body any) any { return p.edit(body, change) })
			}
			return a
		}))
		all[len(all)-1].refuses = statuses[0] != http.StatusOK
	}
	undeclared := func(p place) {
		add("undeclared member", "returns an undeclared member in %s %s", p, func(v any) any {
			if object, ok := v.(map[string]any); ok {
				object["undeclared"] = "text"
			}
			return v
		})
	}
	invented := func(p place) {
		add("member invented", "returns a value for %s %s where there is none", p, func(v any) any {
			if v == any(absent{}) {
				return sample(p.schema)
			}
			return v
		})
	}
	if root.schema.Properties != nil {
		undeclared(root)
	}
	if root.schema.Items != nil {
		arrayMutants(root, add)
		add("list reversed", "reverses %s %s", root, ofList(reversed))
	}
	for _, p := range placesBelow(root) {
		if statuses[0] == http.StatusOK && coverage.Never(op.OperationID, p.String()) {
			if !strings.Contains(p.String(), "/*") { // else the list is empty
				invented(p)
			}
			continue
		}
		if !p.isItem() {
			add("member missing", "leaves out %s %s", p, func(any) any { return absent{} })
		}
		if !p.schema.Nullable {
			add("null", "returns null for %s %s", p, ofValue(func(any) any { return nil }))
		}
		add("another type", "returns another type for %s %s", p, ofValue(otherType))
		if !p.isItem() && !p.required && statuses[0] == http.StatusOK { // an error may say more
			invented(p)
		}
		if p.isScalar() && !isProse(p) && len(openapi.KnownValues(p.schema)) != 1 {
			add("another value", "returns another value for %s %s", p, ofValue(func(v any) any { return otherValue(v, p.schema) }))
		}
		if p.schema.Items != nil && (statuses[0] != http.StatusOK || !coverage.Never(op.OperationID, p.String()+"/*")) {
			arrayMutants(p, add)
		}
		if p.schema.AdditionalProperties.Schema != nil {
			mapMutants(p, add)
		} else if p.schema.Type.Is(openapi3.TypeObject) {
			undeclared(p)
		}
	}
	return all
}

// of names what has these statuses.
func of(statuses []int) string {
	switch statuses[0] {
	case http.StatusOK:
		return "of its response"
	case http.StatusNotModified:
		return "of its 304"
	}
	return "of its errors"
}

// isProse reports whether a member is text for people: any other words do as well.
func isProse(p place) bool { return p.name() == "message" || p.name() == "reason" }

func arrayMutants(p place, add func(kind, sentence string, p place, change func(any) any)) {
	add("list emptied", "empties %s %s", p, ofList(func([]any) []any { return nil }))
	add("first dropped", "drops the first element of %s %s", p, ofList(func(list []any) []any { return list[1:] }))
	add("last dropped", "drops the last element of %s %s", p, ofList(func(list []any) []any { return list[:len(list)-1] }))
	if p.name() != "details" { // a violation may be named twice
		add("last twice", "returns the last element of %s %s twice", p, ofList(func(list []any) []any { return append(list, list[len(list)-1]) }))
	}
}

func mapMutants(p place, add func(kind, sentence string, p place, change func(any) any)) {
	ofMap := func(change func(m map[string]any, names []string)) func(any) any {
		return ofValue(func(v any) any {
			if m, ok := v.(map[string]any); ok && len(m) > 0 {
				change(m, slices.Sorted(maps.Keys(m)))
			}
			return v
		})
	}
	add("list emptied", "empties %s %s", p, ofMap(func(m map[string]any, _ []string) { clear(m) }))
	add("first dropped", "drops the first member of %s %s", p, ofMap(func(m map[string]any, names []string) { delete(m, names[0]) }))
	add("last dropped", "drops the last member of %s %s", p, ofMap(func(m map[string]any, names []string) { delete(m, names[len(names)-1]) }))
	add("last twice", "returns the last member of %s %s under two names", p, ofMap(func(m map[string]any, names []string) {
		m[otherText(names[0], "")] = m[names[0]]
	}))
}

// ofValue changes what is there.
func ofValue(change func(any) any) func(any) any {
	return func(v any) any {
		if v == nil || v == any(absent{}) {
			return v
		}
		return change(v)
	}
}

// ofList changes a list that has elements.
func ofList(change func([]any) []any) func(any) any {
	return func(v any) any {
		if list, ok := v.([]any); ok && len(list) > 0 {
			return append([]any{}, change(list)...) // not null
		}
		return v
	}
}

func (p place) isScalar() bool {
	return !p.schema.Type.Is(openapi3.TypeObject) && !p.schema.Type.Is(openapi3.TypeArray) && p.schema.Discriminator == nil
}

// statusMutants answer with another status.
func (op operationSpec) statusMutants() (all []mutant) {
	success := func(status int, edit func(a answer) answer) {
		all = append(all, op.mutant("another status", fmt.Sprintf("answers %d instead of 200", status), func(r request, next ask) answer {
			a := next(r)
			if a.status == http.StatusOK {
				a = edit(a)
				a.status = status
			}
			return a
		}))
	}
	success(http.StatusCreated, func(a answer) answer { return a })
	success(http.StatusNoContent, func(a answer) answer { a.body = nil; return a })
	success(http.StatusInternalServerError, func(a answer) answer { return a.failure(http.StatusInternalServerError, "INTERNAL_ERROR") })
	refusals := op.refusals()
	for i, status := range refusals {
		for _, other := range []int{refusals[(i+1)%len(refusals)], http.StatusInternalServerError} {
			all = append(all, op.mutant("another status", fmt.Sprintf("answers %d instead of %d", other, status), func(r request, next ask) answer {
				a := next(r)
				if a.status == status {
					a = a.object(func(body map[string]any) { body["status"] = other })
					a.status = other
				}
				return a
			}))
		}
		var last atomic.Pointer[answer]
		all = append(all, op.mutant("another status", fmt.Sprintf("answers 200 instead of %d", status), func(r request, next ask) answer {
			a := next(r)
			switch {
			case a.status == http.StatusOK:
				last.Store(&a)
			case a.status == status && last.Load() != nil:
				a = *last.Load()
			case a.status == status:
				a = a.found(map[string]any{})
			}
			return a
		}))
	}
	return all
}

// codeMutants answer with another error code, as the next one of the enumeration.
func (op operationSpec) codeMutants() (all []mutant) {
	for _, status := range op.refusals() {
		schema := bodyOf(op.response(status).Content).Schema.Value.Properties["code"].Value
		for _, code := range codes(op.response(status)) {
			next := otherValue(code, schema)
			all = append(all, op.mutant("another code", fmt.Sprintf("answers %s instead of %s", next, code), func(r request, ask func(request) answer) answer {
				a := ask(r)
				if a.status == status && a.code() == code {
					a = a.object(func(body map[string]any) { body["code"] = next })
				}
				return a
			}))
		}
	}
	return all
}

// headerMutants send other headers than the contract declares.
func (op operationSpec) headerMutants() (all []mutant) {
	answers := [][]int{{http.StatusOK}, op.refusals()}
	if op.response(http.StatusNotModified) != nil {
		answers = append(answers, []int{http.StatusNotModified})
	}
	for _, statuses := range answers {
		add := func(does, name string, change func(value string) string) {
			all = append(all, op.mutant("header", fmt.Sprintf("%s %s %s", does, name, of(statuses)), func(r request, next ask) answer {
				a := next(r)
				if slices.Contains(statuses, a.status) {
					a = a.with(name, change(a.header.Get(name)))
				}
				return a
			}))
			all[len(all)-1].refuses = statuses[0] >= http.StatusBadRequest
		}
		if statuses[0] != http.StatusNotModified { // it has no content
			add("sends text/plain as", "Content-Type", func(string) string { return "text/plain" })
		}
		headers := openapi3.Headers{}
		for _, status := range statuses {
			maps.Copy(headers, op.response(status).Headers)
		}
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			schema := headers[name].Value.Schema.Value
			if name == "Idempotent-Replayed" && !slices.ContainsFunc(op.parameters, func(p *openapi3.Parameter) bool { return p.Name == "X-Idempotency-Key" }) {
				add("always sends true for", name, func(string) string { return "true" })
				continue // it is never sent
			}
			add("leaves out", name, func(string) string { return "" })
			if schema.MaxLength != nil {
				add("sends too long a", name, func(value string) string { return strings.Repeat(value, int(*schema.MaxLength)) })
			}
			if schema.Type.Is(openapi3.TypeBoolean) {
				add("always sends true for", name, func(string) string { return "true" })
				add("sends false instead of true for", name, func(value string) string { return strings.Replace(value, "true", "false", 1) })
			}
		}
	}
	return all
}
