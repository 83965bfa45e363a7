package operations_test

import (
	"slices"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// violation is a field that a response must name.
type violation struct {
	in    api.ErrorDetailIn
	field string
}

func inBody(pointers ...string) []violation {
	fields := make([]violation, len(pointers))
	for i, pointer := range pointers {
		fields[i] = violation{api.ErrorDetailInBody, pointer}
	}
	return fields
}

// wantViolations fails the test unless the details of an error name these fields and no others.
func wantViolations(t testing.TB, e api.Error, fields ...violation) {
	t.Helper()
	for _, f := range fields {
		if !servertest.Names(e, f.in, f.field) {
			t.Errorf("details %+v do not name %q in %s", e.Details, f.field, f.in)
		}
	}
	for _, d := range e.Details {
		if !slices.Contains(fields, violation{d.In, d.Field}) {
			t.Errorf("details name %q in %s, want %v alone", d.Field, d.In, fields)
		}
	}
}
