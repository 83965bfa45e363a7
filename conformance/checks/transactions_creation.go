package checks

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

func transactionCreation() []probe.Check {
	created := []string{"createTransaction"}
	return append(payoutMethods(),
		probe.Check{
			ID: "transactions.creation.initiated", Title: "A new transaction is INITIATED and its delivery is NONE",
			Clauses: []string{"2.6-response", "3-transaction", "3-move-transaction", "D-23"}, Operations: created,
			Fix: "Answer a creation with status INITIATED and delivery_status NONE.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				x := createTransaction(t, s, body)
				t.Expect(x.Status == api.TransactionStatusInitiated && x.DeliveryStatus == api.TransactionDeliveryStatusNone,
					"answered status %q and delivery_status %q, want INITIATED and NONE", x.Status, x.DeliveryStatus)
			},
		},
		probe.Check{
			ID: "transactions.creation.no-bonus", Title: "The bonus of a new transaction is 0",
			Clauses: []string{"2.6-response", "3-move-transaction", "D-35"}, Operations: created,
			Fix: "Answer bonus_amount 0: the interface document shows no bonus programme.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				x := createTransaction(t, s, body)
				t.Expect(x.BonusAmount.Equal(wire.MustAmount("0")), "answered bonus_amount %s, want 0", x.BonusAmount)
			},
		},
		probe.Check{
			ID: "transactions.creation.created-at", Title: "created_at is the time of the creation, in UTC",
			Clauses: []string{"2.6-response", "D-14"}, Operations: created,
			Fix: "Write the current time in UTC, whatever the time zone of the server.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				r, err := t.Create(s.UserID, "", body)
				isNow(t, probe.OK(t, r, err).CreatedAt.Time, r.HTTPResponse.Header)
			},
		},
		probe.Check{
			ID: "transactions.creation.longest", Title: "Texts of the greatest length are accepted and kept whole",
			Clauses: []string{"2.6-request", "2.6-response", "D-13"}, Operations: created,
			Fix: "Accept note, custom_purpose and remittance_purpose of 500 characters, and cut nothing.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				note, purpose, remittance := strings.Repeat("é", 500), strings.Repeat("b", 500), strings.Repeat("c", 500)
				body.Note, body.CustomPurpose, body.RemittancePurpose = &note, &purpose, &remittance
				x := createTransaction(t, s, body)
				t.Expect((x.Note == nil || *x.Note == note) && (x.CustomPurpose == nil || *x.CustomPurpose == purpose),
					"note or custom_purpose of 500 characters came back changed")
			},
		},
		probe.Check{
			ID: "transactions.creation.user", Title: "A transaction belongs to the user in the path",
			Clauses: []string{"2.6-response", "4-transactions"}, Operations: created,
			Fix: "Answer user_id with the user_id of the path.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				x := createTransaction(t, s, body)
				t.Expect(x.UserID == s.UserID, "answered another user_id than that of the path")
			},
		},
		probe.Check{
			ID: "transactions.creation.unknown-user", Title: "A transaction of a user that does not exist answers 404",
			Clauses: []string{"4-transactions", "4-param-user-id", "D-10"}, Operations: created,
			Fix: "Look for the user before any rule of section 1, and answer 404 NOT_FOUND where there is none.",
			Run: func(t *probe.T) {
				_, body := t.Deposit()
				r, err := t.Create(unknownID(), "", body)
				t.Refused(r, err, 404, api.ErrorCodeNotFound)
			},
		},
		probe.Check{
			ID: "transactions.creation.default-fee", Title: "A fee that is left out is 0",
			Clauses: []string{"2.6-response", "D-35", "D-46"}, Operations: created,
			Fix: "Answer fee_amount 0 where none was sent.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				x := createTransaction(t, s, body)
				t.Expect(x.FeeAmount.Equal(wire.MustAmount("0")), "answered fee_amount %s, want 0", x.FeeAmount)
			},
		},
		probe.Check{
			ID: "transactions.creation.default-mode", Title: "A calculation mode that is left out is SENDER_AMOUNT",
			Clauses: []string{"2.6-to-request", "2.6-sender-amount", "D-46"}, Operations: created,
			Fix: "Answer to.calculation_mode SENDER_AMOUNT where none was sent.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				x := createTransaction(t, s, body)
				t.Expect(x.To.CalculationMode == api.CalculationModeSenderAmount,
					"answered calculation_mode %q, want SENDER_AMOUNT", x.To.CalculationMode)
			},
		},
		probe.Check{
			ID:      "transactions.creation.default-funding-source",
			Title:   "A funding source type that is left out is that of the funding account",
			Clauses: []string{"2.6-response", "D-35"}, Operations: created, Needs: probe.Extensions,
			Fix: "Take funding_source_type from the funding account of from_fund_id where none was sent.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				r, err := t.Client().CreateFundingAccountWithResponse(t.Context(), s.UserID, nil, api.FundingAccountRequest{FundingSourceType: "SAVINGS"})
				body.FromFundID = probe.Setup(t, r, err).ID
				set, err := t.Client().SetFundingAccountStatusWithResponse(t.Context(), s.UserID, body.FromFundID,
					api.FundingAccountStatusRequest{Status: api.FundingAccountStatusActive})
				probe.Setup(t, set, err)
				x := createTransaction(t, s, body)
				t.Expect(x.FundingSourceType == "SAVINGS", "answered funding_source_type %q, want that of the account", x.FundingSourceType)
			},
		},
	)
}

