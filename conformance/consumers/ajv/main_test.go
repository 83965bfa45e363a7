package main

import (
	"math/rand/v2"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// A body that nothing damaged is valid: otherwise what follows from the schemas is not what the package checks.
func TestUndamagedBodiesAreValid(t *testing.T) {
	t.Parallel()
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	published, err := contract.Published()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	for _, op := range published.Operations() {
		body := document.Paths.Find(op.Path).GetOperation(op.Method).RequestBody
		if body == nil {
			continue
		}
		damaged := 0
		for range 100 {
			schema := body.Value.Content.Get("application/json").Schema.Value
			text, err := generate(random, schema, false)
			if err != nil {
				t.Fatal(err)
			}
			if reasons, err := judge(op, text); err != nil || len(reasons) > 0 {
				t.Errorf("%s %s: %v %v", op.ID, text, reasons, err)
			}
			if text, err = generate(random, schema, true); err != nil {
				t.Fatal(err)
			}
			if reasons, err := judge(op, text); err != nil {
				t.Errorf("%s %s: %v", op.ID, text, err)
			} else if len(reasons) > 0 {
				damaged++
			}
		}
		if damaged < 30 {
			t.Errorf("%s: %d of 100 damaged bodies are refused", op.ID, damaged)
		}
	}
}
