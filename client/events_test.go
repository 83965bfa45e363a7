package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// feed is a page of the event feed with events of these types.
func feed(next string, types ...string) answer {
	items := make([]string, len(types))
	for i, eventType := range types {
		items[i] = fmt.Sprintf(`{"id":%q,"type":%q,"created_at":"2026-01-31T09:30:00.000000","data":{}}`, userID, eventType)
	}
	return respond(http.StatusOK, `{"items":[`+strings.Join(items, ",")+`],"next_cursor":"`+next+`"}`)
}

// The iteration ends where a page has no items, with a position for the events that come later.
func TestEventsEndAtTheEndOfTheFeed(t *testing.T) {
	t.Parallel()
	n, c := dial(t, feed("c2", "a", "b"), feed("c3", "c"), feed("c3"))
	var position client.Position
	var types []string
	limit, only := int32(2), api.EventTypeTransactionCreated
	params := &api.ListEventsParams{After: new("c1"), Type: &only, Limit: &limit}
	for event, err := range c.Events(t.Context(), params, client.CapturePosition(&position)) {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, string(event.Type)+" at "+at(position))
	}
	if got := strings.Join(types, ", "); got != "a at c1, b at c1, c at c2" || at(position) != "c3" || position.Done {
		t.Errorf("got %s, and ended at %s, done %t", got, at(position), position.Done)
	}
	for i, want := range []string{"c1", "c2", "c3"} {
		if url := n.seen[i].url; !strings.Contains(url, "after="+want) || !strings.Contains(url, "limit=2") || !strings.Contains(url, "type=transaction.created") {
			t.Errorf("request %d is %s", i, url)
		}
	}
}

// A loop that ends after the last event of a page goes on with the next one, and one that ends before it with this one.
func TestEventsGoOnAfterABreak(t *testing.T) {
	t.Parallel()
	for seen, want := range map[int]string{1: "c1", 2: "c2"} {
		_, c := dial(t, feed("c2", "a", "b"))
		var position client.Position
		n := 0
		for _, err := range c.Events(t.Context(), &api.ListEventsParams{After: new("c1")}, client.CapturePosition(&position)) {
			if n++; err != nil || n == seen {
				break
			}
		}
		if at(position) != want {
			t.Errorf("after %d events it ended at %s, want %s", seen, at(position), want)
		}
	}
}

// follow is the code of the documentation.
func follow(
	ctx context.Context, c *client.Client, kept *api.Cursor, take func(api.Event) error, keep func(*api.Cursor) error,
) error {
	var position client.Position
	params := &api.ListEventsParams{After: kept}
	for event, err := range c.Events(ctx, params, client.CapturePosition(&position)) {
		if err != nil {
			return err
		}
		if err := take(event); err != nil {
			return err
		}
	}
	return keep(position.Cursor) // for After the next time, in a second or a day
}

func TestEventsOfTheDocumentation(t *testing.T) {
	t.Parallel()
	n, c := dial(t, feed("c2", "a", "b"), feed("c2"), feed("c3", "c"), feed("c3", "c"), feed("c3"))
	var kept *api.Cursor
	var taken []string
	full := errors.New("the disk is full")
	run := func(failing bool) error {
		return follow(t.Context(), c, kept, func(event api.Event) error {
			if failing {
				return full
			}
			taken = append(taken, string(event.Type))
			return nil
		}, func(cursor *api.Cursor) error {
			kept = cursor
			return nil
		})
	}
	if first, second, third := run(false), run(true), run(false); first != nil || !errors.Is(second, full) || third != nil {
		t.Errorf("the runs ended with %v, %v and %v", first, second, third)
	}
	if got := strings.Join(taken, " "); got != "a b c" || *kept != "c3" || !strings.Contains(n.seen[3].url, "after=c2") {
		t.Errorf("took %s and kept %s, the third run began with %s", got, *kept, n.seen[3].url)
	}
}

// A service that answers the same page again and again does not hold a program for ever.
func TestEventsOfARepeatedPage(t *testing.T) {
	t.Parallel()
	_, c := dial(t, feed("c1", "a"), feed("c1", "a"))
	var failures []error
	for _, err := range c.Events(t.Context(), nil) {
		if err != nil {
			failures = append(failures, err)
		}
	}
	if len(failures) != 1 || !strings.Contains(failures[0].Error(), "repeats a page") {
		t.Errorf("it ended with %v", failures)
	}
}

// A program that forgets all but the position reads every event once, also those that come later.
func TestEventsOnTheService(t *testing.T) {
	t.Parallel()
	sandbox := payouttest.New(t)
	c := sandbox.Client
	var cursor *api.Cursor
	read := func() (types []string) {
		t.Helper()
		var position client.Position
		limit := int32(1)
		for event, err := range c.Events(t.Context(), &api.ListEventsParams{After: cursor, Limit: &limit}, client.CapturePosition(&position)) {
			if err != nil {
				t.Fatal(err)
			}
			again, err := c.GetEvent(t.Context(), event.ID)
			if err != nil || again.Type != event.Type {
				t.Errorf("read alone: %v, %v", again, err)
			}
			types = append(types, string(event.Type))
		}
		cursor = position.Cursor
		return types
	}
	sender := sandbox.VerifiedSender()
	if got := strings.Join(read(), " "); !strings.Contains(got, "user.status_changed") || cursor == nil {
		t.Errorf("after a registration: %s", got)
	}
	if got := read(); len(got) != 0 {
		t.Errorf("once more: %s", got)
	}
	order := sandbox.Payout(sender, sandbox.ReceiveUser(sender, "NP"), api.PayoutMethodWallet, "1")
	read()
	if _, err := c.CreateTransaction(t.Context(), sender.ID, order); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(read(), " "); got != "transaction.created" {
		t.Errorf("after a payout: %s", got)
	}
	if _, err := c.ListEvents(t.Context(), &api.ListEventsParams{After: new("MTA")}); errorOf(t, err).Code != client.BadRequest {
		t.Errorf("an unknown cursor: %v", err)
	}
}
