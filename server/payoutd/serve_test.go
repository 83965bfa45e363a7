package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

var t0 = time.Unix(0, 0)

func startSandbox(t *testing.T, more ...string) (p *program, address string) {
	t.Helper()
	p = start(t, variables(), append([]string{"serve", "--sandbox", "--listen=127.0.0.1:0",
		"--database=sqlite:" + filepath.Join(t.TempDir(), "payouts.db")}, more...)...)
	return p, p.errs.awaitLog(t, "listening").Address
}

func TestFirstLineOfTheLog(t *testing.T) {
	t.Parallel()
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	p, _ := startSandbox(t)
	line := p.errs.awaitLog(t, "listening")
	if line.Version == "" || line.Contract != document.Info.Version || line.Database != "sqlite" || !line.Sandbox || line.Metrics != "" {
		t.Errorf("%+v", line)
	}
	if strings.Contains(p.errs.String(), "payouts.db") {
		t.Error("the log has the URL of the database, which may hold a password")
	}
}

// checked is a client whose responses are checked against the contract.
func checked(t *testing.T, transport *http.Transport) *http.Client {
	t.Helper()
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: servertest.Checked(t, servertest.Contract(t), transport)}
}

func TestWelcomeOfTheSandbox(t *testing.T) {
	t.Parallel()
	p, address := startSandbox(t)
	printed := p.out.await(t, "curl line", func(text string) bool { return strings.HasSuffix(text, "'\n\n") })
	for _, c := range server.SandboxClients {
		if !strings.Contains(printed, " "+c.ID+" / "+c.Secret+"\n") {
			t.Errorf("no credentials of %s in\n%s", c.ID, printed)
		}
	}
	if !strings.Contains(printed, "Sandbox     "+address+"\n") || !strings.Contains(printed, address+"/docs\n") || !strings.Contains(printed, address+"/console\n") {
		t.Errorf("no address %s in\n%s", address, printed)
	}
	_, command, _ := strings.Cut(printed, "\ncurl ")
	resp, err := checked(t, &http.Transport{}).Do(parseCurl(t, command))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	checkUser(t, resp)
}

// parseCurl returns the request of a curl command with an address, -H and -d.
func parseCurl(t *testing.T, arguments string) *http.Request {
	t.Helper()
	words := shellWords(t, strings.ReplaceAll(arguments, "\\\n", " "))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(words); i++ {
		switch word := words[i]; word {
		case "-sS":
		case "-H":
			i++
			name, value, _ := strings.Cut(words[i], ": ")
			r.Header.Set(name, value)
		case "-d":
			i++
			r.Body = io.NopCloser(strings.NewReader(words[i]))
		default:
			if r.URL, err = r.URL.Parse(word); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r
}

// shellWords splits a line like a shell, with single quotes only.
func shellWords(t *testing.T, line string) []string {
	t.Helper()
	var words []string
	for i, part := range strings.Split(line, "'") {
		switch {
		case i%2 == 1:
			words = append(words, part)
		case strings.ContainsAny(part, "\"$`\\|&;<>*?"):
			t.Fatalf("the shell would change %q", part)
		default:
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

func checkUser(t *testing.T, resp *http.Response) {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var user api.User
	if err := json.Unmarshal(body, &user); err != nil || resp.StatusCode != http.StatusOK || user.FirstName != "Asha" {
		t.Fatalf("status %d: %s, %v", resp.StatusCode, body, err)
	}
}

func TestRequestInFlightFinishesAtShutdown(t *testing.T) {
	t.Parallel()
	p, address := startSandbox(t, "--metrics-listen=127.0.0.1:0")
	upload, body := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/users", upload)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Client-Id", server.SandboxClients[0].ID)
	r.Header.Set("X-Client-Secret", server.SandboxClients[0].Secret)
	r.Header.Set("Content-Type", "application/json")
	// The service answers this when it begins to read the body.
	r.Header.Set("Expect", "100-continue")
	reading := make(chan struct{})
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(reading) }}))

	type answer struct {
		resp *http.Response
		err  error
	}
	answered := make(chan answer, 1)
	client := checked(t, &http.Transport{ExpectContinueTimeout: time.Minute})
	go func() {
		resp, err := client.Do(r)
		answered <- answer{resp, err}
	}()
	<-reading
	send := func(text string) {
		t.Helper()
		if _, err := io.WriteString(body, text); err != nil {
			t.Fatal(err)
		}
	}
	send(`{"first_name":"Asha","email":"asha@`)
	p.stop()
	p.errs.awaitLog(t, "shutting down")
	for { // until new connections are refused
		conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			break
		}
		conn.Close()
	}
	select {
	case code := <-p.code:
		t.Fatalf("the program ended with %d before its request", code)
	default:
	}
	checkInFlight(t, p.errs.awaitLog(t, "listening").Metrics)
	send(`example.com","country":"US"}`)
	body.Close()
	a := <-answered
	if a.err != nil {
		t.Fatal(a.err)
	}
	defer a.resp.Body.Close()
	checkUser(t, a.resp)
	if code := <-p.code; code != exitOK {
		t.Errorf("code %d: %s", code, p.errs)
	}
	checkLog(t, p.errs.String(), "listening", "shutting down", "request")
}

// checkInFlight checks that the metrics, which outlive the other listener, show one request.
func checkInFlight(t *testing.T, url string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || !bytes.Contains(text, []byte("\npayoutd_requests_in_flight 1\n")) {
		t.Errorf("no request in flight in %s, %v", text, err)
	}
}

// checkLog checks that the log has one JSON object per line, with these messages among them.
func checkLog(t *testing.T, log string, messages ...string) {
	t.Helper()
	seen := map[string]bool{}
	for text := range strings.Lines(log) {
		var line logLine
		if err := json.Unmarshal([]byte(text), &line); err != nil || line.Time == "" || line.Level == "" || line.Msg == "" {
			t.Errorf("a line of the log is %q, %v", text, err)
		}
		seen[line.Msg] = true
	}
	for _, message := range messages {
		if !seen[message] {
			t.Errorf("no line %q in\n%s", message, log)
		}
	}
	if !bytes.HasSuffix([]byte(log), []byte("\n")) {
		t.Errorf("the last line of the log is not ended:\n%s", log)
	}
}
