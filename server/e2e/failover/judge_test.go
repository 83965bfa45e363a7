//go:build linux

package failover

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// verdict compares what callers were told with what the database has.
type verdict struct {
	acknowledged int
	lost         []string // keys whose acknowledged transaction does not exist, or is another one
	doubled      []string // keys with more than one transaction
	unexplained  []string // keys with a transaction that nobody sent or was told of
}

// judge compares acknowledged transactions by key with those of the database by note, which is the key.
func judge(acknowledged map[string]acknowledgement, kept map[string][]uuid.UUID) verdict {
	v := verdict{acknowledged: len(acknowledged)}
	for _, key := range slices.Sorted(maps.Keys(acknowledged)) {
		if !slices.Contains(kept[key], acknowledged[key].id) {
			v.lost = append(v.lost, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(kept)) {
		if len(kept[key]) > 1 {
			v.doubled = append(v.doubled, key)
		}
		if _, told := acknowledged[key]; !told {
			v.unexplained = append(v.unexplained, key)
		}
	}
	return v
}

// readKept reads the transactions of all keys.
func readKept(t *testing.T, db *sql.DB) map[string][]uuid.UUID {
	t.Helper()
	kept := map[string][]uuid.UUID{}
	servertest.Rows(t, db, `select notes::json ->> 'note', id from transactions`, func(rows *sql.Rows) error {
		var key string
		var id uuid.UUID
		err := rows.Scan(&key, &id)
		kept[key] = append(kept[key], id)
		return err
	})
	return kept
}

// repeat sends every acknowledged request again, and returns the keys for which another transaction is returned.
func repeat(t *testing.T, h *history) (other []string) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	keys := make(chan string)
	for range 8 {
		all.Go(func() {
			for key := range keys {
				c := h.sent[key]
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				again, err := c.client.CreateTransaction(ctx, c.sender.ID, c.request(key), client.IdempotencyKey(key))
				cancel()
				if err == nil && again.ID == h.acknowledged[key].id {
					continue
				}
				mu.Lock()
				if other = append(other, key); err != nil {
					t.Errorf("repeat of %s: %v", key, err)
				}
				mu.Unlock()
			}
		})
	}
	for _, key := range slices.Sorted(maps.Keys(h.acknowledged)) {
		keys <- key
	}
	close(keys)
	all.Wait()
	return other
}

// gap returns the longest time without an acknowledgement of a route within a span, and the longest call that ended in it.
func (h *history) gap(route string, from, to time.Duration) (gap, slowest time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var times []time.Duration
	for key, a := range h.acknowledged {
		if h.sent[key].route.name == route && a.at >= from && a.at <= to {
			times = append(times, a.at)
			slowest = max(slowest, a.took)
		}
	}
	slices.Sort(times)
	last := from
	for _, at := range append(times, to) {
		gap, last = max(gap, at-last), at
	}
	return gap, slowest
}

// The judge sees a lost, a doubled and an unexplained transaction.
func TestJudge(t *testing.T) {
	t.Parallel()
	a, b, c, d, e := uuid.New(), uuid.New(), uuid.New(), uuid.New(), uuid.New()
	got := judge(
		map[string]acknowledgement{"kept": {id: a}, "lost": {id: b}, "another": {id: c}, "doubled": {id: d}},
		map[string][]uuid.UUID{"kept": {a}, "another": {e}, "doubled": {d, e}, "untold": {b}},
	)
	want := verdict{4, []string{"another", "lost"}, []string{"doubled"}, []string{"untold"}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the verdict is %v, want %v", got, want)
	}
}
