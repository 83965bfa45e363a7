package client

import (
	"context"
	"iter"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// ListEvents reads one page of the event feed, oldest first; [Client.Events] goes through all that follow. NextCursor of the
// page is the After of the next one, also at the end of the feed, where the page has no items (decision D-67). params may be
// nil. Errors: [BadRequest] for a cursor that the service does not know. It needs a service of contract 1.4.0.
func (c *Client) ListEvents(ctx context.Context, params *api.ListEventsParams, options ...CallOption) (*api.EventPage, error) {
	r, err := api.NewListEventsRequest(c.base, params)
	return one[api.EventPage](ctx, c, listEvents, r, err, options)
}

// GetEvent reads an event, as the feed shows it. Errors: [NotFound]. It needs a service of contract 1.4.0.
func (c *Client) GetEvent(ctx context.Context, eventID uuid.UUID, options ...CallOption) (*api.Event, error) {
	r, err := api.NewGetEventRequest(c.base, eventID)
	return one[api.Event](ctx, c, getEvent, r, err, options)
}

// Events iterates over the event feed from a position to its present end, oldest first; a page is read when it is needed. The
// feed has every event once, and those of one resource in the order of its changes (decision D-67).
//
// A program that follows the feed keeps the position, best in the transaction of its own database that takes in the events,
// and begins there the next time. At the end of the feed the position is not Done, because events follow:
//
//	var position client.Position
//	params := &api.ListEventsParams{After: kept}
//	for event, err := range c.Events(ctx, params, client.CapturePosition(&position)) {
//		if err != nil {
//			return err
//		}
//		if err := take(event); err != nil {
//			return err
//		}
//	}
//	return keep(position.Cursor) // for After the next time, in a second or a day
//
// A loop that ends early goes on with the page of its last event, as [CapturePosition] says: it must know the events that it
// has by their ID. Limit of params is the length of a page, 1 to 100. params may be nil; it is copied. An error comes with a
// zero event and ends the iteration. Each range starts over. It needs a service of contract 1.4.0.
func (c *Client) Events(ctx context.Context, params *api.ListEventsParams, options ...CallOption) iter.Seq2[api.Event, error] {
	var first api.ListEventsParams
	if params != nil {
		first.After, first.Type, first.Limit = copied(params.After), copied(params.Type), copied(params.Limit)
	}
	position := positionOf(listEvents, options)
	*position = Position{Cursor: copied(first.After)}
	return func(yield func(api.Event, error) bool) {
		for at := first; ; {
			*position = Position{Cursor: copied(at.After)}
			page, err := c.ListEvents(ctx, &at, paging(nil, options)...)
			if err == nil && len(page.Items) > 0 && at.After != nil && *at.After == page.NextCursor {
				err = &Error{Operation: listEvents.id, Message: "the service repeats a page"}
			}
			if err != nil {
				yield(api.Event{}, err)
				return
			}
			for i, event := range page.Items {
				if !yield(event, nil) {
					if i == len(page.Items)-1 {
						*position = Position{Cursor: &page.NextCursor}
					}
					return
				}
			}
			*position = Position{Cursor: &page.NextCursor}
			if len(page.Items) == 0 {
				return
			}
			at.After = &page.NextCursor
		}
	}
}
