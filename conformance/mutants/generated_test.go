package mutants_test

import (
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// generated returns the mutants that the contract itself names, for each operation.
func generated() (all []mutant) {
	for _, op := range specs() {
		all = slices.Concat(all, responseMutants(op), requestMutants(op), fingerprintMutants(op))
	}
	return all
}

// mutant returns a mutant of the operation: serve answers its requests.
func (op operationSpec) mutant(kind, does string, serve func(r request, next func(request) answer) answer) mutant {
	return mutant{
		name: op.OperationID + ": the server " + does, kind: kind, operation: op.OperationID,
		fault: stateless(func(id string, r request, next func(request) answer) answer {
			if id != op.OperationID {
				return next(r)
			}
			return serve(r, next)
		}),
	}
}

func isNumber(s *openapi3.Schema) bool {
	return s.Type.Is(openapi3.TypeNumber) || s.Type.Is(openapi3.TypeInteger)
}
