package console

import (
	"context"
	"errors"
	"sync"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// Limits of what is kept of the event feed of a client.
const (
	keptEvents   = 5000
	pagesAtOnce  = 100 // the rest follows with the next page view
	eventsOfPage = 100
)

// feed is what the console has read of GET /events, as any client would.
type feed struct {
	mu     sync.Mutex
	after  *api.Cursor
	events []happened // oldest first
}

// happened is what the pages show of an event.
type happened struct {
	ID, Type                          string
	At                                api.Timestamp
	User, Transaction, FundingAccount string // ids
	Status, Delivery, Reason, KYC     string
}

// since reads what is new, and returns the events that match, oldest first.
func (f *feed) since(ctx context.Context, sdk *client.Client, match func(happened) bool) (found []happened, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range pagesAtOnce {
		page, err := sdk.ListEvents(ctx, &api.ListEventsParams{After: f.after, Limit: new(int32(eventsOfPage))})
		if errors.Is(err, client.BadRequest) { // the database was restored
			f.after, f.events = nil, nil
		}
		if err != nil {
			return nil, err
		}
		for _, e := range page.Items {
			f.events = append(f.events, happenedIn(e))
		}
		f.after = &page.NextCursor
		if len(page.Items) < eventsOfPage {
			break
		}
	}
	if excess := len(f.events) - keptEvents; excess > 0 {
		f.events = append([]happened(nil), f.events[excess:]...)
	}
	for _, e := range f.events {
		if match(e) {
			found = append(found, e)
		}
	}
	return found, nil
}

func happenedIn(e api.Event) happened {
	h := happened{ID: e.ID.String(), Type: string(e.Type), At: e.CreatedAt}
	if e.Data.UserID != nil {
		h.User = e.Data.UserID.String()
	}
	if u := e.Data.User; u != nil {
		h.User, h.KYC = u.ID.String(), string(u.Status)
	}
	if a := e.Data.FundingAccount; a != nil {
		h.FundingAccount, h.Status = a.ID.String(), string(a.Status)
	}
	if t := e.Data.Transaction; t != nil {
		h.User, h.Transaction = t.UserID.String(), t.ID.String()
		h.Status, h.Delivery = string(t.Status), string(t.DeliveryStatus)
		if t.StatusReason != nil {
			h.Reason = string(*t.StatusReason)
		}
	}
	return h
}
