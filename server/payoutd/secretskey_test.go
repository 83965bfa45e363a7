package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKeysOfWebhookSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, other := filepath.Join(dir, "keyset.json"), filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("something secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	var first string
	for _, c := range []struct {
		command, file string
		code          int
		says          string
	}{
		{"rotate", file, exitUsage, "no such file"},
		{"create", file, exitOK, "has new keys"},
		{"create", file, exitUsage, "exists already; payoutd secrets-key rotate replaces its key"},
		{"rotate", file, exitOK, "has a new key"},
		{"rotate", other, exitUsage, "<file> is not a keyset; payoutd secrets-key create makes one"},
		{"create", filepath.Join(other, "below"), exitFailure, "not a directory"},
	} {
		code, out, errs := once(t, variables(), "secrets-key", c.command, c.file)
		if code != c.code || !strings.Contains(out+errs, c.says) || strings.Contains(out+errs, "something secret") {
			t.Errorf("%s %s: code %d, said %q %q", c.command, c.file, code, out, errs)
		}
		text, err := os.ReadFile(file)
		if c.code == exitOK && (err != nil || string(text) == first) {
			t.Errorf("%s changed nothing, %v", c.command, err)
		}
		first = string(text)
	}
	for _, c := range []struct{ file, says string }{
		{other, "payoutd: --secrets-key (or $PAYOUTD_SECRETS_KEY) is not a keyset; payoutd secrets-key create makes one\n"},
		{file + ".gone", "payoutd: --secrets-key (or $PAYOUTD_SECRETS_KEY) open " + file + ".gone: no such file or directory\n"},
	} {
		code, _, errs := once(t, variables(), "serve", "--database=sqlite:"+withClient(t, dir, "acme"), "--listen=127.0.0.1:0", "--secrets-key="+c.file)
		if code != exitUsage || errs != c.says {
			t.Errorf("serve with %s: code %d, said %q", c.file, code, errs)
		}
	}
}

// Production without a key says so at its start, and one whose key others can read.
func TestProductionSaysWhatIsWrongWithItsKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	database, file := "--database=sqlite:"+withClient(t, dir, "acme"), filepath.Join(dir, "keyset.json")
	if code, _, errs := once(t, variables(), "secrets-key", "create", file); code != exitOK {
		t.Fatal(errs)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	for message, flag := range map[string]string{
		"there is no key for the secrets of webhooks":                    "--timeout=30s",
		"other users of the machine can read the key of webhook secrets": "--secrets-key=" + file,
	} {
		p := start(t, variables(), "serve", "--listen=127.0.0.1:0", database, flag)
		p.errs.await(t, message, func(text string) bool { return strings.Contains(text, message) })
	}
}
