package checks

import (
	"encoding/base64"
	"fmt"
	"slices"

	"github.com/google/uuid"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

func transactionReading() []probe.Check {
	list := []string{"listTransactions"}
	return []probe.Check{
		{
			ID: "transactions.reading.same", Title: "A transaction is read and listed as it was answered when it was created",
			Clauses: []string{"2.6-response", "2.6-to-response", "D-05", "D-20", "D-29", "D-36"}, Operations: []string{"getTransaction", "listTransactions"},
			Needs: probe.Extensions,
			Fix:   "Answer the same representation everywhere: complete, with payer_id where there is one, and with the decimals of the currency of each amount.",
			Run: func(t *probe.T) {
				s := t.NewSender()
				made := transactionsToRead(t, s)
				listed := following(t, s.UserID, transactionPage(t, s.UserID, nil, nil))
				t.Expect(len(listed) == len(made), "%d transactions are listed, want %d", len(listed), len(made))
				for _, m := range made {
					t.Case(fmt.Sprintf("%s in %s", m.To.PayoutMethod, m.ToCurrency), func() {
						r, err := t.Client().GetTransactionWithResponse(t.Context(), s.UserID, m.ID)
						t.Expect(equalTransactions(t, probe.OK(t, r, err), m), "the transaction that is read differs from the one that was created")
						t.Expect(slices.ContainsFunc(listed, func(x api.Transaction) bool { return equalTransactions(t, x, m) }),
							"the transaction is not listed, or differs from the one that was created")
					})
				}
			},
		},
		{
			ID: "transactions.list.newest-first", Title: "Transactions are listed newest first",
			Clauses: []string{"D-29"}, Operations: list, Needs: probe.Extensions,
			Fix: "Order by creation, the last one first.",
			Run: func(t *probe.T) {
				s, made := transactionsOf(t, 3)
				listed := momentsOf(transactionPage(t, s.UserID, nil, nil).Items)
				t.Expect(sameOrder(listed, made), "%d transactions are listed, or in another order; want 3, the newest first", len(listed))
			},
		},
		{
			ID: "transactions.list.own", Title: "The list holds no transaction of another user",
			Clauses: []string{"D-10", "D-20"}, Operations: list, Needs: probe.Extensions,
			Fix: "List the transactions of the user in the path only.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				prepareTransaction(t, s, body)
				n := len(transactionPage(t, t.NewUser().ID, nil, nil).Items)
				t.Expect(n == 0, "%d transactions are listed for a new user, want none", n)
			},
		},
	}
}

// transactionsToRead creates a bank deposit with every member, a transaction to somebody of whom only the name is known, one in a
// currency without decimals and of three, where the server has such currencies, and one through a payer of each kind.
func transactionsToRead(t *probe.T, s probe.Sender) []api.Transaction {
	made := []api.Transaction{prepareTransaction(t, s, fullTransaction(t, s, t.Receiver(s, deposit)))}
	payer := t.AnyPayer(cash)
	bare := t.NewReceiveUser(s.UserID, payer.Country, func(r *api.ReceiveUserRequest) {
		*r = api.ReceiveUserRequest{FirstName: r.FirstName, Country: r.Country}
	})
	made = append(made, prepareTransaction(t, s, t.Payout(s, t.At(bare, payer), "1.00")))
	for _, digits := range []int{0, 3} {
		if r, there := depositIn(t, s, digits); there {
			made = append(made, prepareTransaction(t, s, t.Payout(s, r, "1.00")))
		}
	}
	for _, m := range []api.PayoutMethod{cash, home} {
		made = append(made, prepareTransaction(t, s, t.Payout(s, t.Receiver(s, m), "1.00")))
	}
	return made
}

// transactionsOf returns a new sender and so many transactions, the newest first.
func transactionsOf(t *probe.T, n int) (probe.Sender, []moment) {
	s, body := t.Deposit()
	body.FromAmount = cent // many of them are little too
	return s, prepareTransactions(t, s, body, n)
}

// prepareTransactions creates so many equal transactions, and returns the newest first.
func prepareTransactions(t *probe.T, s probe.Sender, body api.TransactionRequest, n int) []moment {
	made := make([]api.Transaction, n)
	for i := range n {
		made[n-1-i] = prepareTransaction(t, s, body)
	}
	return momentsOf(made)
}

func momentsOf(all []api.Transaction) []moment {
	return ids(all, func(x api.Transaction) moment { return moment{x.ID, x.CreatedAt.Time} })
}

// transactionPage reads one page; nil leaves a parameter out.
func transactionPage(t *probe.T, user openapi_types.UUID, limit *int32, cursor *string) api.TransactionPage {
	r, err := t.Client().ListTransactionsWithResponse(t.Context(), user, &api.ListTransactionsParams{Limit: limit, Cursor: cursor})
	return probe.OK(t, r, err)
}

// following returns the transactions of a page of at most 2 and of all pages after it.
func following(t *probe.T, user openapi_types.UUID, page api.TransactionPage) []api.Transaction {
	const most = 8 // a page may have less than its limit
	all := page.Items
	for range most {
		if page.NextCursor == nil {
			return all
		}
		page = transactionPage(t, user, probe.Ptr[int32](2), page.NextCursor)
		t.Expect(len(page.Items) > 0 && len(page.Items) <= 2, "a page that a cursor announces has %d transactions", len(page.Items))
		all = append(all, page.Items...)
	}
	t.Fatalf("%d pages of 2 have no end", most)
	return nil
}

