package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
)

// at describes a position.
func at(p client.Position) string {
	switch {
	case p.Done && p.Cursor == nil:
		return "done"
	case p.Done:
		return "done, but at " + *p.Cursor
	case p.Cursor == nil:
		return "start"
	}
	return *p.Cursor
}

// A position misses nothing, wherever the loop ends.
func TestPositions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		answers    []answer
		breakAfter string // entry, or "" for none
		seen       string // positions in the loop
		after      string
	}{
		{"to the end", []answer{page("c2", "1", "2"), page("", "3")}, "", "c1,c1,c2", "done"},
		{"over empty pages", []answer{page("c2"), page("c3", "1"), page("")}, "", "c2", "done"},
		{"a break in a page", []answer{page("c2", "1", "2")}, "1", "c1", "c1"},
		{"a break at the end of a page", []answer{page("c2", "1", "2")}, "2", "c1,c1", "c2"},
		{"a break in the last page", []answer{page("c2", "1"), page("", "2", "3")}, "2", "c1,c2", "c2"},
		{"a break at the end", []answer{page("c2", "1"), page("", "2", "3")}, "3", "c1,c2,c2", "done"},
		{"an error at the first page", []answer{refuse(404, client.NotFound)}, "", "c1", "c1"},
		{"an error at the second page", []answer{page("c2", "1"), refuse(404, client.NotFound)}, "", "c1,c2", "c2"},
		{"a page that is repeated", []answer{page("c2", "1"), page("c1", "2")}, "", "c1,c2,c1", "c1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, c := dial(t, test.answers...)
			position := client.Position{Done: true}
			all := c.Transactions(t.Context(), userID, &api.ListTransactionsParams{Cursor: new("c1")}, client.CapturePosition(&position))
			if at(position) != "c1" {
				t.Errorf("before the first page it is %s", at(position))
			}
			var seen []string
			for transaction, err := range all {
				seen = append(seen, at(position))
				if err == nil && *transaction.Note == test.breakAfter {
					break
				}
			}
			if got := strings.Join(seen, ","); got != test.seen || at(position) != test.after {
				t.Errorf("it was %s, then %s; want %s, then %s", got, at(position), test.seen, test.after)
			}
		})
	}
}

func TestPositionBeginsAgainWithEachRange(t *testing.T) {
	t.Parallel()
	_, c := dial(t, arrayPage("", "1"))
	var position client.Position
	all := c.FundingAccounts(t.Context(), userID, nil, client.CapturePosition(&position))
	for range 2 {
		for range all {
			if at(position) != "start" {
				t.Errorf("in the loop it is %s", at(position))
			}
		}
		if at(position) != "done" {
			t.Errorf("after it, it is %s", at(position))
		}
	}
}

// What was captured does not change with what the caller does to it, or to its own cursor.
func TestPositionsAreCopies(t *testing.T) {
	t.Parallel()
	n, c := dial(t, page("c2", "1"), page("", "2"), page("c2", "1"), page("", "2"))
	var position client.Position
	all := c.Transactions(t.Context(), userID, &api.ListTransactionsParams{Cursor: new("c1")}, client.CapturePosition(&position))
	for range 2 {
		for _, err := range all {
			if err != nil {
				t.Fatal(err)
			}
			*position.Cursor = "other"
			position.Done = true
		}
	}
	if got := queries(n); got != "cursor=c1 cursor=c2 cursor=c1 cursor=c2" {
		t.Errorf("asked for %s", got)
	}
}

func TestInvalidUseOfCapturePosition(t *testing.T) {
	t.Parallel()
	_, c := dial(t, ok)
	var position client.Position
	capture := client.CapturePosition(&position)
	_, onRead := c.GetUser(t.Context(), userID, capture)
	_, onList := c.ListTransactions(t.Context(), userID, nil, capture)
	_, onCreation := c.CreateUser(t.Context(), asha(), capture)
	failures := map[string]error{"read": onRead, "list": onList, "creation": onCreation}
	for name, options := range map[string][]client.CallOption{
		"nil": {client.CapturePosition(nil)}, "twice": {capture, capture}, "with nil": {capture, nil},
	} {
		for _, err := range c.Transactions(t.Context(), userID, nil, options...) {
			failures[name] = err
		}
	}
	for name, want := range map[string]string{
		"read": "not an iterator", "list": "not an iterator", "creation": "not an iterator",
		"nil": "must not be nil", "twice": "given twice", "with nil": "CallOption must not be nil",
	} {
		if e := errorOf(t, failures[name]); !strings.Contains(e.Message, want) || e.Attempts != 0 {
			t.Errorf("%s: %v", name, e)
		}
	}
}

