package client_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/client"
)

func TestVersionIsTheNewestOfTheChangelog(t *testing.T) {
	t.Parallel()
	newest := find(t, "CHANGELOG.md", `(?m)^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$`)
	if client.Version != newest {
		t.Errorf("Version is %s, the newest entry of CHANGELOG.md is %s", client.Version, newest)
	}
}

// What is promised is what is tested: go.mod names the older version of Go, the Makefile that of test-go-next, and both are
// in the documentation.
func TestSupportedVersionsOfGo(t *testing.T) {
	t.Parallel()
	older := find(t, "../go.mod", `(?m)^go (\d+\.\d+)\.\d+$`)
	newer := find(t, "../Makefile", `(?m)^NEXT_GO := go(\d+\.\d+)\.\d+$`)
	for file, words := range map[string]string{"CHANGELOG.md": `the last two versions of Go, today (.+?),`, "doc.go": `the last two versions of Go,\s+(?://\s+)?today (.+?),`} {
		if got := find(t, file, words); got != older+" and "+newer {
			t.Errorf("%s promises Go %s; tested are %s and %s", file, got, older, newer)
		}
	}
	if !strings.Contains(find(t, "../Makefile", `(?ms)^test-go-next:(.+?)\n\n`), "GOTOOLCHAIN=$(NEXT_GO) go test") {
		t.Error("make test-go-next does not use NEXT_GO")
	}
}

// find returns what the group of a pattern matches first in a file.
func find(t *testing.T, file, pattern string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(pattern).FindSubmatch(text)
	if match == nil {
		t.Fatalf("%s has no %s", file, pattern)
	}
	return string(match[1])
}
