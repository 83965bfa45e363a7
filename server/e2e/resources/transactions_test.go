package resources_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// merged returns an object with more members.
func merged(t testing.TB, object, more string) map[string]any {
	t.Helper()
	all := servertest.Parse[map[string]any](t, []byte(object))
	maps.Copy(all, servertest.Parse[map[string]any](t, []byte(more)))
	return all
}

// Section 2.6: the request of each payout method with the documented values, and exactly the documented members of its
// response: fund_id for BANK_DEPOSIT and WALLET, payer_id for CASH_PICKUP (and HOME_DELIVERY, D-36), no remittance_purpose.
func TestTransactionOfEachPayoutMethod(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	const (
		sent = `{"from_amount":100,"exchange_rate":132.25,"fee_amount":2.5,"note":"For the school","from_currency":"USD",
			"to_currency":"NPR","purpose":"OTHER","custom_purpose":"School fee","remittance_purpose":"Family support",
			"physical_documents":[{"document_type":"INVOICE","document_value":"data:application/pdf;base64,JVBERi0xLjcK"}],
			"ip_address":"203.0.113.7","from_fund_id":"$fund","funding_source_type":"CARD"}`
		returned = `{"bonus_amount":0.00,"created_at":"2026-03-14T15:09:26.535897","custom_purpose":"School fee",
			"delivery_status":"NONE","exchange_rate":132.25,"fee_amount":2.50,"from_amount":100.00,"from_currency":"USD",
			"from_fund_id":"$fund","funding_source_type":"CARD","ip_address":"203.0.113.7","note":"For the school","purpose":"OTHER",
			"status":"INITIATED","to_amount":13225.00,"to_currency":"NPR","user_id":"$sender"}`
		receiving = `{"id":"$receiver","first_name":"Bina","last_name":"Example","email":"bina@example.com",
			"mobile_phone":"9779800000000","address_line1":"3 Sample Road"}`
	)
	for name, row := range map[string]struct{ to, toReturned, changes, returnedChanges string }{
		"BANK_DEPOSIT": {
			`{"id":"$receiver","fund_id":"$bank","payout_method":"BANK_DEPOSIT"}`,
			`{"fund_id":"$bank","payout_method":"BANK_DEPOSIT","calculation_mode":"SENDER_AMOUNT"}`, `{}`, `{}`,
		},
		"WALLET, payer_id is not returned": {
			`{"id":"$receiver","fund_id":"$wallet","payout_method":"WALLET","calculation_mode":"SENDER_AMOUNT","payer_id":1004}`,
			`{"fund_id":"$wallet","payout_method":"WALLET","calculation_mode":"SENDER_AMOUNT"}`, `{}`, `{}`,
		},
		"CASH_PICKUP": {
			`{"id":"$receiver","payout_method":"CASH_PICKUP","calculation_mode":"RECEIVER_AMOUNT","payer_id":1003,"pickup_location":30004}`,
			`{"payer_id":1003,"payout_method":"CASH_PICKUP","calculation_mode":"RECEIVER_AMOUNT"}`,
			`{"to_amount":13225}`, `{}`,
		},
		"HOME_DELIVERY": {
			`{"id":"$receiver","payout_method":"HOME_DELIVERY","payer_id":1006}`,
			`{"payer_id":1006,"payout_method":"HOME_DELIVERY","calculation_mode":"SENDER_AMOUNT"}`, `{}`, `{}`,
		},
		"a to_amount that SENDER_AMOUNT ignores": {
			`{"id":"$receiver","fund_id":"$bank","payout_method":"BANK_DEPOSIT"}`,
			`{"fund_id":"$bank","payout_method":"BANK_DEPOSIT","calculation_mode":"SENDER_AMOUNT"}`, `{"to_amount":1}`, `{}`,
		},
		"another funding source than the account's": {
			`{"id":"$receiver","fund_id":"$bank","payout_method":"BANK_DEPOSIT"}`,
			`{"fund_id":"$bank","payout_method":"BANK_DEPOSIT","calculation_mode":"SENDER_AMOUNT"}`,
			`{"funding_source_type":"BANK_ACCOUNT"}`, `{"funding_source_type":"BANK_ACCOUNT"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sender := servertest.NewSender(t, s.Client)
			receiver := servertest.NewReceiver(t, s.Client, sender.ID)
			ids := servertest.IDs(sender, receiver)
			request := merged(t, sent, row.changes)
			request["to"] = json.RawMessage(row.to)
			text, err := json.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			body := servertest.OKBody(t, servertest.Call(t, s, "POST", servertest.TransactionsPath(sender), []byte(ids.Replace(string(text)))))

			want := merged(t, ids.Replace(returned), row.returnedChanges)
			want["updated_at"], want["required_information"] = want["created_at"], []string{} // D-66
			want["to"] = merged(t, ids.Replace(receiving), ids.Replace(row.toReturned))
			moveGenerated(t, body, want, "id", "uuid")
			documents := servertest.Parse[struct {
				All []json.RawMessage `json:"physical_documents"`
			}](t, body)
			document := map[string]any{"document_type": "INVOICE"}
			moveGenerated(t, documents.All[0], document, "id", "uuid")
			want["physical_documents"] = []any{document}
			wantMembers(t, body, want)
			// Reading the transaction returns the same (D-20).
			id := servertest.Parse[api.Transaction](t, body).ID.String()
			if again := servertest.Get(t, s, servertest.TransactionsPath(sender)+"/"+id); string(again) != string(body) {
				t.Errorf("read again %s, was %s", again, body)
			}
		})
	}
}

// Optional members that were not sent are absent, but defaults and an empty list of documents are present (D-13, D-35, D-46).
func TestTransactionWithRequiredFieldsOnly(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	r, err := s.Client.CreateReceiveUserWithResponse(t.Context(), sender.ID, nil, api.ReceiveUserRequest{FirstName: "Bina", Country: "NP"})
	receiver := servertest.Receiver{ID: servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).ID}
	ids := servertest.IDs(sender, receiver)
	body := servertest.OKBody(t, servertest.Call(t, s, "POST", servertest.TransactionsPath(sender), []byte(ids.Replace(`{"from_amount":0.01,"exchange_rate":150,
		"from_currency":"USD","to_currency":"NPR","from_fund_id":"$fund","to":{"id":"$receiver","payout_method":"CASH_PICKUP","payer_id":1001}}`))))
	want := servertest.Parse[map[string]any](t, []byte(ids.Replace(`{"bonus_amount":0.00,"created_at":"2026-03-14T15:09:26.535897",
		"delivery_status":"NONE","exchange_rate":150,"fee_amount":0.00,"from_amount":0.01,"from_currency":"USD","from_fund_id":"$fund",
		"funding_source_type":"CARD","status":"INITIATED","to_amount":1.50,"to_currency":"NPR","user_id":"$sender","physical_documents":[],
		"updated_at":"2026-03-14T15:09:26.535897","required_information":[],
		"to":{"id":"$receiver","first_name":"Bina","payer_id":1001,"payout_method":"CASH_PICKUP","calculation_mode":"SENDER_AMOUNT"}}`)))
	moveGenerated(t, body, want, "id", "uuid")
	wantMembers(t, body, want)
}
