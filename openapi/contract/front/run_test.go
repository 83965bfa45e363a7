package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// program is a running front.
type program struct {
	out, errs lockedBuffer
	stop      context.CancelFunc
	code      chan int
}

func variables(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// start runs the program until stop, or the end of the test.
func start(t *testing.T, getenv func(string) string, args ...string) *program {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	p := &program{stop: stop, code: make(chan int, 1)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.code <- run(ctx, args, getenv, &p.out, &p.errs)
	}()
	t.Cleanup(func() { stop(); <-ended })
	return p
}

// await returns a value of the first line of the log with this message.
func (p *program) await(t *testing.T, message, name string) string {
	t.Helper()
	line := regexp.MustCompile(`"msg":"` + message + `".*?"` + name + `":"?([^",}]*)`)
	for {
		text, changed := p.errs.read()
		if found := line.FindStringSubmatch(text); found != nil {
			return found[1]
		}
		select {
		case <-changed:
		case code := <-p.code:
			t.Fatalf("ended with %d: %s", code, text)
		}
	}
}

// The program serves, tells its metrics and health, finishes the requests in flight when it is stopped, and prints a summary.
func TestTheProgram(t *testing.T) {
	t.Parallel()
	arrived, goOn := make(chan struct{}), make(chan struct{})
	url := service(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(arrived)
			<-goOn
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `[{}]`)
	})
	p := start(t, variables("PAYOUT_FRONT_UPSTREAM", url, "PAYOUT_FRONT_LISTEN", "nowhere"), "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0")
	address, metrics := p.await(t, "listening", "address"), p.await(t, "listening", "metrics")
	operations := strings.TrimSuffix(metrics, "/metrics")
	send(t, address, "GET", "/payers", "")
	p.await(t, "request", "request_id") // a response is judged while the caller already has it
	send(t, address, "GET", "/payers?x=1", "")
	for path, want := range map[string]string{
		"/healthz": `{"status":"ok"}`, "/readyz": `{"status":"ok"}`,
		"/metrics": `payout_front_requests_total{answered_by="front",method="GET",operation="listPayers",status="400"} 1`,
	} {
		if res, text := send(t, operations, "GET", path, ""); res.StatusCode != 200 || !strings.Contains(text, want) {
			t.Errorf("%s answered %d %s", path, res.StatusCode, text)
		}
	}
	_, text := send(t, operations, "GET", "/metrics", "")
	for _, want := range []string{
		`payout_front_response_violations_total{in="body",operation="listPayers"} 5`, `payout_front_probes_total{answer="accepted"} 1`,
		`payout_front_request_violations_total{in="query",operation="listPayers"} 1`, `payout_front_failures_total{kind="timeout"} 0`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s:\n%s", want, text)
		}
	}

	answered := make(chan string)
	go func() {
		_, text := send(t, address, "GET", "/slow", "")
		answered <- text
	}()
	<-arrived
	p.stop()
	p.await(t, "shutting down", "delay")
	for { // until new connections are refused
		conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			break
		}
		conn.Close()
	}
	if res, _ := send(t, operations, "GET", "/readyz", ""); res.StatusCode != 503 {
		t.Errorf("while it shuts down /readyz answers %d", res.StatusCode)
	}
	close(goOn)
	if text := <-answered; text != `[{}]` {
		t.Errorf("the request in flight was answered %s", text)
	}
	if code := <-p.code; code != exitOK {
		t.Errorf("code %d", code)
	}
	const want = `3 requests, 1 answered by the front, 0 failures of the service, 0 responses not judged
     1  request listPayers 400: query * is not a parameter of this operation
     1  response listPayers 200: body /*/country is required
`
	if printed, _ := p.out.read(); !strings.HasPrefix(printed, want) || !strings.Contains(printed, "header X-Request-Id is required\n") {
		t.Errorf("printed %s", printed)
	}
}

