package checks

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// owner is a user of the first client with one of each thing, and for each operation that writes below the user a body
// that would be accepted and change something.
type owner struct {
	values pathValues
	bodies map[string]any // by operationId
}

// owns sets up an owner: a new one where extensions may be used, else of the fixtures, with the operations of the
// interface document only.
func owns(t *probe.T) owner {
	s := t.Sender()
	r := t.Receiver(s, api.PayoutMethodBankDeposit)
	o := owner{values: madeUp(t), bodies: map[string]any{"createTransaction": t.Payout(s, r, "1.00")}}
	o.values["user_id"] = s.UserID.String()
	if !t.Full() {
		return o
	}
	created, err := t.Create(s.UserID, "", t.Payout(s, r, "1.00"))
	o.values["transaction_id"] = probe.Setup(t, created, err).ID.String()
	o.values["funding_account_id"], o.values["receive_user_id"] = s.FundID.String(), r.ID.String()
	country := t.Target().Facts.Destination
	bank, payer := t.Bank(country), t.AnyPayer(api.PayoutMethodWallet)
	o.bodies["createFundingAccount"] = api.FundingAccountRequest{FundingSourceType: "CARD"}
	o.bodies["createReceiveUser"] = probe.ReceiveUserRequest(country)
	o.bodies["createBankAccount"] = api.BankAccountRequest{BankID: bank.ID, AccountNumber: "0009", Currency: bank.ReceivingCurrency[0]}
	o.bodies["createWalletAccount"] = api.WalletAccountRequest{PayerID: payer.ID, WalletNumber: "0009", Currency: payer.ReceivingCurrency}
	o.bodies["updateUser"] = api.UserUpdateRequest{City: probe.Ptr("Another City")}
	o.bodies["createDocuments"] = api.UserDocumentsRequest{
		VirtualDocuments: []api.VirtualDocumentRequest{{DocumentType: "PASSPORT", DocumentValue: "000000009"}},
	}
	o.bodies["setVerification"] = api.VerificationRequest{KycStatus: probe.Ptr(api.KycStatusSuspended)}
	o.bodies["setFundingAccountStatus"] = api.FundingAccountStatusRequest{Status: api.FundingAccountStatusInactive}
	return o
}

// writes returns the request of every operation that would change something.
func (o owner) writes(t *probe.T) []probe.Request {
	var all []probe.Request
	for _, op := range operations() {
		if body, ok := o.bodies[op.id]; ok {
			r := op.request(t, o.values)
			r.Body = body
			all = append(all, r)
		}
	}
	return all
}

// unchanged fails the check if anything that can be read of the owner is another after act.
func (o owner) unchanged(t *probe.T, act func()) {
	before := o.read(t)
	act()
	for id, value := range o.read(t) {
		t.Expect(reflect.DeepEqual(value, before[id]), "what %s answers has changed", id)
	}
}

// read returns what all operations answer that read something of the owner.
func (o owner) read(t *probe.T) map[string]any {
	all := map[string]any{}
	for _, op := range inProfile(t, operationsWhere(operation.belowUser)) {
		if op.method != http.MethodGet {
			continue
		}
		reply, err := t.Try(op.request(t, o.values))
		if err != nil || reply.Status != http.StatusOK {
			t.Brokenf("set-up: %s answered %d to its owner", op.id, reply.Status)
		}
		all[op.id] = jsonValue(t, reply)
	}
	return all
}

// jsonValue reads an answer that was given to a set-up, numbers as they are written.
func jsonValue(t *probe.T, a probe.Answer) any {
	d := json.NewDecoder(bytes.NewReader(a.GetBody()))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		t.Brokenf("set-up: answered %d without JSON", a.StatusCode())
	}
	return value
}
