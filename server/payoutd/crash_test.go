package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

const (
	crashes         = 3
	crashGoroutines = 16
	// crashAfter is how many transactions are acknowledged before each crash.
	crashAfter = 60
)

// Acknowledged transactions survive a crash of the process, repeats never create a second one (D-16), and the counters match
// the transactions (D-17).
func TestCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary, file := filepath.Join(dir, "payoutd"), filepath.Join(dir, "payouts.db")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	d := startDaemon(t, binary, file)
	var l ledger
	for range 2 {
		sender := servertest.NewSender(t, d.client)
		l.pairs = append(l.pairs, pair{sender, servertest.NewReceiver(t, d.client, sender.ID)})
	}
	for range crashes {
		l.load(t, d)
		d = startDaemon(t, binary, file)
	}

	checkAcknowledged(t, &l, l.kept(t, d))
	for key, sent := range l.sent { // including unacknowledged ones
		r := servertest.Send(t, d.client, sent.pair.sender.ID, key, sent.request(t))
		created := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, nil)
		if id, ok := l.acknowledged[key]; ok && (id != created.ID || r.HTTPResponse.Header.Get("Idempotent-Replayed") != "true") {
			t.Errorf("the repeat of %s answered %s, replayed %q, want %s", key, created.ID,
				r.HTTPResponse.Header.Get("Idempotent-Replayed"), id)
		}
		l.acknowledged[key] = created.ID
	}
	kept := l.kept(t, d)
	checkAcknowledged(t, &l, kept)
	if len(kept) != len(l.sent) {
		t.Errorf("%d transactions of %d keys", len(kept), len(l.sent))
	}
	checkRemaining(t, d, &l)
	d.stop(t)
	checkFile(t, file, len(l.sent))
}

type pair struct {
	sender   servertest.Sender
	receiver servertest.Receiver
}

// sending is one request.
type sending struct {
	pair  pair
	cents int64
}

func (s sending) request(t *testing.T) api.TransactionRequest {
	t.Helper()
	return servertest.Deposit(t, s.pair.sender, s.pair.receiver, fmt.Sprintf("%d.%02d", s.cents/100, s.cents%100))
}

// ledger records what the callers sent, by key, and what was acknowledged.
type ledger struct {
	pairs        []pair
	mu           sync.Mutex
	sent         map[string]sending
	acknowledged map[string]openapi_types.UUID
}

// next records a request before it is sent.
func (l *ledger) next() (string, sending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.sent)
	if n == 0 {
		l.sent, l.acknowledged = map[string]sending{}, map[string]openapi_types.UUID{}
	}
	key, s := "key-"+strconv.Itoa(n), sending{l.pairs[n%len(l.pairs)], int64(1 + n%150)}
	l.sent[key] = s
	return key, s
}

// acknowledge records an acknowledged request, and returns how many there are.
func (l *ledger) acknowledge(key string, id openapi_types.UUID) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acknowledged[key] = id
	return len(l.acknowledged)
}

// load sends transactions from many goroutines until the daemon is killed.
func (l *ledger) load(t *testing.T, d *daemon) {
	t.Helper()
	target := len(l.acknowledged) + crashAfter
	var senders sync.WaitGroup
	for range crashGoroutines {
		senders.Go(func() {
			for {
				key, s := l.next()
				r, err := d.client.CreateTransactionWithResponse(context.WithoutCancel(t.Context()), s.pair.sender.ID,
					&api.CreateTransactionParams{XIdempotencyKey: &key}, s.request(t))
				if err != nil {
					return // the daemon is gone
				}
				if r.JSON200 == nil {
					t.Errorf("status %d: %s", r.StatusCode(), r.Body)
					return
				}
				if l.acknowledge(key, r.JSON200.ID) == target {
					d.kill()
				}
			}
		})
	}
	senders.Wait()
	<-d.ended
}

// kept lists all transactions of all senders in pages, and fails the test if one is listed twice.
func (l *ledger) kept(t *testing.T, d *daemon) map[openapi_types.UUID]api.Transaction {
	t.Helper()
	all := map[openapi_types.UUID]api.Transaction{}
	for _, p := range l.pairs {
		params := &api.ListTransactionsParams{Limit: servertest.Ptr(int32(17))}
		for {
			r, err := d.client.ListTransactionsWithResponse(t.Context(), p.sender.ID, params)
			page := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
			for _, item := range page.Items {
				if _, twice := all[item.ID]; twice {
					t.Errorf("%s comes twice", item.ID)
				}
				all[item.ID] = item
			}
			if params.Cursor = page.NextCursor; params.Cursor == nil {
				break
			}
		}
	}
	return all
}

// checkAcknowledged checks that each acknowledged transaction is kept as it was sent, and that no two keys share one.
func checkAcknowledged(t *testing.T, l *ledger, kept map[openapi_types.UUID]api.Transaction) {
	t.Helper()
	if ids := slices.Collect(maps.Values(l.acknowledged)); len(l.acknowledged) < crashes*crashAfter || len(unique(ids)) != len(ids) {
		t.Errorf("%d ids of %d acknowledged keys", len(unique(ids)), len(ids))
	}
	for key, id := range l.acknowledged {
		sent := l.sent[key]
		got, ok := kept[id]
		if !ok || got.UserID != sent.pair.sender.ID || !got.FromAmount.Equal(sent.request(t).FromAmount) {
			t.Errorf("%s was acknowledged as %s, and kept: %t, %+v", key, id, ok, got)
		}
	}
}

func unique[T comparable](all []T) map[T]bool {
	set := map[T]bool{}
	for _, v := range all {
		set[v] = true
	}
	return set
}

// daemon is a process of payoutd.
type daemon struct {
	cmd    *exec.Cmd
	log    *stream
	client *api.ClientWithResponses
	ended  chan struct{}
}

// startDaemon starts the daemon and waits until it listens.
func startDaemon(t *testing.T, binary, file string) *daemon {
	t.Helper()
	d := &daemon{log: newStream(), ended: make(chan struct{})}
	d.cmd = exec.Command(binary, "serve", "--sandbox", "--listen=127.0.0.1:0", "--rate-limit=0", "--database=sqlite:"+file)
	d.cmd.Dir = filepath.Dir(file)
	d.cmd.Stderr = d.log
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(d.ended)
		_ = d.cmd.Wait() // killed, or looked at by stop
		d.log.end()
	}()
	t.Cleanup(func() { d.kill(); <-d.ended })
	connections := &http.Transport{MaxIdleConnsPerHost: crashGoroutines}
	t.Cleanup(connections.CloseIdleConnections)
	client, err := api.NewClientWithResponses(d.log.awaitLog(t, "listening").Address,
		api.WithHTTPClient(&http.Client{Transport: connections}),
		api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("X-Client-Id", server.SandboxClients[0].ID)
			r.Header.Set("X-Client-Secret", server.SandboxClients[0].Secret)
			return nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	d.client = client
	return d
}

// kill ends the process as a crash does.
func (d *daemon) kill() { _ = d.cmd.Process.Kill() }

// stop ends the process as an operator does.
func (d *daemon) stop(t *testing.T) {
	t.Helper()
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-d.ended
	if code := d.cmd.ProcessState.ExitCode(); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, d.log)
	}
	checkLog(t, d.log.String(), "listening", "request", "shutting down")
}
