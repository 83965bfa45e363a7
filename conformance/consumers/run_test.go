package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSteps(t *testing.T) {
	t.Parallel()
	r := runner{contract: "/contract.yaml", folders: t.TempDir(), work: t.TempDir()}
	if err := os.MkdirAll(filepath.Join(r.folders, "some"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.folders, "some", "story"), []byte("once upon a time"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name     string
		consumer consumer
		failed   bool
		row      string
	}{
		{
			name:     "passes",
			consumer: consumer{Generate: `test "$PAYOUTS_CONTRACT" = /contract.yaml`, Compile: "grep -q upon story", Remark: "none"},
			row:      "| some | 1.0 | - | yes, s | yes, s | - | none |\n",
		},
		{
			name:     "stops at the first failure",
			consumer: consumer{Install: "echo first; echo 'not | found'; exit 3", Generate: "true"},
			failed:   true,
			row:      "| some | 1.0 | NO | not run | - | - | install: exit status 3: not \\| found |\n",
		},
		{
			name:     "fails within a script",
			consumer: consumer{Install: "false; true"},
			failed:   true,
			row:      "| some | 1.0 | NO | - | - | - | install: exit status 1:  |\n",
		},
		{
			name:     "is skipped without its programs",
			consumer: consumer{Needs: []string{"sh", "no-such-program"}, Generate: "false"},
			row:      "| some | 1.0 | - | not run | - | - | missing: no-such-program |\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.consumer.Name, test.consumer.Version = "some", "1.0"
			got := r.run(t.Context(), test.consumer)
			if got.failed() != test.failed {
				t.Errorf("failed: %t", got.failed())
			}
			for i := range got.steps {
				got.steps[i].took = 0
			}
			row := strings.ReplaceAll(strings.TrimPrefix(markdown([]result{got}), tableHead), " 0.0 s", " s")
			if row != test.row {
				t.Errorf("got  %swant %s", row, test.row)
			}
		})
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	all := []consumer{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	chosen, err := choose(all, []string{"c a"})
	if err != nil || len(chosen) != 2 || chosen[0].Name != "c" || chosen[1].Name != "a" {
		t.Errorf("got %v, %v", chosen, err)
	}
	if chosen, err := choose(all, nil); err != nil || len(chosen) != 3 {
		t.Errorf("got %v, %v", chosen, err)
	}
	if _, err := choose(all, []string{"d"}); err == nil {
		t.Error("an unknown name is accepted")
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, c := range consumers {
		if names[c.Name] {
			t.Errorf("%s is listed twice", c.Name)
		}
		names[c.Name] = true
		if info, err := os.Stat(c.Name); err != nil || !info.IsDir() {
			t.Errorf("%s has no folder", c.Name)
		}
		if c.Version == "" || len(c.Needs) == 0 || len(c.steps()) == 0 {
			t.Errorf("%s lacks a version, programs or steps", c.Name)
		}
		for _, name := range c.Uses {
			if tools[name] == nil {
				t.Errorf("%s uses %s, which nobody installs", c.Name, name)
			}
		}
	}
}
