package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/riverqueue/river"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// fanoutRows is how many deliveries one statement inserts.
const fanoutRows = 500

// FanOutWebhooks writes a delivery, due now, of each event to each endpoint of its client that wants it. The transaction is that
// of PublishEvents.
func (s *Store) FanOutWebhooks(ctx context.Context, transaction *sql.Tx, now time.Time, events []payout.Published) error {
	inside := s.reads
	inside.db = transaction
	t := tx{reads: inside, sql: transaction}
	endpoints := map[payout.ClientID][]payout.WebhookEndpoint{}
	var rows []fanoutRow
	counts := map[payout.WebhookEndpointID]int{}
	for _, e := range events {
		of, known := endpoints[e.ClientID]
		if !known {
			var err error
			if of, err = t.enabledWebhookEndpoints(ctx, e.ClientID); err != nil {
				return err
			}
			endpoints[e.ClientID] = of
		}
		for _, endpoint := range of {
			if !endpoint.Wants(e.Type) {
				continue
			}
			priority := healthyPriority
			switch counts[endpoint.ID]++; {
			case !endpoint.FailingSince.IsZero():
				priority = failingPriority
			case counts[endpoint.ID] > burst:
				priority = burstPriority
			}
			rows = append(rows, fanoutRow{e, endpoint.ID, priority})
		}
		if len(rows) >= fanoutRows {
			if err := t.insertFanout(ctx, now, rows); err != nil {
				return err
			}
			rows = rows[:0]
		}
	}
	return t.insertFanout(ctx, now, rows)
}

// fanoutRow is a delivery to be written.
type fanoutRow struct {
	payout.Published
	endpointID payout.WebhookEndpointID
	priority   int
}

// enabledWebhookEndpoints lists the endpoints of a client, which no other transaction deletes before this one ends.
func (t tx) enabledWebhookEndpoints(ctx context.Context, clientID payout.ClientID) ([]payout.WebhookEndpoint, error) {
	return list(ctx, t.reads, scanWebhookEndpoint, `select `+webhookEndpointColumns+` from webhook_endpoints
		where client_id = $1 and not disabled order by id`+t.engine.kept, clientID)
}

func (t tx) insertFanout(ctx context.Context, now time.Time, rows []fanoutRow) error {
	if len(rows) == 0 {
		return nil
	}
	values, args := make([]string, len(rows)), []any{string(payout.WebhookPending), micros(now)}
	jobs := make([]river.InsertManyParams, len(rows))
	for i, v := range rows {
		n := len(args)
		values[i] = fmt.Sprintf("($%d, $%d, $%d, $%d, $%d, null, $1, $2, $2, 0)", n+1, n+2, n+3, n+4, n+5)
		args = append(args, v.ClientID, v.endpointID, v.EventID, string(v.Type), v.Position)
		job := WebhookJob{v.ClientID, v.endpointID, v.EventID}
		jobs[i] = river.InsertManyParams{Args: job, InsertOpts: insertOnce(time.Time{}, v.priority)}
	}
	if _, err := t.execAny(ctx, `insert into webhook_deliveries (client_id, `+webhookDeliveryColumns+`, attempts) values `+
		strings.Join(values, ", "), args...); err != nil {
		return err
	}
	if _, err := t.queue.InsertManyFastTx(ctx, t.sql, jobs); err != nil {
		return t.failed(fmt.Errorf("enqueue: %w", err))
	}
	return nil
}
