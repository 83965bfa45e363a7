package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The database of a sandbox is removed with the files beside it, but not while it is in use.
func TestResetRemovesTheSandbox(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "payouts.db")
	database := "--database=sqlite:" + file
	p := start(t, variables(), "serve", "--sandbox", "--listen=127.0.0.1:0", database)
	printed := p.out.await(t, "curl line", func(text string) bool { return strings.HasSuffix(text, "'\n\n") })
	if !strings.Contains(printed, "\nDatabase    "+file+"\nStart over  stop it, then: payoutd reset "+database+"\n") {
		t.Errorf("the welcome does not say how to start over:\n%s", printed)
	}
	for _, step := range []struct {
		what       string
		code       int
		out, errs  string
		stopBefore bool
	}{
		{"while it runs", exitFailure, "", "payoutd: the database is in use; stop the program that has it open\n", false},
		{"stopped", exitOK, "Removed " + file + ". The next sandbox begins without users and transactions.\n", "", true},
		{"again", exitOK, "There is no database sqlite:" + file + "; nothing was removed.\n", "", false},
	} {
		if step.stopBefore {
			p.stop()
			<-p.code
		}
		if code, out, errs := once(t, variables(), "reset", database); code != step.code || out != step.out || errs != step.errs {
			t.Errorf("%s: code %d, %q, %q", step.what, code, out, errs)
		}
		_, err := os.Stat(file)
		if gone := errors.Is(err, fs.ErrNotExist); gone != (step.code == exitOK) {
			t.Errorf("%s: removed is %t", step.what, gone)
		}
	}
	if left, err := filepath.Glob(file + "*"); err != nil || left != nil {
		t.Errorf("%v are left, %v", left, err)
	}
}

// Nothing but the database of a sandbox is removed.
func TestResetLeavesOtherDatabases(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	production, text := withClient(t, dir, "acme"), filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		database string
		code     int
		says     string
	}{
		{"sqlite:" + production, exitFailure, "payoutd: the database holds clients that are not of the sandbox, and is not removed\n"},
		{"sqlite:" + text, exitFailure, "payoutd: SQLite file " + text + " is no database of the service: "},
		{"postgres://localhost/payouts", exitUsage, "payoutd: --database (or $PAYOUTD_DATABASE) must be sqlite:FILE, "},
	} {
		if code, out, errs := once(t, variables("PAYOUTD_DATABASE", c.database), "reset"); code != c.code || out != "" || !strings.HasPrefix(errs, c.says) {
			t.Errorf("%s: code %d, %q, %q", c.database, code, out, errs)
		}
	}
	for _, file := range []string{production, text} {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}
