package checks

import (
	"slices"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// accounts is about funding accounts, receive users and their accounts: extensions, without which there is no transaction.
func accounts() []probe.Check {
	return slices.Concat(accountsFunding(), accountsReceiveUsers(), accountsForms(), accountsBank(), accountsWallet(), readingOfAccounts, []probe.Check{
		{
			ID: "accounts.lists", Title: "Accounts and receive users are listed as they were created, oldest first, all at once, and those of the path only",
			Clauses: []string{"D-20", "D-29", "D-59"}, Needs: probe.Extensions,
			Operations: append([]string{"createFundingAccount", "createReceiveUser", "createBankAccount", "createWalletAccount"}, listsOfAccounts...),
			Fix:        "List all accounts or receive users of the user or receive user in the path by their creation; send pages to callers who ask for them only.",
			Run:        accountLists,
		},
	}, accountPaging())
}

// aboveUsualPage is one more than most services list on a page.
const aboveUsualPage = 26

// accountLists creates many of each kind, and one elsewhere.
func accountLists(t *probe.T) {
	for _, operation := range listsOfAccounts {
		t.Case(operation, func() {
			l := newAccountList(t, operation)
			var made []any
			for i := range aboveUsualPage {
				made = append(made, l.create(t, l.path, i))
			}
			listedAsCreated(t, l.path, made)
			listedAsCreated(t, l.elsewhere, []any{l.create(t, l.elsewhere, 0)})
		})
	}
}

// listedAsCreated compares a list, oldest first, with what was created in this order.
func listedAsCreated(t *probe.T, path string, want []any) {
	got, _ := readBack(t, path).([]any)
	asCreated(t, "what was created and what GET "+path+" lists", got, want, func(v any) moment { return momentOf(t, v) })
}

func accountsFunding() []probe.Check {
	linking := []string{"createFundingAccount"}
	setting := []string{"setFundingAccountStatus"}
	return []probe.Check{
		{
			ID: "accounts.funding.pending", Title: "A new funding account is PENDING",
			Clauses: []string{"1-rule-3b", "D-20"}, Operations: linking, Needs: probe.Extensions,
			Fix: "Link funding accounts with the status PENDING: the operator confirms them.",
			Run: func(t *probe.T) {
				a := link(t, t.NewUser().ID, "Everyday card")
				t.Expect(a.Status == api.FundingAccountStatusPending, "answered status %q", a.Status)
			},
		},
		{
			ID: "accounts.funding.all-fields", Title: "A funding account is answered with all that was sent, and no label where none was",
			Clauses: []string{"D-20", "D-46"}, Operations: linking, Needs: probe.Extensions,
			Fix: "Answer funding_source_type and label with the values that were sent.",
			Run: func(t *probe.T) {
				user := t.NewUser().ID
				body := api.FundingAccountRequest{FundingSourceType: "BANK_ACCOUNT", Label: probe.Ptr("Household")}
				r, err := t.Client().CreateFundingAccountWithResponse(t.Context(), user, nil, body)
				probe.OK(t, r, err)
				echoes(t, body, r)
				r, err = t.Client().CreateFundingAccountWithResponse(t.Context(), user, nil, api.FundingAccountRequest{FundingSourceType: "CARD"})
				probe.OK(t, r, err)
				lacks(t, members(t, r), "label")
			},
		},
		{
			ID: "accounts.funding.status", Title: "A funding account can be made ACTIVE, INACTIVE and PENDING, and keeps all else",
			Clauses: []string{"1-rule-3b", "D-20"}, Operations: append(setting, "listFundingAccounts"), Needs: probe.Extensions,
			Fix: "Keep the status that was set, and answer and list the account with it.",
			Run: fundingStatuses,
		},
	}
}

// fundingStatuses changes one of two accounts: the other must stay. The order of the list is checked elsewhere.
func fundingStatuses(t *probe.T) {
	user := t.NewUser().ID
	want := []api.FundingAccount{link(t, user, "Changed"), link(t, user, "Unchanged")}
	for _, status := range []api.FundingAccountStatus{
		api.FundingAccountStatusActive, api.FundingAccountStatusInactive, api.FundingAccountStatusPending,
	} {
		r, err := t.Client().SetFundingAccountStatusWithResponse(t.Context(), user, want[0].ID, api.FundingAccountStatusRequest{Status: status})
		want[0].Status = status
		same(t, "the account that was made "+string(status)+" and the answer", probe.OK(t, r, err), want[0])
		listed := listedFundingAccounts(t, user)
		for _, w := range want {
			same(t, "the account and the one listed after one became "+string(status),
				pick(listed, func(a api.FundingAccount) bool { return a.ID == w.ID }), []api.FundingAccount{w})
		}
	}
}

func accountsReceiveUsers() []probe.Check {
	adding := []string{"createReceiveUser"}
	return []probe.Check{
		{
			ID: "accounts.receive-users.all-fields", Title: "A receive user is answered with all that was sent, and nothing else of these fields",
			Clauses: []string{"1-rule-3c", "D-20", "D-46"}, Operations: adding, Needs: probe.Extensions,
			Fix: "Answer every field of a receive user with the value that was sent, and leave out the others.",
			Run: func(t *probe.T) {
				user, country := t.NewUser().ID, t.Target().Facts.Destination
				body := probe.ReceiveUserRequest(country, func(r *api.ReceiveUserRequest) {
					r.State, r.Zipcode, r.ClientReference = probe.Ptr("P3"), probe.Ptr("44600"), probe.Ptr(newReference())
				})
				r, err := t.Client().CreateReceiveUserWithResponse(t.Context(), user, nil, body)
				probe.OK(t, r, err)
				echoes(t, body, r)
				r, err = t.Client().CreateReceiveUserWithResponse(t.Context(), user, nil, api.ReceiveUserRequest{FirstName: "Bina", Country: country})
				probe.OK(t, r, err)
				lacks(t, members(t, r), "last_name", "email", "mobile_phone", "address_line1", "city", "state", "zipcode", "client_reference")
			},
		},
		{
			ID: "accounts.receive-users.destination", Title: "A receive user needs an enabled destination",
			Clauses: []string{"1-rule-5", "D-09", "D-18"}, Operations: adding, Needs: probe.Extensions,
			Fix: "Refuse a receive user in a country that is not an enabled destination with 422 CORRIDOR_NOT_ENABLED.",
			Run: func(t *probe.T) {
				r, err := t.Client().CreateReceiveUserWithResponse(t.Context(), t.NewUser().ID, nil,
					probe.ReceiveUserRequest(t.Target().Facts.DisabledCountry))
				t.Refused(r, err, 422, api.ErrorCodeCorridorNotEnabled)
			},
		},
	}
}

// link links a funding account as a set-up, and returns the answer.
func link(t *probe.T, user openapi_types.UUID, label string) api.FundingAccount {
	r, err := t.Client().CreateFundingAccountWithResponse(t.Context(), user, nil, api.FundingAccountRequest{FundingSourceType: "CARD", Label: &label})
	return probe.Setup(t, r, err)
}

func listedFundingAccounts(t *probe.T, user openapi_types.UUID) []api.FundingAccount {
	r, err := t.Client().ListFundingAccountsWithResponse(t.Context(), user, nil)
	return probe.OK(t, r, err)
}
