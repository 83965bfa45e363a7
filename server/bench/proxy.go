package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// prismPackage are the pinned packages of the consumers, of which Prism is one.
const prismPackage = "../../conformance/consumers"

// front compares our validating proxy with Prism's, both in front of the same service, and with the service alone: the rate, which
// is bounded by the service, and what each proxy costs.
func front(ctx context.Context, b *bench) (err error) {
	prism, err := installPrism(ctx, b)
	if err != nil {
		return err
	}
	binary, err := build(ctx, b.dir, "./openapi/contract/front")
	if err != nil {
		return err
	}
	d, err := start(ctx, b.payoutd, "sqlite:"+filepath.Join(b.dir, "front.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	all, err := senders(ctx, d.address, 1)
	if err != nil {
		return err
	}
	type contender struct {
		name, address string
		parts         []part
	}
	var contenders []contender
	for _, p := range []struct {
		name    string
		command []string
	}{
		{"Prism", []string{prism, "proxy", "--errors", "--host", "127.0.0.1", "--port", "PORT", "../../openapi/openapi.yaml", "http://" + d.address}},
		{"front", []string{binary, "--upstream", "http://" + d.address, "--listen", "127.0.0.1:PORT"}},
	} {
		address, pid, stop, err := proxy(ctx, p.command)
		if err != nil {
			return err
		}
		defer stop()
		contenders = append(contenders, contender{p.name, address, []part{{name: p.name, meter: process(pid)}}})
	}
	contenders = append(contenders, contender{"no proxy", d.address, nil})
	// The preview has the body and all rules of a creation, and writes nothing.
	request := message(http.MethodPost, all[0].path+"/preview", credentials, all[0].body)
	for _, callers := range []int{1, b.callers} {
		number := ", " + many(callers)
		rates, costs := b.table.group("validating proxy"+number, "/s"), b.table.group("CPU time of a request in the proxy"+number, "us")
		latencies := b.table.group("latency that the proxy adds"+number, "ms")
		for range b.turns {
			took := make([]float64, len(contenders))
			for i, c := range contenders {
				l, cost, err := measured(c.parts, func() (load, error) {
					return send(ctx, c.address, callers, b.duration, http.StatusOK, func(int, int) []byte { return request })
				})
				if err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				rates.load(c.name, l)
				took[i] = l.milliseconds(.5)
				if c.parts != nil {
					costs.add(c.name, cost)
				}
			}
			for i, c := range contenders[:2] {
				latencies.add(c.name, took[i]-took[2])
			}
		}
	}
	return nil
}

// installPrism installs the pinned packages, and returns the path of Prism.
func installPrism(ctx context.Context, b *bench) (string, error) {
	dir, err := filepath.Abs(filepath.Join(b.out, "npm"))
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "node_modules", ".bin", "prism")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // programs
		return "", err
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join(prismPackage, name)) //nolint:gosec // of this repository
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil { //nolint:gosec // packages
			return "", err
		}
	}
	cmd := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return program, nil
}

// proxy starts a program on a free port, and returns when that is open.
func proxy(ctx context.Context, command []string) (address string, pid int, stop func(), err error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", 0, nil, err
	}
	address = l.Addr().String()
	_, port, _ := net.SplitHostPort(address) // of a listener
	if err := l.Close(); err != nil {
		return "", 0, nil, err
	}
	args := make([]string, len(command))
	for i, arg := range command {
		args[i] = string(bytes.ReplaceAll([]byte(arg), []byte("PORT"), []byte(port)))
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // one of two programs
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return "", 0, nil, err
	}
	stop = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for range 300 {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			return address, cmd.Process.Pid, stop, c.Close()
		}
		<-tick.C
	}
	stop()
	return "", 0, nil, errors.New(args[0] + " does not listen on " + strconv.Quote(address))
}
