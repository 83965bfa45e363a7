package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// build builds payoutd in dir and returns its path.
func build(ctx context.Context, dir string) (path string, err error) {
	path = filepath.Join(dir, "payoutd")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, "./server/payoutd") //nolint:gosec // our own program
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build payoutd: %w\n%s", err, out)
	}
	return path, nil
}

// A sandbox is a running `payoutd serve --sandbox` on a database of its own.
type sandbox struct {
	cmd     *exec.Cmd
	address string
	clients [][2]string // id and secret
}

// start starts a sandbox on a new SQLite file, and waits until it says where it listens.
func start(ctx context.Context, daemon, file string, webhooks bool) (_ *sandbox, err error) {
	for _, suffix := range []string{"", "-shm", "-wal"} {
		if err := os.Remove(file + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	deliver := "off"
	if webhooks {
		deliver = "on"
	}
	s := &sandbox{cmd: exec.CommandContext(ctx, daemon, "serve", "--sandbox", "--listen=127.0.0.1:0", //nolint:gosec // our own program
		"--database=sqlite:"+file, "--rate-limit=0", "--log-level=error",
		"--webhooks="+deliver)}
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	s.cmd.WaitDelay = 5 * time.Second
	s.cmd.Stderr = os.Stderr
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		switch words := strings.Fields(lines.Text()); {
		case len(words) == 2 && words[0] == "Sandbox":
			s.address = words[1]
		case len(words) > 2 && words[len(words)-2] == "/":
			s.clients = append(s.clients, [2]string{words[len(words)-3], words[len(words)-1]})
		case len(s.clients) > 0:
			go io.Copy(io.Discard, stdout) //nolint:errcheck // until it ends
			return s, nil
		}
	}
	s.stop()
	return nil, errors.New("the sandbox does not start")
}

func (s *sandbox) env() []string {
	env := []string{"PAYOUTS_URL=" + s.address}
	for i, suffix := range []string{"", "_2"} {
		env = append(env, "PAYOUTS_CLIENT_ID"+suffix+"="+s.clients[i][0], "PAYOUTS_CLIENT_SECRET"+suffix+"="+s.clients[i][1])
	}
	return env
}

func (s *sandbox) stop() {
	s.cmd.Cancel() //nolint:errcheck,gosec // it may have ended
	s.cmd.Wait()   //nolint:errcheck,gosec // how it ends does not matter
}
