package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi"
)

func TestTheOverlayIsUpToDate(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../../hints.gen.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := write(&got, openapi.YAML()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Error("run make generate")
	}
}

// The Go type of a closed set is that of the one response schema which knows its values.
func TestAClosedSetNeedsOneOpenSet(t *testing.T) {
	t.Parallel()
	const document = `components:
  schemas:
    Color: {type: string, x-known-values: [RED, GREEN]}
    Light: {type: string, x-known-values: [RED, AMBER]}
    Choice: {type: string, enum: [%s]}
`
	for values, want := range map[string]string{"GREEN": "", "RED, GREEN": "", "RED": "exactly one", "BLUE": "exactly one"} {
		err := write(new(bytes.Buffer), []byte(strings.Replace(document, "%s", values, 1)))
		if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", values, err, want)
		}
	}
}

func TestConstantNames(t *testing.T) {
	t.Parallel()
	got := strings.Join(varNames([]string{"BANK_DEPOSIT", "IN PROGRESS", "path", "KYC_NOT_ELIGIBLE"}), " ")
	if want := "BankDeposit InProgress Path KycNotEligible"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
