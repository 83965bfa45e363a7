package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
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

// A replica with another key than the one that sealed the secrets says so, and spoils none of them.
func TestAnotherKeyThanThatOfTheSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	database := "--database=sqlite:" + filepath.Join(dir, "payouts.db")
	profile := filepath.Join(dir, "client.yaml")
	if err := os.WriteFile(profile, []byte("id: acme\nname: Acme\ncorridors: [{country: US, currency: USD}]\n"+
		"destinations: [{country: NP, tiers: [{limits: [{currency: USD, daily: 1, monthly: 1, annual: 1}]}]}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := once(t, variables(), "migrate", "up", database); code != exitOK {
		t.Fatal(errs)
	}
	code, out, errs := once(t, variables(), "clients", "apply", "-f", profile, database)
	if code != exitOK {
		t.Fatal(errs)
	}
	lines := strings.Fields(out + errs)
	secret := lines[len(lines)-1]
	var id string
	for _, c := range []struct {
		key, path, idempotency string
		status                 int
		says                   string
	}{
		{"right", "/webhook-endpoints", "create", http.StatusOK, ""},
		{"other", "/webhook-endpoints", "create", http.StatusServiceUnavailable, "does not open those of some endpoints"},
		{"other", "/webhook-endpoints/%s/secret", "rotate", http.StatusServiceUnavailable, "does not open those of some endpoints"},
		{"right", "/webhook-endpoints/%s/secret", "rotate", http.StatusOK, ""},
	} {
		file := filepath.Join(dir, c.key)
		if _, err := os.Stat(file); err != nil {
			if code, _, errs := once(t, variables(), "secrets-key", "create", file); code != exitOK {
				t.Fatal(errs)
			}
		}
		p := start(t, variables(), "serve", "--listen=127.0.0.1:0", database, "--secrets-key="+file)
		address := p.errs.awaitLog(t, "listening").Address
		if said := p.errs.String(); (c.says != "") != strings.Contains(said, "does not open") || !strings.Contains(said, c.says) {
			t.Errorf("with the key %s the log is %q", c.key, said)
		}
		path, body := c.path, `{"url":"https://example.com/webhooks"}`
		if strings.Contains(path, "%s") {
			path, body = fmt.Sprintf(path, id), ""
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{
			"X-Client-Id": {"acme"}, "X-Client-Secret": {secret}, "Content-Type": {"application/json"}, "X-Idempotency-Key": {c.idempotency},
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status {
			t.Errorf("POST %s with the key %s: %d %s, %v; want %d", c.path, c.key, resp.StatusCode, answer, err, c.status)
		}
		if found := regexp.MustCompile(`"id":"([^"]+)"`).FindSubmatch(answer); found != nil {
			id = string(found[1])
		}
		p.stop()
		<-p.code
	}
}
