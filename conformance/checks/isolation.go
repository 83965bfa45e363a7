package checks

import (
	"maps"
	"net/http"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// isolation returns the checks that clients do not meet: one for each operation about something of a client, and those of
// bodies.
func isolation() []probe.Check {
	var all []probe.Check
	for _, op := range operationsWhere(func(op operation) bool { return op.belowUser() || op.ofEndpoint() }) {
		all = append(all, probe.Check{
			ID: "isolation." + op.id, Title: op.name() + " answers identifiers of another client as if they had never existed",
			Clauses: []string{"D-10"}, Operations: []string{op.id}, Needs: op.needs() | probe.OtherClient,
			Fix: "Look identifiers up within the calling client, and give one 404 with one message to all that is not found there.",
			Run: func(t *probe.T) { foreignPaths(t, op) },
		})
	}
	all = append(all, probe.Check{
		ID: "isolation.changes-nothing", Title: "A request for a user of another client changes nothing",
		Clauses: []string{"D-10"}, Operations: operationIDs(operationsWhere(writesBelowUser)), Needs: probe.Extensions | probe.OtherClient,
		Fix: "Look for the user of the path within the calling client before writing anything.",
		Run: func(t *probe.T) {
			other := otherClient(t)
			o := owns(t)
			o.unchanged(t, func() {
				for _, r := range o.writes(t) {
					r.Header = other
					reply := t.Send(r)
					t.Expect(reply.Status != http.StatusOK, "%s %s is accepted from the other client", r.Method, r.Path)
				}
			})
		},
	})
	all = append(all, probe.Check{
		ID: "isolation.lists", Title: "The lists of a user show nothing of another client",
		Clauses: []string{"D-10", "D-20"}, Operations: []string{"listTransactions", "listFundingAccounts", "listReceiveUsers"},
		Needs: probe.Extensions | probe.OtherClient,
		Fix:   "Select what a list shows by the user of the path.",
		Run:   foreignLists,
	})
	for _, c := range foreignMembers {
		all = append(all, probe.Check{
			ID: "isolation.body." + c.id, Title: "A transaction from or to " + c.title + " of another client is refused as if there were none",
			Clauses: []string{"D-09", "D-10"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions | probe.OtherClient,
			Fix: "Look up what the body names within the user of the path, and answer 422 " + string(c.code) + " to all that is not found there.",
			Run: func(t *probe.T) { foreignMember(t, c.code, c.mixed) },
		})
	}
	return all
}

// otherClient returns the credentials of the second client, or skips the check.
func otherClient(t *probe.T) http.Header {
	t.Other()
	return http.Header{clientIDHeader: {t.Target().OtherClientID}, secretHeader: {t.Target().OtherClientSecret}}
}

// skipUnlessEnabled ends a check for which the second client needs the corridor or the destination of the first one.
func skipUnlessEnabled(t *probe.T, r probe.Answer, err error) {
	if err == nil && r.StatusCode() == http.StatusUnprocessableEntity {
		t.Skipf("the second client has not the originating corridor and the destination of the first one")
	}
}

// otherSender is a sender of the second client.
func otherSender(t *probe.T) probe.Sender {
	r, err := t.Other().CreateUserWithResponse(t.Context(), nil, t.UserRequest())
	skipUnlessEnabled(t, r, err)
	user := probe.Setup(t, r, err).ID
	v, err := t.Other().SetVerificationWithResponse(t.Context(), user, api.VerificationRequest{KycStatus: probe.Ptr(api.KycStatusVerified)})
	probe.Setup(t, v, err)
	a, err := t.Other().CreateFundingAccountWithResponse(t.Context(), user, nil, api.FundingAccountRequest{FundingSourceType: "CARD"})
	fund := probe.Setup(t, a, err).ID
	s, err := t.Other().SetFundingAccountStatusWithResponse(t.Context(), user, fund,
		api.FundingAccountStatusRequest{Status: api.FundingAccountStatusActive})
	probe.Setup(t, s, err)
	return probe.Sender{UserID: user, FundID: fund}
}

// foreignPaths compares what the second client is answered to identifiers of the first one, and to made-up ones: below the
// user of the first client, and, where the path goes on, below a user of its own.
func foreignPaths(t *probe.T, op operation) {
	other, foreign := otherClient(t), existing(t, op)
	unknown := madeUp(t)
	pairs := [][2]pathValues{{foreign, unknown}}
	if op.belowUser() && op.belowBelowUser() {
		own := otherUser(t).String()
		pairs = append(pairs, [2]pathValues{foreign.with("user_id", own), unknown.with("user_id", own)})
	}
	for _, pair := range pairs {
		var answers [2]api.Error
		for i, n := range pair {
			r := op.request(t, n)
			r.Header = other
			if body := plausible(t, op); body != nil {
				r.Body = body
			}
			answers[i] = t.Refused(t.Send(r), nil, http.StatusNotFound, api.ErrorCodeNotFound)
		}
		t.Expect(answers[0].Message == answers[1].Message && len(answers[0].Details) == len(answers[1].Details),
			"an identifier of the other client is answered differently from one that nobody has")
	}
}

// plausible returns a body that no rule refuses, where whether that or the path is looked up first is not stated: an account that
// names what is there, and a document.
func plausible(t *probe.T, op operation) any {
	switch country := t.Target().Facts.Destination; op.id {
	case "createBankAccount":
		return bankAccount(t.Bank(country))
	case "createDocuments":
		return api.UserDocumentsRequest{VirtualDocuments: []api.VirtualDocumentRequest{number("PASSPORT")}}
	case "createWalletAccount":
		return walletAccount(t.AnyPayer(api.PayoutMethodWallet))
	}
	return nil
}

// otherUser is a user of the second client, who may have other corridors than the first one.
func otherUser(t *probe.T) openapi_types.UUID {
	r, err := t.Other().CreateUserWithResponse(t.Context(), nil, t.UserRequest(func(u *api.UserRequest) { u.Type = nil }))
	return probe.Setup(t, r, err).ID
}

// belowBelowUser reports whether the path names something of a user.
func (op operation) belowBelowUser() bool {
	return slices.ContainsFunc(op.parameters, func(p *openapi3.Parameter) bool { return p.In == openapi3.ParameterInPath && p.Name != "user_id" })
}

// with returns the values with another one.
func (n pathValues) with(name, value string) pathValues {
	n = maps.Clone(n)
	n[name] = value
	return n
}

// foreignLists expects empty lists for a new user of the second client, while the first one has something of each kind.
func foreignLists(t *probe.T) {
	user := otherUser(t)
	owns(t)
	transactions, err := t.Other().ListTransactionsWithResponse(t.Context(), user, nil)
	if n := len(probe.OK(t, transactions, err).Items); n > 0 {
		t.Failf("a new user of the second client has %d transactions", n)
	}
	accounts, err := t.Other().ListFundingAccountsWithResponse(t.Context(), user, nil)
	if n := len(probe.OK(t, accounts, err)); n > 0 {
		t.Failf("a new user of the second client has %d funding accounts", n)
	}
	receivers, err := t.Other().ListReceiveUsersWithResponse(t.Context(), user, nil)
	n := len(probe.OK(t, receivers, err))
	t.Expect(n <= 0, "a new user of the second client has %d receive users", n)
}

// parties are what the body of a bank deposit names.
type parties struct{ fund, receiver, account openapi_types.UUID }

// foreignMembers are the members of a transaction that name something of a client; mixed takes one of them from the
// other client.
var foreignMembers = []struct {
	id, title string
	code      api.ErrorCode
	mixed     func(own, foreign parties) parties
}{
	{
		"from-fund-id", "a funding account", api.ErrorCodeFundingAccountNotFound,
		func(own, foreign parties) parties { return parties{foreign.fund, own.receiver, own.account} },
	},
	{
		"receive-user", "a receive user", api.ErrorCodeReceiveUserNotFound,
		func(own, foreign parties) parties { return parties{own.fund, foreign.receiver, foreign.account} },
	},
	{
		"receive-account", "a receive account", api.ErrorCodeReceiveAccountNotFound,
		func(own, foreign parties) parties { return parties{own.fund, own.receiver, foreign.account} },
	},
}

// foreignMember sends a transaction of the second client that names something of the first one, and one that names
// something made up, and expects the same refusal.
func foreignMember(t *probe.T, code api.ErrorCode, mixed func(own, foreign parties) parties) {
	other, country := t.Other(), t.Target().Facts.Destination
	s, bank := t.NewSender(), t.Bank(country)
	foreign := parties{fund: s.FundID, receiver: t.NewReceiveUser(s.UserID, country)}
	foreign.account = t.NewBankAccount(s.UserID, foreign.receiver, bank)

	sender := otherSender(t)
	r, err := other.CreateReceiveUserWithResponse(t.Context(), sender.UserID, nil, probe.ReceiveUserRequest(country))
	skipUnlessEnabled(t, r, err)
	own := parties{fund: sender.FundID, receiver: probe.Setup(t, r, err).ID, account: uuid.New()}
	var answers []api.Error
	for _, p := range []parties{mixed(own, foreign), mixed(own, parties{uuid.New(), uuid.New(), uuid.New()})} {
		body := t.Payout(probe.Sender{UserID: sender.UserID, FundID: p.fund},
			probe.Receiver{To: t.To(api.PayoutMethodBankDeposit, p.receiver, &p.account, 0), Currency: bank.ReceivingCurrency[0]}, "1.00")
		created, err := other.CreateTransactionWithResponse(t.Context(), sender.UserID, nil, body)
		answers = append(answers, t.Refused(created, err, http.StatusUnprocessableEntity, code))
	}
	same(t, "the refusals of what belongs to another client and of what nobody has", answers[0].Message, answers[1].Message)
}
