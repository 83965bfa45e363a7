package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	released = `{openapi: 3.0.3, info: {title: A, version: 1.0.0}, paths: {/a: {get: {operationId: a, responses: {'200': {description: A.}}}}}}`
	later    = `{openapi: 3.0.3, info: {title: A, version: 1.1.0}, paths: {/a: {get: {operationId: b, responses: {'200': {description: A.}}}}}}`
)

func TestSpecDiff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	base, head := write("base.yaml", released), write("head.yaml", later)
	changelog := write("CHANGELOG.md", "## [1.0.0] - 2026-01-31\n\n- First.\n\n## [1.1.0] - 2026-01-31\n\n- Second (D-01).\n")
	decisions := write("decisions.md", "## D-01 Something\n")
	flags := []string{"--released", dir + "/none", "--changelog", changelog, "--decisions", decisions}
	for _, c := range []struct {
		name     string
		args     []string
		rejected bool
		want     []string
	}{
		{"a breaking change", append(flags, "--base", base, "--head", head), true, []string{
			"breaking             GET /a: operationId is b instead of a", "Compared 1.1.0 with the released 1.0.0; changes: 1.", "Rejected: 1 breaking change"}},
		{"no change", append(flags, "--base", base, "--head", base), false, []string{"changes: 0."}},
		{"nothing released", append(flags, "--head", head), false, []string{"No contract was released yet; 1.1.0 would be the first."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := run(c.args, &out); errors.Is(err, errRejected) != c.rejected || err != nil && !c.rejected {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("it printed\n%s\nwithout %q", &out, want)
				}
			}
		})
	}
	var out bytes.Buffer
	if err := run(append(flags, "--base", base, "--head", head, "--quiet"), &out); !errors.Is(err, errRejected) ||
		!strings.HasPrefix(out.String(), "Rejected: 1 breaking change") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("quiet: %v, printed\n%s", err, &out)
	}
	for _, missing := range [][]string{{"--base", dir + "/absent"}, {"--head", dir + "/absent"}, {"--changelog", dir + "/absent"}, {"--decisions", dir + "/absent"}} {
		if err := run(append(append(flags, "--head", head), missing...), &bytes.Buffer{}); err == nil || errors.Is(err, errRejected) {
			t.Errorf("%s: %v", missing, err)
		}
	}
}
