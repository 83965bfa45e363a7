package server_test

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// rowTransactionTo is the path of a sender's transactions, and rowIDs puts the ids of sender and receiver into a text.
func rowTransactionTo(sender servertest.Sender) string {
	return "/users/" + sender.ID.String() + "/transactions"
}

func rowIDs(sender servertest.Sender, receiver servertest.Receiver) *strings.Replacer {
	return strings.NewReplacer("$sender", sender.ID.String(), "$fund", sender.Fund.String(), "$receiver", receiver.ID.String(),
		"$bank", receiver.Bank.String(), "$wallet", receiver.Wallet.String())
}

// rowMembers merges members into an object.
func rowMembers(t testing.TB, object, more string) map[string]any {
	t.Helper()
	all := rowParse[map[string]any](t, []byte(object))
	maps.Copy(all, rowParse[map[string]any](t, []byte(more)))
	return all
}

// Section 2.6: the request of each payout method with the documented values, and exactly the documented members of its
// response: fund_id for BANK_DEPOSIT and WALLET, payer_id for CASH_PICKUP (and HOME_DELIVERY, D-36), no remittance_purpose.
func TestRowTransactionOfEachPayoutMethod(t *testing.T) {
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
			ids := rowIDs(sender, receiver)
			request := rowMembers(t, sent, row.changes)
			request["to"] = json.RawMessage(row.to)
			text, err := json.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			body := rowBody(t, call(t, s, "POST", rowTransactionTo(sender), []byte(ids.Replace(string(text)))))

			want := rowMembers(t, ids.Replace(returned), row.returnedChanges)
			want["to"] = rowMembers(t, ids.Replace(receiving), ids.Replace(row.toReturned))
			rowGenerated(t, body, want, "id", "uuid")
			documents := rowParse[struct {
				All []json.RawMessage `json:"physical_documents"`
			}](t, body)
			document := map[string]any{"document_type": "INVOICE"}
			rowGenerated(t, documents.All[0], document, "id", "uuid")
			want["physical_documents"] = []any{document}
			rowIs(t, body, want)
			// Reading the transaction gives the same (D-20).
			id := rowParse[api.Transaction](t, body).ID.String()
			if again := rowGet(t, s, rowTransactionTo(sender)+"/"+id); string(again) != string(body) {
				t.Errorf("read again %s, was %s", again, body)
			}
		})
	}
}

// What was not sent is absent; defaults and an empty list of documents are there (D-13, D-35, D-46).
func TestRowTransactionWithRequiredFieldsOnly(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	r, err := s.Client.CreateReceiveUserWithResponse(t.Context(), sender.ID, nil, api.ReceiveUserRequest{FirstName: "Bina", Country: "NP"})
	receiver := servertest.Receiver{ID: servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).ID}
	ids := rowIDs(sender, receiver)
	body := rowBody(t, call(t, s, "POST", rowTransactionTo(sender), []byte(ids.Replace(`{"from_amount":0.01,"exchange_rate":150,
		"from_currency":"USD","to_currency":"NPR","from_fund_id":"$fund","to":{"id":"$receiver","payout_method":"CASH_PICKUP","payer_id":1001}}`))))
	want := rowParse[map[string]any](t, []byte(ids.Replace(`{"bonus_amount":0.00,"created_at":"2026-03-14T15:09:26.535897",
		"delivery_status":"NONE","exchange_rate":150,"fee_amount":0.00,"from_amount":0.01,"from_currency":"USD","from_fund_id":"$fund",
		"funding_source_type":"CARD","status":"INITIATED","to_amount":1.50,"to_currency":"NPR","user_id":"$sender","physical_documents":[],
		"to":{"id":"$receiver","first_name":"Bina","payer_id":1001,"payout_method":"CASH_PICKUP","calculation_mode":"SENDER_AMOUNT"}}`)))
	rowGenerated(t, body, want, "id", "uuid")
	rowIs(t, body, want)
}

// Every request example of the contract can be sent as it stands, ids replaced by real ones.
func TestRowEveryRequestExampleIsAccepted(t *testing.T) {
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
					rowSendExample(t, s, method, template, example)
				})
			}
		}
	}
	if sent < 13 {
		t.Errorf("the contract has %d request examples, want at least one for each case of a payout", sent)
	}
}

