package main

import (
	"fmt"
	"net"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

func TestHelpListsEachFlagWithItsVariable(t *testing.T) {
	t.Parallel()
	code, out, errs := once(t, variables(), "serve", "--help")
	if code != exitOK || errs != "" {
		t.Errorf("code %d, %q", code, errs)
	}
	flags := 0
	for field := range reflect.TypeFor[serve]().Fields() {
		var flag strings.Builder
		for i, r := range strings.ReplaceAll(field.Name, "TLS", "Tls") {
			if i > 0 && 'A' <= r && r <= 'Z' {
				flag.WriteByte('-')
			}
			flag.WriteString(strings.ToLower(string(r)))
		}
		name := "PAYOUTD_" + strings.ToUpper(strings.ReplaceAll(flag.String(), "-", "_"))
		for _, want := range []string{"--" + flag.String(), "($" + name + ")."} {
			if !strings.Contains(out, want) {
				t.Errorf("the help has no %s:\n%s", want, out)
			}
		}
		flags++
	}
	if got := strings.Count(out, "($PAYOUTD_"); got != flags {
		t.Errorf("%d variables for %d flags", got, flags)
	}
	if strings.Contains(out, "...") || strings.Contains(out, ".. ") || strings.Contains(out, "$PAYOUTD_HELP") {
		t.Errorf("the help is mangled:\n%s", out)
	}
	if code, again, errs := once(t, variables(), "help", "serve"); code != exitOK || errs != "" || again != out {
		t.Errorf("payoutd help serve: code %d, %q, %q", code, again, errs)
	}
	if code, out, errs := once(t, variables(), "help"); code != exitOK || errs != "" || !strings.Contains(out, "transactions settle") {
		t.Errorf("payoutd help: code %d, %q, %q", code, out, errs)
	}
	if code, out, errs = once(t, variables(), "--help"); code != exitOK || errs != "" || !strings.Contains(out, "serve") {
		t.Errorf("payoutd --help: code %d, %q, %q", code, out, errs)
	}
}

func TestInvalidCommandLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	production := "sqlite:" + withClient(t, dir, "acme")
	sandbox := "sqlite:" + withClient(t, dir, "sandbox")
	free := "--database=" + production

	const tryHelp = "\nTry: payoutd --help\n"
	for _, c := range []struct {
		name string
		args []string
		env  []string
		says string // the output; one that ends in "..." is a prefix
	}{
		{"nothing", nil, variables(), `payoutd: expected one of "serve", "clients", "users", "funding-accounts", "transactions", ...` + tryHelp},
		{"unknown command", []string{"frob"}, variables(), "payoutd: unexpected argument frob" + tryHelp},
		{"argument too many", []string{"serve", "x"}, variables(), "payoutd: unexpected argument x\nTry: payoutd serve --help\n"},
		{"unknown flag", []string{"serve", "--nope"}, variables(), "payoutd: unknown flag --nope\nTry: payoutd serve --help\n"},
		{"half a command", []string{"transactions"}, variables(), "payoutd: expected one of \"list\", \"show\", \"export\", \"release\", \"settle\"\nTry: payoutd transactions --help\n"},
		{"help of what is no command", []string{"help", "frob"}, variables(), "payoutd: unexpected argument frob" + tryHelp},
		{"bad level", []string{"serve", "--log-level=loud"}, variables(), "payoutd: --log-level (or $PAYOUTD_LOG_LEVEL) must be one of ..."},
		{"bad level variable", []string{"serve"}, variables("PAYOUTD_LOG_LEVEL", "loud"), "payoutd: --log-level (or $PAYOUTD_LOG_LEVEL) must be one of ..."},
		{"bad format", []string{"serve", "--log-format=xml"}, variables(), "payoutd: --log-format (or $PAYOUTD_LOG_FORMAT) must be one of ..."},
		{"no number", []string{"serve", "--rate-limit=x"}, variables(), "payoutd: --rate-limit (or $PAYOUTD_RATE_LIMIT): expected ..."},
		{"no number variable", []string{"serve"}, variables("PAYOUTD_RATE_LIMIT", "x"), "payoutd: --rate-limit (or $PAYOUTD_RATE_LIMIT): expected ..."},
		{"negative", []string{"serve", "--rate-limit=-1"}, variables(), "payoutd: --rate-limit (or $PAYOUTD_RATE_LIMIT) must not be negative\n"},
		{"negative memory", []string{"serve", "--body-memory=-1"}, variables(), "payoutd: --body-memory (or $PAYOUTD_BODY_MEMORY) must not be negative\n"},
		{"negative variable", []string{"serve"}, variables("PAYOUTD_RATE_LIMIT", "-1"), "payoutd: --rate-limit (or $PAYOUTD_RATE_LIMIT) must not be negative\n"},
		{"negative time", []string{"serve", "--timeout=-1s"}, variables(), "payoutd: --timeout (or $PAYOUTD_TIMEOUT) must be more than 0\n"},
		{"no time", []string{"serve"}, variables("PAYOUTD_TIMEOUT", "0s"), "payoutd: --timeout (or $PAYOUTD_TIMEOUT) must be more than 0\n"},
		{"time without a unit", []string{"serve", "--timeout=x"}, variables(), "payoutd: --timeout (or $PAYOUTD_TIMEOUT): expected ..."},
		{"negative delay", []string{"serve"}, variables("PAYOUTD_SHUTDOWN_DELAY", "-1s"), "payoutd: --shutdown-delay (or $PAYOUTD_SHUTDOWN_DELAY) must not be negative\n"},
		{"no patience", []string{"serve", "--shutdown-patience=0s"}, variables(), "payoutd: --shutdown-patience (or $PAYOUTD_SHUTDOWN_PATIENCE) must be more than 0\n"},
		{"neither yes nor no", []string{"serve"}, variables("PAYOUTD_SANDBOX", "maybe"), "payoutd: --sandbox (or $PAYOUTD_SANDBOX): ..."},
		{"bad database", []string{"serve", "--database=payouts.db"}, variables(), "payoutd: --database (or $PAYOUTD_DATABASE) must be sqlite:FILE or postgres://USER:PASSWORD@HOST/DATABASE\n"},
		{"bad database variable", []string{"serve"}, variables("PAYOUTD_DATABASE", "x"), "payoutd: --database (or $PAYOUTD_DATABASE) must be sqlite:FILE or postgres://USER:PASSWORD@HOST/DATABASE\n"},
		{"sandbox on a database with clients", []string{"serve", "--sandbox", "--database=" + production}, variables(), "payoutd: --database (or $PAYOUTD_DATABASE) the database holds clients ..."},
		{"no sandbox on a database of one", []string{"serve", "--database=" + sandbox}, variables(), "payoutd: --database (or $PAYOUTD_DATABASE) the database holds sandbox clients, ..."},
		{"no metrics address", []string{"serve", free, "--listen=127.0.0.1:0"}, variables("PAYOUTD_METRICS_LISTEN", "nowhere"), "payoutd: --metrics-listen (or $PAYOUTD_METRICS_LISTEN) ..."},
		{"clear text for others", []string{"serve", free, "--listen=0.0.0.0:0"}, variables(), "payoutd: --listen (or $PAYOUTD_LISTEN) is 0.0.0.0:0, which others can reach: " +
			"serve TLS with --tls-certificate and --tls-key, or set --insecure if TLS ends in front of it\n"},
		{"clear text on all interfaces", []string{"serve", free, "--sandbox-public", "--sandbox"}, variables("PAYOUTD_LISTEN", ":0"), "payoutd: --listen (or $PAYOUTD_LISTEN) is :0, which others can reach: ..."},
		{"sandbox for others", []string{"serve", free, "--sandbox", "--insecure", "--listen=:0"}, variables(), "payoutd: --sandbox (or $PAYOUTD_SANDBOX) has public secrets, and others can reach :0: " +
			"listen on a loopback address, or set --sandbox-public\n"},
		{"a certificate without a key", []string{"serve", free, "--tls-certificate=x"}, variables(), "payoutd: --tls-key (or $PAYOUTD_TLS_KEY) and --tls-certificate need each other\n"},
		{"no certificate", []string{"serve", free, "--tls-certificate=/nowhere", "--tls-key=/nowhere"}, variables(), "payoutd: --tls-certificate (or $PAYOUTD_TLS_CERTIFICATE) stat /nowhere: ..."},
		{"negative failures", []string{"serve", "--failure-limit=-1"}, variables(), "payoutd: --failure-limit (or $PAYOUTD_FAILURE_LIMIT) must not be negative\n"},
		{"no proxy", []string{"serve", "--trusted-proxies=10.0.0.0/8,proxy"}, variables(), "payoutd: --trusted-proxies (or $PAYOUTD_TRUSTED_PROXIES): \"proxy\" is neither an address nor a network\nTry: payoutd serve --help\n"},
		{"no network", []string{"serve"}, variables("PAYOUTD_TRUSTED_PROXIES", "10.0.0.0/33"), "payoutd: --trusted-proxies (or $PAYOUTD_TRUSTED_PROXIES): ..."},
		{"no address", []string{"serve", free, "--listen=127.0.0.1:99999"}, variables(), "payoutd: --listen (or $PAYOUTD_LISTEN) ..."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := once(t, c.env, c.args...)
			if code != exitUsage || out != "" {
				t.Errorf("code %d, printed %q", code, out)
			}
			begin, more := strings.CutSuffix(c.says, "...")
			message, _, _ := strings.Cut(strings.TrimSuffix(errs, "\n"), "\nTry: payoutd")
			if !strings.HasPrefix(errs, begin) || !more && errs != begin || strings.Contains(message, "\n") {
				t.Errorf("said %q, want %q", errs, c.says)
			}
		})
	}
}

