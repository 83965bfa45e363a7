package checks

import (
	"slices"
	"strconv"
	"strings"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// accounts is about funding accounts, receive users and their accounts: extensions, without which there is no transaction.
func accounts() []probe.Check {
	return slices.Concat(accountsFunding(), accountsReceiveUsers(), accountsForms(), accountsBank(), accountsWallet(), readingOfAccounts, []probe.Check{
		{
			ID: "accounts.longest", Title: "Texts of receive users and accounts of the greatest length are accepted and kept whole",
			Clauses: []string{"D-13", "D-20"}, Needs: probe.Extensions,
			Operations: []string{"createFundingAccount", "createReceiveUser", "createBankAccount", "createWalletAccount"},
			Fix:        "Accept texts as long as the contract says, and cut nothing.",
			Run:        longestAccounts,
		},
		{
			ID: "accounts.complete", Title: "Accounts and receive users are listed all at once, however many",
			Clauses:    []string{"D-29"},
			Operations: []string{"listFundingAccounts", "listReceiveUsers", "listBankAccounts", "listWalletAccounts"}, Needs: probe.Extensions,
			Fix: "Answer these lists complete; only transactions come in pages.",
			Run: completeLists,
		},
	})
}

func longestAccounts(t *probe.T) {
	user := t.NewUser().ID
	link := api.FundingAccountRequest{FundingSourceType: "CARD", Label: probe.Ptr(strings.Repeat("é", 100))}
	linked, err := t.Client().CreateFundingAccountWithResponse(t.Context(), user, nil, link)
	probe.OK(t, linked, err)
	uncut(t, link, linked)
	body := probe.ReceiveUserRequest(t.Target().Facts.Destination, func(r *api.ReceiveUserRequest) {
		r.FirstName, r.LastName = strings.Repeat("é", 200), probe.Ptr(strings.Repeat("b", 200))
		r.AddressLine1, r.City, r.Zipcode = probe.Ptr(strings.Repeat("c", 255)), probe.Ptr(strings.Repeat("d", 100)), probe.Ptr(strings.Repeat("1", 20))
	})
	added, err := t.Client().CreateReceiveUserWithResponse(t.Context(), user, nil, body)
	receiver := probe.OK(t, added, err).ID
	uncut(t, body, added)
	bank := bankAccount(t.Bank(t.Target().Facts.Destination), func(a *api.BankAccountRequest) { a.AccountNumber = strings.Repeat("1", 50) })
	account, err := t.Client().CreateBankAccountWithResponse(t.Context(), user, receiver, nil, bank)
	probe.OK(t, account, err)
	uncut(t, bank, account)
	wallet := walletAccount(t.AnyPayer(api.PayoutMethodWallet))
	wallet.WalletNumber = strings.Repeat("2", 50)
	held, err := t.Client().CreateWalletAccountWithResponse(t.Context(), user, receiver, nil, wallet)
	probe.OK(t, held, err)
	uncut(t, wallet, held)
}

// uncut fails the check for each text that came back as another one. Whether all came back is checked elsewhere.
func uncut(t *probe.T, sent any, a probe.Answer) {
	for _, pointer := range changedTexts("", probe.Object(t, sent), members(t, a)) {
		t.Failf("%s of the greatest length came back changed", pointer)
	}
}

// aboveUsualPage is one more than most services list on a page.
const aboveUsualPage = 26

func completeLists(t *probe.T) {
	country := t.Target().Facts.Destination
	user, receiver := newReceiveUser(t)
	for _, of := range []struct {
		path    string
		body    any
		differs string // a member, as equal ones are the subject of another check
	}{
		{probe.UserPath(user, "funding-accounts"), api.FundingAccountRequest{FundingSourceType: "CARD"}, "label"},
		{probe.UserPath(t.NewUser().ID, "receive-users"), probe.ReceiveUserRequest(country), "last_name"},
		{probe.UserPath(user, "receive-users", receiver.String(), "bank-accounts"), bankAccount(t.Bank(country)), "account_number"},
		{probe.UserPath(user, "receive-users", receiver.String(), "wallet-accounts"), walletAccount(t.AnyPayer(api.PayoutMethodWallet)), "wallet_number"},
	} {
		for i := range aboveUsualPage {
			body := probe.Object(t, of.body)
			body[of.differs] = strconv.Itoa(9800000000 + i)
			prepare(t, of.path, body)
		}
		listed, _ := readBack(t, of.path).([]any)
		t.Expect(len(listed) == aboveUsualPage,
			"%d of %d are listed by GET %s", len(listed), aboveUsualPage, of.path[strings.LastIndex(of.path, "/"):])
	}
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
			ID: "accounts.funding.list", Title: "Funding accounts are listed as they were linked, oldest first, those of the user only",
			Clauses: []string{"D-20", "D-29"}, Operations: []string{"createFundingAccount", "listFundingAccounts"}, Needs: probe.Extensions,
			Fix: "List all funding accounts of the user in the path by their creation.",
			Run: func(t *probe.T) {
				user, other := t.NewUser().ID, t.NewUser().ID
				want := []api.FundingAccount{link(t, user, "First"), link(t, user, "Second"), link(t, user, "Third")}
				others := []api.FundingAccount{link(t, other, "Fourth")}
				created := func(a api.FundingAccount) moment { return moment{a.ID, a.CreatedAt.Time} }
				asCreated(t, "the linked and the listed funding accounts", listedFundingAccounts(t, user), want, created)
				asCreated(t, "the linked and the listed funding accounts of another user", listedFundingAccounts(t, other), others, created)
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
					r.State, r.Zipcode = probe.Ptr("P3"), probe.Ptr("44600")
				})
				r, err := t.Client().CreateReceiveUserWithResponse(t.Context(), user, nil, body)
				probe.OK(t, r, err)
				echoes(t, body, r)
				r, err = t.Client().CreateReceiveUserWithResponse(t.Context(), user, nil, api.ReceiveUserRequest{FirstName: "Bina", Country: country})
				probe.OK(t, r, err)
				lacks(t, members(t, r), "last_name", "email", "mobile_phone", "address_line1", "city", "state", "zipcode")
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
		{
			ID: "accounts.receive-users.list", Title: "Receive users are listed as they were added, oldest first, those of the user only",
			Clauses: []string{"D-20", "D-29"}, Operations: []string{"createReceiveUser", "listReceiveUsers"}, Needs: probe.Extensions,
			Fix: "List all receive users of the user in the path by their creation.",
			Run: func(t *probe.T) {
				user, other := t.NewUser().ID, t.NewUser().ID
				want := []api.ReceiveUser{receiveUser(t, user, "First"), receiveUser(t, user, "Second"), receiveUser(t, user, "Third")}
				others := []api.ReceiveUser{receiveUser(t, other, "Fourth")}
				list := func(user openapi_types.UUID) []api.ReceiveUser {
					r, err := t.Client().ListReceiveUsersWithResponse(t.Context(), user)
					return probe.OK(t, r, err)
				}
				created := func(u api.ReceiveUser) moment { return moment{u.ID, u.CreatedAt.Time} }
				asCreated(t, "the added and the listed receive users", list(user), want, created)
				asCreated(t, "the added and the listed receive users of another user", list(other), others, created)
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
	r, err := t.Client().ListFundingAccountsWithResponse(t.Context(), user)
	return probe.OK(t, r, err)
}

// receiveUser adds a receive user as a set-up, and returns the answer.
func receiveUser(t *probe.T, user openapi_types.UUID, firstName string) api.ReceiveUser {
	r, err := t.Client().CreateReceiveUserWithResponse(t.Context(), user, nil,
		probe.ReceiveUserRequest(t.Target().Facts.Destination, func(r *api.ReceiveUserRequest) { r.FirstName = firstName }))
	return probe.Setup(t, r, err)
}
