package client_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// The storm of these proxies is made of their own answers: the service and the proxy are killed in the middle, limits and
// timeouts are too small, and rules deny, redirect and replace some requests and responses.
func TestStormOfOtherProxies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ config, args string }{
		"haproxy": {"haproxy.cfg", "-db -f $file"},
		"nginx":   {"nginx.conf", "-e $dir/error.log -p $dir -c $file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := installed(t, name)
			dir := t.TempDir()
			binary := filepath.Join(dir, "payoutd")
			if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../server/payoutd").CombinedOutput(); err != nil {
				t.Fatalf("build payoutd: %v\n%s", err, out)
			}
			database, behind, front := "sqlite:"+filepath.Join(dir, "payouts.db"), pgtest.FreeAddress(t), pgtest.FreeAddress(t)
			place := strings.NewReplacer("$dir", dir, "$file", filepath.Join(dir, c.config), "$front", front, "$behind", behind)
			config, err := os.ReadFile(filepath.Join("testdata", c.config))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, c.config), []byte(place.Replace(string(config))), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			service := start(t, behind, binary, "serve", "--sandbox", "--listen="+behind, "--database="+database, "--rate-limit=0")
			proxy := start(t, front, program, strings.Fields(place.Replace(c.args))...)
			payThroughProxy(t, "http://"+front, "http://"+behind, database, service, proxy)
		})
	}
}

// payThroughProxy pays rows while the service and the proxy in front of it are killed and started again.
func payThroughProxy(t *testing.T, front, behind, database string, service, proxy *daemon) {
	t.Helper()
	seen := &storm{t: t, met: map[string]string{}, kinds: map[string]int{}}
	seen.succeeded = func(number int) {
		switch number % 60 {
		case 20, 40:
			service.restart()
		case 0:
			proxy.restart()
		}
	}
	s := &servertest.Server{URL: behind, Database: database, Client: plainClient(t, behind)}
	b := newBatch(t, s, seen, payouts(t)/2)
	b.pause = 50 * time.Millisecond // or the calls take the time that the programs need to start
	var log bytes.Buffer
	payer, err := client.New(front, server.SandboxClients[0].ID, server.SandboxClients[0].Secret, b.client(&log)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(payer.CloseIdleConnections)
	b.run(stormContext(t), payer)
	service.wait()
	proxy.wait()
	b.finish(database)
	if log.Len() == 0 || leaks(log.String()) {
		t.Errorf("the log shows nothing or too much:\n%.1000s", &log)
	}
	if _, kinds := seen.counts(); len(kinds) < 8 || service.restarts == 0 || proxy.restarts == 0 {
		t.Errorf("only %v happened, with %d restarts of the service and %d of the proxy", kinds, service.restarts, proxy.restarts)
	}
}

// saw records an attempt by its answer.
func (p *storm) saw(a client.Attempt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	kind := fmt.Sprint(a.Status)
	switch {
	case a.Err == nil:
		kind = calm
		defer p.succeeded(p.kinds[calm] + 1)
	case a.Status == 0:
		kind = "no answer"
	case a.Code != "":
		kind += " " + string(a.Code)
	case a.Status == http.StatusOK:
		kind += " that is no success"
	}
	p.note(a.IdempotencyKey, kind)
}

// installed returns where a program is. Without it the test is skipped, with CI=true only if .ci/run does not install it.
func installed(t *testing.T, name string) string {
	t.Helper()
	for _, path := range []string{name, filepath.Join("/usr/sbin", name)} {
		if path, err := exec.LookPath(path); err == nil {
			return path
		}
	}
	ci, err := os.ReadFile("../.ci/run")
	if err != nil || os.Getenv("CI") == "true" && bytes.Contains(ci, []byte("missing+=("+name)) {
		t.Fatalf("%s is missing: %v", name, err)
	}
	fmt.Fprintf(os.Stderr, "WARNING: %s is missing, its part of the storm is skipped\n", name)
	t.Skip(name + " is missing")
	return ""
}

func plainClient(t *testing.T, url string) *api.ClientWithResponses {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := api.NewClientWithResponses(url, api.WithHTTPClient(&http.Client{Transport: transport}),
		api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("X-Client-Id", server.SandboxClients[0].ID)
			r.Header.Set("X-Client-Secret", server.SandboxClients[0].Secret)
			return nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// daemon is a program that listens at an address until the test ends.
type daemon struct {
	t       *testing.T
	address string
	program string
	args    []string
	running atomic.Pointer[exec.Cmd]
	idle    chan struct{} // holds a token while nothing restarts it, which guards restarts

	restarts int
}

func start(t *testing.T, address, program string, args ...string) *daemon {
	t.Helper()
	d := &daemon{t: t, address: address, program: program, args: args, idle: make(chan struct{}, 1)}
	d.run()
	d.idle <- struct{}{}
	t.Cleanup(func() {
		d.wait()
		d.kill()
	})
	return d
}

// run starts the program, and returns when it listens.
func (d *daemon) run() {
	cmd := exec.CommandContext(context.Background(), d.program, d.args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		d.t.Errorf("start %s: %v", d.program, err)
		return
	}
	d.running.Store(cmd)
	for range 6000 {
		if conn, err := net.DialTimeout("tcp", d.address, time.Second); err == nil {
			conn.Close()
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	d.t.Errorf("%s does not listen: %s", d.program, &out)
}

func (d *daemon) kill() {
	if cmd := d.running.Load(); cmd != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// restart kills the program and starts it again, while others go on.
func (d *daemon) restart() {
	select {
	case <-d.idle:
	default:
		return // something restarts it already
	}
	d.restarts++
	go func() {
		d.kill()
		d.run()
		d.idle <- struct{}{}
	}()
}

// wait returns when nothing restarts the program any more.
func (d *daemon) wait() {
	<-d.idle
	d.idle <- struct{}{}
}