// withClient creates a database with one client.
func withClient(t *testing.T, dir, id string) string {
	t.Helper()
	file := filepath.Join(dir, id+".db")
	s, err := store.Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.PutClient(t.Context(), payout.Client{ID: payout.ClientID(id)}, "hash", t0); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestADatabaseThatCannotBeOpenedIsAFailure(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "missing")
	file := filepath.Join(folder, "payouts.db")
	code, out, errs := once(t, variables(), "serve", "--database=sqlite:"+file)
	want := "payoutd: open database: SQLite file " + file + ": the folder " + folder + " does not exist; create it, or name another file\n"
	if code != exitFailure || out != "" || errs != want {
		t.Errorf("code %d, %q, %q, want %q", code, out, errs, want)
	}
}

// A port that is in use is no invalid value: the same command works with another one, which the error names.
func TestAnAddressInUseIsAFailure(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	address := taken.Addr().String()
	_, port, _ := strings.Cut(address, ":")
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	another := fmt.Sprintf("127.0.0.1:%d", n+1)
	if n == 65535 {
		another = "127.0.0.1:0, for any free port"
	}
	for name, c := range map[string]struct {
		env   []string
		flags []string
	}{
		"PAYOUTD_LISTEN":         {variables("PAYOUTD_LISTEN", address), nil},
		"--listen":               {variables("PAYOUTD_LISTEN", "127.0.0.1:0"), []string{"--listen=" + address}}, // a variable would change nothing
		"PAYOUTD_METRICS_LISTEN": {variables("PAYOUTD_METRICS_LISTEN", address), []string{"--listen=127.0.0.1:0"}},
		"--metrics-listen":       {variables(), []string{"--listen=127.0.0.1:0", "--metrics-listen", address}},
	} {
		arguments := append([]string{"serve", "--sandbox", "--database=sqlite:" + filepath.Join(t.TempDir(), "payouts.db")}, c.flags...)
		code, out, errs := once(t, c.env, arguments...)
		want := "payoutd: another program listens on " + address + "; run the same command with " + name + "=" + another + "\n"
		if code != exitFailure || out != "" || errs != want {
			t.Errorf("code %d, %q, %q, want %q", code, out, errs, want)
		}
	}
}

