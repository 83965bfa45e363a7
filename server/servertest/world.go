package servertest

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// CreationTables has the table that each operation with an idempotency key writes.
var CreationTables = map[string]string{
	"createUser": "users", "createFundingAccount": "funding_accounts", "createReceiveUser": "receive_users",
	"createBankAccount": "bank_accounts", "createWalletAccount": "wallet_accounts", "createTransaction": "transactions",
	"createDocuments": "documents", "createWebhookEndpoint": "webhook_endpoints", "rotateWebhookSecret": "webhook_rotations",
}

// Creations lists the operations that take a key.
func Creations(t testing.TB, s *Server) []*contract.Operation {
	t.Helper()
	var all []*contract.Operation
	for _, op := range s.Contract.Operations() {
		if TakesKey(op) {
			all = append(all, op)
		}
	}
	if len(all) != len(CreationTables) {
		t.Fatalf("%d operations take a key, the tests know %d", len(all), len(CreationTables))
	}
	return all
}

// Create sends a body to an operation with a key.
func (w World) Create(t testing.TB, s *Server, op *contract.Operation, key string, body []byte, headers ...string) Answer {
	t.Helper()
	return Call(t, s, op.Method, w.Path(t, op), body, append([]string{IdempotencyKey, key}, headers...)...)
}

// World has the ids that the requests of all operations need, by path parameter, and the bank and wallet accounts of the
// receive user. What an operation deletes is one of its own, under the name of the parameter and ToDelete, so that the other
// operations find theirs.
type World map[string]string

// ToDelete follows the name of a path parameter in the names of what is deleted.
const ToDelete = " to delete"

// Reference are the path parameters of reference data, which no client owns.
var Reference = World{
	"payerId": "1001", "bankId": "2001", "countryCode": "US", "stateCode": "CA", "stateId": "840002",
}

