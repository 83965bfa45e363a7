// Package second_test runs the conformance suite against the second implementation, which is in Python.
package second_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	url, fixtures := startWithFixtures(t)
	target := sandbox(url)
	target.Profile, target.Fixtures = probe.Document, fixtures
	conforms(t, target)
}

// The front leaves the answers of another implementation as they are. It replaces the validation of one that has none.
func TestTheSecondImplementationConformsBehindTheFront(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		condition probe.Condition
		flags     []string
	}{
		"validating":     {probe.Normal, nil},
		"not validating": {probe.Normal, []string{"--no-validation"}},
		"rate-limited":   {probe.RateLimited, []string{"--no-validation", "--rate-limit", "4"}},
		"unavailable":    {probe.Unavailable, []string{"--no-validation", "--unavailable"}},
		"broken":         {probe.Broken, []string{"--no-validation", "--broken"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := sandbox(behindFront(t, start(t, test.flags...)))
			target.Condition = test.condition
			conforms(t, target)
		})
	}
	t.Run("document", func(t *testing.T) {
		t.Parallel()
		url, fixtures := startWithFixtures(t, "--no-validation")
		target := sandbox(behindFront(t, url))
		target.Profile, target.Fixtures = probe.Document, fixtures
		conforms(t, target)
	})
}

// Without the front, nothing else does what --no-validation leaves out.
func TestWithoutValidationTheSecondImplementationDoesNotConform(t *testing.T) {
	t.Parallel()
	report, err := conformance.Run(t.Context(), conformance.Target{
		Target: sandbox(start(t, "--no-validation")), Only: conformance.Filter{IDs: []string{"validation"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if report.Verdict != conformance.NotConformant || report.Counts[probe.Passed.String()] > report.Counts[probe.Failed.String()] {
		t.Errorf("%s %v %s", report.Verdict, report.Counts, report.Problem)
	}
}

func sandbox(url string) probe.Target {
	clients := server.SandboxClients
	return probe.Target{
		URL: url, ClientID: clients[0].ID, ClientSecret: clients[0].Secret,
		OtherClientID: clients[1].ID, OtherClientSecret: clients[1].Secret, Receiver: "127.0.0.1:0",
		Timeout: 2 * time.Minute, // beside other tests
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

// behindFront starts the front before a service and returns its URL. It refuses answers that break the contract.
func behindFront(t *testing.T, upstream string) string {
	t.Helper()
	program, err := front()
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, exec.Command(program, "--listen", "127.0.0.1:0", "--upstream", upstream, "--responses", "refuse"))
}

// front returns the path of the program, built in .tmp.
var front = sync.OnceValues(func() (string, error) {
	program, err := filepath.Abs(filepath.Join("..", "..", "..", ".tmp", "front"))
	if err != nil {
		return "", err
	}
	if out, err := exec.Command("go", "build", "-o", program, "../../../openapi/contract/front").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the front: %w %s", err, out)
	}
	return program, nil
})

// startWithFixtures starts the second implementation with what profile document needs.
func startWithFixtures(t *testing.T, flags ...string) (url string, fixtures probe.Fixtures) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "fixtures.yaml")
	url = start(t, append(flags, "--fixtures", name)...)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file := struct{ Fixtures *probe.Fixtures }{&fixtures}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return url, fixtures
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
	command := exec.Command(interpreter, append([]string{"-m", "second", "--listen", "127.0.0.1:0", "--sandbox"}, flags...)...)
	command.Dir = ".."
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	return serve(t, command)
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+`)

// serve starts a program whose first line of output has the address that it listens on, and returns this address.
func serve(t *testing.T, command *exec.Cmd) string {
	t.Helper()
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		<-ended
		if err := command.Wait(); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	})
	lines := bufio.NewScanner(out)
	lines.Scan()
	first := lines.Text()
	go func() {
		defer close(ended)
		for lines.Scan() {
			if !strings.Contains(lines.Text(), `"level":"INFO"`) {
				t.Log(lines.Text())
			}
		}
	}()
	url := address.FindString(first)
	if url == "" {
		t.Fatalf("%s: %s", command, first)
	}
	return url
}

// python returns the interpreter of a virtual environment with the requirements, made in .tmp on first use.
var python = sync.OnceValues(func() (string, error) {
	folder, err := filepath.Abs(filepath.Join("..", "..", "..", ".tmp", "second"))
	if err != nil {
		return "", err
	}
	// go test runs again when a file changed that it has seen.
	for _, pattern := range []string{"*.py", "../../../openapi/contract/front/*.go", "../../../server/reference/data/*.csv"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return "", err
		}
		for _, file := range files {
			if _, err := os.Stat(file); err != nil {
				return "", err
			}
		}
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