func rowSendExample(t *testing.T, s *servertest.Server, method, template string, example *openapi3.ExampleRef) {
	t.Helper()
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	path := strings.NewReplacer("{user_id}", sender.ID.String(), "{receive_user_id}", receiver.ID.String(),
		"{funding_account_id}", sender.Fund.String()).Replace(template)
	text, err := json.Marshal(example.Value.Value)
	if err != nil {
		t.Fatal(err)
	}
	body := rowParse[map[string]any](t, text)
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
	rowBody(t, call(t, s, method, path, text))
}

// rowList pages through all transactions of a user.
func rowList(t testing.TB, c *api.ClientWithResponses, user api.UserID, size int32) []api.Transaction {
	t.Helper()
	var all []api.Transaction
	params := &api.ListTransactionsParams{Limit: &size}
	for range 1000 {
		r, err := c.ListTransactionsWithResponse(t.Context(), user, params)
		page := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
		all = append(all, page.Items...)
		if page.NextCursor == nil {
			return all
		}
		if len(page.Items) != int(size) {
			t.Fatalf("a page with a next_cursor has %d items, want %d", len(page.Items), size)
		}
		params.Cursor = page.NextCursor
	}
	t.Fatal("the pages have no end")
	return nil
}

// Transactions come newest first, also those of one instant, and each page goes on where the one before ended (D-29).
func TestRowTransactionsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	if all := rowList(t, s.Client, sender.ID, 100); len(all) != 0 {
		t.Errorf("a new user has %d transactions", len(all))
	}
	var created []string // newest first
	create := func(n int) {
		for range n {
			r := servertest.Send(t, s.Client, sender.ID, "", servertest.Deposit(t, sender, receiver, "1"))
			created = append([]string{servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, nil).ID.String()}, created...)
		}
	}
	create(50)                           // the clock stands still
	s.Clock.Set(s.Clock.Now().Add(1000)) // less than the store can tell apart
	create(5)
	s.Clock.Set(s.Clock.Now().Add(1000000))
	create(52)
	for _, size := range []int32{1, 2, 7, 20, 50, 99, 100} {
		t.Run("pages of "+strconv.Itoa(int(size)), func(t *testing.T) {
			rowIsList(t, rowList(t, s.Client, sender.ID, size), created)
		})
	}
	t.Run("a page has 20 where the caller does not say", func(t *testing.T) {
		r, err := s.Client.ListTransactionsWithResponse(t.Context(), sender.ID, &api.ListTransactionsParams{})
		rowIsList(t, servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).Items, created[:20])
	})
	t.Run("new transactions do not disturb", func(t *testing.T) {
		before := created
		size, params := int32(10), &api.ListTransactionsParams{}
		params.Limit = &size
		var seen []api.Transaction
		for range 100 {
			r, err := s.Client.ListTransactionsWithResponse(t.Context(), sender.ID, params)
			page := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
			seen = append(seen, page.Items...)
			if params.Cursor = page.NextCursor; params.Cursor == nil {
				break
			}
			create(3)
		}
		rowIsList(t, seen, before)
		rowIsList(t, rowList(t, s.Client, sender.ID, 100), created)
	})
}

func rowIsList(t testing.TB, all []api.Transaction, want []string) {
	t.Helper()
	if len(all) != len(want) {
		t.Fatalf("%d transactions, want %d", len(all), len(want))
	}
	for i, transaction := range all {
		if transaction.ID.String() != want[i] {
			t.Fatalf("transaction %d is %s, want %s", i, transaction.ID, want[i])
		}
	}
}

func TestRowPagesThatCannotBe(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	for query, field := range map[string]string{
		"limit=0": "limit", "limit=101": "limit", "limit=-1": "limit", "limit=1.5": "limit", "limit=x": "limit", "limit=": "limit",
		"cursor=%20": "cursor", "cursor=abc": "cursor", "cursor=!!!": "cursor", "cursor=MTIzNA": "cursor", "cursor=": "cursor",
		"cursor=MTc3MzUwMDk2NjUzNTg5Ny5ub3QtYW4taWQ":                 "cursor", // a time and no id
		"cursor=eC4wMTk5MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDA": "cursor", // an id and no time
	} {
		e := call(t, s, "GET", rowTransactionTo(sender)+"?"+query, nil).refusal(t, 400, api.ErrorCodeBadRequest)
		if !names(e, api.ErrorDetailInQuery, field) {
			t.Errorf("%s: details %v do not name %s", query, e.Details, field)
		}
	}
	for _, query := range []string{"limit=1", "limit=100"} {
		rowGet(t, s, rowTransactionTo(sender)+"?"+query)
	}
}
