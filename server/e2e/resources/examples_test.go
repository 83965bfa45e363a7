package resources_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Every request example of the contract is accepted, with its ids replaced.
func TestEveryRequestExampleIsAccepted(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	for template, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.RequestBody == nil {
				continue
			}
			for name, example := range operation.RequestBody.Value.Content["application/json"].Examples {
				sent++
				t.Run(operation.OperationID+" "+name, func(t *testing.T) {
					t.Parallel()
					sendExample(t, s, method, template, example)
				})
			}
		}
	}
	if sent < 13 {
		t.Errorf("the contract has %d request examples, want at least one for each case of a payout", sent)
	}
}

func sendExample(t *testing.T, s *servertest.Server, method, template string, example *openapi3.ExampleRef) {
	t.Helper()
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	path := strings.NewReplacer("{user_id}", sender.ID.String(), "{receive_user_id}", receiver.ID.String(),
		"{funding_account_id}", sender.Fund.String()).Replace(template)
	text, err := json.Marshal(example.Value.Value)
	if err != nil {
		t.Fatal(err)
	}
	body := servertest.Parse[map[string]any](t, text)
	if to, ok := body["to"].(map[string]any); ok {
		body["from_fund_id"], to["id"] = sender.Fund, receiver.ID
		switch to["payout_method"] {
		case "BANK_DEPOSIT":
			to["fund_id"] = receiver.Bank
		case "WALLET":
			to["fund_id"] = receiver.Wallet
		}
	}
	if text, err = json.Marshal(body); err != nil {
		t.Fatal(err)
	}
	servertest.OKBody(t, servertest.Call(t, s, method, path, text))
}
