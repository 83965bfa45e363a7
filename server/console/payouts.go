package console

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/lifecycle"
)

// Numbers of entries on a page.
const (
	cardsOfColumn = 8
	rowsOfPage    = 25
)

type column struct {
	Status api.TransactionStatus
	Cards  []api.Transaction
	More   bool
}

// boardView is all payouts by status.
type boardView struct {
	Columns []column
	Empty   bool // there is no payout
	NoUsers bool
}

func board(v *visit) (*view, error) {
	shown := boardView{Empty: true}
	for _, status := range statuses {
		page, err := v.sdk().ListClientTransactions(v.Context(), &api.ListClientTransactionsParams{Status: &status, Limit: new(int32(cardsOfColumn))})
		if err != nil {
			return nil, err
		}
		shown.Columns = append(shown.Columns, column{status, page.Items, page.NextCursor != nil})
		shown.Empty = shown.Empty && len(page.Items) == 0
	}
	if shown.Empty {
		page, err := v.sdk().ListUsers(v.Context(), &api.ListUsersParams{Limit: new(int32(1))})
		if err != nil {
			return nil, err
		}
		shown.NoUsers = len(page.Items) == 0
	}
	return &view{"board.html", "Payouts", "payouts", shown}, nil
}

// listView is a page of payouts.
type listView struct {
	Payouts           []api.Transaction
	Status, Reference string
	Next              string
	Statuses          []api.TransactionStatus
}

func payouts(v *visit) (*view, error) {
	shown := listView{Status: v.input("status"), Reference: v.input("reference"), Statuses: statuses}
	params := &api.ListClientTransactionsParams{
		ClientReference: v.optional("reference"), Limit: new(int32(rowsOfPage)), Cursor: v.optional("cursor"),
	}
	if shown.Status != "" {
		params.Status = new(api.TransactionStatus(shown.Status))
	}
	page, err := v.sdk().ListClientTransactions(v.Context(), params)
	if v.problem = problemOf(err); err == nil { // a filter may be invalid
		shown.Payouts, shown.Next = page.Items, following(v.URL, page.NextCursor)
	}
	return &view{"payouts.html", "All payouts", "payouts", shown}, nil
}

// following is the address of the next page of a list; empty after the last one.
func following(here *url.URL, cursor *api.Cursor) string {
	if cursor == nil {
		return ""
	}
	query := here.Query()
	query.Set("cursor", *cursor)
	return "?" + query.Encode()
}

// payoutView is one payout.
type payoutView struct {
	*api.Transaction
	Sender   *api.User
	Waiting  lifecycle.Waiting
	Moves    []move
	Reasons  []api.StatusReason
	Timeline []moment
	Requests []entry
	Pending  bool // a webhook is on its way
	NoHooks  bool // there is no endpoint
}

// moment is an entry of the time line: an event, or an attempt to deliver one.
type moment struct {
	At       time.Time
	Event    *happened
	Before   *happened // the event before it
	Attempt  *api.WebhookAttempt
	Delivery *api.WebhookDelivery
	Endpoint *api.WebhookEndpoint
}

func payout(v *visit) (*view, error) {
	t, err := v.transaction()
	if err != nil {
		return nil, err
	}
	shown := payoutView{Transaction: t, Moves: v.movesOf(t), Reasons: reasons}
	if shown.Sender, err = v.sdk().GetUser(v.Context(), t.UserID); err != nil {
		return nil, err
	}
	var tags map[string]api.CipStatus
	if t.Status == api.TransactionStatusInitiated {
		info, err := v.sdk().GetCipInfo(v.Context(), t.UserID)
		if err != nil {
			return nil, err
		}
		tags = info.CipInfo
	}
	shown.Waiting = v.waitingOf(t, shown.Sender, tags)
	id := t.ID.String()
	events, err := v.tenant.feed.since(v.Context(), v.sdk(), func(h happened) bool { return h.Transaction == id })
	if err != nil {
		return nil, err
	}
	var before *happened
	for i := range events {
		shown.Timeline = append(shown.Timeline, moment{At: events[i].At.Time, Event: &events[i], Before: before})
		before = &events[i]
	}
	attempts, endpoints, err := v.attempts(func(d *api.WebhookDelivery) bool {
		return slices.ContainsFunc(events, func(h happened) bool { return h.ID == d.EventID.String() })
	})
	if err != nil {
		return nil, err
	}
	shown.NoHooks = endpoints == 0
	for _, a := range attempts {
		shown.Pending = shown.Pending || a.Delivery.Status == api.WebhookDeliveryStatusPending
		if a.Attempt != nil {
			shown.Timeline = append(shown.Timeline, a)
		}
	}
	slices.SortStableFunc(shown.Timeline, func(a, b moment) int { return a.At.Compare(b.At) })
	shown.Requests = v.seen.find(func(r Request) bool {
		return r.Client == v.tenant.ID && (r.Created == id || r.IDs["transaction_id"] == id)
	})
	return &view{"payout.html", "Payout of " + t.FromAmount.String() + " " + t.FromCurrency, "payouts", shown}, nil
}

