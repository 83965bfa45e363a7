//go:build linux

package failover

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// commands are those of server/FAILOVER.md that the test runs.
var commands = []string{"list", "switchover --force"}

// server/FAILOVER.md shows exactly the files and commands that the test runs.
func TestDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../FAILOVER.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, block := range regexp.MustCompile("(?ms)^```\\w+\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		shown[block[1]] = true
	}
	entries, err := fs.ReadDir(files, "config")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		file, err := fs.ReadFile(files, "config/"+entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !shown[string(file)] {
			t.Errorf("it does not show %s as it is", entry.Name())
		}
		delete(shown, string(file))
	}
	want := ""
	for _, command := range commands {
		want += "patronictl -c /etc/patroni/config.yml " + command + "\n"
	}
	if !shown[want] {
		t.Errorf("it does not show these commands:\n%s", want)
	}
	delete(shown, want)
	for block := range shown {
		t.Errorf("it shows what no test runs:\n%s", strings.TrimSpace(block))
	}
}
