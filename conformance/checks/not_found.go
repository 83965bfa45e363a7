package checks

import (
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// notFoundRules is D-10 within one client; isolation has the rest.
func notFoundRules() []probe.Check {
	identifies := func(op operation) bool { return strings.Contains(op.path, "{") }
	return []probe.Check{{
		ID: "errors.not-found", Title: "An identifier in the path that nothing has, or that belongs to another user, answers 404",
		Clauses: []string{"4-param-ids", "4-param-user-id", "D-10", "D-20"}, Operations: operationIDs(operationsWhere(identifies)),
		Fix: "Look each identifier up below the one before it in the path, before any rule about the body, and answer 404 NOT_FOUND where it is not found.",
		Run: func(t *probe.T) {
			o := owns(t)
			for _, op := range inProfile(t, operationsWhere(identifies)) {
				t.Case(op.id, func() {
					for _, n := range o.misnamed(t, op) {
						r := op.request(t, n)
						if body, ok := o.bodies[op.id]; ok {
							r.Body = body
						}
						t.Refused(t.Send(r), nil, 404, api.ErrorCodeNotFound)
						for _, p := range op.parameters {
							if p.In == openapi3.ParameterInQuery && p.Schema.Value.Type.Is(openapi3.TypeInteger) {
								r.Path = withQuery(r.Path, p.Name+"=2")
								t.Refused(t.Send(r), nil, 404, api.ErrorCodeNotFound)
							}
						}
					}
				})
			}
		},
	}}
}

// misnamed returns path values of which one names nothing: each identifier in turn is made up, the user is one that has
// nothing of what follows, and the user is a receive user.
func (o owner) misnamed(t *probe.T, op operation) (all []pathValues) {
	unknown := madeUp(t)
	for _, p := range op.parameters {
		if p.In == openapi3.ParameterInPath && p.Name != "countryCode" {
			all = append(all, o.values.with(p.Name, unknown[p.Name]))
		}
	}
	if op.belowBelowUser() && op.belowUser() {
		all = append(all, o.values.with("user_id", t.NewUser().ID.String()))
	}
	if op.belowUser() && t.Full() {
		all = append(all, o.values.with("user_id", o.values["receive_user_id"]))
	}
	return all
}
