package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
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

// A commit knows what the changelog said before.
func TestSince(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	const entry = "## [1.1.0] - 2026-01-31\n\n- Second (D-01).\n"
	write("openapi.yaml", later)
	write("CHANGELOG.md", entry)
	write("decisions.md", "## D-01 Something\n")
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "before")
	diff := func(since string) (string, error) {
		var out bytes.Buffer
		err := run([]string{
			"--released", dir + "/none", "--head", dir + "/openapi.yaml", "--changelog", dir + "/CHANGELOG.md", "--decisions", dir + "/decisions.md",
			"--quiet", "--since", since,
		}, &out)
		return out.String(), err
	}
	if out, err := diff("HEAD"); err != nil || out != "" {
		t.Errorf("nothing has changed: %v %s", err, out)
	}
	write("openapi.yaml", strings.Replace(later, "/a", "/b", 1))
	if out, err := diff("HEAD"); !errors.Is(err, errRejected) || !strings.Contains(out, "the entry of 1.1.0 in the changelog does not say what is new") {
		t.Errorf("no line: %v %s", err, out)
	}
	write("CHANGELOG.md", entry+"- Third (D-01).\n")
	if out, err := diff("HEAD"); err != nil || out != "" {
		t.Errorf("a line: %v %s", err, out)
	}
	if _, err := diff("absent"); err == nil || errors.Is(err, errRejected) {
		t.Errorf("a commit that is absent: %v", err)
	}
}
