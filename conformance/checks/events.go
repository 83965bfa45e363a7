package checks

import (
	"encoding/base64"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// feedPage reads a page of the event feed.
func feedPage(t *probe.T, params api.ListEventsParams) api.EventPage {
	r, err := t.Client().ListEventsWithResponse(t.Context(), &params)
	return probe.OK(t, r, err)
}

// feedAfter returns the events after a cursor, in pages of a length, and the cursor at their end. Other checks may go on
// adding events, so it ends with the first page that is not full.
func feedAfter(t *probe.T, after *string, limit int32, eventType *api.EventType) (all []api.Event, next string) {
	for {
		page := feedPage(t, api.ListEventsParams{After: after, Limit: &limit, Type: eventType})
		t.Expect(len(page.Items) <= int(limit), "a page of %d has %d events", limit, len(page.Items))
		all, next = append(all, page.Items...), page.NextCursor
		if len(page.Items) < int(limit) {
			return all, next
		}
		after = &next
	}
}

// feedEnd returns the cursor at the present end of the feed.
func feedEnd(t *probe.T) string {
	_, next := feedAfter(t, nil, 100, nil)
	return next
}

// eventsOf returns the events of a user, its transactions and the account with an id.
func eventsOf(all []api.Event, user, account openapi_types.UUID) []api.Event {
	return slices.DeleteFunc(slices.Clone(all), func(e api.Event) bool {
		d := e.Data
		return (d.User == nil || d.User.ID != user) && (d.Transaction == nil || d.Transaction.UserID != user) &&
			(d.FundingAccount == nil || d.FundingAccount.ID != account)
	})
}

// lastEvent returns the newest event of a user.
func lastEvent(t *probe.T, user openapi_types.UUID) api.Event {
	all, _ := feedAfter(t, nil, 100, nil)
	mine := eventsOf(all, user, uuid.Nil)
	if len(mine) == 0 {
		t.Fatalf("the feed has no event of a user whose status has changed")
	}
	return mine[len(mine)-1]
}

// eventStory makes a sender and a transaction, and completes it. It returns the types of the events that this has.
func eventStory(t *probe.T) (s probe.Sender, made api.Transaction, want []string) {
	s, body := t.Deposit()
	r, err := t.Create(s.UserID, "", body)
	made = probe.Setup(t, r, err)
	for _, status := range []api.TransactionStatus{api.TransactionStatusProcessing, api.TransactionStatusCompleted} {
		r, err := t.Client().SetTransactionStatusWithResponse(t.Context(), s.UserID, made.ID, api.TransactionMoveRequest{Status: status})
		made = probe.Setup(t, r, err)
	}
	return s, made, []string{
		"user.status_changed", "funding_account.status_changed", "transaction.created", "transaction.status_changed",
		"transaction.delivery_status_changed", "transaction.status_changed", "transaction.delivery_status_changed",
	}
}

func typesOf(all []api.Event) (types []string) {
	for _, e := range all {
		types = append(types, string(e.Type))
	}
	return types
}

// events returns the checks of the event feed (D-67).
func events() []probe.Check {
	list := []string{"listEvents"}
	check := func(id, title, fix string, run func(*probe.T), more ...string) probe.Check {
		return probe.Check{
			ID: "events." + id, Title: title, Clauses: []string{"D-67"}, Operations: append(slices.Clone(list), more...),
			Needs: probe.Extensions, Fix: fix, Run: run,
		}
	}
	tenancy := check("other-client", "The feed has no event of another client, nor can one be read", "Select events by the calling client.", foreignEvents, "getEvent")
	tenancy.Needs |= probe.OtherClient
	return []probe.Check{
		check("complete", "Every change has its events, once, those of a resource in the order of its changes",
			"Write an event of each type that a change has, in the transaction of the change, and publish it before the feed is read.", completeFeed),
		check("nothing", "What is refused, repeated or changes nothing has no event", "Write an event only with a change.", uneventful),
		check("paging", "Pages of any length show the same events, and the cursor stays where nothing follows",
			"Answer at most limit events, and in next_cursor the position of the last one, or the cursor that was sent.", feedPaging),
		check("type", "type shows all events of a type and no others", "Filter by type, from the same position on.", feedOfType),
		check("snapshot", "An event shows the resource as it was after the change, and the same for ever",
			"Store the resource with the event, and answer what was stored.", snapshots, "getEvent"),
		check("alone", "An event that is read alone is that of the feed, whatever its resource has",
			"Answer what was stored with the event, in the feed and alone.", eventsAlone, "getEvent"),
		check("bad-cursor", "A cursor that was never issued is refused",
			"Answer 400 BAD_REQUEST with a detail for after where it is not a whole next_cursor of an event that the feed has.", badFeedCursors),
		tenancy,
	}
}

func completeFeed(t *probe.T) {
	start := feedEnd(t)
	s, made, want := eventStory(t)
	all, _ := feedAfter(t, &start, 100, nil)
	mine := eventsOf(all, s.UserID, s.FundID)
	t.Expect(distinct(mine, func(e api.Event) string { return e.ID.String() }), "an event comes twice")
	if got := typesOf(mine); !slices.Equal(got, want) {
		t.Fatalf("the events of a payout are %s, want %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
	t.Expect(mine[0].Data.User != nil && mine[0].Data.CipInfo != nil, "an event of a user lacks user or cip_info")
	t.Expect(mine[1].Data.FundingAccount != nil && mine[1].Data.UserID != nil && *mine[1].Data.UserID == s.UserID,
		"an event of a funding account lacks the account or its user")
	var states []api.TransactionStatus
	for _, e := range mine[2:] {
		states = append(states, e.Data.Transaction.Status)
	}
	if !slices.Equal(states, []api.TransactionStatus{
		api.TransactionStatusInitiated, api.TransactionStatusProcessing, api.TransactionStatusProcessing, // status and delivery
		api.TransactionStatusCompleted, api.TransactionStatusCompleted,
	}) {
		t.Failf("the transaction %s is shown as %s", made.ID, states)
	}
}

func uneventful(t *probe.T) {
	s, body := t.Deposit()
	key := uuid.NewString()
	first, err := t.Create(s.UserID, key, body)
	probe.Setup(t, first, err)
	start := feedEnd(t)
	again, err := t.Create(s.UserID, key, body)
	probe.OK(t, again, err)
	_, err = t.Client().SetTransactionStatusWithResponse(t.Context(), s.UserID, first.JSON200.ID, api.TransactionMoveRequest{Status: api.TransactionStatusCompleted})
	t.Expect(err == nil, "no answer to a move: %v", err)
	t.Verify(s.UserID, api.KycStatusVerified, nil)
	all, _ := feedAfter(t, &start, 100, nil)
	mine := eventsOf(all, s.UserID, s.FundID)
	t.Expect(len(mine) == 0, "a repeat, a refused move and a status that stays have the events %s", strings.Join(typesOf(mine), ", "))
}

func feedPaging(t *probe.T) {
	start := feedEnd(t)
	s, _, want := eventStory(t)
	whole, end := feedAfter(t, &start, 100, nil)
	for _, limit := range []int32{1, 3} {
		all, _ := feedAfter(t, &start, limit, nil)
		t.Expect(slices.Equal(typesOf(eventsOf(all, s.UserID, s.FundID)), want), "pages of %d show other events", limit)
	}
	again, _ := feedAfter(t, &start, 100, nil)
	t.Expect(len(again) >= len(whole), "a cursor that is sent again shows fewer events")
	if rest := feedPage(t, api.ListEventsParams{After: &end}); len(rest.Items) == 0 {
		t.Expect(rest.NextCursor == end, "at the end of the feed next_cursor is another one than was sent")
	} else {
		t.Expect(rest.NextCursor != end, "next_cursor does not go on with the events")
	}
}

func feedOfType(t *probe.T) {
	start := feedEnd(t)
	s, _, want := eventStory(t)
	for _, only := range []api.EventType{
		api.EventTypeTransactionCreated, api.EventTypeTransactionStatusChanged, api.EventTypeTransactionDeliveryStatusChanged,
		api.EventTypeUserStatusChanged, api.EventTypeUserInformationRequested, api.EventTypeUserInformationChanged,
		api.EventTypeFundingAccountStatusChanged,
	} {
		all, _ := feedAfter(t, &start, 100, &only)
		for _, e := range all {
			t.Expect(e.Type == only, "type %s shows an event of type %s", only, e.Type)
		}
		n := len(slices.DeleteFunc(slices.Clone(want), func(w string) bool { return w != string(only) }))
		mine := eventsOf(all, s.UserID, s.FundID)
		t.Expect(len(mine) == n, "type %s shows %d events of a payout, want %d", only, len(mine), n)
	}
}

func snapshots(t *probe.T) {
	start := feedEnd(t)
	s, body := t.Deposit()
	r, err := t.Create(s.UserID, "", body)
	made := probe.Setup(t, r, err)
	moved, err := t.Client().SetTransactionStatusWithResponse(t.Context(), s.UserID, made.ID, api.TransactionMoveRequest{Status: api.TransactionStatusCanceled})
	probe.Setup(t, moved, err)
	all, _ := feedAfter(t, &start, 100, nil)
	mine := eventsOf(all, s.UserID, s.FundID)
	at := slices.IndexFunc(mine, func(e api.Event) bool { return e.Type == api.EventTypeTransactionCreated })
	if at < 0 {
		t.Fatalf("a transaction has no event transaction.created")
	}
	created := mine[at]
	t.Expect(reflect.DeepEqual(*created.Data.Transaction, made), "the event of a creation shows another transaction than its answer")
	alone, err := t.Client().GetEventWithResponse(t.Context(), created.ID)
	t.Expect(reflect.DeepEqual(probe.OK(t, alone, err), created), "an event read alone is another than in the feed")
}

// plainReceiveUser adds a receive user who has what is required alone.
func plainReceiveUser(t *probe.T, s probe.Sender) openapi_types.UUID {
	return t.NewReceiveUser(s.UserID, t.Target().Facts.Destination, func(u *api.ReceiveUserRequest) {
		*u = api.ReceiveUserRequest{FirstName: u.FirstName, Country: u.Country}
	})
}

// allTransactions makes a transaction with every member that failed, one of a sender with what is required alone, and one that
// waits for information.
func allTransactions(t *probe.T, s probe.Sender) []api.Transaction {
	body := fullTransaction(t, s, t.Receiver(s, deposit))
	body.ClientReference = probe.Ptr(newReference())
	full := prepareTransaction(t, s, body)
	for _, move := range []api.TransactionMoveRequest{
		{Status: api.TransactionStatusProcessing},
		{Status: api.TransactionStatusFailed, StatusReason: probe.Ptr(api.StatusReasonAccountInvalid)},
	} {
		moved, err := t.Client().SetTransactionStatusWithResponse(t.Context(), s.UserID, full.ID, move)
		full = probe.Setup(t, moved, err)
	}
	toPayer := prepareTransaction(t, s, t.Payout(s, t.At(plainReceiveUser(t, s), t.AnyPayer(cash)), "1.00"))
	p := newLowPurse(t)
	held, err := p.send(plus(t, smallest(p.remaining()), cent))
	return []api.Transaction{full, toPayer, probe.Setup(t, held, err)}
}

// eventsAlone makes events of resources that together have every member.
func eventsAlone(t *probe.T) {
	start := feedEnd(t)
	var users []openapi_types.UUID
	for _, u := range []api.UserRequest{
		individual(t, withDocuments, withInformation, withReference), business(t, withInformation, withReference),
		t.UserRequest(bare), t.UserRequest(bareBusiness),
	} {
		r, err := t.Client().CreateUserWithResponse(t.Context(), nil, u)
		user := probe.Setup(t, r, err).ID
		t.Verify(user, api.KycStatusVerified, nil)
		users = append(users, user)
	}
	s := t.NewSender()
	linked, err := t.Client().CreateFundingAccountWithResponse(t.Context(), s.UserID, nil,
		api.FundingAccountRequest{FundingSourceType: "CARD", Label: probe.Ptr("The second account")})
	account := probe.Setup(t, linked, err).ID
	setFundingStatus(t, s.UserID, account, api.FundingAccountStatusActive)
	held := allTransactions(t, s)[2]
	all, _ := feedAfter(t, &start, 100, nil)
	var mine []api.Event
	for _, user := range append(users, s.UserID, held.UserID) {
		of := eventsOf(all, user, uuid.Nil)
		t.Expect(len(of) > 0, "the feed has no event of a user")
		mine = append(mine, of...)
	}
	for _, e := range slices.Concat(mine, eventsOf(all, uuid.Nil, account), eventsOf(all, uuid.Nil, s.FundID)) {
		alone, err := t.Client().GetEventWithResponse(t.Context(), e.ID)
		t.Expect(reflect.DeepEqual(probe.OK(t, alone, err), e), "%s read alone is another event than in the feed", e.Type)
	}
}

func badFeedCursors(t *probe.T) {
	t.Verify(t.NewUser().ID, api.KycStatusVerified, nil)
	issued := feedEnd(t)
	for _, cursor := range []string{
		"A", "bm90LWEtY3Vyc29y", issued[:(len(issued)+1)/2], issued[len(issued)/2:],
		base64.RawURLEncoding.EncodeToString([]byte("1." + uuid.NewString())), // a position with another event
		base64.RawURLEncoding.EncodeToString([]byte("900000000000000000." + uuid.NewString())),
	} {
		r, err := t.Client().ListEventsWithResponse(t.Context(), &api.ListEventsParams{After: &cursor})
		t.Refused(r, err, http.StatusBadRequest, badRequest, "query after")
	}
}

func foreignEvents(t *probe.T) {
	user := t.NewUser().ID
	t.Verify(user, api.KycStatusVerified, nil)
	mine := lastEvent(t, user)
	limit := int32(100)
	var after *string
	for {
		r, err := t.Other().ListEventsWithResponse(t.Context(), &api.ListEventsParams{After: after, Limit: &limit})
		page := probe.OK(t, r, err)
		t.Expect(len(eventsOf(page.Items, user, uuid.Nil)) == 0, "the feed of the second client has an event of the first one")
		if len(page.Items) < int(limit) {
			break
		}
		after = &page.NextCursor
	}
	r, err := t.Other().GetEventWithResponse(t.Context(), mine.ID)
	t.Refused(r, err, http.StatusNotFound, api.ErrorCodeNotFound)
}
