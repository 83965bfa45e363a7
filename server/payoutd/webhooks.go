package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// webhooks is `payoutd webhooks`. It reads the store and not the service, which needs the key of the secrets.
type webhooks struct {
	List webhooksList `cmd:"" help:"List webhook endpoints by client, oldest first."`
	Show webhooksShow `cmd:"" help:"Print a webhook endpoint, and what goes there, newest first."`
}

// webhookJSON is a webhook endpoint without its secrets.
type webhookJSON struct {
	ID             string    `json:"id"`
	ClientID       string    `json:"client_id"`
	URL            string    `json:"url"`
	EventTypes     []string  `json:"event_types"` // empty: all
	Description    string    `json:"description,omitempty"`
	Disabled       bool      `json:"disabled"`
	DisabledReason string    `json:"disabled_reason,omitempty"`
	FailingSince   time.Time `json:"failing_since,omitzero"`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
}

func newWebhookJSON(clientID payout.ClientID, e payout.WebhookEndpoint) webhookJSON {
	types := make([]string, len(e.EventTypes))
	for i, v := range e.EventTypes {
		types[i] = string(v)
	}
	return webhookJSON{
		string(e.ID), string(clientID), e.URL, types, e.Description, e.Disabled, string(e.DisabledReason), e.FailingSince, e.CreatedAt, e.UpdatedAt,
	}
}

// state says whether the endpoint is disabled, and why if the service disabled it.
func (w webhookJSON) state() string {
	if w.DisabledReason != "" {
		return fmt.Sprintf("disabled (%s)", w.DisabledReason)
	}
	return state(w.Disabled)
}

type webhooksList struct {
	database
	listing
	pages
	Client string `help:"Only endpoints of this client."`
}

// Run lists webhook endpoints.
func (l webhooksList) Run(ctx context.Context, std streams) error {
	if err := l.check(); err != nil {
		return err
	}
	return l.with(ctx, func(db *store.Store) error {
		rows, err := l.read(ctx, db)
		if err != nil {
			return inWords(err)
		}
		rows, next := page(std, l.pages, rows, func(w webhookJSON) string { return w.ID })
		cells := make([][]string, len(rows))
		for i, w := range rows {
			cells[i] = []string{w.ID, w.ClientID, utc(w.CreatedAt), w.state(), utc(w.FailingSince), printable(w.URL)}
		}
		return l.print(std.out, pageJSON[webhookJSON]{rows, next}, []string{"ID", "CLIENT", "CREATED", "STATE", "FAILING SINCE", "URL"}, cells)
	})
}

// read reads one row more than the limit.
func (l webhooksList) read(ctx context.Context, db *store.Store) ([]webhookJSON, error) {
	clients, err := db.ClientIDs(ctx)
	if err != nil {
		return nil, err
	}
	if l.Client != "" {
		row, err := clientNamed(ctx, db, l.Client)
		if err != nil {
			return nil, err
		}
		clients = []payout.ClientID{row.ID}
	}
	at, err := l.begin("webhook endpoint", func(id string) (time.Time, bool, error) {
		found, err := db.Find(ctx, payout.ClientID(l.Client), id)
		i := slices.IndexFunc(found, func(f store.Found) bool { return f.Kind == store.KindWebhookEndpoint })
		if err != nil || i < 0 {
			return time.Time{}, false, err
		}
		clients = clients[max(0, slices.Index(clients, found[i].ClientID)):]
		e, ok, err := db.WebhookEndpoint(ctx, found[i].ClientID, payout.WebhookEndpointID(id))
		return e.CreatedAt, ok, err
	})
	if err != nil {
		return nil, err
	}
	rows := []webhookJSON{}
	for _, id := range clients {
		all, err := db.WebhookEndpoints(ctx, id, payout.Page{After: at, Limit: l.Limit + 1 - len(rows)})
		if err != nil {
			return nil, err
		}
		for _, e := range all {
			rows = append(rows, newWebhookJSON(id, e))
		}
		if len(rows) > l.Limit {
			break
		}
		at = payout.Position{}
	}
	return rows, nil
}

// deliveryJSON is an event on its way to an endpoint, without its body.
type deliveryJSON struct {
	EventID       string        `json:"event_id"`
	EventType     string        `json:"event_type"`
	Status        string        `json:"status"`
	CreatedAt     time.Time     `json:"created_at"`
	NextAttemptAt time.Time     `json:"next_attempt_at,omitzero"`
	Attempts      []attemptJSON `json:"attempts"`
}

