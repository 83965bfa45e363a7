package webhooks_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"modernc.org/sqlite"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// A backup that is made while payouts are created, as server/README.md says, has a feed without a gap: in the restored database
// readers go on with their cursors, and everything that was to be delivered is.
func TestARestoredDatabaseGoesOn(t *testing.T) {
	t.Parallel()
	before := servertest.New(t) // delivers nothing
	in := newReceiver(t, nil)
	register(t, before, in.URL)
	sender := servertest.NewSender(t, before.Client)
	receiver := servertest.NewReceiver(t, before.Client, sender.ID)
	var created atomic.Int64
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			r, err := before.Client.CreateTransactionWithResponse(ctx, sender.ID, nil, servertest.Deposit(t, sender, receiver, "0.01"))
			if err == nil && r.JSON200 != nil {
				created.Add(1)
			}
		}
	}()
	grows := func() {
		t.Helper()
		enough := created.Load() + 10
		servertest.Await(t, time.Minute, "no payouts are created", func() bool { return created.Load() >= enough })
	}
	grows()
	read, cursor := follow(t, before, nil)
	grows()
	restored := restore(t, before.Database)
	grows()
	end()
	<-ended
	whole, last := follow(t, before, nil)

	after := delivering(t, func(c *server.Config) { c.Database = restored })
	rest, _ := follow(t, after, &cursor)
	feed, _ := follow(t, after, nil)
	if len(read) == 0 || len(rest) == 0 || !slices.Equal(feed, append(slices.Clone(read), rest...)) {
		t.Errorf("%d events were read before, %d after, and the feed has %d, or others", len(read), len(rest), len(feed))
	}
	if len(feed) >= len(whole) {
		t.Errorf("the backup has %d events, of %d in the end: it was made too late", len(feed), len(whole))
	}
	// What was in the queue when the backup was made may get another place, but is there.
	if missing := slices.DeleteFunc(slices.Clone(feed), func(id string) bool { return slices.Contains(whole, id) }); len(missing) > 0 {
		t.Errorf("the backup has events that never were: %v", missing)
	}
	if r, err := after.Client.ListEventsWithResponse(t.Context(), &api.ListEventsParams{After: &last}); err != nil || r.JSON400 == nil {
		t.Errorf("the cursor of an event that is lost: %d %s, %v", r.StatusCode(), r.Body, err)
	}
	servertest.Created(t, servertest.Send(t, after.Client, sender.ID, "", servertest.Deposit(t, sender, receiver, "0.01")))
	if now, _ := follow(t, after, nil); len(now) != len(feed)+1 || !slices.Equal(now[:len(feed)], feed) {
		t.Errorf("after a further payout the feed has %d events, want %d and one", len(now), len(feed))
	}
	arrived := arrivals(in.await(t, len(feed)+1))
	for _, id := range feed {
		if arrived[id] != 1 {
			t.Errorf("event %s was delivered %d times", id, arrived[id])
		}
	}
	after.Stop()
	servertest.WantSound(t, restored)
}

// follow reads the feed from a cursor to its end, and returns the ids and the cursor there.
func follow(t *testing.T, s *servertest.Server, after *string) (ids []string, next string) {
	t.Helper()
	for {
		r, err := s.Client.ListEventsWithResponse(t.Context(), &api.ListEventsParams{After: after})
		page := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
		for _, e := range page.Items {
			ids = append(ids, e.ID.String())
		}
		if after = &page.NextCursor; len(page.Items) == 0 {
			return ids, page.NextCursor
		}
	}
}

// restore returns a new database with a backup of another, made while that is in use.
func restore(t *testing.T, database string) string {
	t.Helper()
	backup := filepath.Join(t.TempDir(), "backup")
	if !servertest.OnPostgreSQL(t) {
		conn, err := servertest.Beside(t, database).Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.Raw(func(c any) error {
			copying, err := c.(interface {
				NewBackup(file string) (*sqlite.Backup, error)
			}).NewBackup(backup)
			if err != nil {
				return err
			}
			for more := true; more; {
				if more, err = copying.Step(50); err != nil {
					return err
				}
			}
			return copying.Finish()
		}); err != nil {
			t.Fatal(err)
		}
		return "sqlite:" + backup
	}
	restored := pgtest.Database(t)
	programs, err := pgtest.Programs()
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"pg_dump -Fc -d " + database + " -f " + backup, "pg_restore -d " + restored + " " + backup} {
		words := strings.Fields(command)
		if out, err := exec.CommandContext(t.Context(), filepath.Join(programs, words[0]), words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	return restored
}
