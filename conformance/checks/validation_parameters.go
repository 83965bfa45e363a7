package checks

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

const badRequest = api.ErrorCodeBadRequest

// wrongParameter is one parameter with values that it must not have; none: it is left out.
type wrongParameter struct {
	parameter *openapi3.Parameter
	what      string
	values    []string
}

// namesParameters sends each parameter with each wrong value, different parameters together, and expects that a 400
// names each.
func namesParameters(t *probe.T, op operation) {
	n := existing(t, op)
	rounds := [][]wrongParameter{}
	for _, p := range op.parameters {
		for i, wrong := range wrongParameters(t, p) {
			if i == len(rounds) {
				rounds = append(rounds, nil)
			}
			rounds[i] = append(rounds[i], wrong)
		}
	}
	for _, round := range rounds {
		reply := t.Send(op.with(t, n, round))
		var places []string
		for _, wrong := range round {
			places = append(places, wrong.parameter.In+" "+wrong.parameter.Name+" "+wrong.what)
		}
		var body api.Error
		if reply.Status != 400 || json.Unmarshal(reply.Body, &body) != nil || body.Code != badRequest {
			t.Failf("answered %d, want 400 BAD_REQUEST, to %s", reply.Status, strings.Join(places, ", "))
			continue
		}
		for i, wrong := range round {
			t.Expect(slices.ContainsFunc(body.Details, func(d api.ErrorDetail) bool {
				return string(d.In) == wrong.parameter.In && d.Field == wrong.parameter.Name
			}), "answered 400 without a detail for %s", places[i])
		}
	}
}

// with makes a request of the operation with wrong parameters.
func (op operation) with(t *probe.T, n pathValues, wrong []wrongParameter) probe.Request {
	path, query, header := pathValues{}, url.Values{}, http.Header{}
	for name, value := range n {
		path[name] = value
	}
	r := op.request(t, n)
	if u, err := url.Parse(r.Path); err == nil {
		query = u.Query()
	}
	for _, w := range wrong {
		switch w.parameter.In {
		case openapi3.ParameterInPath:
			path[w.parameter.Name] = w.values[0]
		case openapi3.ParameterInQuery:
			if query[w.parameter.Name] = w.values; len(w.values) == 0 {
				query.Del(w.parameter.Name)
			}
		default:
			header[w.parameter.Name] = w.values
		}
	}
	r.Path, r.Header = withQuery(op.fill(path), query.Encode()), header
	return r
}

func withQuery(path, query string) string {
	switch {
	case query == "":
		return path
	case strings.Contains(path, "?"):
		return path + "&" + query
	}
	return path + "?" + query
}

// sampleParameter returns a value that a parameter may have.
func sampleParameter(t *probe.T, p *openapi3.Parameter) string {
	switch {
	case p.Schema.Value.Type.Is(openapi3.TypeInteger):
		return "1"
	case p.Name == "countryCode", p.Name == "country", p.Name == "destination":
		return t.Target().Facts.Destination
	}
	return sampleText(p.Schema.Value)
}

// wrongParameters derives values that a parameter must not have from its schema.
func wrongParameters(t *probe.T, p *openapi3.Parameter) []wrongParameter {
	schema, sample := p.Schema.Value, sampleParameter(t, p)
	var all []wrongParameter
	wrong := func(what string, values ...string) { all = append(all, wrongParameter{p, what, values}) }
	if schema.Type.Is(openapi3.TypeInteger) {
		wrong("not an integer", "first")
		wrong("with leading zeros", "007")
		wrong("with a sign", "+7")
		for _, d := range wrongNumbers(nil, schema) {
			if number, ok := d.value.(json.Number); ok {
				wrong(d.what, number.String())
			}
		}
	} else {
		for _, d := range slices.Concat(wrongTexts(nil, schema, sample), deceptiveTexts(nil, schema, sample)) {
			if text, ok := d.value.(string); ok && text != "" {
				wrong(d.what, text)
			}
		}
	}
	if p.In == openapi3.ParameterInQuery {
		wrong("empty", "")
		wrong("given twice", sample, sample)
		if p.Required {
			wrong("left out")
		}
	}
	return all
}
