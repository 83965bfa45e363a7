package client_test

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The dependencies of this package: each one must be reviewed and updated by its users.
var modules = []string{
	"github.com/apapsch/go-jsonmerge/v2",
	"github.com/cenkalti/backoff/v5",
	"github.com/crossborder-payouts/payouts",
	"github.com/google/uuid",
	"github.com/govalues/decimal",
	"github.com/oapi-codegen/nullable",
	"github.com/oapi-codegen/runtime",
	"github.com/standard-webhooks/standard-webhooks/libraries",
}

func TestDependencies(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.Module.Path}} {{.ImportPath}}{{end}}", ".")
	var problems bytes.Buffer
	list.Stderr = &problems
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &problems)
	}
	var got, ours []string
	for line := range strings.Lines(string(out)) {
		module, path, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		got = append(got, module)
		if inside, ok := strings.CutPrefix(path, "github.com/crossborder-payouts/payouts/"); ok {
			ours = append(ours, inside)
		}
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, modules) {
		t.Errorf("modules are\n%s", strings.Join(got, "\n"))
	}
	slices.Sort(ours)
	if want := []string{"client", "gen/api", "openapi/wire"}; !slices.Equal(ours, want) {
		t.Errorf("packages of this module are %q, want %q", ours, want)
	}
}