// payoutMethods is one check for each payout method: what names the receive side comes back.
func payoutMethods() []probe.Check {
	var checks []probe.Check
	for _, m := range []struct {
		method          api.PayoutMethod
		name, clause    string
		member, without string
	}{
		{api.PayoutMethodBankDeposit, "bank-deposit", "1-rule-4-bank-deposit", "fund_id", "payer_id"},
		{api.PayoutMethodWallet, "wallet", "1-rule-4-wallet", "fund_id", "payer_id"},
		{api.PayoutMethodCashPickup, "cash-pickup", "1-rule-4-cash-pickup", "payer_id", "fund_id"},
		{api.PayoutMethodHomeDelivery, "home-delivery", "1-rule-4-home-delivery", "payer_id", "fund_id"},
	} {
		checks = append(checks, probe.Check{
			ID:         "transactions.creation." + m.name,
			Title:      fmt.Sprintf("A %s transaction is created and answers its receive user and %s, and no %s", m.method, m.member, m.without),
			Clauses:    []string{m.clause, "2.6-to-response", "4-transactions", "D-36"},
			Operations: []string{"createTransaction"},
			Fix:        fmt.Sprintf("Answer to.id, to.payout_method and to.%s as they were sent.", m.member),
			Run: func(t *probe.T) {
				s := t.Sender()
				body := t.Payout(s, t.Receiver(s, m.method), "1.00")
				sent, answered := probe.Object(t, body.To), probe.Object(t, createTransaction(t, s, body).To)
				for _, name := range []string{"id", "payout_method", m.member} {
					t.Expect(fmt.Sprint(sent[name]) == fmt.Sprint(answered[name]), "answered another to.%s than was sent, or none", name)
				}
				_, there := answered[m.without]
				t.Expect(!there, "answered to.%s, which a %s does not have", m.without, m.method)
			},
		})
	}
	return checks
}

// fullTransaction is a bank deposit with every optional member.
func fullTransaction(t *probe.T, s probe.Sender) api.TransactionRequest {
	return t.Payout(s, t.Receiver(s, api.PayoutMethodBankDeposit), "1.00", func(r *api.TransactionRequest) {
		r.FeeAmount = probe.Ptr(wire.MustAmount("12345678901.23"))
		r.Note = probe.Ptr("School fee, \"term 2\" – Grüße 🎓")
		r.Purpose = probe.Ptr("OTHER")
		r.CustomPurpose = probe.Ptr("Books & pens")
		r.RemittancePurpose = probe.Ptr("Family support")
		r.IPAddress = probe.Ptr("203.0.113.7")
		r.FundingSourceType = probe.Ptr("WIRE")
		r.PhysicalDocuments = threeDocuments()
	})
}

const pdf = "data:application/pdf;base64,JVBERi0xLjcK"

// threeDocuments are three documents whose types are in no order of their own.
func threeDocuments() []api.TransactionDocumentRequest {
	return []api.TransactionDocumentRequest{
		{DocumentType: "INVOICE", DocumentValue: pdf},
		{DocumentType: "RECEIPT", DocumentValue: "data:image/png;base64,iVBORw0KGgo="},
		{DocumentType: "CONTRACT", DocumentValue: pdf},
	}
}

