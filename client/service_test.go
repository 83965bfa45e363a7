package client_test

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// must returns the value of a call that must succeed.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestEveryMethodCallsItsOperation(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	c := connect(t, s.URL, client.WithHTTPClient(s.HTTP)) // its transport checks each answer against the contract
	ctx := t.Context()

	payers := must(c.ListPayers(ctx, &api.ListPayersParams{Country: new("NPL"), PayoutMethod: new(api.PayoutMethodCashPickup)}))(t)
	payer := must(c.GetPayer(ctx, payers[0].ID))(t)
	banks := must(c.ListBanks(ctx, nil))(t)
	bank := must(c.GetBank(ctx, banks[0].ID))(t)
	states := must(c.ListCountryStates(ctx, "US"))(t)
	state := must(c.GetCountryState(ctx, "US", states[0].Code))(t)
	statesV2 := must(c.ListStatesV2(ctx, &api.ListStatesV2Params{CountryCode: new("US")}))(t)
	stateV2 := must(c.GetStateV2(ctx, statesV2[0].ID))(t)
	if payer.ID != payers[0].ID || bank.ID != banks[0].ID || *state != states[0] || *stateV2 != statesV2[0] {
		t.Errorf("reference data: %v, %v, %v, %v", payer, bank, state, stateV2)
	}

	picture := must(client.DataURI("", strings.NewReader(contents["png"])))(t)
	user := must(c.CreateUser(ctx, api.UserRequest{
		FirstName: "Asha", LastName: new("Example"), Email: "asha@example.com", Country: "US", Type: new(api.UserTypeSend),
		PhysicalDocuments: []api.PhysicalDocumentRequest{{DocumentType: "STATE_ID", DocumentValue: picture}},
	}))(t)
	updated := must(c.UpdateUser(ctx, user.ID, api.UserUpdateRequest{City: new("San Francisco")}))(t)
	more := must(c.CreateDocuments(ctx, user.ID, api.UserDocumentsRequest{
		PhysicalDocuments: []api.PhysicalDocumentRequest{{DocumentType: "PASSPORT", DocumentValue: picture}},
	}))(t)
	if *updated.City != "San Francisco" || len(updated.PhysicalDocuments) != 1 || len(more.PhysicalDocuments) != 2 {
		t.Errorf("further information: %v, %v", updated, more)
	}
	must(c.SetVerification(ctx, user.ID, api.VerificationRequest{KycStatus: new(api.KycStatusVerified)}))(t)
	for found, err := range c.Users(ctx, &api.ListUsersParams{Email: new("asha@example.com"), Limit: new(int32(1))}) {
		if err != nil || found.ID != user.ID || len(found.PhysicalDocuments) != 2 {
			t.Errorf("found %v, %v", found, err)
		}
	}
	verified := must(c.GetUser(ctx, user.ID))(t)
	if info := must(c.GetCipInfo(ctx, user.ID))(t); verified.Status != api.KycStatusVerified || info.UserID != user.ID {
		t.Errorf("verification: %s, %v", verified.Status, info)
	}
	fund := must(c.CreateFundingAccount(ctx, user.ID, api.FundingAccountRequest{FundingSourceType: "CARD"}))(t)
	fund = must(c.SetFundingAccountStatus(ctx, user.ID, fund.ID, api.FundingAccountStatusActive))(t)
	if all := must(c.ListFundingAccounts(ctx, user.ID))(t); len(all) != 1 || !reflect.DeepEqual(all[0], *fund) {
		t.Errorf("funding accounts: %v", all)
	}
	receiver := must(c.CreateReceiveUser(ctx, user.ID, api.ReceiveUserRequest{
		FirstName: "Bina", Country: "NP", AddressLine1: new("3 Sample Road"), City: new("Kathmandu"),
	}))(t)
	account := must(c.CreateBankAccount(ctx, user.ID, receiver.ID, api.BankAccountRequest{
		BankID: servertest.BankNepal, AccountNumber: "0001234567", Currency: "NPR",
	}))(t)
	wallet := must(c.CreateWalletAccount(ctx, user.ID, receiver.ID, api.WalletAccountRequest{
		PayerID: servertest.WalletPayer, WalletNumber: "9800000000", Currency: "NPR",
	}))(t)
	receivers := must(c.ListReceiveUsers(ctx, user.ID))(t)
	accounts := must(c.ListBankAccounts(ctx, user.ID, receiver.ID))(t)
	wallets := must(c.ListWalletAccounts(ctx, user.ID, receiver.ID))(t)
	if len(receivers) != 1 || len(accounts) != 1 || len(wallets) != 1 || accounts[0].ID != account.ID || wallets[0].ID != wallet.ID {
		t.Errorf("receive side: %v, %v, %v", receivers, accounts, wallets)
	}

	second := must(c.CreateReceiveUser(ctx, user.ID, api.ReceiveUserRequest{FirstName: "Chandra", Country: "NP"}))(t)
	secondFund := must(c.CreateFundingAccount(ctx, user.ID, api.FundingAccountRequest{FundingSourceType: "CARD"}))(t)
	for i, read := range []func() (uuid.UUID, error){ // page by page, each to its last entry
		func() (uuid.UUID, error) {
			return lastOf(c.FundingAccounts(ctx, user.ID, &api.ListFundingAccountsParams{Limit: new(int32(1))}), func(a api.FundingAccount) uuid.UUID { return a.ID })
		},
		func() (uuid.UUID, error) {
			return lastOf(c.ReceiveUsers(ctx, user.ID, &api.ListReceiveUsersParams{Limit: new(int32(1))}), func(r api.ReceiveUser) uuid.UUID { return r.ID })
		},
		func() (uuid.UUID, error) {
			return lastOf(c.BankAccounts(ctx, user.ID, receiver.ID, nil), func(a api.BankAccount) uuid.UUID { return a.ID })
		},
		func() (uuid.UUID, error) {
			return lastOf(c.WalletAccounts(ctx, user.ID, receiver.ID, nil), func(a api.WalletAccount) uuid.UUID { return a.ID })
		},
	} {
		if got, want := must(read())(t), []uuid.UUID{secondFund.ID, second.ID, account.ID, wallet.ID}[i]; got != want {
			t.Errorf("the last of list %d is %s, want %s", i, got, want)
		}
	}

	sent := map[uuid.UUID]bool{}
	for _, to := range []api.ReceiveSide{
		client.BankDeposit(receiver.ID, account.ID),
		client.BankDeposit(receiver.ID, account.ID, client.ReceiverAmount),
		client.Wallet(receiver.ID, wallet.ID, client.WalletPayer(servertest.WalletPayer)),
		client.CashPickup(receiver.ID, servertest.CashPayerLimited, client.PickupLocation(servertest.CashPayerLimitedAt)),
		client.HomeDelivery(receiver.ID, servertest.HomePayer),
	} {
		request := api.TransactionRequest{
			FromAmount: client.MustAmount("10.00"), ExchangeRate: client.MustAmount("132.25"), ToAmount: new(client.MustAmount("1322.50")),
			FromCurrency: "USD", ToCurrency: "NPR", FromFundID: fund.ID, To: to, ClientReference: new("order-1"),
		}
		preview := must(c.PreviewTransaction(ctx, user.ID, request))(t)
		made := must(c.CreateTransaction(ctx, user.ID, request))(t)
		if !reflect.DeepEqual(preview.To, made.To) || preview.ToAmount != made.ToAmount {
			t.Errorf("the preview is %v, created %v", preview, made)
		}
		sent[made.ID] = true
		if one := must(c.GetTransaction(ctx, user.ID, made.ID))(t); !reflect.DeepEqual(one, made) {
			t.Errorf("read %v, created %v", one, made)
		}
	}
	listed := 0
	for transaction, err := range c.ClientTransactions(ctx, &api.ListClientTransactionsParams{ClientReference: new("order-1"), Limit: new(int32(2))}) {
		if err != nil || !sent[transaction.ID] {
			t.Fatalf("listed %v, %v", transaction, err)
		}
		listed++
	}
	if listed != len(sent) {
		t.Errorf("listed %d of %d", listed, len(sent))
	}
	if page := must(c.ListTransactions(ctx, user.ID, &api.ListTransactionsParams{Limit: new(int32(2))}))(t); len(page.Items) != 2 || page.NextCursor == nil {
		t.Errorf("a page: %v", page)
	}
	for transaction, err := range c.Transactions(ctx, user.ID, &api.ListTransactionsParams{Limit: new(int32(2))}) {
		if err != nil {
			t.Fatal(err)
		}
		delete(sent, transaction.ID)
	}
	made := must(c.CreateTransaction(ctx, user.ID, api.TransactionRequest{
		FromAmount: client.MustAmount("10.00"), ExchangeRate: client.MustAmount("132.25"), FromCurrency: "USD", ToCurrency: "NPR",
		FromFundID: fund.ID, To: client.HomeDelivery(receiver.ID, servertest.HomePayer),
	}))(t)
	if canceled := must(c.CancelTransaction(ctx, user.ID, made.ID))(t); canceled.Status != api.TransactionStatusCanceled {
		t.Errorf("canceled: %v", canceled)
	}
	made = must(c.SetTransactionStatus(ctx, user.ID, made.ID, api.TransactionMoveRequest{Status: api.TransactionStatusCanceled}))(t)
	if made.Status != api.TransactionStatusCanceled || made.RequiredInformation == nil || made.UpdatedAt == nil {
		t.Errorf("canceled: %v", made)
	}

	var last api.Event
	for event, err := range c.Events(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		last = event
	}
	if event := must(c.GetEvent(ctx, last.ID))(t); !reflect.DeepEqual(*event, last) || !reflect.DeepEqual(event.Data.Transaction, made) {
		t.Errorf("the last event is %v, read alone %v; the last change is %v", last, event, made)
	}

	if limit := must(c.GetTransactionLimit(ctx, user.ID, "NP"))(t); len(sent) != 0 || limit.Country != "NP" {
		t.Errorf("not listed: %v; the limit is %v", sent, limit)
	}

	endpoint := must(c.CreateWebhookEndpoint(ctx, api.WebhookEndpointRequest{
		URL: "https://example.com/webhooks", EventTypes: []api.EventType{api.EventTypeTransactionCreated},
	}))(t)
	rotated := must(c.RotateWebhookSecret(ctx, endpoint.ID))(t)
	if endpoint.Secret == nil || *endpoint.Secret == rotated.Secret || rotated.PreviousExpiresAt == nil {
		t.Errorf("secrets: %v, %v", endpoint.Secret, rotated)
	}
	changed := must(c.UpdateWebhookEndpoint(ctx, endpoint.ID, api.WebhookEndpointChange{EventTypes: []api.EventType{}}))(t)
	if one := must(c.GetWebhookEndpoint(ctx, endpoint.ID))(t); !reflect.DeepEqual(one, changed) || len(one.EventTypes) != 0 || one.Secret != nil {
		t.Errorf("read %v, changed %v", one, changed)
	}
	pinged := must(c.TestWebhookEndpoint(ctx, endpoint.ID))(t)
	if again := must(c.RetryWebhookDelivery(ctx, endpoint.ID, pinged.EventID))(t); pinged.EventType != api.EventTypePing || again.EventID != pinged.EventID {
		t.Errorf("sent %v, retried %v", pinged, again)
	}
	other := must(c.CreateWebhookEndpoint(ctx, api.WebhookEndpointRequest{URL: "https://example.com/other"}))(t)
	lastEndpoint := must(lastOf(c.WebhookEndpoints(ctx, &api.ListWebhookEndpointsParams{Limit: new(int32(1))}), func(e api.WebhookEndpoint) uuid.UUID { return e.ID }))(t)
	deliveries := must(lastOf(c.WebhookDeliveries(ctx, other.ID, nil), func(d api.WebhookDelivery) uuid.UUID { return d.EventID }))(t)
	if gone := must(c.DeleteWebhookEndpoint(ctx, other.ID))(t); lastEndpoint != other.ID || deliveries != uuid.Nil || gone.ID != other.ID {
		t.Errorf("the last endpoint is %s, of %s; deliveries %v", lastEndpoint, other.ID, deliveries)
	}

	doc := must(openapi.Document())(t)
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			if !servertest.Reached(op.OperationID, 200) {
				t.Errorf("%s was not reached: call its method in this test", op.OperationID)
			}
		}
	}
}