// NewWorld creates two webhook endpoints, a sender with accounts, a receive user with accounts, and a transaction; event_id is
// an event of the client.
func NewWorld(t testing.TB, c *api.ClientWithResponses) World {
	t.Helper()
	endpoint, toDelete := NewWebhookEndpoint(t, c), NewWebhookEndpoint(t, c)
	sender := NewSender(t, c)
	receiver := NewReceiver(t, c, sender.ID)
	r := Send(t, c, sender.ID, "", Deposit(t, sender, receiver, "1"))
	transaction := OK(t, r.StatusCode(), r.Body, r.JSON200, nil)
	feed, err := c.ListEventsWithResponse(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	events := OK(t, feed.StatusCode(), feed.Body, feed.JSON200, nil)
	w := maps.Clone(Reference)
	maps.Copy(w, World{
		"user_id": sender.ID.String(), "funding_account_id": sender.Fund.String(),
		"receive_user_id": receiver.ID.String(), "bank": receiver.Bank.String(), "wallet": receiver.Wallet.String(),
		"transaction_id": transaction.ID.String(), "event_id": events.Items[0].ID.String(),
		"webhook_endpoint_id": endpoint, "webhook_endpoint_id" + ToDelete: toDelete,
	})
	return w
}

// NewWebhookEndpoint creates a webhook endpoint and returns its id.
func NewWebhookEndpoint(t testing.TB, c *api.ClientWithResponses) string {
	t.Helper()
	r, err := c.CreateWebhookEndpointWithResponse(t.Context(), &api.CreateWebhookEndpointParams{}, api.WebhookEndpointRequest{URL: "https://example.com/webhooks"})
	if err != nil {
		t.Fatal(err)
	}
	return OK(t, r.StatusCode(), r.Body, r.JSON200, nil).ID.String()
}

// Nowhere has ids that never existed.
func Nowhere() World {
	w := World{"payerId": "9999999", "bankId": "9999999", "countryCode": "QQ", "stateCode": "QQQ", "stateId": "9999999"}
	for _, name := range []string{"user_id", "funding_account_id", "receive_user_id", "bank", "wallet", "transaction_id", "event_id", "webhook_endpoint_id", "webhook_endpoint_id" + ToDelete} {
		w[name] = uuid.NewString()
	}
	return w
}

// With returns the world with these ids taken from another one.
func (w World) With(other World, names ...string) World {
	w = maps.Clone(w)
	for _, name := range names {
		w[name] = other[name]
		if id, ok := other[name+ToDelete]; ok {
			w[name+ToDelete] = id
		}
	}
	return w
}

// WithID returns the world with this id for a path parameter, of what is deleted too.
func (w World) WithID(name, id string) World {
	return w.With(World{name: id, name + ToDelete: id}, name)
}

// ID returns the id for a path parameter of an operation; empty if there is none.
func (w World) ID(op *contract.Operation, name string) string {
	if op.Method == http.MethodDelete {
		return w[name+ToDelete]
	}
	return w[name]
}

// PathParameter matches a parameter of a path template.
var PathParameter = regexp.MustCompile(`\{(\w+)\}`)

// PathParameters returns the names of the path parameters of an operation.
func PathParameters(op *contract.Operation) []string {
	var names []string
	for _, match := range PathParameter.FindAllStringSubmatch(op.Path, -1) {
		names = append(names, match[1])
	}
	return names
}

// TakesBody reports whether an operation expects a body: only those declare 415.
func TakesBody(op *contract.Operation) bool {
	return slices.Contains(op.Statuses(), http.StatusUnsupportedMediaType)
}

// TakesKey reports whether an operation takes an idempotency key: only those declare 409.
func TakesKey(op *contract.Operation) bool {
	return slices.Contains(op.Statuses(), http.StatusConflict)
}

// Path returns the path of an operation with the ids of the world, and its required query.
func (w World) Path(t testing.TB, op *contract.Operation) string {
	t.Helper()
	path := op.Path
	for _, name := range PathParameters(op) {
		value := w.ID(op, name)
		if value == "" {
			t.Fatalf("%s has the path parameter %s, for which there is no case", op.ID, name)
		}
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	if op.ID == "getTransactionLimit" {
		path += "?destination=" + DestinationCountry
	}
	return path
}

// Body returns a valid body of an operation with the ids of the world; nil if it takes none.
func (w World) Body(t testing.TB, op *contract.Operation) []byte {
	t.Helper()
	if !TakesBody(op) {
		return nil
	}
	text, ok := map[string]string{
		"createUser":              `{"first_name":"Asha","email":"asha@example.com","country":"US","type":"SEND"}`,
		"updateUser":              `{"city":"Reno"}`,
		"createDocuments":         `{"virtual_documents":[{"document_value":"000000000","document_type":"SSN"}]}`,
		"createFundingAccount":    `{"funding_source_type":"CARD"}`,
		"createReceiveUser":       `{"first_name":"Bina","country":"NP"}`,
		"createBankAccount":       `{"bank_id":2001,"account_number":"0001234567","currency":"NPR"}`,
		"createWalletAccount":     `{"payer_id":1004,"wallet_number":"9800000000","currency":"NPR"}`,
		"setVerification":         `{"kyc_status":"VERIFIED"}`,
		"setFundingAccountStatus": `{"status":"ACTIVE"}`,
		"createTransaction":       w.Transfer("BANK_DEPOSIT", w["bank"]),
		"previewTransaction":      w.Transfer("BANK_DEPOSIT", w["bank"]),
		"setTransactionStatus":    `{"status":"CANCELED"}`,
		"createWebhookEndpoint":   `{"url":"https://example.com/webhooks"}`,
		"updateWebhookEndpoint":   `{"url":"https://example.com/webhooks/v2"}`,
	}[op.ID]
	if !ok {
		t.Fatalf("%s takes a body, for which there is no case", op.ID)
	}
	return []byte(text)
}

// Transfer is the body of a transaction into an account.
func (w World) Transfer(method, account string) string {
	return fmt.Sprintf(`{"from_amount":1.00,"exchange_rate":132.25,"from_currency":"USD","to_currency":"NPR",`+
		`"from_fund_id":%q,"to":{"id":%q,"fund_id":%q,"payout_method":%q}}`,
		w["funding_account_id"], w["receive_user_id"], account, method)
}

// Send sends the request of an operation in this world.
func (w World) Send(t testing.TB, s *Server, op *contract.Operation, headers ...string) Answer {
	t.Helper()
	return Call(t, s, op.Method, w.Path(t, op), w.Body(t, op), headers...)
}