func transactionEcho() []probe.Check {
	return []probe.Check{
		{
			ID: "transactions.creation.echo-amounts", Title: "Sending amount, fee, rate and currencies come back as they were sent",
			Clauses: []string{"2.6-response", "D-05", "D-37"}, Operations: []string{"createTransaction"},
			Fix: "Store from_amount, fee_amount and exchange_rate exactly, and answer them with the currencies that were sent.",
			Run: func(t *probe.T) {
				s := t.Sender()
				body := fullTransaction(t, s)
				x := createTransaction(t, s, body)
				t.Expect(x.FromAmount.Equal(body.FromAmount) && x.FeeAmount.Equal(*body.FeeAmount) && x.ExchangeRate.Equal(body.ExchangeRate),
					"answered from_amount %s, fee_amount %s, exchange_rate %s, want %s, %s, %s", x.FromAmount, x.FeeAmount, x.ExchangeRate, body.FromAmount, body.FeeAmount, body.ExchangeRate)
				t.Expect(x.FromCurrency == body.FromCurrency && x.ToCurrency == body.ToCurrency, "answered other currencies than were sent")
			},
		},
		{
			ID: "transactions.creation.echo-funding", Title: "Funding account and funding source type come back as they were sent",
			Clauses: []string{"2.6-response", "D-35"}, Operations: []string{"createTransaction"},
			Fix: "Answer from_fund_id and funding_source_type as they were sent; a type that is sent wins over that of the account.",
			Run: func(t *probe.T) {
				s := t.Sender()
				body := fullTransaction(t, s)
				x := createTransaction(t, s, body)
				t.Expect(x.FromFundID == body.FromFundID && x.FundingSourceType == *body.FundingSourceType,
					"answered another from_fund_id or funding_source_type than was sent")
			},
		},
		{
			ID: "transactions.creation.echo-texts", Title: "Note, purposes and IP address come back character by character",
			Clauses: []string{"2.6-response", "D-46", "D-50"}, Operations: []string{"createTransaction"},
			Fix: "Store note, purpose, custom_purpose and ip_address unchanged, all of Unicode, white space and empty texts included, and answer them.",
			Run: echoTexts,
		},
		{
			ID: "transactions.creation.absent", Title: "What was not sent is absent from the answer",
			Clauses: []string{"2.6-response", "D-46"}, Operations: []string{"createTransaction"},
			Fix: "Leave out note, purpose, custom_purpose and ip_address where they were not sent; neither null nor an empty text.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				r, err := t.Create(s.UserID, "", body)
				probe.OK(t, r, err)
				lacks(t, r, "note", "purpose", "custom_purpose", "ip_address")
			},
		},
		{
			ID: "transactions.creation.not-returned", Title: "remittance_purpose and pickup_location are taken and not returned",
			Clauses: []string{"2.6-request", "2.6-response", "D-36"}, Operations: []string{"createTransaction"},
			Fix: "Leave remittance_purpose and to.pickup_location out of the answer: they are no response fields.",
			Run: func(t *probe.T) {
				s := t.Sender()
				receiver := t.Receiver(s, api.PayoutMethodCashPickup)
				p := payerWithLocations(t)
				body := t.Payout(s, receiver, "1.00")
				at := t.At(receiver.ID, p)
				body.To, body.ToCurrency, body.ExchangeRate = withMember(t, at.To, "pickup_location", p.PickupLocation[0].ID), at.Currency, at.Rate
				body.RemittancePurpose = probe.Ptr("Family support")
				r, err := t.Create(s.UserID, "", body)
				probe.OK(t, r, err)
				to, _ := members(t, r)["to"].(map[string]any)
				t.Expect(!bytes.Contains(r.Body, []byte(*body.RemittancePurpose)) && to["pickup_location"] == nil,
					"answered remittance_purpose, under whatever name, or to.pickup_location")
			},
		},
		{
			ID: "transactions.creation.receive-user", Title: "The receive side carries name, email, phone and address of the receive user",
			Clauses: []string{"2.6-to-response", "D-36"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
			Fix: "Answer first_name, last_name, email, mobile_phone and address_line1 of the receive user in to.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				known := probe.Object(t, probe.ReceiveUserRequest(t.Target().Facts.Destination))
				to := probe.Object(t, createTransaction(t, s, body).To)
				for _, name := range []string{"first_name", "last_name", "email", "mobile_phone", "address_line1"} {
					t.Expect(known[name] == to[name], "answered another to.%s than that of the receive user, or none", name)
				}
			},
		},
		{
			ID: "transactions.creation.receive-user-absent", Title: "What is not known of the receive user is absent from the receive side",
			Clauses: []string{"2.6-to-response", "D-46"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
			Fix: "Leave out last_name, email, mobile_phone and address_line1 of to where the receive user has none.",
			Run: func(t *probe.T) {
				s, p := t.NewSender(), t.AnyPayer(api.PayoutMethodCashPickup)
				id := t.NewReceiveUser(s.UserID, p.Country, func(r *api.ReceiveUserRequest) {
					r.LastName, r.Email, r.MobilePhone, r.AddressLine1 = nil, nil, nil, nil
				})
				r, err := t.Create(s.UserID, "", t.Payout(s, t.At(id, p), "1.00"))
				probe.OK(t, r, err)
				to, _ := members(t, r)["to"].(map[string]any)
				for _, name := range []string{"last_name", "email", "mobile_phone", "address_line1"} {
					_, there := to[name]
					t.Expect(!there, "answered to.%s, which the receive user does not have", name)
				}
			},
		},
	}
}

