package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server/lifecycle"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

const (
	// mostSearched is how many of the newest payouts of a user are compared with one of its accounts or receive users.
	mostSearched = 1000
	// mostEvents is how many events of a payout are told, the newest.
	mostEvents = 10
)

// located is a payout that was found.
type located struct {
	hit
	payout.Transaction
}

// payouts returns the payouts that were found, and those of what was found, newest first.
func (f find) payouts(ctx context.Context, std streams, db *store.Store, found hits) ([]located, error) {
	var all []located
	more := false
	add := func(h hit, t payout.Transaction) {
		if !slices.ContainsFunc(all, func(l located) bool { return l.ClientID == h.ClientID && l.ID == t.ID }) {
			all = append(all, located{h, t})
		}
	}
	for _, direct := range []bool{true, false} { // what was found itself says by what
		for _, h := range found {
			if direct != (h.Kind == store.KindTransaction) {
				continue
			}
			switch h.Kind {
			case store.KindTransaction, store.KindPaymentDocument, store.KindEvent:
				t, ok, err := db.ClientTransaction(ctx, h.ClientID, payout.TransactionID(h.Shown))
				if err != nil {
					return nil, err
				}
				if ok { // an event may be of something else
					if !direct {
						h = hit{Found: transactionFound(h.ClientID, t)}
					}
					add(h, t)
				}
			case store.KindUser, store.KindReceiveUser, store.KindFundingAccount, store.KindBankAccount, store.KindWalletAccount:
				theirs, next, err := payoutsOf(ctx, db, h.Found)
				if err != nil {
					return nil, err
				}
				more = more || next
				for _, t := range theirs {
					add(hit{Found: transactionFound(h.ClientID, t)}, t)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b located) int {
		if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(string(b.ID), string(a.ID))
	})
	if more || len(all) > mostFound {
		fmt.Fprintf(std.errs, "There are more payouts: payoutd transactions list has them all.\n")
	}
	return all[:min(len(all), mostFound)], nil
}

// payoutsOf returns the newest payouts of a user, or those of them that go to a receive user or by an account, and whether there may
// be more.
func payoutsOf(ctx context.Context, db *store.Store, f store.Found) (found []payout.Transaction, more bool, err error) {
	page := payout.Page{Limit: mostFound}
	if f.Kind != store.KindUser {
		page.Limit = mostSearched
	}
	all, next, err := db.ClientTransactions(ctx, f.ClientID, payout.TransactionFilter{UserID: payout.UserID(f.Shown)}, page)
	if err != nil {
		return nil, false, err
	}
	for _, t := range all {
		if f.Kind == store.KindUser || slices.Contains([]string{string(t.To.ReceiveUserID), string(t.FromFundID), string(t.To.FundID)}, f.ID) {
			found = append(found, t)
		}
	}
	more = next != payout.Position{} || len(found) > mostFound
	return found[:min(len(found), mostFound)], more, nil
}

// tell prints where the payout is, if there is one, and otherwise a line for each result. JSON has both.
func (f find) tell(ctx context.Context, std streams, db *store.Store, all hits, payouts []located) error {
	rows := []foundJSON{}
	var cells [][]string
	for _, h := range all {
		if h.Kind != store.KindTransaction {
			rows = append(rows, foundJSON{string(h.ClientID), h.what(), h.ID, command(h.Found), nil})
			cells = append(cells, []string{h.what(), h.ID, string(h.ClientID), "", "", command(h.Found)})
		}
	}
	var told *payoutJSON
	for _, p := range payouts {
		if f.JSON || len(payouts) == 1 {
			var err error
			if told, err = whereIs(ctx, db, p); err != nil {
				return inWords(err)
			}
		}
		rows = append(rows, foundJSON{string(p.ClientID), p.what(), p.hit.ID, command(p.Found), told})
		cells = append(cells, []string{p.what(), p.hit.ID, string(p.ClientID), utc(p.CreatedAt), string(p.Status), command(p.Found)})
	}
	if len(payouts) == 1 && !f.JSON {
		if cells = cells[:len(cells)-1]; len(cells) > 0 { // the payout is told at length
			if err := f.table(std, rows, cells); err != nil {
				return err
			}
			fmt.Fprintln(std.out)
		}
		return f.printFields(std.out, nil, append([][2]string{{"PAYOUT", payouts[0].hit.ID}, {"FOUND BY", strings.Join(payouts[0].by, " and ")},
			{"CLIENT", string(payouts[0].ClientID)}}, told.fields()...))
	}
	if len(payouts) > 1 {
		fmt.Fprintln(std.errs, "These are several payouts, the newest first: payoutd find ID says what one of them waits for.")
	}
	return f.table(std, rows, cells)
}

func (f find) table(std streams, rows []foundJSON, cells [][]string) error {
	return f.print(std.out, rows, []string{"WHAT", "ID", "CLIENT", "CREATED", "STATUS", "COMMAND"}, cells)
}

// payoutJSON says where a payout is, without personal data.
type payoutJSON struct {
	UserID         string            `json:"user_id"`
	UserStatus     payout.KYCStatus  `json:"user_kyc_status"`
	CreatedAt      time.Time         `json:"created_at"`
	Status         string            `json:"status"`
	Since          time.Time         `json:"since"`
	Delivery       string            `json:"delivery_status"`
	Reason         string            `json:"status_reason,omitempty"`
	WaitsFor       string            `json:"waits_for"`
	Client         []string          `json:"client_can"`   // nothing in both: it is final
	Operator       []string          `json:"operator_can"` //
	Required       []string          `json:"required_information"`
	From           string            `json:"from"`
	To             string            `json:"to"`
	Reference      string            `json:"client_reference,omitempty"`
	IdempotencyKey string            `json:"idempotency_key,omitempty"`
	RequestID      string            `json:"request_id,omitempty"`
	Files          []transactionFile `json:"files"`
	Events         []payoutEvent     `json:"events"` // the last ones
	Delivered      int               `json:"webhooks_delivered"`
	Webhooks       []payoutWebhook   `json:"webhooks"` // that are not delivered
	Next           []string          `json:"next"`
}

// payoutEvent is an event of a payout, with the statuses as they were then.
type payoutEvent struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	CreatedAt time.Time `json:"created_at"`
	Status    string    `json:"status"`
	Delivery  string    `json:"delivery_status"`
	Queued    bool      `json:"queued,omitempty"` // it is not in the feed yet
}

// payoutWebhook is an event that an endpoint did not take yet.
type payoutWebhook struct {
	EndpointID string `json:"endpoint_id"`
	Disabled   bool   `json:"endpoint_disabled,omitempty"`
	deliveryJSON
}

// whereIs reads all that is known of a payout.
func whereIs(ctx context.Context, db *store.Store, p located) (*payoutJSON, error) {
	t := p.Transaction
	told := &payoutJSON{
		UserID: string(t.UserID), CreatedAt: t.CreatedAt, Status: string(t.Status), Since: t.UpdatedAt, Delivery: string(t.DeliveryStatus),
		Reason: string(t.StatusReason), Required: append([]string{}, t.RequiredInformation...), Reference: t.ClientReference, RequestID: t.RequestID,
		From: payout.Major(t.FromAmount, t.FromCurrency).String() + " " + t.FromCurrency,
		To:   payout.Major(t.ToAmount, t.ToCurrency).String() + " " + t.ToCurrency + ", " + string(t.To.Method) + " in " + t.Destination,
	}
	keys, err := db.ResourceKeys(ctx, p.ClientID, []string{p.hit.ID})
	if err != nil {
		return nil, err
	}
	told.IdempotencyKey = keys[p.hit.ID].Key
	uses, err := db.TransactionFiles(ctx, p.ClientID, t.ID)
	if err != nil {
		return nil, err
	}
	told.Files = []transactionFile{}
	for _, u := range uses {
		told.Files = append(told.Files, newTransactionFile(u))
	}
	waiting, err := told.wait(ctx, db, p)
	if err != nil {
		return nil, err
	}
	if err := told.happened(ctx, db, p); err != nil {
		return nil, err
	}
	told.Next = told.next(p, waiting)
	return told, nil
}

// wait adds what the payout waits for.
func (told *payoutJSON) wait(ctx context.Context, db *store.Store, p located) (lifecycle.Waiting, error) {
	table, err := lifecycle.ReadTable(string(openapi.YAML()))
	if err != nil {
		return lifecycle.Waiting{}, err
	}
	row, ok, err := db.ClientRow(ctx, p.ClientID)
	if err == nil && !ok {
		err = store.ErrNoClient
	}
	if err != nil {
		return lifecycle.Waiting{}, err
	}
	user, _, err := db.User(ctx, p.ClientID, p.UserID)
	if err != nil {
		return lifecycle.Waiting{}, err
	}
	tags, err := db.CIPTags(ctx, p.ClientID, p.UserID)
	if err != nil {
		return lifecycle.Waiting{}, err
	}
	sender := &lifecycle.Sender{Status: api.KycStatus(user.Status), Tags: make(map[api.CipTag]api.CipStatus, len(tags))}
	for tag, status := range tags {
		sender.Tags[tag] = api.CipStatus(status)
	}
	complete := payout.Payable{Transaction: p.Transaction, Sender: user}
	complete.RequiredInformation = nil
	sender.Barred = user.Status == payout.KYCVerified && !complete.Ready(row.Client)
	w := table.Explain(lifecycle.Payout{
		Status: api.TransactionStatus(p.Status), Delivery: api.DeliveryStatus(p.DeliveryStatus), Method: api.PayoutMethod(p.To.Method),
		Required: p.RequiredInformation, Sender: sender,
	})
	told.UserStatus, told.WaitsFor = user.Status, w.For
	told.Client, told.Operator = append([]string{}, w.Client...), append([]string{}, w.Operator...)
	return w, nil
}

// happened adds the last events, and what became of their webhooks.
func (told *payoutJSON) happened(ctx context.Context, db *store.Store, p located) error {
	events, err := db.ResourceEvents(ctx, p.ClientID, p.hit.ID, mostEvents)
	if err != nil {
		return err
	}
	told.Events, told.Webhooks = []payoutEvent{}, []payoutWebhook{}
	ids := make([]payout.EventID, len(events))
	for i, e := range events {
		var was struct {
			Transaction struct {
				Status         string `json:"status"`
				DeliveryStatus string `json:"delivery_status"`
			} `json:"transaction"`
		}
		if err := json.Unmarshal(e.Data, &was); err != nil {
			return fmt.Errorf("the data of event %s is no JSON", e.ID)
		}
		ids[i] = e.ID
		told.Events = append(told.Events, payoutEvent{
			string(e.ID), string(e.Type), e.CreatedAt, was.Transaction.Status, was.Transaction.DeliveryStatus, e.Position == 0,
		})
	}
	endpoints, err := db.WebhookEndpoints(ctx, p.ClientID, payout.Page{})
	if err != nil || len(ids) == 0 {
		return err
	}
	for _, endpoint := range endpoints {
		deliveries, err := db.EventDeliveries(ctx, p.ClientID, endpoint.ID, ids)
		if err != nil {
			return err
		}
		for _, d := range deliveries {
			if d.Status == payout.WebhookDelivered {
				told.Delivered++
				continue
			}
			told.Webhooks = append(told.Webhooks, payoutWebhook{string(endpoint.ID), endpoint.Disabled, newDeliveryJSON(d)})
		}
	}
	return nil
}

// next lists the commands to go on with, and the calls of the client.
func (told *payoutJSON) next(p located, w lifecycle.Waiting) (all []string) {
	of, user := " --client "+string(p.ClientID)+" ", "/users/"+told.UserID
	if len(w.Send) > 0 {
		all = append(all, "the client calls PATCH "+user+" or POST "+user+"/documents")
	}
	if len(w.Verify) > 0 || w.VerifySender {
		verify := []string{"payoutd users verify" + of + told.UserID}
		for _, tag := range w.Verify {
			verify = append(verify, "--tag "+tag+"=VERIFIED")
		}
		if w.VerifySender {
			verify = append(verify, "--kyc-status VERIFIED")
		}
		all = append(all, "payoutd users documents list"+of+told.UserID, strings.Join(verify, " "))
	}
	switch {
	case w.Releasable:
		all = append(all, "payoutd transactions export FILE --ready"+strings.TrimRight(of, " "), "payoutd transactions release FILE")
	case len(told.Operator) > 0 && p.Status != payout.StatusInitiated:
		all = append(all, "payoutd transactions settle FILE")
	}
	for _, d := range told.Webhooks {
		if show := "payoutd webhooks show" + of + d.EndpointID; !slices.Contains(all, show) {
			all = append(all, show)
		}
	}
	return append(all, command(p.Found))
}

func (told *payoutJSON) fields() [][2]string {
	since := told.Status + " since " + utc(told.Since) + ", delivery " + told.Delivery
	if told.Reason != "" {
		since += ", because of " + told.Reason
	}
	fields := [][2]string{
		{"USER", told.UserID + ", " + string(told.UserStatus)},
		{"FROM", told.From},
		{"TO", told.To},
		{"STATUS", since},
		{"WAITS FOR", told.WaitsFor},
		{"CLIENT CAN", lifecycle.Can(told.Client)},
		{"OPERATOR CAN", lifecycle.Can(told.Operator)},
	}
	if len(told.Client)+len(told.Operator) == 0 {
		fields = append(fields, [2]string{"WHO", lifecycle.Waiting{}.Who()})
	}
	fields = append(fields, [][2]string{
		{"CREATED", utc(told.CreatedAt)},
		{"REFERENCE", printable(told.Reference)},
		{"IDEMPOTENCY KEY", printable(told.IdempotencyKey)},
		{"REQUEST", printable(told.RequestID)},
	}...)
	for _, file := range told.Files {
		fields = append(fields, file.field())
	}
	for _, e := range told.Events {
		text := utc(e.CreatedAt) + " " + e.Type + ": " + e.Status + ", delivery " + e.Delivery
		if e.Queued {
			text += " (not published yet)"
		}
		fields = append(fields, [2]string{"EVENT", text})
	}
	if len(told.Events) == 0 {
		fields = append(fields, [2]string{"EVENT", "none is kept"})
	}
	for _, d := range told.Webhooks {
		fields = append(fields, [2]string{"WEBHOOK", d.text()})
	}
	if told.Delivered > 0 {
		fields = append(fields, [2]string{"WEBHOOKS", strconv.Itoa(told.Delivered) + " delivered"})
	}
	for _, line := range told.Next {
		fields = append(fields, [2]string{"NEXT", line})
	}
	return fields
}

// text says what became of a webhook, with the last answer.
func (d payoutWebhook) text() string {
	text := d.Status + ": " + d.EventType + " to " + d.EndpointID
	if d.Disabled {
		text += ", which is disabled"
	}
	if n := len(d.Attempts); n > 0 {
		last := d.Attempts[n-1]
		text += fmt.Sprintf(", attempt %d at %s answered %s", last.Number, utc(last.At), last.answer())
	}
	if !d.NextAttemptAt.IsZero() {
		text += ", next attempt at " + utc(d.NextAttemptAt)
	}
	return text
}