// Every list of the contract that pages has an iterator, which follows the cursor and takes CapturePosition.
func TestEveryPagedListHasAnIterator(t *testing.T) {
	t.Parallel()
	contract, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for path, item := range contract.Paths.Map() {
		if item.Get == nil {
			continue
		}
		parameters := slices.Concat(item.Parameters, item.Get.Parameters)
		parameter := "cursor"
		if parameters.GetByInAndName("query", "after") != nil { // a position in a feed
			parameter = "after"
		}
		if parameters.GetByInAndName("query", parameter) == nil {
			continue
		}
		checked++
		t.Run(item.Get.OperationID, func(t *testing.T) {
			t.Parallel()
			next := respond(http.StatusOK, "[]", "Next-Cursor", "c2")
			if item.Get.Responses.Status(200).Value.Content["application/json"].Schema.Value.Type.Is("object") {
				next = page("c2")
			}
			if parameter == "after" { // where a page without items is the end
				next = respond(http.StatusOK, `{"items":[{"id":"`+userID.String()+`","type":"ping","created_at":"2026-01-31T09:30:00.000000","data":{}}],"next_cursor":"c2"}`)
			}
			n, c := dial(t, next, refuse(404, client.NotFound))
			iterator := reflect.ValueOf(c).MethodByName(strings.TrimPrefix(item.Get.OperationID, "list"))
			if !iterator.IsValid() || iterator.Type().NumOut() != 1 || !iterator.Type().Out(0).CanSeq2() {
				t.Fatalf("%s has no iterator", path)
			}
			var position client.Position
			arguments := []reflect.Value{reflect.ValueOf(t.Context())}
			for i := 1; i < iterator.Type().NumIn()-1; i++ {
				argument := reflect.Zero(iterator.Type().In(i))
				if argument.Type() == reflect.TypeFor[uuid.UUID]() {
					argument = reflect.ValueOf(userID)
				}
				arguments = append(arguments, argument)
			}
			var last any
			for _, failure := range iterator.Call(append(arguments, reflect.ValueOf(client.CapturePosition(&position))))[0].Seq2() {
				last = failure.Interface()
			}
			if e, ok := last.(*client.Error); !ok || e.Code != client.NotFound || e.Operation != item.Get.OperationID {
				t.Errorf("it ended with %v", last)
			}
			if len(n.seen) != 2 || !strings.Contains(n.seen[1].url, parameter+"=c2") || at(position) != "c2" {
				t.Errorf("it sent %d requests and ended at %s", len(n.seen), at(position))
			}
		})
	}
	if checked < 5 {
		t.Errorf("found %d lists only", checked)
	}
}

func showFromTheDocumentation(
	ctx context.Context, c *client.Client, userID uuid.UUID, cursor *api.Cursor, show func([]api.Transaction, *api.Cursor),
) error {
	var shown []api.Transaction
	var position client.Position
	params := &api.ListTransactionsParams{Limit: new(int32(20)), Cursor: cursor}
	for transaction, err := range c.Transactions(ctx, userID, params, client.CapturePosition(&position)) {
		if err != nil {
			return err
		}
		if shown = append(shown, transaction); len(shown) == 20 {
			break
		}
	}
	show(shown, position.Cursor) // for a link to the next page; nil after the last one
	return nil
}

// Programs that forget all but the position see every transaction once: 45 in three pages.
func TestPositionsOnTheService(t *testing.T) {
	t.Parallel()
	sandbox := payouttest.New(t)
	sender := sandbox.VerifiedSender()
	order := sandbox.Payout(sender, sandbox.ReceiveUser(sender, "NP"), api.PayoutMethodWallet, "1")
	const all = 45
	for i := range all {
		order.Note = new(fmt.Sprint(i))
		if _, err := sandbox.Client.CreateTransaction(t.Context(), sender.ID, order); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]int{}
	var stored []byte
	pages := 0
	for ; pages < 9 && string(stored) != "null"; pages++ {
		var cursor *api.Cursor
		if stored != nil {
			if err := json.Unmarshal(stored, &cursor); err != nil {
				t.Fatal(err)
			}
		}
		show := func(shown []api.Transaction, next *api.Cursor) {
			for _, transaction := range shown {
				seen[*transaction.Note]++
			}
			var err error
			if stored, err = json.Marshal(next); err != nil {
				t.Fatal(err)
			}
		}
		if err := showFromTheDocumentation(t.Context(), sandbox.NewClient(), sender.ID, cursor, show); err != nil {
			t.Fatal(err)
		}
	}
	for note, n := range seen {
		if n != 1 {
			t.Errorf("transaction %s came %d times", note, n)
		}
	}
	if len(seen) != all || pages != 3 {
		t.Errorf("%d transactions on %d pages", len(seen), pages)
	}
}

// A loop that fails to handle an entry, even the last one of a page, meets it again from the position that it kept.
func TestPositionKeptInTheLoop(t *testing.T) {
	t.Parallel()
	n, c := dial(t, page("c2", "1", "2"), page("c2", "1", "2"), page("", "3"))
	var position, kept client.Position
	handled := map[string]bool{}
	failed := false
	iterate := func(from *api.Cursor) error {
		for transaction, err := range c.Transactions(t.Context(), userID, &api.ListTransactionsParams{Cursor: from}, client.CapturePosition(&position)) {
			if err != nil {
				return err
			}
			kept = position
			if *transaction.Note == "2" && !failed {
				failed = true
				return errors.New("cannot be handled now")
			}
			handled[*transaction.Note] = true
		}
		return nil
	}
	if err := iterate(nil); err == nil || at(position) != "c2" || at(kept) != "start" {
		t.Errorf("%v: ended at %s, kept %s", err, at(position), at(kept))
	}
	if err := iterate(kept.Cursor); err != nil || len(handled) != 3 || len(n.seen) != 3 {
		t.Errorf("%v: handled %v with %d requests", err, handled, len(n.seen))
	}
}
