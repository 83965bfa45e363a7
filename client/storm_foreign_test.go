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
)

// The storm of these proxies is made of their own answers: the service and the proxy are killed in the middle, limits and
// timeouts are too small, and rules deny, redirect and replace some requests and responses.
func TestStormOfOtherProxies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ config, args string }{
		"haproxy": {haproxyConfig, "-db -f $file"},
		"nginx":   {nginxConfig, "-e $dir/error.log -p $dir -c $file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := installed(t, name)
			dir := t.TempDir()
			binary := filepath.Join(dir, "payoutd")
			if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../server/payoutd").CombinedOutput(); err != nil {
				t.Fatalf("build payoutd: %v\n%s", err, out)
			}
			database, behind, front := "sqlite:"+filepath.Join(dir, "payouts.db"), freeAddress(t), freeAddress(t)
			place := strings.NewReplacer("$dir", dir, "$file", filepath.Join(dir, "config"), "$front", front, "$behind", behind)
			if err := os.WriteFile(filepath.Join(dir, "config"), []byte(place.Replace(c.config)), 0o600); err != nil {
				t.Fatal(err)
			}
			service := start(t, behind, binary, "serve", "--sandbox", "--listen="+behind, "--database="+database, "--rate-limit=0")
			proxy := start(t, front, program, strings.Fields(place.Replace(c.args))...)

			s := &servertest.Server{URL: "http://" + behind, Database: database, Client: plainClient(t, "http://"+behind)}
			seen := &storm{t: t, met: map[string]string{}, kinds: map[string]int{}}
			seen.succeeded = func(number int) {
				switch number % 60 {
				case 20, 40:
					service.restart()
				case 0:
					proxy.restart()
				}
			}
			b := newBank(t, s, seen, times(1000))
			b.pause = 50 * time.Millisecond // or the calls take the time that the programs need to start
			var log bytes.Buffer
			payer, err := client.New("http://"+front, server.SandboxClients[0].ID, server.SandboxClients[0].Secret, b.client(&log)...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(payer.CloseIdleConnections)
			b.run(stormContext(t), payer)
			service.wait()
			b.finish(database)
			if leaks(log.String()) || len(seen.kinds) < 8 {
				t.Errorf("only %v happened, or the log shows too much:\n%.1000s", seen.kinds, &log)
			}
		})
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

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
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
	busy    chan struct{} // holds a token while nothing restarts it
}

