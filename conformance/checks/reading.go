package checks

import (
	"net/http"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// The checks that what a creation answered is read later with every member, where only some of what is created has it.
var readingOfAccounts = []probe.Check{
	{
		ID: "accounts.read-bare", Title: "Users, receive users and funding accounts are read without what was never sent",
		Clauses: []string{"2.5-response", "D-20", "D-46"}, Needs: probe.Extensions,
		Operations: []string{
			"createUser", "getUser", "createReceiveUser", "listReceiveUsers", "createFundingAccount", "listFundingAccounts", "setFundingAccountStatus",
		},
		Fix: "Leave out optional members that were not sent, wherever a thing is answered; invent no empty lists and no defaults.", Run: readBare,
	},
	{
		ID: "accounts.receive-users.read", Title: "A receive user is listed with all that its creation answered",
		Clauses: []string{"D-20"}, Operations: []string{"listReceiveUsers"}, Needs: probe.Extensions,
		Fix: "List complete receive users, state and zipcode included.", Run: readReceiveUser,
	},
	{
		ID: "accounts.bank.read-branch", Title: "A bank account at a branch is listed with the branch",
		Clauses: []string{"D-20"}, Operations: []string{"listBankAccounts"}, Needs: probe.Extensions,
		Fix: "Keep branch_id and answer it where the account has one.", Run: readBranch,
	},
}

func readReceiveUser(t *probe.T) {
	path := probe.UserPath(t.NewUser().ID, "receive-users")
	body := probe.ReceiveUserRequest(t.Target().Facts.Destination, func(r *api.ReceiveUserRequest) {
		r.State, r.Zipcode = probe.Ptr("P3"), probe.Ptr("44600")
	})
	sameMembers(t, []any{prepare(t, path, body)}, readBack(t, path))
}

// readBare has the required members only.
func readBare(t *probe.T) {
	f := t.Target().Facts
	for _, body := range []api.UserRequest{
		{FirstName: "Asha", Email: "asha.conformance@example.com", Country: f.OriginCountry},
		{
			FirstName: "Conformance Ltd", Email: "office.conformance@example.com", Country: f.OriginCountry, Business: probe.Ptr(true),
			MailingAddress: &api.MailingAddressRequest{},
		},
	} {
		user := prepare(t, "/users", body)
		sameMembers(t, user, readBack(t, "/users/"+idIn(t, user)))
	}
	user := t.NewUser().ID
	receivers, accounts := probe.UserPath(user, "receive-users"), probe.UserPath(user, "funding-accounts")
	sameMembers(t, []any{prepare(t, receivers, api.ReceiveUserRequest{FirstName: "Bina", Country: f.Destination})}, readBack(t, receivers))
	account := prepare(t, accounts, api.FundingAccountRequest{FundingSourceType: "CARD"})
	sameMembers(t, []any{account}, readBack(t, accounts))
	status := "/sandbox" + probe.UserPath(user, "funding-accounts", idIn(t, account), "status")
	sameMembers(t, account, prepare(t, status, api.FundingAccountStatusRequest{Status: api.FundingAccountStatusPending}))
}

func readBranch(t *probe.T) {
	country := t.Target().Facts.Destination
	banks := pick(t.Banks(), func(b api.BankDetail) bool {
		return b.Country == country && len(b.Branches) > 0 && len(b.ReceivingCurrency) > 0
	})
	bank := firstOf(t, "bank with branches in "+country, banks)
	user := t.NewUser().ID
	path := probe.UserPath(user, "receive-users", t.NewReceiveUser(user, country).String(), "bank-accounts")
	created := prepare(t, path, api.BankAccountRequest{
		BankID: bank.ID, BranchID: &bank.Branches[0].ID, AccountNumber: "0001234567", Currency: bank.ReceivingCurrency[0],
	})
	sameMembers(t, []any{created}, readBack(t, path))
}

// prepare returns what a creation answered, as JSON values.
func prepare(t *probe.T, path string, body any) any {
	reply, err := t.Try(probe.Request{Method: http.MethodPost, Path: path, Body: body})
	if err != nil || reply.Status != http.StatusOK {
		t.Brokenf("set-up: POST %s answered %d, want 200", path, reply.Status)
	}
	return jsonValue(t, reply)
}

// readBack returns what is read at a path, as JSON values.
func readBack(t *probe.T, path string) any {
	reply := t.Send(probe.Request{Method: http.MethodGet, Path: path})
	if reply.Status != http.StatusOK {
		t.Fatalf("GET %s answered %d, want 200", path, reply.Status)
	}
	return jsonValue(t, reply)
}

// idIn returns the id of what was created.
func idIn(t *probe.T, created any) string {
	object, _ := created.(map[string]any)
	text, _ := object["id"].(string)
	var id openapi_types.UUID
	if id.UnmarshalText([]byte(text)) != nil {
		t.Brokenf("set-up: a creation answered no id")
	}
	return text
}

// sameMembers fails the check for each member that was answered to the creation and is read with another value.
func sameMembers(t *probe.T, created, read any) {
	for _, pointer := range notEchoed("", created, read) {
		t.Failf("%s is read with another value than the creation answered", pointer)
	}
	t.Expect(len(notEchoed("", created, read)) != 0 || len(notEchoed("", read, created)) == 0, "more is read than the creation answered")
}
