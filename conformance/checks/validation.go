package checks

import (
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// validation returns the checks of how strictly requests are read. Those of an operation are made from its parameters and
// the schema of its body: a rule of the contract that is added is checked from then on.
func validation() []probe.Check {
	return slices.Concat(parameterChecks(), bodyChecks(), boundChecks(), textChecks(), validationJSON(), validationNumbers(), validationErrors(), validationAccepted())
}

// parameterChecks returns one check for the parameters of each operation, and one for its query.
func parameterChecks() []probe.Check {
	var all []probe.Check
	for _, op := range operations() {
		if len(op.parameters) > 0 {
			all = append(all, probe.Check{
				ID: "validation." + op.id + ".parameters", Title: op.name() + " refuses each parameter that breaks its schema, and names it",
				Clauses: parameterClauses(op), Operations: []string{op.id}, Needs: op.needs(),
				Fix: "Answer 400 BAD_REQUEST with a detail for each parameter that is malformed, out of bounds, repeated or missing; its place is path, query or header.",
				Run: func(t *probe.T) { namesParameters(t, op) },
			})
		}
		all = append(all, probe.Check{
			ID: "validation." + op.id + ".query", Title: op.name() + " refuses a query parameter that it does not have, its own names in another case too",
			Clauses: []string{"D-48"}, Operations: []string{op.id}, Needs: op.needs(),
			Fix: "Answer 400 BAD_REQUEST naming each query parameter that the operation does not declare; a misspelt filter must not be ignored.",
			Run: func(t *probe.T) {
				r := op.request(t, existing(t, op))
				query, places := url.Values{"conformance": {"1"}}, []string{"query conformance"}
				for _, p := range op.parameters {
					if p.In == openapi3.ParameterInQuery {
						name := strings.ToUpper(p.Name)
						query.Set(name, sampleParameter(t, p))
						places = append(places, "query "+name)
					}
				}
				r.Path = withQuery(r.Path, query.Encode())
				t.Refused(t.Send(r), nil, 400, badRequest, places...)
			},
		})
	}
	return all
}

// parameterClauses returns the clauses of the interface document that list the parameters of an operation.
func parameterClauses(op operation) []string {
	clauses := []string{"D-08", "D-10", "D-48"}
	for _, p := range op.parameters {
		switch {
		case p.Name == "country" && op.id == "listPayers":
			clauses = append(clauses, "4-param-country-payers")
		case p.Name == "country":
			clauses = append(clauses, "4-param-country-banks")
		case p.Name == "payout_method":
			clauses = append(clauses, "4-param-payout-method")
		case p.Name == "payerId", p.Name == "bankId", p.Name == "stateId":
			clauses = append(clauses, "4-param-ids")
		case p.Name == "user_id":
			clauses = append(clauses, "4-param-user-id")
		case p.Name == "destination":
			clauses = append(clauses, "4-param-destination")
		case p.Name == "countryCode":
			clauses = append(clauses, "4-param-country-code")
		case p.Name == "stateCode":
			clauses = append(clauses, "4-param-state-code")
		case p.Name == "X-Idempotency-Key":
			clauses = append(clauses, "8-key-length")
		}
	}
	slices.Sort(clauses)
	return slices.Compact(clauses)
}

// bodyChecks returns the checks of the body of each operation that takes one, a check for each kind of damage.
func bodyChecks() []probe.Check {
	var all []probe.Check
	for _, op := range operationsWhere(operation.takesBody) {
		for _, c := range []struct {
			id, title, fix string
			clauses        []string
			kind           kind
		}{
			{
				"types", "refuses each member that has another type or is null, and names it", "Answer 400 BAD_REQUEST with a JSON pointer to each member whose JSON type is not that of the schema; convert nothing.",
				[]string{"D-08", "D-46"}, wrongTypes,
			},
			{
				"values", "refuses each member whose value breaks its schema, and names it", "Check every member against the length, pattern, enum, bounds and format of its schema, and answer 400 BAD_REQUEST with a JSON pointer to each that breaks them.",
				valueClauses(op), wrongValues,
			},
			{
				"required", "refuses a body without a required member, and names it", "Answer 400 BAD_REQUEST with the JSON pointer that each missing member would have.",
				[]string{"D-08", "D-13"}, leftOut,
			},
			{
				"unknown", "refuses a member that the contract does not know, at any depth, and names it", "Close all request objects: answer 400 BAD_REQUEST with a JSON pointer to each member that the schema does not have.",
				[]string{"D-13", "D-48"}, undeclared,
			},
		} {
			if c.id == "required" && !op.requires() {
				continue
			}
			all = append(all, probe.Check{
				ID: "validation." + op.id + "." + c.id, Title: op.name() + " " + c.title, Clauses: c.clauses,
				Operations: []string{op.id}, Needs: op.needs(), Fix: c.fix,
				Run: func(t *probe.T) { namesEach(t, op, existing(t, op), c.kind) },
			})
		}
	}
	return all
}

// requires reports whether a body of the operation has members that must be there, at any depth.
func (op operation) requires() bool { return requiresMember(op.body) }

func requiresMember(schema *openapi3.Schema) bool {
	if len(schema.Required) > 0 || schema.Items != nil && requiresMember(schema.Items.Value) {
		return true
	}
	for _, member := range schema.Properties {
		if requiresMember(member.Value) {
			return true
		}
	}
	return false
}

// valueClauses returns the clauses that say what values the members of a body may have.
func valueClauses(op operation) []string {
	switch op.id {
	case "createUser":
		return []string{"2.5-individual", "2.5-business", "D-12", "D-13", "D-15", "D-33", "D-34", "D-41", "D-50"}
	case "createTransaction":
		return []string{"2.6-request", "2.6-to-request", "D-07", "D-12", "D-13", "D-15", "D-42", "D-50"}
	case "setVerification":
		return []string{"3-cip", "3-user", "D-11", "D-20"}
	}
	return []string{"D-12", "D-20"}
}
