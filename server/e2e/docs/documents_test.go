//go:build unix

package docs

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi"
)

func TestDocuments(t *testing.T) {
	t.Parallel()
	found := documents(t)
	shown := 0
	for _, document := range slices.Sorted(maps.Keys(found)) {
		shown += len(found[document])
		if elsewhere[document] == "" && document != operators && document != failover {
			t.Run(document, func(t *testing.T) {
				t.Parallel()
				run(t, found[document])
			})
		}
	}
	if shown < 15 {
		t.Errorf("found %d blocks only", shown)
	}
	for document, runner := range elsewhere {
		commands, err := os.ReadFile(filepath.Join(repository, runner))
		if err != nil || found[document] == nil {
			t.Errorf("%s has %d blocks, which %s runs: %v", document, len(found[document]), runner, err)
		}
		for _, b := range found[document] {
			for _, option := range regexp.MustCompile(`\b\w+=[\w.]+`).
				FindAllString(strings.ReplaceAll(b.code, "--additional-properties=", ""), -1) {
				if !strings.Contains(string(commands), option) {
					t.Errorf("%s: %s does not run %s", b.first(), runner, option)
				}
			}
		}
	}
	if found[failover] == nil {
		t.Errorf("%s shows nothing", failover)
	}
	for _, c := range claims {
		if !slices.ContainsFunc(found[c.document], c.of) {
			t.Errorf("%s has no block with %q any more", c.document, c.block)
		}
	}
}

// elsewhere are documents whose commands install programs of other languages, and the file that runs the same commands.
var elsewhere = map[string]string{
	"conformance/consumers/README.md":        "conformance/consumers/list.go",
	"conformance/consumers/second/README.md": "conformance/consumers/second/second_test.go",
}

// failover shows the configuration of a cluster, which server/e2e/failover compares with the one that it runs.
const failover = "server/FAILOVER.md"

// claim is what a document says about a block in other words than "It prints".
type claim struct {
	document, block string
	prints          string
	exit            int // 0 unless the document says that the command fails
}

func (c claim) of(b block) bool { return b.document == c.document && strings.Contains(b.code, c.block) }

var claims = []claim{
	{"README.md", "call /sandbox/users/", `"to_amount":13225.00`, 0},
	{"README.md", "go run ./conformance/conform --url", "CONFORMANT: ", 0},
	{"conformance/README.md", "--report reports", "CONFORMANT: ", 0},
	{"conformance/README.md", "--max-failures 1", "INCOMPLETE: ", 3},
	{guides, `call -i "$BASE/users/`, "Idempotent-Replayed: true", 0},
	{guides, "If-None-Match", "304 Not Modified", 0},
	{guides, `"fee_amount": 2.50`, `"to_amount":13225.00`, 0},
}

// run runs the blocks of a document in order.
func run(t *testing.T, blocks []block) {
	t.Helper()
	s := newShell(t)
	commands := slices.ContainsFunc(blocks, func(b block) bool { return b.language != "json" && b.language != "http" })
	if commands && !slices.ContainsFunc(blocks, func(b block) bool { return service.MatchString(b.code) }) {
		s.Sandbox()
	}
	for _, b := range blocks {
		kind := kindOf(b)
		if kind == nil {
			t.Errorf("%s: no test runs or checks a block of %q", b.first(), b.language)
			continue
		}
		s.exit = 0
		for _, c := range claims {
			if c.of(b) {
				s.exit = c.exit
			}
		}
		out := kind(s, b)
		s.exit = 0
		if b.prints != "" && out != b.prints {
			t.Errorf("%s: it printed %q, and the text says %q", b.first(), out, b.prints)
		}
		for _, c := range claims {
			if c.of(b) && !strings.Contains(out, c.prints) {
				t.Errorf("%s: it printed\n%s\nwithout %q", b.first(), out, c.prints)
			}
		}
	}
}