func TestCodesOfTheService(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	c := connect(t, s.URL, client.WithHTTPClient(s.HTTP))
	wrong, err := client.New(s.URL, "sandbox", "wrong", client.WithHTTPClient(s.HTTP))
	if err != nil {
		t.Fatal(err)
	}
	user := must(c.CreateUser(t.Context(), api.UserRequest{FirstName: "Asha", Email: "asha@example.com", Country: "US"}))(t)
	for code, call := range map[client.Code]func() error{
		client.Unauthorized: func() error { _, err := wrong.ListBanks(t.Context(), nil); return err },
		client.NotFound:     func() error { _, err := c.GetUser(t.Context(), otherID); return err },
		client.BadRequest:   func() error { _, err := c.GetCountryState(t.Context(), "USA", "CA"); return err },
		client.CorridorNotEnabled: func() error {
			_, err := c.CreateReceiveUser(t.Context(), user.ID, api.ReceiveUserRequest{FirstName: "Bina", Country: "DE"})
			return err
		},
		client.SendingNotEnabled: func() error {
			_, err := c.CreateTransaction(t.Context(), user.ID, deposit())
			return err
		},
	} {
		err := call()
		e := errorOf(t, err)
		if !errors.Is(err, code) || e.RequestID == "" || e.Attempts != 1 || e.Temporary() {
			t.Errorf("want %s, got %+v", code, *e)
		}
	}
	// What the contract calls a key and this package does too is a key for the service.
	for i, key := range []string{"k", strings.Repeat("ü", 255), "Zürich ¥ नेपाल " + fmt.Sprint(unicode.MaxASCII), "a b  c", `"quoted", listed; x=y`} {
		var first, second client.Info
		user := api.UserRequest{FirstName: fmt.Sprint("Asha", i), Email: "asha@example.com", Country: "US"}
		a := must(c.CreateUser(t.Context(), user, client.IdempotencyKey(key), client.CaptureInfo(&first)))(t)
		b := must(c.CreateUser(t.Context(), user, client.IdempotencyKey(key), client.CaptureInfo(&second)))(t)
		if a.ID != b.ID || first.Replayed || !second.Replayed || second.IdempotencyKey != key {
			t.Errorf("%s: %v, %v", key, first, second)
		}
		user.FirstName = "Other"
		if _, err := c.CreateUser(t.Context(), user, client.IdempotencyKey(key)); !errors.Is(err, client.IdempotencyKeyReused) {
			t.Errorf("%s for another user: %v", key, err)
		}
	}
}

// lastOf returns the id of the last entry of an iteration.
func lastOf[T any](all iter.Seq2[T, error], id func(T) uuid.UUID) (last uuid.UUID, err error) {
	for entry, err := range all {
		if err != nil {
			return last, err
		}
		last = id(entry)
	}
	return last, nil
}
