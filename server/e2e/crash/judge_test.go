//go:build linux

package crash

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// event is one of the feed, with its text there.
type event struct {
	api.Event
	text json.RawMessage
}

func (e event) id() string { return e.ID.String() }

// resource returns the id of what an event is about, and its state.
func (e event) resource() (id uuid.UUID, state string) {
	switch d := e.Data; {
	case d.Transaction != nil:
		return d.Transaction.ID, describe(*d.Transaction)
	case d.FundingAccount != nil:
		return d.FundingAccount.ID, string(d.FundingAccount.Status)
	case d.User != nil:
		return d.User.ID, string(d.User.Status)
	}
	return uuid.Nil, ""
}

// readFeed reads the feed from its start to its end.
func readFeed(t *testing.T, replica string) (feed []event) {
	t.Helper()
	for after := ""; ; {
		query := url.Values{"limit": {"100"}}
		if after != "" {
			query.Set("after", after)
		}
		var page struct {
			Items      []json.RawMessage `json:"items"`
			NextCursor string            `json:"next_cursor"`
		}
		if err := json.Unmarshal(get(t, replica+"/events?"+query.Encode()), &page); err != nil {
			t.Fatal(err)
		}
		for _, text := range page.Items {
			e := event{text: text}
			if err := json.Unmarshal(text, &e.Event); err != nil {
				t.Fatal(err)
			}
			feed = append(feed, e)
		}
		if after = page.NextCursor; len(page.Items) == 0 {
			return feed
		}
	}
}

// get reads a page as a client of the sandbox.
func get(t *testing.T, address string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Client-Id", server.SandboxClients[0].ID)
	request.Header.Set("X-Client-Secret", server.SandboxClients[0].Secret)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s, %v", address, response.StatusCode, body, err)
	}
	return body
}

// reader follows the feed while it grows, by a cursor that it takes from one replica to the other.
type reader struct {
	replicas []*client.Client
	ids      []string
	pages    int
}

// follow reads until it sees the end of the feed after done is closed.
func (r *reader) follow(ctx context.Context, done <-chan struct{}) {
	var after *string
	for ctx.Err() == nil {
		last := false
		select {
		case <-done:
			last = true
		case <-time.After(5 * time.Millisecond):
		}
		page, err := r.replicas[r.pages%len(r.replicas)].ListEvents(ctx, &api.ListEventsParams{After: after, Limit: new(int32(7))})
		r.pages++
		if err != nil {
			<-time.After(100 * time.Millisecond)
			continue
		}
		after = &page.NextCursor
		for _, v := range page.Items {
			r.ids = append(r.ids, v.ID.String())
		}
		if last && len(page.Items) == 0 {
			return
		}
	}
}

// judgeFeed compares the feed with what callers were told and with what there is now.
func judgeFeed(t *testing.T, h *history, feed []event, c *client.Client) {
	t.Helper()
	kept, byKey := map[uuid.UUID]api.Transaction{}, map[string]uuid.UUID{}
	for x, err := range c.ClientTransactions(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if other, twice := byKey[*x.Note]; twice {
			t.Errorf("key %s has two payouts, %s and %s", *x.Note, x.ID, other)
		}
		kept[x.ID], byKey[*x.Note] = x, x.ID
	}
	told, ids, newest := map[uuid.UUID][]string{}, map[string]bool{}, map[uuid.UUID]event{}
	for _, e := range feed {
		if ids[e.id()] {
			t.Errorf("event %s is twice in the feed", e.id())
		}
		ids[e.id()] = true
		id, state := e.resource()
		told[id] = append(told[id], string(e.Type)+" "+state)
		newest[id] = e
		if x := e.Data.Transaction; x != nil && kept[x.ID].ID != x.ID {
			t.Errorf("event %s is about payout %s, which was not kept", e.id(), x.ID)
		}
	}
	forgotten, unmade := 0, 0
	for _, s := range h.stories {
		if s.key != "" && s.id == uuid.Nil { // it may have been created all the same
			forgotten++
			if s.id = byKey[s.key]; s.id == uuid.Nil {
				unmade++
				continue
			}
			s.states = []string{"INITIATED NONE"}
		}
		got, want := told[s.id], changes(s.states)
		if s.doubt != "" {
			forgotten++
			if more := changes(append(slices.Clone(s.states), s.doubt)); slices.Equal(got, more) {
				want = more
			} else {
				unmade++
			}
		}
		if s.key == "" { // since the first time that they were set, before the callers began
			want = append([]string{got[0]}, want...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %s %s the feed has\n%s\nand callers were told\n%s", s.key, s.id, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		delete(kept, s.id)
		if s.key == "" || len(got) == 0 {
			continue
		}
		now, err := c.GetTransaction(t.Context(), s.user, s.id)
		if err != nil {
			t.Error(err)
			continue
		}
		if a, b := text(t, now), text(t, newest[s.id].Data.Transaction); a != b {
			t.Errorf("payout %s is\n%s\nand its newest event has\n%s", s.id, a, b)
		}
	}
	for id := range kept {
		t.Errorf("nobody has created payout %s", id)
	}
	t.Logf("%d events; callers do not know the outcome of %d changes, of which %d were not made", len(feed), forgotten, unmade)
}

// changes returns what the feed tells of a resource with these states, one after the other.
func changes(states []string) (all []string) {
	for i, state := range states {
		parts := strings.Fields(state)
		switch {
		case len(parts) == 1:
			_, known := map[string]bool{"ACTIVE": true, "INACTIVE": true}[state]
			if i == 0 {
				continue
			}
			if known {
				all = append(all, "funding_account.status_changed "+state)
			} else {
				all = append(all, "user.status_changed "+state)
			}
		case i == 0:
			all = append(all, "transaction.created "+state)
		default:
			before := strings.Fields(states[i-1])
			if parts[0] != before[0] {
				all = append(all, "transaction.status_changed "+state)
			}
			if parts[1] != before[1] {
				all = append(all, "transaction.delivery_status_changed "+state)
			}
		}
	}
	return all
}

func text(t *testing.T, x *api.Transaction) string {
	t.Helper()
	b, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// judgeReader compares what a reader saw while replicas and the database were killed with the feed.
func judgeReader(t *testing.T, r *reader, feed []event) {
	t.Helper()
	all := make([]string, len(feed))
	for i, e := range feed {
		all[i] = e.id()
	}
	if !slices.Equal(r.ids, all) {
		t.Errorf("the reader saw %d events, and the feed has %d, or others, or in another order", len(r.ids), len(feed))
	}
	t.Logf("the reader asked for %d pages", r.pages)
}

// judgeDatabase compares the positions in the database with the feed, and counters with payouts.
func judgeDatabase(t *testing.T, p program, db *sql.DB, feed []event) {
	t.Helper()
	n := 0
	servertest.Rows(t, db, `select position, id from events where client_id = $1 order by position`, func(rows *sql.Rows) error {
		var position int
		var id string
		err := rows.Scan(&position, &id)
		if n < len(feed) && (position != n+1 || id != feed[n].id()) {
			t.Errorf("position %d has event %s, and number %d of the feed is %s", position, id, n+1, feed[n].id())
		}
		n++
		return err
	}, server.SandboxClients[0].ID)
	if n != len(feed) {
		t.Errorf("the database has %d events, the feed %d", n, len(feed))
	}
	servertest.WantExactUsage(t, db)
	if out, err := p.command("check").CombinedOutput(); err != nil {
		t.Errorf("check: %v\n%s", err, out)
	}
}
