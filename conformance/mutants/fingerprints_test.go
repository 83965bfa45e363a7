package mutants_test

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// fingerprintMutants take a request with a used key for a repeat though one member of its body differs.
func fingerprintMutants(op operationSpec) (all []mutant) {
	if op.RequestBody == nil || !slices.ContainsFunc(op.parameters, func(p *openapi3.Parameter) bool { return p.Name == keyHeader }) {
		return nil
	}
	for _, p := range places(bodyOf(op.RequestBody.Value.Content).Schema.Value) {
		if p.schema.Discriminator != nil || p.isItem() {
			continue
		}
		without := func(r request) any { return p.edit(decode(r.body), func(any) any { return absent{} }) }
		m := op.mutant("member not in fingerprint", fmt.Sprintf("takes a request for a repeat whatever %s", p), nil)
		m.fault = again(op.OperationID, func(first exchange, r request, a answer, next ask) answer {
			if a.code() == reused && first.request.URL.Path == r.URL.Path && reflect.DeepEqual(without(first.request), without(r)) {
				a = next(first.request)
			}
			return a
		})
		all = append(all, m)
	}
	return all
}