// kindOf returns what to do with a block, and nil if that is not known.
func kindOf(b block) func(*shell, block) string {
	switch b.language {
	case "bash", "sh", "":
		switch {
		case configuration.MatchString(b.code):
			return configure
		case strings.Contains(b.code, "conform diff"):
			return compareReports
		}
		return (*shell).RunBlock
	case "go":
		return func(s *shell, b block) string { return s.Program(b.code) }
	case "json":
		return checkJSON
	case "http":
		return checkHeaders
	case "text", "mermaid": // diagrams; a test of server/payout makes the one of text
		return func(*shell, block) string { return "" }
	case "java", "python", "ts":
		return func(s *shell, b block) string { // make consumers runs them, which has the libraries
			s.Run("grep '^complete " + b.language + " ' $REPOSITORY/conformance/consumers/guides/blocks.sh")
			return ""
		}
	}
	return nil
}

// configuration matches the first line of a configuration file of the conformance suite, with the command that reads it.
var configuration = regexp.MustCompile(`^# ([a-z]+\.yaml), for: (conform .*)`)

// configure writes a configuration file and runs its command, against the sandbox.
func configure(s *shell, b block) string {
	s.Helper()
	match := configuration.FindStringSubmatch(b.code)
	file := filepath.Join(s.Dir, match[1])
	text := strings.NewReplacer("https://payouts.example.com/api", "http://"+s.address, "acme-2", "sandbox-2", "acme", "sandbox",
		"fixtures: fixtures.yaml\n", "").Replace(b.code)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
	if !strings.Contains(match[2], "--config") {
		match[2] += " --config conform.yaml"
	}
	return s.Run("go run ./conformance/" + match[2] + " --only reference || [ $? = 3 ]")
}

// compareReports gives the command of the document two reports that the suite wrote before.
func compareReports(s *shell, b block) string {
	s.Helper()
	s.Run("mkdir -p old new && cp reports/report.json old && cp reports/report.json new")
	return s.Run(b.code)
}

// checkJSON expects a JSON value; one that looks like an error must be a valid one.
func checkJSON(s *shell, b block) string {
	s.Helper()
	var value map[string]any
	if err := json.Unmarshal([]byte(b.code), &value); err != nil {
		s.Fatalf("%s: %v", b.first(), err)
	}
	if value["request_id"] != nil {
		if err := contract(s.T).Components.Schemas["Error"].Value.VisitJSON(value); err != nil {
			s.Errorf("%s: %v", b.first(), err)
		}
	}
	return ""
}

// checkHeaders expects headers that the contract names.
func checkHeaders(s *shell, b block) string {
	s.Helper()
	text := string(openapi.YAML())
	for line := range strings.Lines(b.code) {
		name, _, ok := strings.Cut(line, ": ")
		if !ok || !strings.Contains(text, "name: "+name+"\n") && !strings.Contains(text, " "+name+": {$ref: '#/components/headers/") {
			s.Errorf("%s: the contract has no header %s", b.first(), name)
		}
	}
	return ""
}

// Commands within a sentence name targets, packages and subcommands that exist.
func TestCommandsInSentences(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.Run("go build -o $PROGRAMS/ ./server/payoutd ./conformance/conform")
	known := map[string]*regexp.Regexp{ // what of a command is run instead of it
		"command make -C $REPOSITORY --dry-run %s >/dev/null":                 regexp.MustCompile(`^make ([a-z-]+)`),
		"command go -C $REPOSITORY list %s >/dev/null":                        regexp.MustCompile(`^go (?:run|build|test)(?: -o [a-z]+)? (\./\S+)`),
		"payoutd %s --help >/dev/null":                                        regexp.MustCompile(`^payoutd ((?:[a-z-]+ ?)+)`),
		"{ conform %s --help || conform --help | grep -e %[1]s; } >/dev/null": regexp.MustCompile(`^conform ([a-z-]+)`),
	}
	found := 0
	for _, file := range append(files(t, ".md"), guides) {
		text, err := os.ReadFile(filepath.Join(repository, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, span := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(string(text), -1) {
			for instead, form := range known {
				if match := form.FindStringSubmatch(strings.Join(strings.Fields(span[1]), " ")); match != nil {
					found++
					s.Run(strings.ReplaceAll(strings.ReplaceAll(instead, "%[1]s", match[1]), "%s", match[1]) + " # " + file)
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("found %d commands only", found)
	}
}
