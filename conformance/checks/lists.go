package checks

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// lists are about what finds users and transactions of a client: references and filters (D-70). Other checks create both at
// the same time, so each check finds its own by a reference that nothing else has.
func lists() []probe.Check {
	return slices.Concat(references(), listsOfUsers(), listsOfTransactions())
}

// newReference is a reference that is not used yet, of the greatest length, with letters and a joiner of other scripts.
func newReference() string {
	return "Order é 王 علی\u200cرضا " + uuid.NewString() + strings.Repeat("x", 10)
}

func references() []probe.Check {
	return []probe.Check{{
		ID: "references.shown", Title: "A client_reference is shown wherever the resource is, and is part of the fingerprint",
		Clauses:    []string{"D-70", "D-16"},
		Operations: []string{"createUser", "getUser", "createReceiveUser", "listReceiveUsers", "createTransaction", "getTransaction", "listTransactions", "updateUser", "createDocuments", "setTransactionStatus"},
		Needs:      probe.Extensions,
		Fix:        "Store client_reference and answer it unchanged; leave it out where none was sent. Two requests that differ in it are different.",
		Run: func(t *probe.T) {
			reference := newReference()
			is := func(where string, got *string) {
				t.Expect(got != nil && *got == reference, "%s has another client_reference, or none", where)
			}
			u := t.NewUser(func(r *api.UserRequest) { r.ClientReference = &reference })
			is("a new user", u.ClientReference)
			read, err := t.Client().GetUserWithResponse(t.Context(), u.ID)
			is("a user", probe.OK(t, read, err).ClientReference)
			changed, err := t.Client().UpdateUserWithResponse(t.Context(), u.ID, api.UserUpdateRequest{City: probe.Ptr("Reno")})
			is("a changed user", probe.OK(t, changed, err).ClientReference)
			documents, err := t.Client().CreateDocumentsWithResponse(t.Context(), u.ID, nil, api.UserDocumentsRequest{
				VirtualDocuments: []api.VirtualDocumentRequest{{DocumentType: "PASSPORT", DocumentValue: "000000000"}},
			})
			is("a user with documents", probe.OK(t, documents, err).ClientReference)
			t.Expect(t.NewUser().ClientReference == nil, "a user without a reference has one")

			s := t.NewSender()
			id := t.NewReceiveUser(s.UserID, t.Target().Facts.Destination, func(r *api.ReceiveUserRequest) { r.ClientReference = &reference })
			receivers, err := t.Client().ListReceiveUsersWithResponse(t.Context(), s.UserID, nil)
			for _, r := range probe.OK(t, receivers, err) {
				if r.ID == id {
					is("a receive user", r.ClientReference)
				}
			}
			key := probe.NewKey()
			body := t.Payout(s, t.Receiver(s, deposit), "1.00", func(b *api.TransactionRequest) { b.ClientReference = &reference })
			made, err := t.Create(s.UserID, key, body)
			m := probe.OK(t, made, err)
			is("a new transaction", m.ClientReference)
			one, err := t.Client().GetTransactionWithResponse(t.Context(), s.UserID, m.ID)
			is("a transaction", probe.OK(t, one, err).ClientReference)
			for _, listed := range transactionPage(t, s.UserID, nil, nil).Items {
				is("a listed transaction", listed.ClientReference)
			}
			moved, err := t.Client().SetTransactionStatusWithResponse(t.Context(), s.UserID, m.ID, api.TransactionMoveRequest{Status: api.TransactionStatusCanceled})
			is("a transaction that was moved", probe.OK(t, moved, err).ClientReference)
			body.ClientReference = probe.Ptr("another")
			again, err := t.Create(s.UserID, key, body)
			t.Refused(again, err, 409, api.ErrorCodeIdempotencyKeyReused)
		},
	}}
}

func userPage(t *probe.T, params api.ListUsersParams) api.UserPage {
	r, err := t.Client().ListUsersWithResponse(t.Context(), &params)
	return probe.OK(t, r, err)
}

