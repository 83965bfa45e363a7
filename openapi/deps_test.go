package openapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/crossborder-payouts/payouts"

// goPackage is the output of `go list` for a package, without the imports of its tests.
type goPackage struct {
	ImportPath string
	Imports    []string // direct
	Deps       []string // all, however far
}

// packages lists packages of this module.
func packages(t *testing.T, patterns ...string) []goPackage {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Imports,Deps"}, patterns...)...)
	list.Dir = ".."
	var problems bytes.Buffer
	list.Stderr = &problems
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &problems)
	}
	var all []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// within reports whether a package is, or is below, one of the paths.
func within(path string, of ...string) bool {
	return slices.ContainsFunc(of, func(o string) bool { return path == o || strings.HasPrefix(path, o+"/") })
}

func TestForbiddenDependencies(t *testing.T) {
	t.Parallel()
	const (
		echo   = "github.com/labstack"
		kin    = "github.com/getkin/kin-openapi"
		sqlite = "modernc.org/sqlite"
		pgx    = "github.com/jackc/pgx"
		goose  = "github.com/pressly/goose"
	)
	for _, c := range []struct {
		pattern string
		never   []string
		ours    []string // packages of ours that are allowed
	}{
		// What partners import is small.
		{"./gen/api", []string{echo, kin, sqlite, pgx, goose, "database/sql"}, []string{module + "/openapi/wire"}},
		{"./openapi/wire", []string{echo, kin, sqlite, pgx, goose, "database/sql", "net/http"}, nil},
		// Rules about characters depend on Unicode alone.
		{"./openapi/text", []string{echo, kin, sqlite, pgx, goose, "database/sql", "net/http"}, nil},
		// The domain knows no transport, no database and nothing of ours but these rules.
		{"./server/payout", []string{echo, kin, sqlite, pgx, goose}, []string{module + "/openapi/text"}},
		// The contract can be put in front of any service.
		{"./openapi/contract", []string{echo, sqlite, pgx, goose, "database/sql"}, []string{
			module + "/openapi", module + "/openapi/contract/bodies", module + "/openapi/text",
		}},
		{"./openapi/contract/bodies", []string{echo, kin, sqlite, pgx, goose, "database/sql"}, nil},
		{"./openapi/contract/front", []string{echo, sqlite, pgx, goose}, []string{
			module + "/openapi", module + "/openapi/contract", module + "/openapi/contract/bodies", module + "/openapi/contract/listen",
			module + "/openapi/text",
		}},
		{"./server/store", []string{echo, kin}, []string{module + "/server/payout", module + "/openapi/text"}},
		{"./server/reference", []string{echo, kin, sqlite, pgx, goose}, []string{module + "/server/payout", module + "/openapi/text"}},
		{"./server/docs", []string{echo, kin, sqlite, pgx, goose, "database/sql"}, nil},
	} {
		t.Run(c.pattern, func(t *testing.T) {
			t.Parallel()
			listed := packages(t, c.pattern)
			if len(listed) != 1 || len(listed[0].Deps) == 0 {
				t.Fatalf("listed %v", listed)
			}
			for _, dep := range listed[0].Deps {
				if dep == "database/sql/driver" {
					continue // has interfaces alone; identifiers and decimals can be columns
				}
				if within(dep, c.never...) || within(dep, module) && !slices.Contains(c.ours, dep) {
					t.Errorf("depends on %s", dep)
				}
			}
		})
	}
}

// Only two packages depend on echo, so that only these change with another framework or version.
func TestOnlyTheTransportImportsEcho(t *testing.T) {
	t.Parallel()
	all := packages(t, "./...")
	var importers []string
	for _, p := range all {
		if slices.ContainsFunc(p.Imports, func(i string) bool { return within(i, "github.com/labstack") }) {
			importers = append(importers, strings.TrimPrefix(p.ImportPath, module+"/"))
		}
	}
	slices.Sort(importers)
	if want := []string{"gen/server", "server/httpapi"}; !slices.Equal(importers, want) {
		t.Errorf("echo is imported by %q, want %q", importers, want)
	}
	for _, name := range []string{"gen/api", "openapi/contract", "server/payout", "server/payoutd"} {
		if !slices.ContainsFunc(all, func(p goPackage) bool { return p.ImportPath == module+"/"+name }) {
			t.Errorf("%s was not looked at", name)
		}
	}
}
