package payout

import (
	"context"
	"fmt"
)

// Events lists a page of the event feed of a client, and returns the position after it, which is page.After if nothing follows
// (D-67). It returns CodeBadRequest for a position that the feed does not have.
func (s *Service) Events(ctx context.Context, c Client, page FeedPage) ([]Event, FeedPosition, error) {
	state, err := s.store.FeedState(ctx, c.ID, page.After.Number)
	switch {
	case err != nil:
		return nil, FeedPosition{}, err
	case page.After.Number > state.Last, state.ID != "" && state.ID != page.After.ID:
		return nil, FeedPosition{}, NewError(CodeBadRequest, Violation{"query", "after", "must be the cursor of an earlier page"})
	}
	if state.Queued {
		s.publish(ctx)
	}
	all, err := s.store.Events(ctx, c.ID, page)
	if err != nil || len(all) == 0 {
		return nil, page.After, err
	}
	last := all[len(all)-1]
	return all, FeedPosition{last.Position, last.ID}, nil
}

// Event returns a published event; otherwise CodeNotFound.
func (s *Service) Event(ctx context.Context, c Client, id EventID) (Event, error) {
	e, ok, err := s.store.Event(ctx, c.ID, id)
	if err == nil && !ok {
		err = NotFound("event")
	}
	return e, err
}

// events returns one event of each type with the data, for InsertEvents.
func (s *Service) events(userID UserID, resourceID string, d EventData, types ...EventType) ([]Event, error) {
	if len(types) == 0 {
		return nil, nil
	}
	text, err := s.eventData(d)
	if err != nil {
		return nil, fmt.Errorf("write the data of an event: %w", err)
	}
	all, now := make([]Event, len(types)), s.now()
	for i, eventType := range types {
		all[i] = Event{
			ID: EventID(s.newID()), Type: eventType, CreatedAt: now, ResourceID: resourceID, UserID: userID, Data: text,
		}
	}
	return all, nil
}

// transactionEvents returns the events of a transaction that this write has created or locked.
func (s *Service) transactionEvents(t Transaction, types ...EventType) ([]Event, error) {
	return s.events(t.UserID, string(t.ID), EventData{Transaction: &t}, types...)
}

// userEvents returns the events of a user that this write has locked, with all documents and tags.
func (s *Service) userEvents(u User, tags map[string]CIPStatus, types ...EventType) ([]Event, error) {
	return s.events(u.ID, string(u.ID), EventData{User: &u, CIPInfo: &CIPInfo{UserID: u.ID, Status: u.Status, Tags: tags}}, types...)
}

// informationEvents returns the types of events about tags that changed: one for those that became REQUESTED, and one for all
// others.
func informationEvents(before, after map[string]CIPStatus) (types []EventType) {
	var requested, changed bool
	for tag, status := range after { // no tag is ever removed
		if before[tag] != status {
			requested = requested || status == CIPRequested
			changed = changed || status != CIPRequested
		}
	}
	if requested {
		types = append(types, UserInformationRequested)
	}
	if changed {
		types = append(types, UserInformationChanged)
	}
	return types
}

// insert adds events to a write.
func insert(ctx context.Context, tx Tx, c Client, all []Event, err error) error {
	if err != nil {
		return err
	}
	return tx.InsertEvents(ctx, c.ID, all...)
}