// foundUsers returns what all pages have.
func foundUsers(t *probe.T, params api.ListUsersParams) (all []api.User) {
	return walk(t, params.Cursor, func(cursor *string) ([]api.User, *string) {
		params.Cursor = cursor
		page := userPage(t, params)
		return page.Items, page.NextCursor
	})
}

func clientTransactionPage(t *probe.T, params api.ListClientTransactionsParams) api.TransactionPage {
	r, err := t.Client().ListClientTransactionsWithResponse(t.Context(), &params)
	return probe.OK(t, r, err)
}

// foundTransactions returns what all pages have.
func foundTransactions(t *probe.T, params api.ListClientTransactionsParams) []api.Transaction {
	return walk(t, params.Cursor, func(cursor *string) ([]api.Transaction, *string) {
		params.Cursor = cursor
		page := clientTransactionPage(t, params)
		return page.Items, page.NextCursor
	})
}

// walk reads pages until none follows. A page may be shorter than its limit, or empty (D-70). Others may add to the list meanwhile.
func walk[V any](t *probe.T, from *string, read func(cursor *string) ([]V, *string)) (all []V) {
	const most = 500
	seen := map[string]bool{}
	for range most {
		page, next := read(from)
		all = append(all, page...)
		if next == nil {
			return all
		}
		if seen[*next] {
			t.Fatalf("a cursor leads to pages that have it again")
		}
		seen[*next], from = true, next
	}
	t.Fatalf("%d pages have no end", most)
	return nil
}

func usersAt(all []api.User) []moment {
	return ids(all, func(u api.User) moment { return moment{u.ID, u.CreatedAt.Time} })
}