func TestInvalidFlags(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const upstream = "--upstream=http://127.0.0.1:1"
	for args, want := range map[string]string{
		"":                                      "front: missing flags: --upstream=URL",
		"--upstream=payouts.internal":           "front: --upstream (or $PAYOUT_FRONT_UPSTREAM) must be an http or https URL",
		"--upstream=http://u:p@x/":              "front: --upstream (or $PAYOUT_FRONT_UPSTREAM) must not have credentials, a query or a fragment",
		upstream + " --requests=maybe":          "front: --requests must be one of",
		upstream + " --responses=header2":       "front: --responses must be one of",
		upstream + " --probe=payers":            "front: --probe (or $PAYOUT_FRONT_PROBE) must be a path, with a query if it needs one",
		upstream + " --probe=/nowhere":          "front: --probe (or $PAYOUT_FRONT_PROBE) must be the path of a GET operation that requires credentials",
		upstream + " --probe=/payers?country=x": "front: --probe (or $PAYOUT_FRONT_PROBE) must be a valid request: contract: status 400: query \"country\"",
		upstream + " --contract=/nowhere.yaml":  "front: --contract (or $PAYOUT_FRONT_CONTRACT) open /nowhere.yaml",
		upstream + " --contract=" + empty:       "front: --contract (or $PAYOUT_FRONT_CONTRACT) contract: ",
		upstream + " --body-limit=0":            "front: --body-limit (or $PAYOUT_FRONT_BODY_LIMIT) must be more than 0",
		upstream + " --memory-limit=1":          "front: --memory-limit (or $PAYOUT_FRONT_MEMORY_LIMIT) must not be less than --body-limit",
		upstream + " --timeout=-1s":             "front: --timeout (or $PAYOUT_FRONT_TIMEOUT) must be more than 0",
		upstream + " --tls-certificate=x":       "front: --tls-key (or $PAYOUT_FRONT_TLS_KEY) and --tls-certificate need each other",
		upstream + " --listen=127.0.0.1:0 --tls-certificate=/nowhere --tls-key=/nowhere": "front: --tls-certificate (or $PAYOUT_FRONT_TLS_CERTIFICATE) ",
		upstream + " --listen=0.0.0.0:0":                                                 "front: --listen (or $PAYOUT_FRONT_LISTEN) is 0.0.0.0:0, which others can reach: serve TLS with --tls-certificate",
		upstream + " --upstream-ca=" + empty:                                             "front: --upstream-ca (or $PAYOUT_FRONT_UPSTREAM_CA) has no certificate",
		upstream + " --upstream-ca=/nowhere":                                             "front: --upstream-ca (or $PAYOUT_FRONT_UPSTREAM_CA) open /nowhere",
		upstream + " --listen=" + taken.Addr().String():                                  "front: --listen (or $PAYOUT_FRONT_LISTEN) listen tcp",
		upstream + " --listen=127.0.0.1:0 --metrics-listen=" + taken.Addr().String():     "front: --metrics-listen (or $PAYOUT_FRONT_METRICS_LISTEN) listen tcp",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			p := start(t, variables(), strings.Fields(args)...)
			code := <-p.code
			if said, _ := p.errs.read(); code != exitUsage || !strings.HasPrefix(said, want) || !strings.HasSuffix(said, "\nTry: front --help\n") {
				t.Errorf("code %d, said %s", code, said)
			}
		})
	}
}

// The table of the README has every flag with its default, as the help has with its variable.
func TestTheREADMEAndTheHelpListEveryFlag(t *testing.T) {
	t.Parallel()
	readme := readREADME(t)
	p := start(t, variables(), "--help")
	if code := <-p.code; code != exitOK {
		t.Errorf("code %d", code)
	}
	help, _ := p.out.read()
	for field := range reflect.TypeFor[options]().Fields() {
		name := field.Tag.Get("name")
		if name == "" {
			name = strings.ToLower(strings.TrimPrefix(regexp.MustCompile(`[A-Z]+`).ReplaceAllString(field.Name, "-$0"), "-"))
		}
		row := regexp.MustCompile("(?m)^\\|.*`--" + name + "`.*?\\| (.*?) ?\\|").FindStringSubmatch(readme)
		if byDefault := field.Tag.Get("default"); row == nil || byDefault != "" && row[1] != "`"+byDefault+"`" {
			t.Errorf("--%s, default %q: the README has %q", name, byDefault, row)
		}
		if !strings.Contains(help, "--"+name) || !strings.Contains(strings.Join(strings.Fields(help), ""), "($"+variable(name)+").") {
			t.Errorf("the help lacks --%s:\n%s", name, help)
		}
	}
}