type attemptJSON struct {
	Number     int       `json:"number"`
	At         time.Time `json:"at"`
	DurationMs int64     `json:"duration_ms"`
	HTTPStatus int       `json:"http_status,omitempty"`
	Error      string    `json:"error,omitempty"`
}

func newDeliveryJSON(d payout.WebhookDelivery) deliveryJSON {
	attempts := make([]attemptJSON, len(d.Attempts))
	for i, a := range d.Attempts {
		attempts[i] = attemptJSON{a.Number, a.At, a.Duration.Milliseconds(), a.HTTPStatus, a.Error}
	}
	return deliveryJSON{string(d.EventID), string(d.EventType), string(d.Status), d.CreatedAt, d.NextAttemptAt, attempts}
}

// cells are those of a table: the last attempt stands for all.
func (d deliveryJSON) cells() []string {
	var last attemptJSON
	if n := len(d.Attempts); n > 0 {
		last = d.Attempts[n-1]
	}
	return []string{d.EventID, utc(d.CreatedAt), d.EventType, d.Status, strconv.Itoa(last.Number), utc(last.At), last.answer(), utc(d.NextAttemptAt)}
}

// answer is what came of an attempt: a status, an error or both.
func (a attemptJSON) answer() string {
	if a.HTTPStatus == 0 {
		return a.Error
	}
	return strings.TrimSpace(strconv.Itoa(a.HTTPStatus) + " " + a.Error)
}

type webhooksShow struct {
	database
	clientOfID
	listing
	pages             // of deliveries
	Status     string `help:"Only deliveries with this status: PENDING, DELIVERED, FAILED or CANCELED."`
	EndpointID string `arg:"" help:"Id of the webhook endpoint."`
}

// shownWebhook is a webhook endpoint with a page of its deliveries.
type shownWebhook struct {
	webhookJSON
	Deliveries []deliveryJSON `json:"deliveries"`
	NextCursor string         `json:"next_cursor,omitempty"` // for --after
}

// Run prints a webhook endpoint.
func (s webhooksShow) Run(ctx context.Context, std streams) error {
	if err := checkIDs(named{"<endpoint-id>", &s.EndpointID}); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	if s.Status != "" {
		if err := checkOneOf("status", s.Status, payout.WebhookDeliveryStatuses()...); err != nil {
			return err
		}
	}
	id := payout.WebhookEndpointID(s.EndpointID)
	return s.within(ctx, s.database, store.KindWebhookEndpoint, s.EndpointID, func(o operation) error {
		e, ok, err := o.db.WebhookEndpoint(ctx, o.client.ID, id)
		if err == nil && !ok {
			err = payout.NotFound("webhook endpoint")
		}
		if err != nil {
			return err
		}
		at, err := s.begin("webhook delivery", func(event string) (time.Time, bool, error) {
			d, ok, err := o.db.WebhookDelivery(ctx, o.client.ID, id, payout.EventID(event))
			return d.CreatedAt, ok, err
		})
		if err != nil {
			return err
		}
		all, err := o.db.WebhookDeliveries(ctx, o.client.ID, id, payout.WebhookDeliveryStatus(s.Status), payout.Page{After: at, Limit: s.Limit + 1})
		if err != nil {
			return err
		}
		all, next := page(std, s.pages, all, func(d payout.WebhookDelivery) string { return string(d.EventID) })
		shown := shownWebhook{newWebhookJSON(o.client.ID, e), make([]deliveryJSON, len(all)), next}
		cells := make([][]string, len(all))
		for i, d := range all {
			shown.Deliveries[i] = newDeliveryJSON(d)
			cells[i] = shown.Deliveries[i].cells()
		}
		if err := s.printFields(std.out, shown, shown.fields()); err != nil || s.JSON {
			return err
		}
		fmt.Fprintln(std.out)
		return s.print(std.out, nil, []string{"EVENT", "CREATED", "TYPE", "STATUS", "ATTEMPTS", "LAST ATTEMPT", "ANSWER", "NEXT ATTEMPT"}, cells)
	})
}

func (w webhookJSON) fields() [][2]string {
	types := strings.Join(w.EventTypes, " ")
	if types == "" {
		types = "all"
	}
	return [][2]string{
		{"ID", w.ID},
		{"CLIENT", w.ClientID},
		{"CREATED", utc(w.CreatedAt)},
		{"UPDATED", utc(w.UpdatedAt)},
		{"STATE", w.state()},
		{"FAILING SINCE", utc(w.FailingSince)},
		{"URL", printable(w.URL)},
		{"EVENT TYPES", types},
		{"DESCRIPTION", printable(w.Description)},
	}
}
