//go:build unix

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The code in the documentation of a Go package is part of a test in the same folder, line by line, and so it compiles and
// runs. What is no Go, such as a table of variables, starts with a name in capitals or a brace.
func TestCodeInCommentsIsTested(t *testing.T) {
	t.Parallel()
	noCode := regexp.MustCompile(`^([A-Z_]+ |\{")`)
	found := 0
	for _, b := range comments(t) {
		if noCode.MatchString(b.code) {
			continue
		}
		found++
		tests, err := filepath.Glob(filepath.Join(repository, filepath.Dir(b.document), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, file := range tests {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.WriteString(plain(string(text)))
		}
		if !strings.Contains(all.String(), plain(b.code)) {
			t.Errorf("no test in the folder has the lines\n%s\nof %s", b.code, b.document)
		}
	}
	if found < 5 {
		t.Errorf("found %d blocks only", found)
	}
}

// plain returns code without indentation and empty lines.
func plain(code string) string {
	var lines strings.Builder
	for line := range strings.Lines(code) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines.WriteString(line + "\n")
		}
	}
	return lines.String()
}
