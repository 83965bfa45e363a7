package mutants_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server"
)

// requestMutants read a request of an operation in another way than the contract says.
func requestMutants(op operationSpec) []mutant {
	all := slices.Concat(op.credentialMutants(), op.parameterMutants())
	if op.RequestBody != nil {
		all = append(all, op.memberMutants(bodyOf(op.RequestBody.Value.Content).Schema.Value)...)
	}
	return all
}

// credentialMutants do not look at one of the two credentials, or at the second of two values.
func (op operationSpec) credentialMutants() (all []mutant) {
	for _, ignored := range []string{clientHeader, secretHeader} {
		all = append(all, op.mutant("credential ignored", "ignores "+ignored, func(r request, next ask) answer {
			a := next(r)
			for _, c := range server.SandboxClients {
				if a.status == http.StatusUnauthorized && (ignored != clientHeader && r.client() == c.ID || ignored != secretHeader && r.secret() == c.Secret) {
					return next(r.signed(c.ID, c.Secret))
				}
			}
			return a
		}), op.asking("credential repeated", "takes the first value of "+ignored, func(r request) request {
			if len(r.Header.Values(ignored)) > 1 {
				r = r.header(ignored, r.Header.Get(ignored))
			}
			return r
		}))
	}
	return all
}

// parameterMutants ignore parameters, take values that break their schemas, or refuse values that keep them.
func (op operationSpec) parameterMutants() (all []mutant) {
	var known []string
	for _, p := range op.parameters {
		name, schema := p.In+" "+p.Name, p.Schema.Value
		value, set := op.access(p)
		if p.In == openapi3.ParameterInQuery {
			known = append(known, p.Name)
			all = append(all, op.asking("parameter repeated", "takes the first value of "+name, func(r request) request {
				if values := r.URL.Query()[p.Name]; len(values) > 1 {
					r = r.query(p.Name, values[0])
				}
				return r
			}))
		}
		if p.In == openapi3.ParameterInPath {
			all = append(all, op.lostMutant(name, slices.Index(strings.Split(unboxed(op.path), "/"), "{"+p.Name+"}")))
		} else {
			all = append(all, op.asking("parameter ignored", "ignores "+name, func(r request) request { return set(r, "") }))
		}
		for _, l := range leniencies(schema, p.Required) {
			if l.kind == "null accepted" || l.kind == "type accepted" && !isNumber(schema) {
				continue // a parameter is text
			}
			if _, empty := l.repair(""); empty && l.kind == "bound moved out" && p.In == openapi3.ParameterInPath {
				continue // no path has an empty segment there
			}
			all = append(all, op.asking(l.kind, "accepts "+l.what+" for "+name, func(r request) request {
				if v, sent := value(r); sent {
					if repaired, ok := l.repair(typed(v, schema)); ok {
						r = set(r, text(repaired))
					}
				}
				return r
			}))
		}
		for _, s := range strictnesses(schema) {
			if p.Name == "cursor" || p.Name == "after" {
				continue // the server makes them, none of such a length
			}
			all = append(all, op.refusing(s.kind, "refuses "+s.what+" for "+name, func(r request) bool {
				v, sent := value(r)
				return sent && s.refuses(typed(v, schema))
			}))
		}
		if !p.Required {
			all = append(all, op.refusing("optional required", "requires "+name, func(r request) bool {
				_, sent := value(r)
				return !sent
			}))
		}
	}
	return append(all, op.asking("undeclared accepted", "ignores undeclared parameters of the query", func(r request) request {
		for name := range r.URL.Query() {
			if !slices.Contains(known, name) {
				r = r.query(name, "")
			}
		}
		return r
	}))
}

// typed returns a parameter as the value of its schema; what is no number stays text.
func typed(value string, s *openapi3.Schema) any {
	if v := decode([]byte(value)); isNumber(s) && v != nil {
		return v
	}
	return value
}

// access returns how to read and how to replace a parameter.
func (op operationSpec) access(p *openapi3.Parameter) (value func(request) (string, bool), set func(request, string) request) {
	switch p.In {
	case openapi3.ParameterInPath:
		i := slices.Index(strings.Split(op.path, "/"), "{"+p.Name+"}")
		return func(r request) (string, bool) { return strings.Split(r.URL.Path, "/")[i], true },
			func(r request, v string) request {
				segments := strings.Split(r.URL.Path, "/")
				segments[i] = v
				return r.at(strings.Join(segments, "/"))
			}
	case openapi3.ParameterInQuery:
		return func(r request) (string, bool) { return r.URL.Query().Get(p.Name), r.URL.Query().Has(p.Name) },
			func(r request, v string) request {
				if r.URL.Query().Has(p.Name) {
					r = r.query(p.Name, v)
				}
				return r
			}
	}
	return func(r request) (string, bool) { return r.Header.Get(p.Name), r.Header.Values(p.Name) != nil },
		func(r request, v string) request { return r.header(p.Name, v) }
}

// lostMutant does not look at a parameter of the path: what the rest of the path names is found wherever it was created, or where
// the operation found it first.
func (op operationSpec) lostMutant(name string, at int) mutant {
	m := op.mutant("parameter ignored", "ignores "+name, nil)
	m.fault = func() fault {
		var found sync.Map // the segment, by client and the rest of the path
		rest := func(r request, segments []string) string {
			return r.client() + strings.ToLower(strings.Join(slices.Concat(segments[:at], segments[at+1:]), "/"))
		}
		return func(id string, r request, next ask) answer {
			path := unboxed(r.URL.Path)
			box := strings.TrimSuffix(r.URL.Path, path)
			segments := strings.Split(path, "/")
			if id == op.OperationID {
				for n := len(segments); n > at; n-- {
					if first, ok := found.Load(rest(r, segments[:n])); ok {
						r = r.at(box + strings.Join(slices.Concat(segments[:at], []string{first.(string)}, segments[at+1:]), "/"))
						break
					}
				}
			}
			a := next(r)
			if created := text(a.member("id")); r.Method == http.MethodPost && created != "" {
				segments = append(segments, created)
			} else if id != op.OperationID {
				return a
			}
			if a.status == http.StatusOK && at < len(segments) {
				found.LoadOrStore(rest(r, segments), segments[at])
			}
			return a
		}
	}
	return m
}

