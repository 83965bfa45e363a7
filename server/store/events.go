package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

const eventColumns = `id, type, resource_id, user_id, created_at, data`

func scanEvent(s scanner, e *payout.Event) error {
	return s.Scan(&e.ID, &e.Type, &e.ResourceID, &e.UserID, timeColumn{&e.CreatedAt}, &e.Data, &e.Position)
}

// InsertEvents adds events to the queue of the publisher. It comes after the lock of the resource that they are about, because
// their order is that of this call.
func (t tx) InsertEvents(ctx context.Context, clientID payout.ClientID, all ...payout.Event) error {
	if len(all) == 0 {
		return nil
	}
	rows := make([]string, len(all))
	args := []any{clientID}
	for i, e := range all {
		n := len(args)
		rows[i] = fmt.Sprintf("($1, $%d, $%d, $%d, $%d, $%d, $%d)", n+1, n+2, n+3, n+4, n+5, n+6)
		args = append(args, e.ID, string(e.Type), e.ResourceID, e.UserID, micros(e.CreatedAt), string(e.Data))
	}
	err := t.execLater(ctx, `insert into event_queue (client_id, `+eventColumns+`) values `+strings.Join(rows, ", "), args...)
	if err == nil {
		*t.queued = true
	}
	return err
}

// Event reads a published event.
func (r reads) Event(ctx context.Context, clientID payout.ClientID, id payout.EventID) (payout.Event, bool, error) {
	return one(ctx, r, scanEvent, `select `+eventColumns+`, position from events where client_id = $1 and id = $2`, clientID, id)
}

// Events lists a page of the feed of a client, oldest first.
func (r reads) Events(ctx context.Context, clientID payout.ClientID, page payout.FeedPage) ([]payout.Event, error) {
	where, args := ``, []any{clientID, page.After.Number, page.Limit}
	if page.Type != "" {
		where, args = ` and type = $4`, append(args, string(page.Type))
	}
	return list(ctx, r, scanEvent, `select `+eventColumns+`, position from events where client_id = $1 and position > $2`+where+`
		order by position limit $3`, args...)
}

// FeedState reads what a reader must know before it reads the feed after a position.
func (r reads) FeedState(ctx context.Context, clientID payout.ClientID, position int64) (payout.FeedState, error) {
	state, _, err := one(ctx, r, func(s scanner, v *payout.FeedState) error { return s.Scan(&v.Queued, &v.Last, &v.ID) },
		`select exists (select 1 from event_queue where client_id = $1),
			coalesce((select position from event_head where client_id = $1), 0),
			coalesce((select id from events where client_id = $1 and position = $2), '')`, clientID, position)
	return state, err
}

// EventQueue returns how many events wait for the publisher, not exact above mostCounted, and when the first of them was created.
func (s *Store) EventQueue(ctx context.Context) (waiting int64, first time.Time, err error) {
	at, ok, err := oneAny(ctx, s.reads, func(s scanner, v *time.Time) error { return s.Scan(timeColumn{v}) },
		`select created_at from event_queue order by seq limit 1`)
	if err != nil || !ok {
		return 0, time.Time{}, err
	}
	waiting, _, err = oneAny(ctx, s.reads, func(s scanner, v *int64) error { return s.Scan(v) },
		`select count(*) from (select 1 from event_queue limit $1) as waiting`, int64(mostCounted))
	return waiting, at, err
}

// DeleteEvents deletes the oldest events of a client after a position with their deliveries, up to the first that was created at
// the time or later: at most limit events, and fewer if they have many deliveries. It returns how many it deleted and the
// position of the last, after which the next call continues: rows that were deleted just now are not gone from the indexes.
func (s *Store) DeleteEvents(
	ctx context.Context, clientID payout.ClientID, after int64, before time.Time, limit int,
) (deleted, last int64, err error) {
	err = s.write(ctx, func(t tx) error {
		deleted, last = 0, after
		type row struct{ position, createdAt int64 }
		// An event has a delivery for each endpoint at most, and that mostly one attempt.
		oldest, err := list(ctx, t.reads, func(s scanner, v *row) error { return s.Scan(&v.position, &v.createdAt) },
			`select position, created_at from events where client_id = $1 and position > $2 order by position
			limit 1 + $3 / (1 + 2 * (select count(*) from webhook_endpoints where client_id = $1))`, clientID, after, limit-1)
		if err != nil {
			return err
		}
		for _, v := range oldest {
			if v.createdAt >= micros(before) {
				break
			}
			last = v.position
		}
		if last == after {
			return nil
		}
		if _, err := t.exec(ctx, `update event_head set kept_since = $2 where client_id = $1 and kept_since < $2`,
			clientID, micros(before)); err != nil {
			return err
		}
		// Who is adding an attempt to one of the deliveries has locked it.
		const of = ` where client_id = $1 and event_id in (select id from events where client_id = $1 and position > $2 and position <= $3)`
		for _, statement := range []string{
			`select 1 from webhook_deliveries` + of + t.engine.exclusive, `delete from webhook_attempts` + of, `delete from webhook_deliveries` + of,
		} {
			if _, err := t.execAny(ctx, statement, clientID, after, last); err != nil {
				return err
			}
		}
		deleted, err = t.execAny(ctx, `delete from events where client_id = $1 and position > $2 and position <= $3`, clientID, after, last)
		return err
	})
	return deleted, last, err
}
