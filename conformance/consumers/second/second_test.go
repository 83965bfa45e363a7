// Package second_test runs the conformance suite against the second implementation, which is in Python.
package second_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/server"
)

// An implementation that shares no code with ours passes, in every condition.
func TestTheSecondImplementationConforms(t *testing.T) {
	t.Parallel()
	for condition, flags := range map[probe.Condition][]string{
		probe.Normal:      nil,
		probe.RateLimited: {"--rate-limit", "4"},
		probe.Unavailable: {"--unavailable"},
		probe.Broken:      {"--broken"},
	} {
		t.Run(string(condition), func(t *testing.T) {
			t.Parallel()
			target := sandbox(start(t, flags...))
			target.Condition = condition
			conforms(t, target)
		})
	}
}

func TestTheSecondImplementationConformsInProfileDocument(t *testing.T) {
	t.Parallel()
	fixtures := filepath.Join(t.TempDir(), "fixtures.yaml")
	target := sandbox(start(t, "--fixtures", fixtures))
	target.Profile = probe.Document
	text, err := os.ReadFile(fixtures)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Fixtures *probe.Fixtures }
	file.Fixtures = &target.Fixtures
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	conforms(t, target)
}

func sandbox(url string) probe.Target {
	clients := server.SandboxClients
	return probe.Target{
		URL: url, ClientID: clients[0].ID, ClientSecret: clients[0].Secret,
		OtherClientID: clients[1].ID, OtherClientSecret: clients[1].Secret,
	}
}

// conforms fails the test unless every check of the profile and condition ran and passed.
func conforms(t *testing.T, target probe.Target) {
	t.Helper()
	report, err := conformance.Run(t.Context(), conformance.Target{Target: target})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s, %s: %v in %v", report.Profile, report.Condition, report.Counts, report.Duration.Round(time.Millisecond))
	if report.Verdict != conformance.Conformant {
		t.Errorf("%s %v %s", report.Verdict, report.NotRun, report.Problem)
	}
	for _, r := range report.Results {
		if r.Status >= probe.Failed {
			t.Errorf("%s %s: %s\n\t%s", r.Status, r.ID, r.Title, strings.Join(r.Messages, "\n\t"))
		}
	}
}

// start starts the second implementation and returns its URL.
func start(t *testing.T, flags ...string) string {
	t.Helper()
	interpreter, err := python()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		fmt.Fprintf(os.Stderr, "\n*** %s: THIS TEST NEEDS PYTHON: %v ***\n\n", t.Name(), err) // go test does not report skipped tests
		t.Skip(err)
	}
	arguments := append([]string{"-m", "second", "--listen", "127.0.0.1:0", "--sandbox"}, flags...)
	command := exec.Command(interpreter, arguments...)
	command.Dir = ".."
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	command.Stderr = t.Output()
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	lines := bufio.NewReader(out)
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		<-ended
		if err := command.Wait(); err != nil {
			t.Errorf("the second implementation ended: %v", err)
		}
	})
	first, err := lines.ReadString('\n')
	url, isURL := strings.CutPrefix(strings.TrimSpace(first), "listening on ")
	go func() { // what it prints later is about answers of 500
		_, _ = io.Copy(t.Output(), lines)
		close(ended)
	}()
	if err != nil || !isURL {
		t.Fatalf("the second implementation said %q: %v", first, err)
	}
	return url
}

// python returns the interpreter of a virtual environment with the requirements, made in .tmp on first use.
var python = sync.OnceValues(func() (string, error) {
	folder, err := filepath.Abs(filepath.Join("..", "..", "..", ".tmp", "second"))
	if err != nil {
		return "", err
	}
	wanted, err := os.ReadFile("requirements.txt")
	if err != nil {
		return "", err
	}
	interpreter, done := filepath.Join(folder, "bin", "python"), filepath.Join(folder, "installed.txt")
	if installed, err := os.ReadFile(done); err == nil && bytes.Equal(installed, wanted) {
		return interpreter, nil
	}
	for _, step := range [][]string{
		{"python3", "-c", "import sys; assert sys.version_info >= (3, 11), 'Python 3.11 is needed'"},
		{"python3", "-m", "venv", "--clear", folder},
		{interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"},
	} {
		if out, err := exec.Command(step[0], step[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w %s", strings.Join(step, " "), err, bytes.TrimSpace(out))
		}
	}
	return interpreter, os.WriteFile(done, wanted, 0o600)
})
