package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server/seal"
)

// A misspelt variable would be ignored, and the service would run on another database than the operator meant.
func TestUnknownVariablesAreRejected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args, environ []string
		says          string
	}{
		"a letter is missing": {
			[]string{"serve"}, variables("PAYOUTD_DATABSE", "sqlite:x.db"),
			"PAYOUTD_DATABSE is not a variable of payoutd; did you mean PAYOUTD_DATABASE?\n",
		},
		"the right one is set too": {
			[]string{"serve"}, variables("PAYOUTD_DATABASE", "sqlite:x.db", "PAYOUTD_LISTN", ":0"),
			"PAYOUTD_LISTN is not a variable of payoutd; did you mean PAYOUTD_LISTEN?\n",
		},
		"in any case": {
			[]string{"serve"}, variables("payoutd_database", "sqlite:x.db"),
			"payoutd_database is not a variable of payoutd; did you mean PAYOUTD_DATABASE?\n",
		},
		"of a command of operators": {
			[]string{"clients", "list"}, variables("PAYOUTD_DATABASE_URL", "sqlite:x.db"),
			"PAYOUTD_DATABASE_URL is not a variable of payoutd; did you mean PAYOUTD_DATABASE?\n",
		},
		"even if it is empty": {
			[]string{"migrate", "up"}, variables("PAYOUTD_RATELIMIT", ""),
			"PAYOUTD_RATELIMIT is not a variable of payoutd; did you mean PAYOUTD_RATE_LIMIT?\n",
		},
		"nothing is similar": {
			[]string{"check"}, variables("PAYOUTD_XYZZY", "1"), "PAYOUTD_XYZZY is not a variable of payoutd\n",
		},
		"help has no variable": {
			[]string{"check"}, variables("PAYOUTD_HELP", "1"), "PAYOUTD_HELP is not a variable of payoutd",
		},
		"a port is no address": {
			[]string{"serve"}, variables("PAYOUTD_PORT", "80"), "PAYOUTD_PORT is not a variable of payoutd",
		},
		"several": {
			[]string{"serve"}, variables("PAYOUTD_TIMOUT", "1s", "PAYOUTD_DATABSE", "x"),
			"PAYOUTD_DATABSE is not a variable of payoutd; did you mean PAYOUTD_DATABASE?\n" +
				"PAYOUTD_TIMOUT is not a variable of payoutd; did you mean PAYOUTD_TIMEOUT?\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := once(t, c.environ, c.args...)
			if code != exitUsage || out != "" || !strings.HasPrefix(errs, "payoutd: "+c.says) {
				t.Errorf("code %d, %q, %q", code, out, errs)
			}
		})
	}
}

func TestVariablesOfOthersAreIgnored(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing.db")
	environ := variables(
		"PAYOUTD_DATABASE", "sqlite:"+missing, "HOME", "/", "XPAYOUTD_DATABSE", "x", "PAYOUTS_URL", "x",
		"PAYOUTD_RATE_LIMIT", "0", "PAYOUTD_STATUS", "INITIATED", // of other commands
		"PAYOUTD_TEST_ENGINE", "postgres",
		// Kubernetes sets these for a service named payoutd and one named payoutd-metrics.
		"PAYOUTD_SERVICE_HOST", "10.0.0.1", "PAYOUTD_SERVICE_PORT", "80", "PAYOUTD_SERVICE_PORT_HTTP", "80",
		"PAYOUTD_PORT", "tcp://10.0.0.1:80", "PAYOUTD_PORT_80_TCP", "tcp://10.0.0.1:80", "PAYOUTD_PORT_80_TCP_PROTO", "tcp",
		"PAYOUTD_PORT_80_TCP_PORT", "80", "PAYOUTD_PORT_80_TCP_ADDR", "10.0.0.1",
		"PAYOUTD_METRICS_SERVICE_HOST", "10.0.0.2", "PAYOUTD_METRICS_PORT_9090_TCP_ADDR", "10.0.0.2",
	)
	if code, _, errs := once(t, environ, "clients", "list"); code != exitFailure || !strings.Contains(errs, missing) {
		t.Errorf("code %d, %q", code, errs)
	}
	if code, out, _ := once(t, variables("PAYOUTD_DATABSE", "x"), "serve", "--help"); code != exitOK || out == "" {
		t.Errorf("--help: code %d, %q", code, out)
	}
}

func TestTheDatabaseMustBeNamed(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"serve"}, {"clients", "list"}, {"clients", "rotate-secret", "acme"}, {"users", "list", "--client=acme"}, {"migrate", "up"},
		{"migrate", "status"}, {"check"}, {"reference", "export", "payers"},
	} {
		code, out, errs := once(t, variables("PAYOUTD_DATABASE", ""), args...)
		if code != exitUsage || out != "" || errs != "payoutd: --database (or $PAYOUTD_DATABASE) is missing; name the database: "+
			"sqlite:FILE or postgres://USER@HOST/NAME\n" {
			t.Errorf("%s: code %d, %q, %q", args, code, out, errs)
		}
	}
}

func TestTheSandboxNamesItsDatabase(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	p := start(t, variables(), "serve", "--sandbox", "--listen=127.0.0.1:0")
	text := p.out.await(t, "welcome", func(text string) bool { return strings.HasSuffix(text, "'\n\n") })
	if !strings.Contains(text, "\nDatabase    "+filepath.Join(dir, "sandbox.db")+"\n") {
		t.Errorf("the database is not in\n%s", text)
	}
	if _, err := os.Stat("sandbox.db"); err != nil {
		t.Error(err)
	}
}

// A service that rejects every caller says why.
func TestADatabaseWithoutClientsIsReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const message = "the database has no client"
	keyset := filepath.Join(dir, "keyset.json")
	if err := seal.Create(keyset); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args     []string
		reported bool
	}{
		"empty":         {[]string{"--database=sqlite:" + filepath.Join(dir, "empty.db")}, true},
		"with a client": {[]string{"--database=sqlite:" + withClient(t, dir, "acme"), "--secrets-key=" + keyset}, false},
		"sandbox":       {[]string{"--sandbox", "--database=sqlite:" + filepath.Join(dir, "sandbox.db")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, variables(), append([]string{"serve", "--listen=127.0.0.1:0"}, c.args...)...)
			p.errs.awaitLog(t, "listening")
			log := p.errs.String()
			if strings.Contains(log, message) != c.reported || strings.Contains(log, `"WARN"`) != c.reported {
				t.Errorf("reported %t in\n%s", !c.reported, log)
			}
		})
	}
}
