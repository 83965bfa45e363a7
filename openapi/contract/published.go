package contract

import (
	"sync"

	"github.com/crossborder-payouts/payouts/openapi"
)

var published = sync.OnceValues(func() (*Contract, error) {
	document, err := openapi.Document()
	if err != nil {
		return nil, err
	}
	return New(document)
})

// Published returns the contract of this project, openapi/openapi.yaml, compiled once. All callers share it.
func Published() (*Contract, error) { return published() }
