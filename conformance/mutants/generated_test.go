package mutants_test

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// generated returns the mutants that the contract itself names, for each operation.
func generated() (all []mutant) {
	for _, op := range specs() {
		all = slices.Concat(all, responseMutants(op), requestMutants(op), fingerprintMutants(op))
	}
	return slices.DeleteFunc(all, func(m mutant) bool {
		return equivalent[m.name] != "" || strings.HasSuffix(m.name, "leaves out /doc_url of its errors") // a server may have none (D-73)
	})
}

// equivalent lists the mutants that no check can kill and that no rule of their kind leaves out, with the reason.
var equivalent = map[string]string{
	"getBank: the server drops the first element of /receiving_currency of its response":                                            sole,
	"getBank: the server drops the last element of /receiving_currency of its response":                                             sole,
	"getPayer: the server returns another value for /code of its response":                                                          sole,
	"getPayer: the server empties /network_limit of its response":                                                                   sole,
	"getPayer: the server drops the first element of /network_limit of its response":                                                sole,
	"getPayer: the server drops the last element of /network_limit of its response":                                                 sole,
	"createTransaction: the server joins the white space of /remittance_purpose":                                                    unseen,
	"createTransaction: the server drops characters beyond the basic plane from /remittance_purpose":                                unseen,
	"createTransaction: the server cuts after half of its greatest length /remittance_purpose":                                      unseen,
	"createBankAccount: the server refuses minimum 1 for /bank_id":                                                                  "an unknown bank is refused alike",
	"createBankAccount: the server refuses minimum 1 for /branch_id":                                                                "an unknown branch is refused alike",
	"setVerification: the server refuses maxProperties 50 for /cip_info":                                                            "no user has 50 tags",
	"createWebhookEndpoint: the server returns a value for /secret of its response where there is none":                             always,
	"cancelTransaction: the server returns a value for /required_information of its response where there is none":                   always,
	"cancelTransaction: the server returns a value for /updated_at of its response where there is none":                             always,
	"createTransaction: the server returns a value for /required_information of its response where there is none":                   always,
	"createTransaction: the server returns a value for /updated_at of its response where there is none":                             always,
	"getTransaction: the server returns a value for /required_information of its response where there is none":                      always,
	"getTransaction: the server returns a value for /updated_at of its response where there is none":                                always,
	"listTransactions: the server returns a value for /items/*/required_information of its response where there is none":            always,
	"listTransactions: the server returns a value for /items/*/updated_at of its response where there is none":                      always,
	"setTransactionStatus: the server returns a value for /required_information of its response where there is none":                always,
	"setTransactionStatus: the server returns a value for /updated_at of its response where there is none":                          always,
	"listClientTransactions: the server returns a value for /items/*/required_information of its response where there is none":      always,
	"listClientTransactions: the server returns a value for /items/*/updated_at of its response where there is none":                always,
	"getEvent: the server returns a value for /data/transaction/updated_at of its response where there is none":                     always,
	"listEvents: the server returns a value for /items/*/data/transaction/updated_at of its response where there is none":           always,
	"createDocuments: the server returns a value for /type of its response where there is none":                                     always,
	"createDocuments: the server returns a value for /physical_documents of its response where there is none":                       always,
	"getEvent: the server returns a value for /data/transaction/required_information of its response where there is none":           always,
	"listEvents: the server returns a value for /items/*/data/transaction/required_information of its response where there is none": always,
	"createDocuments: the server returns a value for /virtual_documents of its response where there is none":                        always,
	"rotateWebhookSecret: the server returns a value for /previous_expires_at of its response where there is none":                  "it is there for 24 hours",
	"listPayers: the server empties /*/pickup_location of its response":                                                             "the interface document shows lists without them",
}

const (
	sole   = "no other operation tells what it is"
	unseen = "no operation returns it"
	always = "it is there in every answer, though the contract leaves it open"
)

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
