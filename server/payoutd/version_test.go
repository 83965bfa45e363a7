package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server/store"
)

func TestVersionNeedsNoDatabase(t *testing.T) {
	t.Parallel()
	contract, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := once(t, nil, "version")
	if code != exitOK || !strings.HasPrefix(out, "payoutd ") || !strings.Contains(out, ", contract "+contract.Info.Version+", schema ") ||
		!strings.HasSuffix(out, ", "+runtime.Version()+"\n") {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	if code, out, errs := once(t, nil, "version", "--json"); code != exitOK || !strings.Contains(out, `"contract": "`+contract.Info.Version+`"`) {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
}

// The schema of the program is that of a database that it has migrated.
func TestVersionOfTheSchema(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "payouts.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	applied, err := db.Migrations(t.Context())
	applied = slices.DeleteFunc(applied, func(m store.Migration) bool { return strings.HasPrefix(m.Name, "queue ") }) // has versions of its own
	if err != nil || applied[len(applied)-1].Version != store.SchemaVersion() {
		t.Errorf("the newest migration is %+v, %v; the program says %d", applied[len(applied)-1], err, store.SchemaVersion())
	}
}

// A shell asks the program itself what may follow, in COMP_LINE.
func TestShellsCompleteCommandsAndFlags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary := filepath.Join(dir, "payoutd")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, c := range []struct {
		line string
		want []string
	}{
		{"payoutd cl", []string{"clients"}},
		{"payoutd funding-accounts ", []string{"list", "set-status"}},
		{"payoutd reference import ", []string{"payers", "banks", "states"}},
		{"payoutd audit list --si", []string{"--since"}},
	} {
		command := exec.CommandContext(t.Context(), binary)
		command.Env = append(os.Environ(), "COMP_LINE="+c.line)
		out, err := command.Output()
		got := strings.Fields(string(out))
		slices.Sort(got)
		slices.Sort(c.want)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q is completed with %q, %v; want %q", c.line, got, err, c.want)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Log("WARNING: bash is missing, so it was not asked to complete")
		return
	}
	command := exec.CommandContext(t.Context(), bash, "-c", `source <(payoutd completion -c bash) && complete -p payoutd`)
	command.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(out), binary) {
		t.Errorf("bash: %v, %s", err, out)
	}
}

// No output has colours, with or without NO_COLOR, so that files and screen readers get plain text.
func TestOutputHasNoColours(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		for _, args := range []string{"--help", "transactions --help", "clients list", "transactions list --client=acme", "audit list", "check", "migrate status", "users list", "nonsense"} {
			_, out, errs := o.run(t, strings.Fields(args)...)
			if strings.Contains(out+errs, "\x1b[") {
				t.Errorf("payoutd %s prints escape sequences: %q", args, out+errs)
			}
		}
	})
}