func listsOfUsers() []probe.Check {
	list := []string{"listUsers"}
	return []probe.Check{
		{
			ID: "lists.users.filters", Title: "Users are found by reference, email address and status, exactly and by all filters together, newest first",
			Clauses: []string{"D-70"}, Operations: list, Needs: probe.Extensions,
			Fix: "List the users of the client that meet every filter that is sent, complete as GET /users/{user_id} answers them, the newest first.",
			Run: func(t *probe.T) {
				reference := newReference()
				email := "found." + uuid.NewString() + "@example.com"
				var made []moment
				t.NewUser() // whom no filter by reference or address finds
				for i := range 3 {
					u := t.NewUser(func(r *api.UserRequest) {
						r.ClientReference, r.Email = &reference, email
						if i == 1 {
							r.VirtualDocuments = []api.VirtualDocumentRequest{{DocumentType: "PASSPORT", DocumentValue: "000000000"}}
						}
					})
					made = append([]moment{{u.ID, u.CreatedAt.Time}}, made...)
				}
				t.Verify(made[1].id, api.KycStatusVerified, nil)
				found := func(what string, params api.ListUsersParams, want ...moment) []api.User {
					all := foundUsers(t, params)
					t.Expect(sameOrder(usersAt(all), want), "%s: %d users are listed, or in another order; want %d", what, len(all), len(want))
					return all
				}
				for _, listed := range found("by reference", api.ListUsersParams{ClientReference: &reference}, made...) {
					r, err := t.Client().GetUserWithResponse(t.Context(), listed.ID)
					one := probe.OK(t, r, err)
					t.Expect(listed.Status == one.Status && len(listed.VirtualDocuments) == len(one.VirtualDocuments) && listed.Email == one.Email,
						"a listed user differs from the one that is read")
				}
				found("by email address", api.ListUsersParams{Email: &email}, made...)
				found("by an address in capitals", api.ListUsersParams{Email: probe.Ptr("FOUND" + email[5:])})
				found("by reference and VERIFIED", api.ListUsersParams{ClientReference: &reference, Status: probe.Ptr(api.KycStatusVerified)}, made[1])
				found("by email and UNVERIFIED", api.ListUsersParams{Email: &email, Status: probe.Ptr(api.KycStatusUnverified)}, made[0], made[2])
				found("by reference and another address", api.ListUsersParams{ClientReference: &reference, Email: probe.Ptr("nobody@example.com")})
				found("by part of the reference", api.ListUsersParams{ClientReference: probe.Ptr("Order é")})
				for _, status := range []api.KycStatus{api.KycStatusUnverified, api.KycStatusInProgress, api.KycStatusSuspended, api.KycStatusVerified} {
					for _, u := range userPage(t, api.ListUsersParams{Status: &status, Limit: probe.Ptr[int32](100)}).Items {
						t.Expect(u.Status == status, "a user that is %s is listed as %s", u.Status, status)
					}
				}
				newest := usersAt(userPage(t, api.ListUsersParams{Limit: probe.Ptr[int32](100)}).Items)
				t.Expect(slices.IsSortedFunc(newest, func(a, b moment) int { return b.at.Compare(a.at) }), "without a filter, the order is not newest first")
			},
		},
		{
			ID: "lists.users.complete", Title: "A listed user has every member that it has alone, and no other",
			Clauses: []string{"D-70"}, Operations: append([]string{"getUser"}, list...), Needs: probe.Extensions,
			Fix: "Answer each listed user as GET /users/{user_id} does.", Run: completeUsers,
		},
		{
			ID: "lists.users.pages", Title: "Pages of users lead to each user once, whatever is registered meanwhile; a cursor may be sent again, and one that was never issued is refused",
			Clauses: []string{"D-70", "D-29"}, Operations: list, Needs: probe.Extensions,
			Fix: "Answer at most limit users, 20 without it, and next_cursor where others follow. Continue after the last one that the page looked at.",
			Run: func(t *probe.T) {
				reference := newReference()
				register := func() moment {
					u := t.NewUser(func(r *api.UserRequest) { r.ClientReference = &reference })
					return moment{u.ID, u.CreatedAt.Time}
				}
				pagesOf(t, 21, register, func(limit *int32, cursor *string) ([]moment, *string) {
					page := userPage(t, api.ListUsersParams{ClientReference: &reference, Limit: limit, Cursor: cursor})
					return usersAt(page.Items), page.NextCursor
				}, "/users?client_reference="+url.QueryEscape(reference))
			},
		},
		{
			ID: "lists.users.tenancy", Title: "Nobody finds the users of another client",
			Clauses: []string{"D-10", "D-70"}, Operations: list, Needs: probe.Extensions | probe.OtherClient,
			Fix: "Take the client from the credentials into every query, whatever filter and cursor are sent.",
			Run: func(t *probe.T) {
				reference := newReference()
				for range 2 {
					t.NewUser(func(r *api.UserRequest) { r.ClientReference = &reference })
				}
				one := probe.Ptr[int32](1)
				page := userPage(t, api.ListUsersParams{ClientReference: &reference, Limit: one})
				for _, cursor := range []*string{nil, page.NextCursor} {
					r, err := t.Other().ListUsersWithResponse(t.Context(), &api.ListUsersParams{ClientReference: &reference, Cursor: cursor})
					if cursor != nil && err == nil && r.StatusCode() == http.StatusBadRequest { // one that no page of this client gave
						t.Refused(r, err, http.StatusBadRequest, badRequest, "query cursor")
						continue
					}
					t.Expect(len(probe.OK(t, r, err).Items) == 0, "another client finds a user")
				}
			},
		},
	}
}

func withReference(u *api.UserRequest) { u.ClientReference = probe.Ptr(newReference()) }

// bare leaves what is required alone.
func bare(u *api.UserRequest) {
	*u = api.UserRequest{FirstName: u.FirstName, Email: u.Email, Country: u.Country}
}

func bareBusiness(u *api.UserRequest) {
	bare(u)
	u.Business, u.MailingAddress = probe.Ptr(true), &api.MailingAddressRequest{}
}

// listedAt returns what all pages of a list have, as JSON values.
func listedAt(t *probe.T, path string, query url.Values) []any {
	return walk(t, nil, func(cursor *string) ([]any, *string) {
		if cursor != nil {
			query.Set("cursor", *cursor)
		}
		page, _ := readBack(t, path+"?"+query.Encode()).(map[string]any)
		items, _ := page["items"].([]any)
		if next, ok := page["next_cursor"].(string); ok {
			return items, &next
		}
		return items, nil
	})
}