func transactionDocuments() []probe.Check {
	withDocuments := func(t *probe.T) *api.CreateTransactionResponse {
		s, body := t.Deposit()
		body.PhysicalDocuments = threeDocuments()
		r, err := t.Create(s.UserID, "", body)
		probe.OK(t, r, err)
		return r
	}
	return []probe.Check{
		{
			ID: "transactions.documents.order", Title: "Documents come back with their types in the order in which they were sent",
			Clauses: []string{"2.6-response", "D-15"}, Operations: []string{"createTransaction"},
			Fix: "Keep the position of each document of physical_documents.",
			Run: func(t *probe.T) {
				var want, got []string
				for _, d := range threeDocuments() {
					want = append(want, d.DocumentType)
				}
				for _, d := range withDocuments(t).JSON200.PhysicalDocuments {
					got = append(got, d.DocumentType)
				}
				t.Expect(slices.Equal(got, want), "answered %d documents, or the types in another order; %d were sent", len(got), len(want))
			},
		},
		{
			ID: "transactions.documents.apart", Title: "A user has the documents of its registration, and each transaction its own",
			Clauses: []string{"2.5-response", "2.6-response", "D-46"}, Operations: []string{"createTransaction", "getTransaction", "listTransactions", "getUser"},
			Needs: probe.Extensions,
			Fix:   "Select documents by what they were sent with: those of a transaction are none of its user's, nor those of another transaction.",
			Run:   documentsApart,
		},
		{
			ID: "transactions.documents.ids", Title: "Each document of a transaction gets an id of its own",
			Clauses: []string{"2.6-response"}, Operations: []string{"createTransaction"},
			Fix: "Generate a new UUID for each document.",
			Run: func(t *probe.T) {
				ids := map[openapi_types.UUID]bool{}
				for _, d := range withDocuments(t).JSON200.PhysicalDocuments {
					ids[d.ID] = true
				}
				t.Expect(len(ids) == len(threeDocuments()), "answered %d different ids for %d documents", len(ids), len(threeDocuments()))
			},
		},
		{
			ID: "transactions.documents.no-content", Title: "The content of a document is not returned",
			Clauses: []string{"2.6-response", "D-15"}, Operations: []string{"createTransaction"},
			Fix: "Answer id and document_type of a document, never document_value.",
			Run: func(t *probe.T) {
				body := withDocuments(t).Body
				t.Expect(!bytes.Contains(body, []byte("document_value")) && !bytes.Contains(body, []byte("JVBERi0xLjcK")),
					"answered the content of a document")
			},
		},
		{
			ID: "transactions.documents.none", Title: "A transaction without documents has an empty list of them",
			Clauses: []string{"2.6-response", "D-46"}, Operations: []string{"createTransaction"},
			Fix: "Answer physical_documents [] where none were sent.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				x := createTransaction(t, s, body)
				t.Expect(x.PhysicalDocuments != nil && len(x.PhysicalDocuments) == 0,
					"answered %d documents or no list, want an empty list", len(x.PhysicalDocuments))
			},
		},
	}
}

// documentsApart reads a user with documents, a transaction with documents and one without.
func documentsApart(t *probe.T) {
	created, err := t.Client().CreateUserWithResponse(t.Context(), nil, t.UserRequest(withDocuments))
	user := probe.Setup(t, created, err)
	t.Verify(user.ID, api.KycStatusVerified, nil)
	s := probe.Sender{UserID: user.ID, FundID: t.NewFundingAccount(user.ID, api.FundingAccountStatusActive)}
	body := t.Payout(s, t.Receiver(s, api.PayoutMethodBankDeposit), "1.00")
	made := []api.Transaction{prepareTransaction(t, s, body)}
	body.PhysicalDocuments = threeDocuments()
	made = append(made, prepareTransaction(t, s, body))
	read, err := t.Client().GetUserWithResponse(t.Context(), user.ID)
	u := probe.OK(t, read, err)
	same(t, "the documents of a user before and after its transactions", u.PhysicalDocuments, user.PhysicalDocuments)
	same(t, "the virtual documents of a user before and after its transactions", u.VirtualDocuments, user.VirtualDocuments)
	listed := transactionPage(t, user.ID, nil, nil).Items
	for _, want := range made {
		one, err := t.Client().GetTransactionWithResponse(t.Context(), user.ID, want.ID)
		same(t, "the documents of a transaction when created and when read", probe.OK(t, one, err).PhysicalDocuments, want.PhysicalDocuments)
		for _, x := range pick(listed, func(x api.Transaction) bool { return x.ID == want.ID }) {
			same(t, "the documents of a transaction when created and when listed", x.PhysicalDocuments, want.PhysicalDocuments)
		}
	}
}
