package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/reference"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// csvFile writes items to a file.
func csvFile[T any](t *testing.T, items []T, write func(io.Writer, iter.Seq2[T, error]) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out, func(yield func(T, error) bool) {
		for _, v := range items {
			if !yield(v, nil) {
				return
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "items.csv")
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// An export can be imported without a change, and exported again with the same bytes.
func TestExportAndImport(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"payers": csvFile(t, reference.SamplePayers(), reference.WritePayers),
		"banks":  csvFile(t, reference.SampleBanks(), reference.WriteBanks),
		"states": csvFile(t, reference.States(), reference.WriteStates),
	}
	onEachEngine(t, func(t *testing.T, o operator) {
		for what, file := range files {
			n := strings.Count(readFile(t, file), "\n") - 1
			summary := func(news, unchanged int) string {
				return fmt.Sprintf("%s: %d new, 0 changed, %d unchanged, 0 removed\n", what, news, unchanged)
			}
			dry := "Dry run: nothing was changed. "
			first := filepath.Join(t.TempDir(), "first.csv")
			prints := func(want string, args ...string) {
				t.Helper()
				if out := o.done(t, append([]string{"reference"}, args...)...); out != want {
					t.Errorf("%q printed\n%s\nwant\n%s", args, out, want)
				}
			}
			prints(dry+summary(n, 0), "import", what, file, "--dry-run")
			prints(summary(n, 0), "import", what, file)
			prints("", "export", what, first)
			exported := readFile(t, first)
			if strings.Count(exported, "\n") != n+1 {
				t.Errorf("exported\n%s", exported)
			}
			prints(summary(0, n), "import", what, first)
			prints(summary(0, n), "import", what, first, "--replace")
			prints(dry+summary(0, n), "import", what, first, "--replace", "--dry-run")
			prints(exported, "export", what)
			prints(exported, "export", what, "-")
		}
	})
}

// Every invalid line is reported with its column and the reason, and nothing is written.
func TestEveryErrorOfAFileIsReported(t *testing.T) {
	t.Parallel()
	bad := filepath.Join("testdata", "reference_bad_payers.csv")
	onEachEngine(t, func(t *testing.T, o operator) {
		code, out, errs := o.run(t, "reference", "import", "payers", bad, "--replace")
		if want := readFile(t, filepath.Join("testdata", "reference_bad_payers.txt")); code != exitFailure || out != "" || errs != want {
			t.Errorf("code %d, printed %q, said\n%s\nwant\n%s", code, out, errs, want)
		}
		if out := o.done(t, "reference", "export", "payers"); strings.Count(out, "\n") != 1 {
			t.Errorf("kept\n%s", out)
		}
		many := filepath.Join(t.TempDir(), "many.csv")
		if err := os.WriteFile(many, []byte("id,country,code,name\n"+strings.Repeat("short\n", 100)), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := o.run(t, "reference", "import", "states", many); code != exitFailure || strings.Count(errs, "\n") != 101 ||
			!strings.Contains(errs, "line 101: ") || !strings.HasSuffix(errs, "is rejected with 100 errors; nothing was changed\n") {
			t.Errorf("code %d, said\n%s", code, errs)
		}
	})
}

// --replace removes what is not in the file, unless something refers to it.
func TestReplace(t *testing.T) {
	t.Parallel()
	states, banks := reference.States(), reference.SampleBanks()
	all, few := csvFile(t, states, reference.WriteStates), csvFile(t, states[:2], reference.WriteStates)
	bankFile, otherBanks := csvFile(t, banks, reference.WriteBanks), csvFile(t, banks[1:], reference.WriteBanks)
	onEachEngine(t, func(t *testing.T, o operator) {
		o.done(t, "reference", "import", "states", all)
		if out := o.done(t, "reference", "import", "states", few); out != "states: 0 new, 0 changed, 2 unchanged, 0 removed\n" {
			t.Error(out)
		}
		want := fmt.Sprintf("states: 0 new, 0 changed, 2 unchanged, %d removed\n", len(states)-2)
		if out := o.done(t, "reference", "import", "states", few, "--replace"); out != want {
			t.Errorf("%s, want %s", out, want)
		}
		o.done(t, "reference", "import", "banks", bankFile)
		load(t, o.url)
		code, out, errs := o.run(t, "reference", "import", "banks", otherBanks, "--replace")
		if want := "bank 2001 cannot be removed: accounts or transactions refer to it\npayoutd: " + otherBanks +
			" is rejected with 1 error; nothing was changed\n"; code != exitFailure || out != "" || errs != want {
			t.Errorf("code %d, printed %q, said %q, want %q", code, out, errs, want)
		}
	})
}

// The service writes the states of ISO 3166-2 if there are none, and does not change those that an operator imported.
func TestImportedStatesAreKeptAtStart(t *testing.T) {
	t.Parallel()
	imported := []payout.State{{ID: 1, Country: "NP", Code: "P1", Name: "Imported"}, {ID: 524002, Country: "NP", Code: "P2", Name: "Changed"}}
	file := csvFile(t, imported, reference.WriteStates)
	onEachEngine(t, func(t *testing.T, o operator) {
		servertest.New(t, func(c *server.Config) { c.Database, c.Sandbox = o.url, false }).Stop()
		if n := strings.Count(o.done(t, "reference", "export", "states"), "\n") - 1; n != len(reference.States()) {
			t.Errorf("%d states at first", n)
		}
		o.done(t, "reference", "import", "states", "--replace", file)
		servertest.New(t, func(c *server.Config) { c.Database, c.Sandbox = o.url, false }).Stop()
		if out := o.done(t, "reference", "export", "states"); out != readFile(t, file) {
			t.Errorf("after a start there are\n%s", out)
		}
	})
}

func TestWrongArgumentsOfReference(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		dir := t.TempDir()
		o.refused(t, exitUsage, `<what> must be one of ...`, "reference", "import", "countries", "x.csv")
		o.refused(t, exitUsage, `<what> must be one of ...`, "reference", "export", "countries")
		o.refused(t, exitUsage, `expected "<file>"`, "reference", "import", "payers")
		o.refused(t, exitFailure, "open "+dir+"/none.csv: no such file or directory", "reference", "import", "payers", dir+"/none.csv")
		o.refused(t, exitFailure, "read the header: read "+dir+": is a directory", "reference", "import", "payers", dir)
		o.refused(t, exitFailure, "open "+dir+"/no/.x.csv.part: no such file or directory", "reference", "export", "payers", dir+"/no/x.csv")
		o.refused(t, exitFailure, "open "+dir+": is a directory", "reference", "export", "payers", dir)
	})
	withoutTables(t).refused(t, exitFailure, "migrations are pending; run payoutd migrate up", "reference", "export", "payers")
}

// A failed export does not change the file, and leaves no other file.
func TestFailedExportKeepsTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "payers.csv")
	for _, text := range []string{"first", "second"} {
		if err := replaceFile(name, false, func(out io.Writer) error { _, err := io.WriteString(out, text); return err }); err != nil {
			t.Fatal(err)
		}
	}
	failed := replaceFile(name, false, func(out io.Writer) error {
		_, err := io.WriteString(out, "half of the thi")
		return errors.Join(err, io.ErrUnexpectedEOF)
	})
	files, err := os.ReadDir(dir)
	if !errors.Is(failed, io.ErrUnexpectedEOF) || err != nil || len(files) != 1 || readFile(t, name) != "second" {
		t.Errorf("%v, %v; %d files, %q", failed, err, len(files), readFile(t, name))
	}
}

// The program reads standard input, and draws no progress bar outside of a terminal.
func TestImportReadsStandardInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary := filepath.Join(dir, "payoutd")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	states := reference.States()
	for _, args := range [][]string{{"migrate", "up"}, {"reference", "import", "states", "-"}, {"reference", "export", "states"}} {
		var out, errs bytes.Buffer
		command := exec.CommandContext(t.Context(), binary, slices.Concat(args, []string{"--database=sqlite:" + filepath.Join(dir, "payouts.db")})...)
		command.Stdin = strings.NewReader(readFile(t, csvFile(t, states, reference.WriteStates)))
		command.Stdout, command.Stderr = &out, &errs
		if err := command.Run(); err != nil || errs.Len() > 0 {
			t.Fatalf("%q: %v, %q", args, err, errs.String())
		}
		if args[1] == "import" && out.String() != fmt.Sprintf("states: %d new, 0 changed, 0 unchanged, 0 removed\n", len(states)) ||
			args[1] == "export" && strings.Count(out.String(), "\n") != len(states)+1 {
			t.Errorf("%q printed %q", args, out.String())
		}
	}
}
