package operations_test

import (
	"bytes"
	"net/http"
	"slices"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// D-09: every operation that declares 422 answers it when a rule is not met, with the code of that rule.
func TestUnmetRulesAnswer422(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	unmet := map[string]struct {
		old, changed string
		code         api.ErrorCode
	}{
		"createUser":            {`"US"`, `"DE"`, api.ErrorCodeCorridorNotEnabled},
		"createReceiveUser":     {`"NP"`, `"DE"`, api.ErrorCodeCorridorNotEnabled},
		"createBankAccount":     {`"NPR"`, `"USD"`, api.ErrorCodeCurrencyNotSupported},
		"createWalletAccount":   {`1004`, `9999999`, api.ErrorCodePayerNotFound},
		"createTransaction":     {`"USD"`, `"GBP"`, api.ErrorCodeCurrencyNotSupported},
		"updateUser":            {`"Reno"`, `"Elko"`, api.ErrorCodeInformationVerified},
		"previewTransaction":    {`"USD"`, `"GBP"`, api.ErrorCodeCurrencyNotSupported},
		"cancelTransaction":     {"", "", api.ErrorCodeTransactionNotCancelable},
		"setTransactionStatus":  {`"CANCELED"`, `"INITIATED"`, api.ErrorCodeTransitionNotAllowed},
		"createWebhookEndpoint": {"", "", api.ErrorCodeTooManyWebhookEndpoints},
		"createDocuments":       {`"SSN"`, `"PASSPORT"`, api.ErrorCodeInformationVerified},
	}
	onItsWay := "/sandbox/users/" + w["user_id"] + "/transactions/" + w["transaction_id"] + "/status"
	servertest.OKBody(t, servertest.Call(t, s, "POST", onItsWay, []byte(`{"status":"PROCESSING"}`)))
	verified := "/sandbox/users/" + w["user_id"] + "/verification"
	servertest.OKBody(t, servertest.Call(t, s, "POST", verified, []byte(`{"cip_info":{"CITY":"VERIFIED","ID_DOC":"VERIFIED"}}`)))
	for range payout.MaxWebhookEndpoints - 2 { // the world has two
		servertest.NewWebhookEndpoint(t, s.Client)
	}
	for _, op := range s.Contract.Operations() {
		if !slices.Contains(op.Statuses(), http.StatusUnprocessableEntity) {
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			c, ok := unmet[op.ID]
			if !ok {
				t.Fatal("no case for this operation")
			}
			body := bytes.Replace(w.Body(t, op), []byte(c.old), []byte(c.changed), 1)
			servertest.Call(t, s, op.Method, w.Path(t, op), body).Refusal(t, http.StatusUnprocessableEntity, c.code)
		})
	}
}

// D-16: every operation that takes an idempotency key answers 409 to a key that another request has used.
func TestUsedKeysAnswer409(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	creations := servertest.Creations(t, s)
	for _, op := range creations {
		w.Create(t, s, op, op.ID, w.Body(t, op)).First(t)
	}
	for i, op := range creations {
		t.Run(op.ID, func(t *testing.T) {
			another := creations[(i+1)%len(creations)]
			w.Create(t, s, op, another.ID, w.Body(t, op)).Reused(t)
		})
	}
}