func start(t *testing.T, address, program string, args ...string) *daemon {
	t.Helper()
	d := &daemon{t: t, address: address, program: program, args: args, busy: make(chan struct{}, 1)}
	d.run()
	d.busy <- struct{}{}
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
	for range 1000 {
		if conn, err := net.DialTimeout("tcp", d.address, time.Second); err == nil {
			conn.Close()
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	d.t.Errorf("%s does not listen", d.program)
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
	case <-d.busy:
	default:
		return // it is being restarted
	}
	go func() {
		d.kill()
		d.run()
		d.busy <- struct{}{}
	}()
}

// wait returns when the program listens.
func (d *daemon) wait() {
	<-d.busy
	d.busy <- struct{}{}
}

const haproxyConfig = `
global
  maxconn 100
defaults
  mode http
  retries 0
  timeout connect 200ms
  timeout queue 20ms
  timeout server 50ms
  timeout client 2s
  timeout http-request 2s
  timeout tarpit 20ms
frontend front
  bind $front
  http-request deny deny_status 400 if { rand(100) lt 2 }
  http-request deny deny_status 401 if { rand(100) lt 2 }
  http-request deny deny_status 403 if { rand(100) lt 2 }
  http-request deny deny_status 404 if { rand(100) lt 2 }
  http-request deny deny_status 408 if { rand(100) lt 2 }
  http-request deny deny_status 413 if { rand(100) lt 2 }
  http-request deny deny_status 425 if { rand(100) lt 2 }
  http-request deny deny_status 429 if { rand(100) lt 2 }
  http-request tarpit deny_status 500 if { rand(100) lt 1 }
  http-request redirect location https://moved.invalid/ code 301 if { rand(100) lt 2 }
  http-request redirect prefix http://$front/login code 302 if { rand(100) lt 2 }
  http-request redirect prefix https://moved.invalid code 308 if { rand(100) lt 2 }
  http-request return status 200 content-type text/html string "<html>Maintenance</html>" if { rand(100) lt 2 }
  http-request return status 401 content-type application/json string '{"message":"Unauthorized"}' if { rand(100) lt 2 }
  http-request reject if { rand(100) lt 2 }
  http-request silent-drop if { rand(1000) lt 5 }
  http-response deny deny_status 502 if { rand(100) lt 3 }
  http-response deny deny_status 403 if { rand(100) lt 3 }
  http-response return status 404 content-type text/html string "<html>Not found</html>" if { rand(100) lt 3 }
  http-response return status 409 if { rand(100) lt 3 }
  http-response return status 422 content-type application/json string '{"code":"REJECTED","message":"Rejected by policy"}' if { rand(100) lt 3 }
  http-response redirect location https://moved.invalid/ code 303 if { rand(100) lt 2 }
  http-response set-status 202 if { rand(100) lt 3 }
  http-response set-header Content-Type text/html if { rand(100) lt 3 }
  http-response set-header Content-Encoding gzip if { rand(100) lt 3 }
  default_backend service
backend service
  server service $behind maxconn 4
`

const nginxConfig = `
daemon off;
master_process off;
pid $dir/nginx.pid;
error_log $dir/error.log crit;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path $dir/body;
  proxy_temp_path $dir/proxy;
  fastcgi_temp_path $dir/fastcgi;
  uwsgi_temp_path $dir/uwsgi;
  scgi_temp_path $dir/scgi;
  gzip on;
  gzip_min_length 20;
  gzip_types application/json;
  limit_req_zone $server_name zone=rate:64k rate=500r/s;
  limit_conn_zone $server_name zone=connections:64k;
  upstream service { server $behind max_fails=0; server $behind max_fails=0; }
  split_clients $request_id $rule {
    2% 400; 2% 401; 2% 403; 2% 404; 2% 405; 2% 408; 2% 409; 2% 413; 2% 422; 2% 429; 2% 444; 2% 503;
    2% redirect; 2% moved; 2% maintenance; 2% empty; 3% hidden; 3% slow; 3% impatient; 3% twice; * "";
  }
  server {
    listen $front;
    proxy_connect_timeout 200ms;
    proxy_next_upstream off;
    error_page 502 504 =200 /maintenance.html;
    error_page 590 = @hidden;
    error_page 591 = @slow;
    error_page 592 = @impatient;
    error_page 593 = @twice;
    location = /maintenance.html { internal; return 200 "<html>Maintenance</html>"; }
    location / {
      limit_req zone=rate burst=10 nodelay;
      limit_conn connections 7;
      if ($rule = redirect) { return 302 http://$front/login; }
      if ($rule = moved) { return 308 https://moved.invalid$request_uri; }
      if ($rule = maintenance) { return 200 "<html>Maintenance</html>"; }
      if ($rule = empty) { return 204; }
      if ($rule = hidden) { return 590; }
      if ($rule = slow) { return 591; }
      if ($rule = impatient) { return 592; }
      if ($rule = twice) { return 593; }
      if ($rule = 400) { return 400; }
      if ($rule = 401) { return 401; }
      if ($rule = 403) { return 403; }
      if ($rule = 404) { return 404; }
      if ($rule = 405) { return 405; }
      if ($rule = 408) { return 408; }
      if ($rule = 409) { return 409; }
      if ($rule = 413) { return 413; }
      if ($rule = 422) { return 422; }
      if ($rule = 429) { return 429; }
      if ($rule = 444) { return 444; }
      if ($rule = 503) { return 503; }
      proxy_pass http://service;
    }
    location @hidden {
      proxy_intercept_errors on;
      error_page 400 401 403 404 409 422 429 500 503 @error;
      proxy_hide_header Content-Type;
      default_type text/html;
      proxy_pass http://service;
    }
    location @error { return 404; }
    location @slow { limit_rate 100; proxy_pass http://service; }
    location @impatient { proxy_read_timeout 1ms; proxy_pass http://service; }
    location @twice { proxy_read_timeout 5ms; proxy_next_upstream error timeout non_idempotent; proxy_pass http://service; }
  }
}
`
