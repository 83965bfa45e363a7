package store

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// feedRelations are the rules of the feeds (D-67). The queue is joined as a whole, so that each rule reads its tables once.
var feedRelations = []relation{
	{"transactions", "it has no event transaction.created", `select t.client_id, t.id from transactions t
		join event_head h on h.client_id = t.client_id
		left join (select distinct client_id, resource_id from event_queue where type = 'transaction.created') q
			on q.client_id = t.client_id and q.resource_id = t.id
		where t.created_at >= h.kept_since and q.resource_id is null and not exists (select 1 from events e
			where e.client_id = t.client_id and e.resource_id = t.id and e.type = 'transaction.created')`},
	{"events", "the position before it is missing", `select v.client_id, v.id from (select client_id, id, position,
			lag(position) over (partition by client_id order by position) as previous from events) v
		where v.position <> v.previous + 1`},
	{"event_head", "position is not that of the newest event", `select h.client_id, h.client_id from event_head h
		where h.position <> (select max(e.position) from events e where e.client_id = h.client_id)`},
	{"events", "its client has no event_head", `select e.client_id, min(e.id) from events e
		where not exists (select 1 from event_head h where h.client_id = e.client_id) group by e.client_id`},
	{"event_queue", "it is published already", `select q.client_id, q.id from event_queue q
		join events e on e.client_id = q.client_id and e.id = q.id`},
}

func (c *checking) events(ctx context.Context) error {
	return c.related(ctx, feedRelations)
}

func (c *checking) webhooks(ctx context.Context) error {
	if _, err := c.rows(ctx, "webhook_endpoints", func(s scanner, v *rowCheck) error {
		var types []payout.EventType
		var disabled bool
		var reason payout.WebhookDisabledReason
		err := s.Scan(&v.clientID, &v.id, v.parses("event_types", eventTypesOf(&types)), &disabled, &reason)
		v.when(slices.ContainsFunc(types, func(t payout.EventType) bool { return !slices.Contains(payout.EventTypes(), t) }),
			"one of event_types is unknown")
		v.when(!slices.Contains([]payout.WebhookDisabledReason{"", payout.EndpointGone, payout.EndpointFailing}, reason),
			"disabled_reason is unknown")
		v.when(!disabled && reason != "", "it has a disabled_reason, and is not disabled")
		return err
	}, `select client_id, id, event_types, disabled, disabled_reason from webhook_endpoints order by client_id, id`); err != nil {
		return err
	}
	_, err := c.rows(ctx, "webhook_deliveries", func(s scanner, v *rowCheck) error {
		var status payout.WebhookDeliveryStatus
		var payload []byte
		err := s.Scan(&v.clientID, &v.id, &status, &payload)
		v.when(!slices.Contains(payout.WebhookDeliveryStatuses(), status), "status is unknown")
		v.when(payload != nil && !json.Valid(payload), "payload is not the JSON that belongs there")
		return err
	}, `select client_id, event_id, status, payload from webhook_deliveries order by client_id, endpoint_id, event_id`)
	return err
}

// jobs compares the deliveries that wait for an attempt with the queue. Of an endpoint that is disabled or deleted, and of events
// that are deleted, jobs may be left over until their time comes.
func (c *checking) jobs(ctx context.Context) error {
	job := func(member string) string { return c.engine.jobArgs + ` ->> '` + member + `'` }
	jobs := `select ` + job("client_id") + ` as client_id, ` + job("endpoint_id") + ` as endpoint_id, ` + job("event_id") + ` as event_id
		from river_job where kind = '` + WebhookJob{}.Kind() + `' and state in ('available', 'pending', 'retryable', 'running', 'scheduled')`
	return c.related(ctx, []relation{
		{"webhook_deliveries", "it is PENDING, and no job makes its next attempt", `select d.client_id, d.event_id from webhook_deliveries d
			left join (` + jobs + `) j on j.client_id = d.client_id and j.endpoint_id = d.endpoint_id and j.event_id = d.event_id
			where d.status = '` + string(payout.WebhookPending) + `' and j.event_id is null`},
		{"river_job", "its delivery does not exist", `select w.client_id, e.id from (` + jobs + `) j
			join webhook_endpoints w on w.client_id = j.client_id and w.id = j.endpoint_id and not w.disabled
			join events e on e.client_id = w.client_id and e.id = j.event_id
			left join webhook_deliveries d on d.client_id = w.client_id and d.endpoint_id = w.id and d.event_id = e.id
			where d.event_id is null`},
	})
}
