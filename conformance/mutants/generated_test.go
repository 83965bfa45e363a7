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
	return slices.DeleteFunc(all, func(m mutant) bool { return equivalent[m.name] != "" })
}

// equivalent tells of mutants that no check can kill, and that no rule of their kind leaves out.
var equivalent = map[string]string{
	"getBank: the server drops the first element of /receiving_currency of its response": sole,
	"getBank: the server drops the last element of /receiving_currency of its response":  sole,
	"getPayer: the server returns another value for /code of its response":               sole,
	"getPayer: the server empties /network_limit of its response":                        sole,
	"getPayer: the server drops the first element of /network_limit of its response":     sole,
	"getPayer: the server drops the last element of /network_limit of its response":      sole,
	"listPayers: the server empties /*/pickup_location of its response":                  "the interface document shows lists without them",
}

const sole = "no other operation tells what it is"

// mutant returns a mutant of the operation: serve answers its requests.
func (op operationSpec) mutant(kind, does string, serve func(r request, next ask) answer) mutant {
	return mutant{
		name: op.OperationID + ": the server " + does, kind: kind, operation: op.OperationID,
		fault: stateless(func(id string, r request, next ask) answer {
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