// completeTransactions finds transactions that together have every member by the time of their creation.
func completeTransactions(t *probe.T) {
	for _, made := range allTransactions(t, t.NewSender()) {
		stamp := func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000") }
		query := url.Values{"created_from": {stamp(made.CreatedAt.Time)}, "created_to": {stamp(made.CreatedAt.Add(time.Microsecond))}}
		listed := listedAt(t, "/transactions", query)
		i := slices.IndexFunc(listed, func(v any) bool { return strings.EqualFold(idIn(t, v), made.ID.String()) })
		if i < 0 {
			t.Fatalf("a transaction is not found by the time of its creation")
		}
		sameMembers(t, readBack(t, probe.UserPath(made.UserID, "transactions", made.ID.String())), listed[i])
	}
}

// completeUsers lists users who have every member, and users who have what is required alone.
func completeUsers(t *probe.T) {
	email := "listed." + uuid.NewString() + "@example.com"
	registrations := []api.UserRequest{
		individual(t, withDocuments, withInformation, withReference), business(t, withDocuments, withInformation, withReference),
		t.UserRequest(bare), t.UserRequest(bareBusiness),
	}
	for _, u := range registrations {
		u.Email = email
		r, err := t.Client().CreateUserWithResponse(t.Context(), nil, u)
		probe.Setup(t, r, err)
	}
	listed := listedAt(t, "/users", url.Values{"email": {email}})
	t.Expect(len(listed) == len(registrations), "%d of %d users are listed by their email address", len(listed), len(registrations))
	for _, u := range listed {
		sameMembers(t, readBack(t, "/users/"+idIn(t, u)), u)
	}
}

// pagesOf checks the pages of a list to which create adds an entry. path is the list without a limit.
func pagesOf(
	t *probe.T, n int, create func() moment, page func(limit *int32, cursor *string) (entries []moment, next *string), path string,
) {
	made := make([]moment, n)
	for i := range n {
		made[n-1-i] = create()
	}
	first, next := page(nil, nil)
	t.Expect(len(first) == 20 && next != nil, "without a limit a page has %d of %d entries, want 20 and a cursor", len(first), n)
	for _, limit := range []int32{5, 7, 100} {
		t.Case(fmt.Sprintf("pages of %d", limit), func() {
			all := walk(t, nil, func(cursor *string) ([]moment, *string) {
				entries, next := page(&limit, cursor)
				t.Expect(len(entries) <= int(limit), "a page of %d has %d entries", limit, len(entries))
				t.Expect(next == nil || len(entries) == int(limit), "with one filter, a page of %d that is not the last has %d entries", limit, len(entries))
				return entries, next
			})
			t.Expect(sameOrder(all, made), "the pages have %d entries, or in another order; want %d, the newest first", len(all), n)
		})
	}
	t.Case("an entry that is added meanwhile", func() {
		five := probe.Ptr[int32](5)
		begin, cursor := page(five, nil)
		create()
		rest := walk(t, cursor, func(cursor *string) ([]moment, *string) { return page(five, cursor) })
		t.Expect(sameOrder(slices.Concat(begin, rest), made), "what is added changes the pages that follow")
		again, _ := page(five, cursor)
		t.Expect(sameOrder(again, rest[:min(5, len(rest))]), "a cursor that is sent again answers another page")
	})
	t.Case("a cursor that was never issued", func() {
		for _, cursor := range []string{"A", "bm90LWEtY3Vyc29y", base64.RawURLEncoding.EncodeToString([]byte("1795167000000000.conformance"))} {
			t.Refused(t.Send(probe.Request{Method: "GET", Path: path + "&cursor=" + cursor}), nil, 400, badRequest, "query cursor")
		}
	})
}

