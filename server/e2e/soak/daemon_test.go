//go:build linux

package soak

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// daemon is a process of payoutd.
type daemon struct {
	cmd              *exec.Cmd
	binary, database string
	address, metrics string // URLs

	mu     sync.Mutex
	errors []string // lines of the log at error level
	ended  chan struct{}
}

// startDaemon builds payoutd and returns when it listens.
func startDaemon(t *testing.T, database string) *daemon {
	t.Helper()
	d := &daemon{binary: filepath.Join(t.TempDir(), "payoutd"), database: database, ended: make(chan struct{})}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", d.binary, "../../payoutd").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	d.cmd = d.command("serve", "--sandbox", "--listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0", "--rate-limit=0")
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := d.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.cmd.Process.Kill(); <-d.ended })
	listening := make(chan struct{})
	go func() {
		defer close(d.ended)
		d.read(log, listening)
		_ = d.cmd.Wait() // judged by stop
	}()
	select {
	case <-listening:
	case <-d.ended:
		t.Fatalf("payoutd ended: %v", d.errors)
	}
	return d
}

func (d *daemon) command(args ...string) *exec.Cmd {
	cmd := exec.Command(d.binary, args...)
	cmd.Dir = filepath.Dir(d.binary)
	cmd.Env = []string{"PAYOUTD_DATABASE=" + d.database}
	return cmd
}

// read reads the log to its end, and closes listening at the line with the addresses.
func (d *daemon) read(log io.Reader, listening chan struct{}) {
	for lines := bufio.NewScanner(log); lines.Scan(); {
		line := lines.Bytes()
		switch {
		case d.address == "" && bytes.Contains(line, []byte(`"msg":"listening"`)):
			var about struct{ Address, Metrics string }
			_ = json.Unmarshal(line, &about) // an empty address fails the first request
			d.address, d.metrics = about.Address, about.Metrics
			close(listening)
		case d.address == "", bytes.Contains(line, []byte(`"level":"ERROR"`)):
			d.mu.Lock()
			d.errors = append(d.errors, string(line))
			d.mu.Unlock()
		}
	}
}

// stop ends the process as an operator does.
func (d *daemon) stop(t *testing.T) {
	t.Helper()
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-d.ended
	if code := d.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if len(d.errors) > 0 {
		t.Errorf("it logged %d errors, the first is %s", len(d.errors), d.errors[0])
	}
}

// sample is what the process uses at one time.
type sample struct {
	resident    float64 // MiB
	goroutines  float64
	descriptors float64
	database    float64 // open connections of the pool
}

// sample reads /proc and /metrics.
func (d *daemon) sample(ctx context.Context) (s sample, err error) {
	process := fmt.Sprintf("/proc/%d/", d.cmd.Process.Pid)
	status, err := os.ReadFile(process + "status")
	if err != nil {
		return s, err
	}
	for line := range strings.Lines(string(status)) {
		if size, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(size), "kB")), 64)
			if err != nil {
				return s, err
			}
			s.resident = kib / 1024
		}
	}
	open, err := os.ReadDir(process + "fd")
	if err != nil {
		return s, err
	}
	s.descriptors = float64(len(open))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.metrics, nil)
	if err != nil {
		return s, err
	}
	request.Close = true // so that this connection is in no sample but its own
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return s, err
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		switch name {
		case "go_goroutines":
			s.goroutines, err = strconv.ParseFloat(value, 64)
		case `payoutd_store_connections_open{pool="shared"}`:
			s.database, err = strconv.ParseFloat(value, 64)
		}
		if err != nil {
			return s, err
		}
	}
	if s.resident == 0 || s.goroutines == 0 || s.database == 0 {
		return s, fmt.Errorf("an incomplete sample: %+v", s)
	}
	return s, nil
}