// unboxed returns a path without what stands before it in the sandbox.
func unboxed(path string) string { return strings.TrimPrefix(path, "/sandbox") }

// memberMutants ignore members of the body, take values that break their schemas, or refuse values that keep them.
func (op operationSpec) memberMutants(body *openapi3.Schema) (all []mutant) {
	add := func(kind, does string, p place, change func(any) any) {
		all = append(all, op.asking(kind, does+" "+p.String(), func(r request) request {
			return r.as(func(body map[string]any) { p.edit(body, change) })
		}))
	}
	closed := func(p place) {
		add("undeclared accepted", "ignores undeclared members of", p, ofValue(func(v any) any {
			object, ok := v.(map[string]any)
			for name := range object {
				if ok && p.schema.Properties[name] == nil {
					delete(object, name)
				}
			}
			return v
		}))
	}
	closed(place{schema: body})
	for _, p := range places(body) {
		if p.schema.Discriminator != nil {
			continue // the places of its variants are all there is
		}
		if len(openapi.KnownValues(p.schema)) != 1 && p.isScalar() {
			add("member misread", "takes another value for", p, ofValue(func(v any) any { return otherValue(v, p.schema) }))
		}
		if p.schema.Properties != nil {
			closed(p)
		}
		if isFreeText(p.schema) {
			add("text tidied", "joins the white space of", p, ofValue(func(v any) any { return tidied(v, strings.Fields) }))
			add("text tidied", "drops characters beyond the basic plane from", p, ofValue(func(v any) any {
				return tidied(v, func(text string) []string { return strings.FieldsFunc(text, func(c rune) bool { return c > 0xFFFF }) })
			}))
		}
		if most := p.schema.MaxLength; most != nil && *most < mostBytes {
			add("text cut", "cuts after half of its greatest length", p, func(v any) any {
				if all := []rune(text(v)); len(all) > int(*most)/2 {
					return string(all[:*most/2])
				}
				return v
			})
		}
		switch {
		case p.isItem():
		case p.required:
			add("required defaulted", "has a default for", p, func(v any) any {
				if v == any(absent{}) {
					return sample(p.schema)
				}
				return v
			})
		default:
			add("member ignored", "ignores", p, func(any) any { return absent{} })
			all = append(all, op.refusing("optional required", "requires "+p.String(), func(r request) bool {
				return p.holds(r, func(v any) bool { return v == any(absent{}) })
			}))
		}
		for _, l := range leniencies(p.schema, p.required) {
			add(l.kind, "accepts "+l.what+" for", p, func(v any) any {
				if repaired, ok := l.repair(v); ok {
					return repaired
				}
				return v
			})
		}
		for _, s := range strictnesses(p.schema) {
			if op.OperationID == "createBankAccount" && p.schema.Max != nil {
				continue // the greatest id is refused as that of an unknown bank, with the same answer
			}
			all = append(all, op.refusing(s.kind, "refuses "+s.what+" for "+p.String(), func(r request) bool { return p.holds(r, s.refuses) }))
		}
	}
	return all
}

func isFreeText(s *openapi3.Schema) bool {
	return s.Type.Is(openapi3.TypeString) && s.Format == "" && len(s.Enum) == 0 && matching(s.Pattern)("  é  ")
}

func tidied(v any, parts func(string) []string) any {
	if text, ok := v.(string); ok {
		return strings.Join(parts(text), " ")
	}
	return v
}

// holds reports whether a value at the place of a request is such.
func (p place) holds(r request, such func(any) bool) (holds bool) {
	p.edit(decode(r.body), func(v any) any {
		holds = holds || such(v)
		return v
	})
	return holds
}

// asking makes a mutant that changes requests.
func (op operationSpec) asking(kind, does string, edit func(r request) request) mutant {
	m := op.mutant(kind, does, func(r request, next ask) answer { return next(edit(r)) })
	m.refuses = true
	return m
}

// refusing makes a mutant that answers 400 to requests that keep the contract.
func (op operationSpec) refusing(kind, does string, such func(r request) bool) mutant {
	m := op.mutant(kind, does, func(r request, next ask) answer {
		a := next(r)
		if a.status != http.StatusBadRequest && a.status != http.StatusUnauthorized && such(r) {
			a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
		}
		return a
	})
	m.refuses = true
	return m
}

// sample returns a value that keeps a schema.
func sample(s *openapi3.Schema) any {
	switch {
	case s.Example != nil:
		return s.Example
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type.Is(openapi3.TypeObject):
		return map[string]any{}
	case s.Type.Is(openapi3.TypeArray):
		return []any{}
	case s.Type.Is(openapi3.TypeBoolean):
		return true
	case isNumber(s):
		return 1
	}
	if text, ok := map[string]string{
		"uuid": "0b0c2c5e-54f4-4b0e-9d5b-5f5a4f7d2f11", "email": "asha@example.com", "date": "1990-04-12",
	}[s.Format]; ok {
		return text
	}
	return "a"
}