func transactionPaging() []probe.Check {
	const follow = "Make next_cursor name the last transaction of the page, and continue with the ones before it."
	two := probe.Ptr[int32](2)
	list := []string{"listTransactions"}
	return []probe.Check{
		{
			ID: "transactions.paging.complete", Title: "Following the cursors returns each transaction once, in order, in pages of at most the limit, the last without a cursor",
			Clauses: []string{"D-29"}, Operations: list, Needs: probe.Extensions,
			Fix: "Answer at most limit transactions, and next_cursor where others follow and only there. " + follow,
			Run: func(t *probe.T) {
				for _, n := range []int{2, 4, 5} {
					t.Case(fmt.Sprintf("%d transactions in pages of 2", n), func() {
						s, made := transactionsOf(t, n)
						page := transactionPage(t, s.UserID, two, nil)
						t.Expect(len(page.Items) <= 2, "a page has %d transactions", len(page.Items))
						seen := momentsOf(following(t, s.UserID, page))
						t.Expect(sameOrder(seen, made), "the pages have %d transactions, or in another order; want %d, the newest first", len(seen), n)
					})
				}
			},
		},
		{
			ID: "transactions.paging.undisturbed", Title: "A transaction that is created meanwhile does not disturb the paging",
			Clauses: []string{"D-29"}, Operations: list, Needs: probe.Extensions, Fix: follow,
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				made := prepareTransactions(t, s, body, 3)
				first := transactionPage(t, s.UserID, two, nil)
				prepareTransaction(t, s, body)
				seen := momentsOf(following(t, s.UserID, first))
				t.Expect(sameOrder(seen, made),
					"the pages hold %d transactions, or in another order; want the %d that were there at first", len(seen), len(made))
			},
		},
		{
			ID: "transactions.paging.again", Title: "A cursor that is sent again returns the same page",
			Clauses: []string{"D-29"}, Operations: list, Needs: probe.Extensions,
			Fix: "Keep no record of cursors that were used: a caller whose response was lost sends one again.",
			Run: func(t *probe.T) {
				s, _ := transactionsOf(t, 3)
				first := transactionPage(t, s.UserID, two, nil)
				page := transactionPage(t, s.UserID, two, first.NextCursor)
				again := transactionPage(t, s.UserID, two, first.NextCursor)
				t.Expect(sameOrder(momentsOf(page.Items), momentsOf(again.Items)), "the second answer has other transactions than the first")
			},
		},
		{
			ID: "transactions.paging.default", Title: "A page holds no more than 20 transactions where no limit is sent",
			Clauses: []string{"D-29"}, Operations: list, Needs: probe.Extensions,
			Fix: "Take 20 for limit where it is left out.",
			Run: func(t *probe.T) {
				s, _ := transactionsOf(t, 21)
				n := len(transactionPage(t, s.UserID, nil, nil).Items)
				t.Expect(n != 0 && n <= 20, "a page without limit has %d of 21 transactions, want at most 20", n)
			},
		},
		{
			ID: "transactions.paging.other-user", Title: "The cursor of another user's page shows none of that user's transactions",
			Clauses: []string{"D-10", "D-29"}, Operations: list, Needs: probe.Extensions,
			Fix: "List the transactions of the user in the path, whatever the cursor; or refuse the cursor with 400.",
			Run: func(t *probe.T) {
				s, made := transactionsOf(t, 3)
				page := transactionPage(t, s.UserID, two, nil)
				if page.NextCursor == nil {
					t.Fatalf("a page of 2 of 3 transactions has no next_cursor")
				}
				other, _ := transactionsOf(t, 1)
				r, err := t.Client().ListTransactionsWithResponse(t.Context(), other.UserID, &api.ListTransactionsParams{Cursor: page.NextCursor})
				if err == nil && r.StatusCode() == 400 {
					t.Refused(r, err, 400, badRequest, "query cursor")
					return
				}
				for _, x := range probe.OK(t, r, err).Items {
					t.Expect(!slices.ContainsFunc(made, func(m moment) bool { return m.id == x.ID }), "a transaction of another user is listed")
				}
			},
		},
		{
			ID: "transactions.paging.bad-cursor", Title: "A cursor that was never issued is refused",
			Clauses: []string{"D-29"}, Operations: list, Needs: probe.Extensions,
			Fix: "Answer 400 BAD_REQUEST with a detail for cursor where it is not a whole next_cursor of an earlier page, before the user is looked up.",
			Run: func(t *probe.T) {
				s, _ := transactionsOf(t, 3)
				page := transactionPage(t, s.UserID, two, nil)
				if page.NextCursor == nil {
					t.Fatalf("a page of 2 of 3 transactions has no next_cursor")
				}
				issued := *page.NextCursor
				for _, cursor := range []string{
					"A", "bm90LWEtY3Vyc29y", issued[:(len(issued)+1)/2], issued[len(issued)/2:],
					base64.RawURLEncoding.EncodeToString([]byte("1795167000000000.conformance")), // a time and no identifier
					base64.RawURLEncoding.EncodeToString([]byte("conformance." + uuid.NewString())),
				} {
					r, err := t.Client().ListTransactionsWithResponse(t.Context(), s.UserID, &api.ListTransactionsParams{Cursor: &cursor})
					t.Refused(r, err, 400, badRequest, "query cursor")
				}
				t.Case("of an unknown user", func() {
					r, err := t.Client().ListTransactionsWithResponse(t.Context(), uuid.New(), &api.ListTransactionsParams{Cursor: probe.Ptr("A")})
					t.Refused(r, err, 400, badRequest, "query cursor")
				})
			},
		},
	}
}
