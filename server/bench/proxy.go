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

// front compares our validating proxy with Prism's, both in front of the same service, and with the service alone.
func front(ctx context.Context, b *bench) (err error) {
	if _, err := exec.LookPath("npm"); err != nil {
		fmt.Fprintln(os.Stderr, "bench: npm is missing; the group front is left out")
		return nil
	}
	prism, err := installPrism(ctx, b)
	if err != nil {
		return err
	}
	binary := filepath.Join(b.dir, "front")
	if out, err := exec.CommandContext(ctx, "go", "build", "-C", "../..", "-o", binary, "./openapi/contract/front").CombinedOutput(); err != nil {
		return fmt.Errorf("build front: %w\n%s", err, out)
	}
	d, err := start(b.payoutd, "sqlite:"+filepath.Join(b.dir, "front.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	all, err := senders(ctx, d.address, 1)
	if err != nil {
		return err
	}
	addresses := []string{"", "", d.address}
	for i, command := range [][]string{
		{prism, "proxy", "--errors", "--host", "127.0.0.1", "--port", "PORT", "../../openapi/openapi.yaml", "http://" + d.address},
		{binary, "--upstream", "http://" + d.address, "--listen", "127.0.0.1:PORT"},
	} {
		address, stop, err := proxy(ctx, command)
		if err != nil {
			return err
		}
		defer stop()
		addresses[i] = address
	}
	// The preview has the body and all rules of a creation, and writes nothing.
	request := message(http.MethodPost, all[0].path+"/preview", credentials, all[0].body)
	for _, callers := range []int{1, b.callers} {
		values, p50 := make([][]float64, len(addresses)), make([][]float64, len(addresses))
		for range b.turns {
			for i, address := range addresses {
				l, err := send(ctx, address, callers, b.duration, http.StatusOK, func(int, int) []byte { return request })
				if err != nil {
					return fmt.Errorf("%s: %w", address, err)
				}
				values[i], p50[i] = append(values[i], l.rate()), append(p50[i], l.quantile(.5).Seconds()*1000)
			}
		}
		added := func(i int) string { return fmt.Sprintf("adds %.2f ms", median(p50[i])-median(p50[2])) }
		b.table.add(fmt.Sprintf("validating proxy, %d callers", callers), "/s", []string{"Prism", "front", "no proxy"}, values, added(0), added(1))
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
		text, err := os.ReadFile(filepath.Join(prismPackage, name))
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
func proxy(ctx context.Context, command []string) (address string, stop func(), err error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address = l.Addr().String()
	_, port, _ := net.SplitHostPort(address) // of a listener
	if err := l.Close(); err != nil {
		return "", nil, err
	}
	args := make([]string, len(command))
	for i, arg := range command {
		args[i] = string(bytes.ReplaceAll([]byte(arg), []byte("PORT"), []byte(port)))
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // one of two programs
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	for range 300 {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			return address, stop, c.Close()
		}
		time.Sleep(100 * time.Millisecond)
	}
	stop()
	return "", nil, errors.New(args[0] + " does not listen on " + strconv.Quote(address))
}