func listsOfTransactions() []probe.Check {
	list := []string{"listClientTransactions"}
	return []probe.Check{
		{
			ID: "lists.transactions.filters", Title: "Transactions of all users are found by reference, status and delivery status, by all filters together, newest first",
			Clauses: []string{"D-70", "D-66"}, Operations: append([]string{"cancelTransaction"}, list...), Needs: probe.Extensions,
			Fix: "List the transactions of the client that meet every filter that is sent, as they are now, the newest first.",
			Run: func(t *probe.T) {
				reference := newReference()
				var made []api.Transaction
				for range 2 { // of two users
					s, body := t.Deposit()
					body.FromAmount = cent
					prepareTransaction(t, s, body) // which no filter by reference finds
					body.ClientReference = &reference
					for range 2 {
						made = append([]api.Transaction{prepareTransaction(t, s, body)}, made...)
					}
				}
				canceled, err := t.Client().CancelTransactionWithResponse(t.Context(), made[1].UserID, made[1].ID)
				made[1] = probe.OK(t, canceled, err)
				found := func(what string, params api.ListClientTransactionsParams, want ...api.Transaction) {
					all := foundTransactions(t, params)
					t.Expect(sameOrder(momentsOf(all), momentsOf(want)), "%s: %d transactions are listed, or in another order; want %d", what, len(all), len(want))
					for _, listed := range all { // those of one moment may come in any order
						i := slices.IndexFunc(want, func(w api.Transaction) bool { return w.ID == listed.ID })
						t.Expect(i >= 0 && equalTransactions(t, listed, want[i]), "%s: a listed transaction differs from the one that was created", what)
					}
				}
				with := func(status api.TransactionStatus, delivery api.DeliveryStatus) (p api.ListClientTransactionsParams) {
					p.ClientReference = &reference
					if status != "" {
						p.Status = &status
					}
					if delivery != "" {
						p.DeliveryStatus = &delivery
					}
					return p
				}
				found("by reference", with("", ""), made...)
				found("INITIATED", with(api.TransactionStatusInitiated, ""), made[0], made[2], made[3])
				found("CANCELED", with(api.TransactionStatusCanceled, ""), made[1])
				found("NONE", with("", api.DeliveryStatusNone), made...)
				found("CANCELED and NONE", with(api.TransactionStatusCanceled, api.DeliveryStatusNone), made[1])
				for _, status := range statuses() {
					if status != api.TransactionStatusInitiated && status != api.TransactionStatusCanceled {
						found(string(status), with(status, ""))
					}
				}
				for _, delivery := range deliveries() {
					if delivery != api.DeliveryStatusNone {
						found(string(delivery), with("", delivery))
					}
				}
				page := clientTransactionPage(t, api.ListClientTransactionsParams{Status: probe.Ptr(api.TransactionStatusCanceled)})
				for _, x := range page.Items {
					t.Expect(x.Status == api.TransactionStatusCanceled, "a transaction that is %s is listed as CANCELED", x.Status)
				}
				page = clientTransactionPage(t, api.ListClientTransactionsParams{DeliveryStatus: probe.Ptr(api.DeliveryStatusNone)})
				for _, x := range page.Items {
					t.Expect(x.DeliveryStatus == api.DeliveryStatusNone, "a transaction whose delivery is %s is listed as NONE", x.DeliveryStatus)
				}
			},
		},
		{
			ID: "lists.transactions.complete", Title: "A listed transaction has every member that it has alone, and no other",
			Clauses: []string{"D-70"}, Operations: append([]string{"getTransaction"}, list...), Needs: probe.Extensions,
			Fix: "Answer each listed transaction as GET /users/{user_id}/transactions/{transaction_id} does.", Run: completeTransactions,
		},
		{
			ID: "lists.transactions.times", Title: "created_from is included, created_to is not; a date is the beginning of that day, UTC",
			Clauses: []string{"D-70", "D-14"}, Operations: list, Needs: probe.Extensions,
			Fix: "Compare created_at in microseconds: created_from <= created_at < created_to. Refuse times that do not exist, and an end before the beginning.",
			Run: func(t *probe.T) {
				reference := newReference()
				s, body := t.Deposit()
				body.FromAmount, body.ClientReference = cent, &reference
				var made []moment
				for range 3 {
					made = append(made, momentsOf([]api.Transaction{prepareTransaction(t, s, body)})...)
				}
				stamp := func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000") }
				found := func(what, from, to string, wanted func(moment) bool) {
					p := api.ListClientTransactionsParams{ClientReference: &reference}
					if from != "" {
						p.CreatedFrom = &from
					}
					if to != "" {
						p.CreatedTo = &to
					}
					var want []moment
					for _, m := range slices.Backward(made) {
						if wanted(m) {
							want = append(want, m)
						}
					}
					got := momentsOf(foundTransactions(t, p))
					t.Expect(sameOrder(got, want), "%s: %d transactions are listed, want %d", what, len(got), len(want))
				}
				middle := made[1].at
				found("from", stamp(middle), "", func(m moment) bool { return !m.at.Before(middle) })
				found("to", "", stamp(middle), func(m moment) bool { return m.at.Before(middle) })
				found("a microsecond", stamp(middle), stamp(middle.Add(time.Microsecond)), func(m moment) bool { return m.at.Equal(middle) })
				found("nothing", stamp(middle), stamp(middle), func(moment) bool { return false })
				day := middle.UTC().Truncate(24 * time.Hour)
				found("from a date", day.Format(time.DateOnly), "", func(m moment) bool { return !m.at.Before(day) })
				found("to a date", "", day.Format(time.DateOnly), func(m moment) bool { return m.at.Before(day) })
				next := day.AddDate(0, 0, 1)
				found("one day", day.Format(time.DateOnly), next.Format(time.DateOnly), func(m moment) bool { return !m.at.Before(day) && m.at.Before(next) })
				refused := func(what, query, field string) {
					t.Case(what, func() {
						t.Refused(t.Send(probe.Request{Method: "GET", Path: "/transactions?" + query}), nil, 400, badRequest, "query "+field)
					})
				}
				refused("a day that does not exist", "created_from=2026-02-30", "created_from")
				refused("an hour that does not exist", "created_to=2026-01-31T24:00:01.000000", "created_to")
				refused("a zone", "created_from=2026-01-31T09:30:00.000000Z", "created_from")
				refused("no fraction", "created_from=2026-01-31T09:30:00", "created_from")
				refused("the end before the beginning", "created_from=2026-02-01&created_to=2026-01-31", "created_to")
			},
		},
		{
			ID: "lists.transactions.pages", Title: "Pages of transactions lead to each transaction once, whatever is created meanwhile; a cursor may be sent again, and one that was never issued is refused",
			Clauses: []string{"D-70", "D-29"}, Operations: list, Needs: probe.Extensions,
			Fix: "Answer at most limit transactions, 20 without it, and next_cursor where others follow. Continue after the last one that the page looked at.",
			Run: func(t *probe.T) {
				reference := newReference()
				s, body := t.Deposit()
				body.FromAmount, body.ClientReference = cent, &reference
				create := func() moment { return momentsOf([]api.Transaction{prepareTransaction(t, s, body)})[0] }
				pagesOf(t, 21, create, func(limit *int32, cursor *string) ([]moment, *string) {
					page := clientTransactionPage(t, api.ListClientTransactionsParams{ClientReference: &reference, Limit: limit, Cursor: cursor})
					return momentsOf(page.Items), page.NextCursor
				}, "/transactions?client_reference="+url.QueryEscape(reference))
			},
		},
		{
			ID: "lists.transactions.tenancy", Title: "Nobody finds the transactions of another client",
			Clauses: []string{"D-10", "D-70"}, Operations: list, Needs: probe.Extensions | probe.OtherClient,
			Fix: "Take the client from the credentials into every query, whatever filter and cursor are sent.",
			Run: func(t *probe.T) {
				reference := newReference()
				s, body := t.Deposit()
				body.FromAmount, body.ClientReference = wire.MustAmount("1.00"), &reference
				for range 2 {
					prepareTransaction(t, s, body)
				}
				page := clientTransactionPage(t, api.ListClientTransactionsParams{ClientReference: &reference, Limit: probe.Ptr[int32](1)})
				for _, cursor := range []*string{nil, page.NextCursor} {
					r, err := t.Other().ListClientTransactionsWithResponse(t.Context(), &api.ListClientTransactionsParams{ClientReference: &reference, Cursor: cursor})
					if cursor != nil && err == nil && r.StatusCode() == http.StatusBadRequest { // one that no page of this client gave
						t.Refused(r, err, http.StatusBadRequest, badRequest, "query cursor")
						continue
					}
					t.Expect(len(probe.OK(t, r, err).Items) == 0, "another client finds a transaction")
				}
			},
		},
	}
}
