package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The unit is one that systemd accepts without a warning, and confines the service: at most 3.0 of 10.
func TestUnit(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("systemd-analyze")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("WARNING: the systemd unit is not tested: %v", err)
	}
	text, err := os.ReadFile("../payoutd.service")
	if err != nil {
		t.Fatal(err)
	}
	// The program must exist.
	unit := filepath.Join(t.TempDir(), "payoutd.service")
	installed := strings.Replace(string(text), "ExecStart=/usr/local/bin/payoutd ", "ExecStart="+program+" ", 1)
	if installed == string(text) {
		t.Fatal("no ExecStart in the unit")
	}
	if err := os.WriteFile(unit, []byte(installed), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), program, "verify", unit).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), program, "security", "--offline=true", "--threshold=30", "--json=short", unit).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	var checks []struct {
		Set  bool   `json:"set"`
		Name string `json:"json_field"`
	}
	if err := json.Unmarshal(out, &checks); err != nil {
		t.Fatal(err)
	}
	var missing []string
	for _, check := range checks {
		if !check.Set {
			missing = append(missing, check.Name)
		}
	}
	t.Logf("not confined: %s", strings.Join(missing, ", "))
	if slices.Contains(missing, "UMask") || len(checks) < 50 {
		t.Errorf("%d checks; files are readable by others", len(checks))
	}
}
