package resources_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/gen/api"
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
	text, err := json.Marshal(example.Value.Value)
	if err != nil {
		t.Fatal(err)
	}
	if method == "PATCH" && regexp.MustCompile(`"mailing_address"|"source_of_fund"`).Match(text) {
		sender.ID = servertest.Parse[api.User](t, register(t, s, businessUser)).ID
	}
	ids := []string{
		"{user_id}", sender.ID.String(), "{receive_user_id}", receiver.ID.String(), "{funding_account_id}", sender.Fund.String(),
	}
	body := servertest.Parse[map[string]any](t, text)
	switch {
	case strings.Contains(template, "{webhook_endpoint_id}"):
		ids = append(ids, "{webhook_endpoint_id}", servertest.NewWebhookEndpoint(t, s.Client))
	case strings.Contains(template, "{transaction_id}"):
		r := servertest.Send(t, s.Client, sender.ID, "", servertest.Pickup(t, sender, receiver.ID, servertest.CashPayer, "100"))
		id := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, nil).ID.String()
		ids = append(ids, "{transaction_id}", id)
		if sent := []byte(`{"status":"PROCESSING"}`); !bytes.Equal(text, sent) { // what comes before the others
			servertest.OKBody(t, servertest.Call(t, s, method, strings.NewReplacer(ids...).Replace(template), sent))
		}
	}
	path := strings.NewReplacer(ids...).Replace(template)
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