// The commands of the README run.
func TestTheCommandsOfTheREADME(t *testing.T) {
	t.Parallel()
	commands := regexp.MustCompile(`(?m)^    go run ./openapi/contract/front (.*)$`).FindAllStringSubmatch(readREADME(t), -1)
	if len(commands) != 2 {
		t.Fatalf("%d commands", len(commands))
	}
	for _, command := range commands {
		address := strings.NewReplacer("http://127.0.0.1:8080", service(t, echo), "127.0.0.1:8090", "127.0.0.1:0").Replace(command[1])
		p := start(t, variables(), strings.Fields(address)...)
		res, _ := send(t, p.await(t, "listening", "address"), "GET", "/payers", "")
		if res.StatusCode != 200 {
			t.Errorf("%s: answered %d", command[1], res.StatusCode)
		}
	}
}

func readREADME(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// https is served with the certificate in the files, also with one that replaces it; a broken one changes nothing. The front
// itself accepts the certificate of a service that --upstream-ca vouches for, and no other.
func TestTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeCertificate(t, cert, key, 1)
	behind := start(t, variables(), "--upstream", service(t, echo), "--listen=127.0.0.1:0", "--tls-certificate", cert, "--tls-key", key)
	address := behind.await(t, "listening", "address")
	trusting := start(t, variables(), "--upstream", address, "--listen=127.0.0.1:0", "--upstream-ca", cert, "--responses=off")
	distrusting := start(t, variables(), "--upstream", address, "--listen=127.0.0.1:0", "--responses=off")
	if res, text := send(t, trusting.await(t, "listening", "address"), "GET", "/payers", ""); res.StatusCode != 200 ||
		parsed(t, text).Header.Get("X-Forwarded-Proto") != "https" {
		t.Errorf("answered %d %s", res.StatusCode, text)
	}
	if res, _ := send(t, distrusting.await(t, "listening", "address"), "GET", "/payers", ""); res.StatusCode != 503 {
		t.Errorf("without its CA: answered %d", res.StatusCode)
	}
	if got := serial(t, address); got != 1 {
		t.Errorf("serial %d", got)
	}
	if err := os.WriteFile(key, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := serial(t, address); got != 1 {
		t.Errorf("with a broken key: serial %d", got)
	}
	writeCertificate(t, cert, key, 2)
	if got := serial(t, address); got != 2 {
		t.Errorf("after a change: serial %d", got)
	}
}

func serial(t *testing.T, address string) int64 {
	t.Helper()
	conn, err := tls.Dial("tcp", strings.TrimPrefix(address, "https://"), &tls.Config{InsecureSkipVerify: true}) // the serial number is what counts
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

func writeCertificate(t *testing.T, cert, key string, number int64) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(number), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		// The time of a file may not change between two writes.
		if err := os.Chtimes(name, time.Time{}, time.Unix(1_700_000_000+number, 0)); err != nil {
			t.Fatal(err)
		}
	}
}

// A summary does not grow without bound.
func TestASummaryIsBounded(t *testing.T) {
	t.Parallel()
	s := newSummary()
	for i := range maxKinds + 7 {
		s.add("request listPayers", 400, fmt.Sprint(i))
		s.add("request listPayers", 400, "0")
	}
	var printed strings.Builder
	s.print(&printed)
	if lines := strings.Split(printed.String(), "\n"); len(lines) != maxKinds+3 || lines[len(lines)-2] != "     7  of other kinds" ||
		lines[1] != "   208  request listPayers 400: 0" {
		t.Errorf("printed %s", printed.String())
	}
}
