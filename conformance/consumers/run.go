package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// stepTimeout is above what any step takes with empty caches on a busy machine.
const stepTimeout = 10 * time.Minute

type runner struct {
	contract string // path of openapi.yaml
	folders  string // conformance/consumers
	work     string // .tmp/consumers
	daemon   string // path of payoutd
}

// run runs the steps of c up to the first that fails.
func (r runner) run(ctx context.Context, c consumer) result {
	res := result{consumer: c}
	for _, program := range c.Needs {
		if _, err := exec.LookPath(program); err != nil {
			res.missing = append(res.missing, program)
		}
	}
	if res.skipped() {
		return res
	}
	dir := filepath.Join(r.work, c.Name)
	log, err := r.prepare(c, dir)
	if err != nil {
		res.steps = append(res.steps, outcome{name: "copy", err: err})
		return res
	}
	defer log.Close() //nolint:errcheck // what is missing in it shows
	for _, s := range c.steps() {
		o := outcome{name: s.name}
		started := time.Now()
		if s.name == "install" {
			for _, name := range c.Uses {
				if o.err == nil {
					o.output, o.err = tools[name].install(ctx, r, log)
				}
			}
		}
		if o.err == nil {
			o.output, o.err = r.step(ctx, s.name, s.script, dir, c.Webhooks, log)
		}
		o.took = time.Since(started)
		res.steps = append(res.steps, o)
		if o.err != nil {
			break
		}
	}
	return res
}

// prepare makes an empty working copy of the consumer's folder, and a log beside it.
func (r runner) prepare(c consumer, dir string) (*os.File, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(r.folders, c.Name))); err != nil {
		return nil, err
	}
	return os.Create(dir + ".log") //nolint:gosec // its name is in list.go
}

// step runs one script, for a story with a sandbox that delivers webhooks or not, and returns what it printed.
func (r runner) step(ctx context.Context, name, script, dir string, webhooks bool, log io.Writer) (output string, err error) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	env := append(os.Environ(), "PAYOUTS_CONTRACT="+r.contract, "PAYOUTS_CONSUMERS="+r.folders,
		"PATH="+filepath.Join(r.work, "node_modules", ".bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	if name == "story" {
		sandbox, err := start(ctx, r.daemon, dir+".db", webhooks)
		if err != nil {
			return "", err
		}
		defer sandbox.stop()
		env = append(env, sandbox.env()...)
	}
	fmt.Fprintf(log, "== %s: %s\n", name, script)
	var printed bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-ec", script) //nolint:gosec // the scripts of list.go
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdout = io.MultiWriter(log, &printed)
	cmd.Stderr = cmd.Stdout
	end := group(cmd)
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("stopped: %w", ctx.Err())
	}
	// What the script left running keeps no port and no file.
	return strings.TrimSpace(printed.String()), errors.Join(err, end())
}
