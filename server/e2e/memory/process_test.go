package memory_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// binaryVariable names a payoutd program to test instead of that of this tree, to compare versions.
const binaryVariable = "PAYOUTD_TEST_BINARY"

// binary returns the file of the program, which is built once.
var binary = sync.OnceValues(func() (string, error) {
	if given := os.Getenv(binaryVariable); given != "" {
		return given, nil
	}
	file := filepath.Join(built, "payoutd")
	if out, err := exec.CommandContext(context.Background(), "go", "build", "-o", file, "../../payoutd").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return file, nil
})

// built is the directory of the program.
var built string

func TestMain(m *testing.M) {
	code := 1
	defer func() { os.Exit(code) }()
	var err error
	if built, err = os.MkdirTemp("", "payoutd-memory-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer os.RemoveAll(built)
	code = m.Run()
}

// process is a running payoutd.
type process struct {
	address string
	pid     int
}

// start starts payoutd on a database of its own and kills it when the test ends.
func start(t *testing.T, flags ...string) *process {
	t.Helper()
	file, err := binary()
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	args := append([]string{"serve", "--sandbox", "--listen=127.0.0.1:0", "--rate-limit=0", "--database=" + servertest.Database(t)}, flags...)
	cmd := exec.Command(file, args...)
	logs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(logs)
	p := &process{pid: cmd.Process.Pid}
	for p.address == "" && lines.Scan() {
		var line struct{ Msg, Address string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
			p.address = strings.TrimPrefix(line.Address, "http://")
		}
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, logs) // until the process ends
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		<-drained
		_ = cmd.Wait() // it was killed
	})
	if p.address == "" {
		t.Fatal("payoutd does not listen")
	}
	return p
}

// memory returns a figure of the process in MiB: VmRSS, or VmHWM for its peak.
func (p *process) memory(t *testing.T, name string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		t.Skipf("the memory of a process can only be read on Linux: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			kib, err := strconv.Atoi(strings.Fields(value)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kib >> 10
		}
	}
	t.Fatalf("no %s in %s", name, text)
	return 0
}

// registration is the body of POST /users with one document, of size bytes.
func registration(size int) []byte {
	const head = `{"first_name":"Asha","email":"asha@example.com","country":"US","physical_documents":` +
		`[{"document_type":"STATE_ID","document_value":"data:image/png;base64,`
	const tail = `"}]}`
	content := make([]byte, (size-len(head)-len(tail))/4*3)
	rand.NewChaCha8([32]byte{}).Read(content) // a scan cannot be compressed
	text := head + base64.StdEncoding.EncodeToString(content) + tail
	return []byte(text + strings.Repeat(" ", size-len(text)))
}

// header is the head of a request of the first sandbox client with a body of length bytes.
func header(path string, length int, more string) string {
	client := server.SandboxClients[0]
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nX-Client-Id: %s\r\nX-Client-Secret: %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n%s\r\n", path, client.ID, client.Secret, length, more)
}

func (p *process) dial(t *testing.T) net.Conn {
	t.Helper()
	return dial(t, p.address)
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // the test may have closed it
	return conn
}

// answer reads a response, and returns its status and body.
func answer(conn net.Conn) (int, string, error) {
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, "", err
	}
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, string(text), err
}

// none adds no header.
func none(int) string { return "" }

// upload sends n requests at a time and returns how many were answered with which status. more has further headers.
func (p *process) upload(t *testing.T, n int, body []byte, more func(i int) string) map[int]int {
	t.Helper()
	return p.exchange(t, n, func(conn net.Conn, i int) {
		// A rejected body is not read, and its answer may come before the end.
		_, _ = io.WriteString(conn, header("/users", len(body), more(i)))
		_, _ = conn.Write(body)
	})
}

// chunked is upload without an announced length.
func (p *process) chunked(t *testing.T, n int, body []byte) map[int]int {
	t.Helper()
	return p.exchange(t, n, func(conn net.Conn, _ int) {
		head := strings.Replace(header("/users", 0, ""), "Content-Length: 0", "Transfer-Encoding: chunked", 1)
		_, _ = fmt.Fprintf(conn, "%s%x\r\n%s\r\n0\r\n\r\n", head, len(body), body) // see upload
	})
}

func (p *process) exchange(t *testing.T, n int, send func(conn net.Conn, i int)) map[int]int {
	t.Helper()
	var mu sync.Mutex
	statuses := map[int]int{}
	var all sync.WaitGroup
	for i := range n {
		conn := p.dial(t)
		all.Go(func() {
			go send(conn, i)
			status, text, err := answer(conn)
			_ = conn.Close() // it was answered
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("no answer: %v", err)
				return
			}
			if statuses[status]++; status != http.StatusOK && statuses[status] == 1 {
				t.Logf("answered %d %s", status, text)
			}
		})
	}
	all.Wait()
	return statuses
}

func seconds(since time.Time) string { return time.Since(since).Round(100 * time.Millisecond).String() }
