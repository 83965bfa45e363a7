package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// Queued receives after a write that added events to the queue; several writes may be one signal.
func (s *Store) Queued() <-chan struct{} { return s.queuedEvents }

// published is an event with its place in the queue.
type published struct {
	payout.Published
	seq int64
}

// mostDeliveries is how many deliveries of webhooks one publication makes: it holds up all others, and on SQLite all writes.
const mostDeliveries = 500

// PublishEvents moves at most limit events from the queue to the feeds of their clients, in the order of the queue, and
// returns how many, and whether there may be more. It calls fanout, unless that is nil, with what it moved, in the same
// transaction, which it may repeat; there are fewer events if their clients have many webhook endpoints.
//
// One publisher works at a time, so that the positions of a feed are committed in their order: a reader that has seen one will
// see none before it. An event whose write commits late gets a later position. Two events of one resource are never both
// uncommitted, so they keep their order.
func (s *Store) PublishEvents(
	ctx context.Context, limit int, fanout func(context.Context, *sql.Tx, []payout.Published) error,
) (n int, more bool, err error) {
	waiting, err := list(ctx, s.reads, func(row scanner, v *int64) error { return row.Scan(v) }, `select seq from event_queue order by seq limit 1`)
	if err != nil || len(waiting) == 0 {
		return 0, false, err
	}
	err = s.together(ctx, func(t tx) error { // as often as others write
		// The lock comes before the queue is read, so that what another publisher has just moved is not there any more.
		if _, err := t.exec(ctx, `update event_publisher set batches = batches + 1 where id = 1`); err != nil {
			return err
		}
		head, err := list(ctx, t.reads, func(s scanner, v *published) error { return s.Scan(&v.ClientID, &v.seq) },
			`select client_id, seq from event_queue order by seq limit $1`, limit)
		if err != nil {
			return err
		}
		size := limit
		if fanout != nil {
			if size, err = t.publishable(ctx, head, limit); err != nil {
				return err
			}
		}
		moved, err := t.publish(ctx, head[:min(size, len(head))])
		n = len(moved)
		more = n == size
		if err != nil || n == 0 || fanout == nil {
			return err
		}
		return fanout(t.queueContext(ctx), t.sql, moved)
	})
	if err != nil {
		return 0, false, err
	}
	return n, more, nil
}

// publishable returns how many events at the head of the queue make no more than mostDeliveries, at least one, whatever their
// types; limit if all do.
func (t tx) publishable(ctx context.Context, head []published, limit int) (int, error) {
	type enabled struct {
		clientID  payout.ClientID
		endpoints int
	}
	in, args := inList(clientsIn(head))
	counts, err := list(ctx, t.reads, func(s scanner, v *enabled) error { return s.Scan(&v.clientID, &v.endpoints) },
		`select client_id, count(*) from webhook_endpoints where client_id in `+in+` and not disabled group by client_id`, args...)
	if err != nil {
		return 0, err
	}
	of, deliveries := map[payout.ClientID]int{}, 0
	for _, v := range counts {
		of[v.clientID] = v.endpoints
	}
	for i, v := range head {
		if deliveries += of[v.ClientID]; deliveries > mostDeliveries {
			return max(1, i), nil
		}
	}
	return limit, nil
}

// clientsIn returns the clients of events, each once.
func clientsIn(events []published) []payout.ClientID {
	return slices.Compact(slices.Sorted(slices.Values(mapped(events, func(v published) payout.ClientID { return v.ClientID }))))
}

func (t tx) publish(ctx context.Context, head []published) ([]payout.Published, error) {
	if len(head) == 0 {
		return nil, nil
	}
	// Numbers of our own need no placeholders. The clients are for Citus: it asks only the nodes that have their rows.
	seqs := mapped(head, func(v published) string { return strconv.FormatInt(v.seq, 10) })
	in, clients := inList(clientsIn(head))
	these := `client_id in ` + in + ` and seq in (` + strings.Join(seqs, ", ") + `)`
	rows, err := list(ctx, t.reads, func(s scanner, v *published) error {
		return s.Scan(&v.ClientID, &v.EventID, &v.Type, &v.Position, &v.seq)
	}, `insert into events (client_id, position, seq, `+eventColumns+`)
		select q.client_id, coalesce(h.position, 0) + row_number() over (partition by q.client_id order by q.seq), q.seq,
			q.id, q.type, q.resource_id, q.user_id, q.created_at, q.data
		from event_queue q left join event_head h on h.client_id = q.client_id where q.`+these+`
		returning client_id, id, type, position, seq`, clients...)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b published) int { return cmp.Compare(a.seq, b.seq) })
	heads := map[payout.ClientID]int64{}
	for _, v := range rows {
		heads[v.ClientID] = v.Position
	}
	if _, err := t.execAny(ctx, `delete from event_queue where `+these, clients...); err != nil {
		return nil, err
	}
	var values []string
	var args []any
	for clientID, position := range heads {
		args = append(args, clientID, position)
		values = append(values, fmt.Sprintf("($%d, $%d)", len(args)-1, len(args)))
	}
	_, err = t.execAny(ctx, `insert into event_head (client_id, position) values `+strings.Join(values, ", ")+`
		on conflict (client_id) do update set position = excluded.position`, args...)
	return mapped(rows, func(v published) payout.Published { return v.Published }), err
}
