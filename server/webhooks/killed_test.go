package webhooks

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// replicaOf names the database of a replica that this program is instead of running tests.
const replicaOf = "WEBHOOKS_TEST_REPLICA_OF"

func TestMain(m *testing.M) {
	if url := os.Getenv(replicaOf); url != "" {
		fmt.Fprintln(os.Stderr, runReplica(url))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// runReplica delivers until the process is killed.
func runReplica(url string) error {
	ctx := context.Background()
	db, err := store.Open(ctx, url)
	if err != nil {
		return err
	}
	c := testConfig(db)
	c.Logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	d, err := New(c)
	if err != nil {
		return err
	}
	if err := d.Start(ctx); err != nil {
		return err
	}
	select {}
}

// A replica is killed while the receiver has the event and has not answered: another replica delivers it, under the same id.
func TestWhatAKilledReplicaHadIsDeliveredByAnother(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, w *world) {
		arrived := make(chan struct{}, 10)
		in := newInbox(t, func(_ http.ResponseWriter, r *http.Request, times int) {
			if times == 1 {
				arrived <- struct{}{}
				<-r.Context().Done()
			}
		})
		endpoint := w.endpoint(client, in.url)
		id := w.publish(client, created)[0]
		killed := exec.CommandContext(t.Context(), os.Args[0])
		killed.Env = append(os.Environ(), replicaOf+"="+w.url)
		if err := killed.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-arrived:
		case <-time.After(time.Minute):
			t.Error("the replica sent nothing")
		}
		_ = killed.Process.Kill()
		_ = killed.Wait()
		if d := w.delivery(client, endpoint, id); d.Status != payout.WebhookPending || len(d.Attempts) != 0 {
			t.Errorf("after the kill %+v", d)
		}
		w.replica(func(c *Config) { c.Timeout, c.RescueAfter = 5*time.Second, 19*time.Second })
		until(t, "another delivers it", func() bool { return w.delivery(client, endpoint, id).Status == payout.WebhookDelivered })
		w.drained()
		if n := in.times(id); n != 2 {
			t.Errorf("%d requests, want 2", n)
		}
	})
}
