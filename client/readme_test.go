package client_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/client/payouttest"
)

// The example of the README compiles, and prints what the README says.
func TestExampleOfTheREADME(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile("(?s)```go\n(.*?)```\n\nIt prints `(.*?)`").FindSubmatch(readme)
	if program == nil {
		t.Fatal("the README has no Go program")
	}
	const address = "http://127.0.0.1:8080"
	source := strings.ReplaceAll(string(program[1]), address, payouttest.New(t).URL)
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "run", file).CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != string(program[2]) {
		t.Errorf("printed %q, %v; the README says %q", got, err, program[2])
	}
}
