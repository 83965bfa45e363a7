package events_test

import (
	"cmp"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// sizeVariable sets the number of events of long feeds. `make feed` sets 1,000,000.
const sizeVariable = "PAYOUTD_TEST_EVENTS"

func size(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(sizeVariable), "20000"))
	if err != nil || n < 20000 {
		t.Fatalf("%s must be a number of at least 20000", sizeVariable)
	}
	return n
}

// fillFeed replaces the feeds by one of n events of the first client, and one of as many of another client, all with the data of a
// real event. They were created one each second until the time. Their types take turns, but for three events of the client.
func fillFeed(t *testing.T, s *servertest.Server, n int, until time.Time) {
	t.Helper()
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	servertest.Created(t, servertest.Send(t, s.Client, sender.ID, "", servertest.Deposit(t, sender, receiver, "1.00")))
	all, _ := rest(t, s.Client, nil)
	last := all[len(all)-1]
	data, err := json.Marshal(last.Data)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	db := s.Beside(t)
	servertest.Exec(t, db, `delete from events`, `delete from event_head`)
	if _, err := db.ExecContext(t.Context(), fmt.Sprintf(`insert into events (client_id, position, id, seq, type, resource_id, user_id, created_at, data)
		with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < 2 * %[1]d)
		select case when i %% 2 = 0 then 'sandbox' else 'other' end, (i + 1) / 2,
			'00000000-0000-7000-8000-' || substr(cast(1000000000000 + i as text), 2), i,
			case when i in (20, %[1]d, 2 * %[1]d - 20) then 'user.status_changed'
				when i %% 10 < 2 then 'transaction.created' when i %% 10 < 6 then 'transaction.status_changed'
				else 'transaction.delivery_status_changed' end,
			cast(i as text), 'user', cast(%[2]d as bigint) - cast(1000000 as bigint) * (%[1]d - (i + 1) / 2), $1 from numbers`,
		n, until.UnixMicro()), string(data)); err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, db, fmt.Sprintf(`insert into event_head (client_id, position, kept_since)
		values ('sandbox', %[1]d, %[2]d), ('other', %[1]d, %[2]d)`, n, until.Add(time.Hour).UnixMicro()))
	if servertest.OnPostgreSQL(t) {
		servertest.Exec(t, db, `vacuum analyze events`)
	}
	t.Logf("filled %d events of %d bytes each in %s", 2*n, len(data), time.Since(begun).Round(time.Millisecond))
}

// cursorAt returns the cursor of a page that ends at a position of a filled feed.
func cursorAt(position int) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.00000000-0000-7000-8000-%012d", position, 2*position))
}

// A page of the feed takes as long at its end as at its beginning, also of a type that is rare, whatever the length of the feed.
func TestTheEndOfTheFeedIsAsFastAsItsBeginning(t *testing.T) { //nolint:paralleltest // it measures
	s := servertest.New(t)
	n, rounds := size(t), 100
	fillFeed(t, s, n, s.Clock.Now())
	const limit = 10
	after := func(position int) string { return "&after=" + cursorAt(position) }
	pages := []struct {
		name, query string
		items       int
	}{
		{"the first page", "", limit},
		{"a page in the middle", after(n / 2), limit},
		{"the last page", after(n - limit), limit},
		{"after the end", after(n), 0},
		{"a common type from the start", "&type=transaction.created", limit},
		{"a common type from the middle", "&type=transaction.created" + after(n/2), limit},
		{"a rare type from the start", "&type=user.status_changed", 3},
		{"a rare type from the middle", "&type=user.status_changed" + after(n/2), 1},
		{"a rare type after its last", "&type=user.status_changed" + after(n-5), 0},
		{"an absent type from the start", "&type=user.information_changed", 0},
	}
	took := make([][]time.Duration, len(pages))
	for range rounds {
		for i, p := range pages { // in turns, so that what else the machine does meets all of them
			began := time.Now()
			body := get(t, s.URL+"/events?limit="+strconv.Itoa(limit)+p.query)
			took[i] = append(took[i], time.Since(began))
			if items := servertest.Parse[api.EventPage](t, body).Items; len(items) != p.items {
				t.Fatalf("%s has %d events, want %d", p.name, len(items), p.items)
			}
		}
	}
	first := median(took[0])
	for i, p := range pages {
		ratio := float64(median(took[i])) / float64(first)
		t.Logf("%-30s median %8s, %.2f of the first page", p.name, median(took[i]).Round(time.Microsecond), ratio)
		if ratio > 3 {
			t.Errorf("%s takes %.1f times as long as the first page", p.name, ratio)
		}
	}
}

// get returns the body of a response to the first client, without the checks of the contract, which would take most of the time.
func get(t *testing.T, url string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = servertest.Headers()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s, %v", answer.StatusCode, body, err)
	}
	return body
}

func median(all []time.Duration) time.Duration {
	all = slices.Clone(all)
	slices.Sort(all)
	return all[len(all)/2]
}

// While the events of a long time are deleted, requests that write go on, and what is kept is the rest without a gap.
func TestOldEventsAreDeletedWhileOthersWrite(t *testing.T) { //nolint:paralleltest // it measures
	first := servertest.New(t)
	n := size(t)
	const retention = 90 * 24 * time.Hour
	fillFeed(t, first, n, first.Clock.Now().Add(-retention).Add(time.Duration(n/10)*time.Second)) // one in ten is kept
	writes := func(s *servertest.Server, goOn func(done int) bool) (took []time.Duration) {
		for goOn(len(took)) {
			began := time.Now()
			servertest.NewUser(t, s.Client)
			took = append(took, time.Since(began))
		}
		return took
	}
	before := writes(first, func(done int) bool { return done < 200 })
	first.Stop()
	began := time.Now()
	s := servertest.New(t, func(c *server.Config) {
		c.Database, c.EventRetention, c.Now = first.Database, retention, first.Clock.Now
	})
	db := s.Beside(t)
	oldest := func() (position int) {
		servertest.Rows(t, db, `select position from events where client_id = 'sandbox' order by position limit 1`,
			func(rows *sql.Rows) error { return rows.Scan(&position) })
		return position
	}
	want := n - n/10
	during := writes(s, func(done int) bool { return done < 20 || oldest() < want })
	t.Logf("%d events were deleted in %s", 2*want, time.Since(began).Round(time.Millisecond))
	for _, v := range []struct {
		name string
		took []time.Duration
	}{{"before", before}, {"during", during}} {
		slices.Sort(v.took)
		t.Logf("%s: %d writes, median %s, p95 %s, most %s", v.name, len(v.took), median(v.took), v.took[len(v.took)*95/100], v.took[len(v.took)-1])
	}
	if most := during[len(during)*95/100]; most > time.Second { // a disk may stall once
		t.Errorf("one in twenty writes took %s or more", most)
	}
	if kept := oldest(); kept != want {
		t.Errorf("the oldest event is at %d, want %d", kept, want)
	}
	if all, _ := rest(t, s.Client, nil); len(all) != n-want+1 {
		t.Errorf("%d events are kept, want %d", len(all), n-want+1)
	}
}