func TestFlagsWinOverVariables(t *testing.T) {
	t.Parallel()
	wrong := variables("PAYOUTD_LOG_LEVEL", "loud", "PAYOUTD_LOG_FORMAT", "xml", "PAYOUTD_RATE_LIMIT", "-1",
		"PAYOUTD_SANDBOX", "maybe", "PAYOUTD_DATABASE", "wrong", "PAYOUTD_LISTEN", "nowhere:nothing")
	p := start(t, wrong, "serve", "--log-level=info", "--log-format=json", "--rate-limit=0", "--sandbox",
		"--database=sqlite:"+filepath.Join(t.TempDir(), "payouts.db"), "--listen=127.0.0.1:0")
	if line := p.errs.awaitLog(t, "listening"); !line.Sandbox || !strings.HasPrefix(line.Address, "http://127.0.0.1:") {
		t.Errorf("%+v", line)
	}
	p.stop()
	if code := <-p.code; code != exitOK {
		t.Errorf("code %d: %s", code, p.errs)
	}
}

func TestVariablesOfFlags(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "payouts.db")
	p := start(t, variables("PAYOUTD_LOG_FORMAT", "text", "PAYOUTD_SANDBOX", "true", "PAYOUTD_DATABASE", "sqlite:"+file,
		"PAYOUTD_LISTEN", "127.0.0.1:0", "PAYOUTD_RATE_LIMIT", "0", "PAYOUTD_LOG_LEVEL", "info"), "serve")
	text := p.errs.await(t, "line", func(text string) bool { return strings.Contains(text, "\n") })
	if !strings.Contains(text, "msg=listening address=http://127.0.0.1:") || !strings.Contains(text, "sandbox=true") {
		t.Errorf("the log has %q", text)
	}
	p.stop()
	if code := <-p.code; code != exitOK {
		t.Errorf("code %d: %s", code, p.errs)
	}
}

func TestLogLevel(t *testing.T) {
	t.Parallel()
	p := start(t, variables(), "serve", "--log-level=error", "--sandbox", "--webhooks=off", "--listen=127.0.0.1:0", // River logs an error if it stops slowly
		"--database=sqlite:"+filepath.Join(t.TempDir(), "payouts.db"))
	p.out.await(t, "curl line", func(text string) bool { return strings.HasSuffix(text, "'\n\n") })
	p.stop()
	if code := <-p.code; code != exitOK || p.errs.String() != "" {
		t.Errorf("code %d, log %q", code, p.errs)
	}
}