// transaction reads the payout of the path.
func (v *visit) transaction() (*api.Transaction, error) {
	user, id, err := v.ids("user", "transaction")
	if err != nil {
		return nil, err
	}
	return v.sdk().GetTransaction(v.Context(), user, id)
}

// ids reads two UUIDs of the path.
func (v *visit) ids(first, second string) (a, b uuid.UUID, err error) {
	a, errA := uuid.Parse(v.PathValue(first))
	b, errB := uuid.Parse(v.PathValue(second))
	if errA != nil || errB != nil {
		return a, b, errNoPage
	}
	return a, b, nil
}

// attempts returns the attempts of the latest deliveries that match, of all endpoints, and how many endpoints there are. A delivery without
// an attempt is returned alone.
func (v *visit) attempts(match func(*api.WebhookDelivery) bool) (found []moment, endpoints int, err error) {
	for e, err := range v.sdk().WebhookEndpoints(v.Context(), nil) {
		if err != nil {
			return nil, 0, err
		}
		endpoints++
		page, err := v.sdk().ListWebhookDeliveries(v.Context(), e.ID, &api.ListWebhookDeliveriesParams{Limit: new(int32(100))})
		if err != nil {
			return nil, 0, err
		}
		for _, d := range page.Items {
			if !match(&d) {
				continue
			}
			if len(d.Attempts) == 0 {
				found = append(found, moment{Delivery: &d, Endpoint: &e})
			}
			for _, a := range d.Attempts {
				found = append(found, moment{At: a.At.Time, Attempt: &a, Delivery: &d, Endpoint: &e})
			}
		}
	}
	return found, endpoints, nil
}

// payoutPath is the page of a payout.
func (v *visit) payoutPath(t *api.Transaction, done string) string {
	path := v.base() + "/payouts/" + t.UserID.String() + "/" + t.ID.String()
	if done != "" {
		path += "?done=" + done
	}
	return path
}

// movePayout makes the move that a button stands for.
func movePayout(v *visit) error {
	user, id, err := v.ids("user", "transaction")
	if err != nil {
		return err
	}
	request := api.TransactionMoveRequest{Status: api.TransactionStatus(v.input("status"))}
	if text := v.optional("reason"); text != nil {
		request.StatusReason = new(api.StatusReason(*text))
	}
	if text := v.optional("delivery"); text != nil {
		request.DeliveryStatus = new(api.DeliveryStatus(*text))
	}
	var t *api.Transaction
	if request.Status == api.TransactionStatusCanceled && request.StatusReason == nil {
		t, err = v.sdk().CancelTransaction(v.Context(), user, id) // as the client may
	} else {
		t, err = v.sdk().SetTransactionStatus(v.Context(), user, id, request)
	}
	if err != nil {
		return err
	}
	return redirect(v.payoutPath(t, "moved"))
}

// verifyRequired verifies what a payout waits for.
func verifyRequired(v *visit) error {
	t, err := v.transaction()
	if err != nil {
		return err
	}
	request := api.VerificationRequest{KycStatus: new(api.KycStatusVerified)}
	for _, tag := range t.RequiredInformation {
		if request.CipInfo == nil {
			request.CipInfo = map[string]api.CipStatus{}
		}
		request.CipInfo[tag] = api.CipStatusVerified
	}
	if _, err := v.sdk().SetVerification(v.Context(), t.UserID, request); err != nil {
		return err
	}
	return redirect(v.payoutPath(t, "verified"))
}

// maxScan is how many of the newest payouts are searched for what no filter of the API finds.
const maxScan = 1000

// scan returns the newest payouts that match, at most limit.
func (v *visit) scan(ctx context.Context, limit int, match func(*api.Transaction) bool) (found []api.Transaction, err error) {
	seen := 0
	for t, err := range v.sdk().ClientTransactions(ctx, nil) {
		if err != nil {
			return nil, err
		}
		if match(&t) {
			found = append(found, t)
		}
		if seen++; seen == maxScan || len(found) == limit {
			break
		}
	}
	return found, nil
}

// isMissing reports whether the API does not have what it was asked for.
func isMissing(err error) bool { return errors.Is(err, client.NotFound) }

// nameOf is the name of a person or a business.
func nameOf(first string, last *string) string {
	if text := plain(last); text != "" {
		return first + " " + text
	}
	return cmp.Or(first, "?")
}
