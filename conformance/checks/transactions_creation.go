package checks

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

const pdf = "data:application/pdf;base64,JVBERi0xLjcK"

// receiverMembers are the members of a receive user that a transaction returns.
var receiverMembers = []string{"first_name", "last_name", "email", "mobile_phone", "address_line1"}

func transactionCreation() []probe.Check {
	created := []string{"createTransaction"}
	return []probe.Check{
		{
			ID: "transactions.creation.new", Title: "A new transaction is INITIATED, of the user in the path, without bonus, and has the defaults of what was not sent",
			Clauses: []string{
				"2.6-response", "2.6-to-request", "2.6-sender-amount", "3-transaction", "3-move-transaction", "4-transactions", "D-14", "D-23", "D-35", "D-46",
			},
			Operations: created,
			Fix:        "Answer INITIATED and NONE, user_id of the path, bonus_amount 0, the current time in UTC, and where they were not sent fee_amount 0 and SENDER_AMOUNT.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				r, err := t.Create(s.UserID, "", body)
				x := probe.OK(t, r, err)
				t.Expect(x.Status == api.TransactionStatusInitiated, "answered status %q, want INITIATED", x.Status)
				t.Expect(x.DeliveryStatus == api.DeliveryStatusNone, "answered delivery_status %q, want NONE", x.DeliveryStatus)
				t.Expect(x.UserID == s.UserID, "answered another user_id than that of the path")
				t.Expect(x.BonusAmount.Equal(wire.Amount{}), "answered bonus_amount %s, want 0", x.BonusAmount)
				t.Expect(x.FeeAmount.Equal(wire.Amount{}), "answered fee_amount %s, want 0", x.FeeAmount)
				t.Expect(x.To.CalculationMode == api.CalculationModeSenderAmount, "answered calculation_mode %q, want SENDER_AMOUNT", x.To.CalculationMode)
				isNow(t, x.CreatedAt.Time, r.HTTPResponse.Header)
			},
		},
		{
			ID: "transactions.creation.funding-source", Title: "A funding source type that is left out is that of the funding account",
			Clauses: []string{"2.6-response", "D-35"}, Operations: created, Needs: probe.Extensions,
			Fix: "Take funding_source_type from the funding account of from_fund_id where none was sent.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				r, err := t.Client().CreateFundingAccountWithResponse(t.Context(), s.UserID, nil, api.FundingAccountRequest{FundingSourceType: "SAVINGS"})
				body.FromFundID = probe.Setup(t, r, err).ID
				setFundingStatus(t, s.UserID, body.FromFundID, api.FundingAccountStatusActive)
				x := createTransaction(t, s, body)
				t.Expect(x.FundingSourceType == "SAVINGS", "answered funding_source_type %q, want that of the account", x.FundingSourceType)
			},
		},
		{
			ID: "transactions.creation.echo", Title: "What was sent comes back, with the receive user, whatever the payout method",
			Clauses: []string{
				"1-rule-4-bank-deposit", "1-rule-4-wallet", "1-rule-4-cash-pickup", "1-rule-4-home-delivery", "2.6-response", "2.6-to-response", "4-transactions",
				"D-05", "D-35", "D-36", "D-37", "D-46",
			},
			Operations: created,
			Fix:        "Store amounts and the rate exactly, and answer what was sent, the documents, and in to the receive user with fund_id or payer_id of the payout method.",
			Run:        echoEachMethod,
		},
		{
			ID: "transactions.creation.echo-texts", Title: "Texts come back character by character, and of the greatest length",
			Clauses: []string{"2.6-request", "2.6-response", "D-13", "D-46", "D-50"}, Operations: created,
			Fix: "Store note, purpose, custom_purpose and ip_address unchanged, all of Unicode, white space, empty texts and 500 characters included.",
			Run: echoTexts,
		},
		{
			ID: "transactions.creation.absent", Title: "What was not sent is absent from the answer, and a list of documents is empty",
			Clauses: []string{"2.6-response", "2.6-to-response", "D-46"}, Operations: created,
			Fix: "Leave out what was not sent and what the receive user does not have; neither null nor an empty text. Answer physical_documents as [].",
			Run: each(
				of("the transaction", func(t *probe.T) {
					s, body := t.Deposit()
					r, err := t.Create(s.UserID, "", body)
					x := probe.OK(t, r, err)
					lacks(t, members(t, r), "note", "purpose", "custom_purpose", "ip_address")
					t.Expect(x.PhysicalDocuments != nil && len(x.PhysicalDocuments) == 0, "answered %d documents or no list, want an empty list", len(x.PhysicalDocuments))
				}),
				extended("the receive user", func(t *probe.T) {
					s, p := t.NewSender(), t.AnyPayer(api.PayoutMethodCashPickup)
					id := t.NewReceiveUser(s.UserID, p.Country, func(r *api.ReceiveUserRequest) {
						r.LastName, r.Email, r.MobilePhone, r.AddressLine1 = nil, nil, nil, nil
					})
					r, err := t.Create(s.UserID, "", t.Payout(s, t.At(id, p), "1.00"))
					probe.OK(t, r, err)
					lacks(t, toOf(members(t, r)), "last_name", "email", "mobile_phone", "address_line1")
				}),
			),
		},
		{
			ID: "transactions.creation.not-returned", Title: "remittance_purpose, pickup_location, the payer of a wallet and the content of documents are accepted and not returned",
			Clauses: []string{"2.6-request", "2.6-to-request", "2.6-response", "2.6-to-response", "D-15", "D-36"}, Operations: created,
			Fix: "Leave remittance_purpose, to.pickup_location, document_value and, with WALLET, to.payer_id out of the answer: they are no response fields.",
			Run: notReturned,
		},
		{
			ID: "transactions.documents.kept", Title: "A transaction may have 20 documents, which come back in their order, each with an id of its own",
			Clauses: []string{"2.6-request", "2.6-response", "D-13", "D-15"}, Operations: created,
			Fix: "Keep each document of physical_documents and its position, and generate a UUID for it.",
			Run: func(t *probe.T) {
				const most = 20
				s, body := t.Deposit()
				for i := range most { // their types are in no order of their own
					body.PhysicalDocuments = append(body.PhysicalDocuments,
						api.TransactionDocumentRequest{DocumentType: fmt.Sprintf("TYPE_%d", i*7%most), DocumentValue: pdf})
				}
				x := createTransaction(t, s, body)
				got, want := ids(x.PhysicalDocuments, documentType), ids(body.PhysicalDocuments, sentType)
				t.Expect(slices.Equal(got, want), "answered %d documents, or the types in another order; %d were sent", len(got), most)
				ownIDs(t, ids(x.PhysicalDocuments, func(d api.TransactionDocument) uuid.UUID { return d.ID }))
			},
		},
		{
			ID: "transactions.documents.apart", Title: "A user has the documents of its registration, and each transaction its own",
			Clauses: []string{"2.5-response", "2.6-response", "D-46"}, Operations: []string{"createTransaction", "getTransaction", "listTransactions", "getUser"},
			Needs: probe.Extensions,
			Fix:   "Select documents by what they were sent with: those of a transaction are none of its user's, nor those of another transaction.",
			Run:   documentsApart,
		},
	}
}

func documentType(d api.TransactionDocument) string { return d.DocumentType }

func sentType(d api.TransactionDocumentRequest) string { return d.DocumentType }

// fullTransaction has every optional member.
func fullTransaction(t *probe.T, s probe.Sender, r probe.Receiver) api.TransactionRequest {
	return t.Payout(s, r, "1.00", func(r *api.TransactionRequest) {
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

// threeDocuments are three documents whose types are in no order of their own.
func threeDocuments() []api.TransactionDocumentRequest {
	return []api.TransactionDocumentRequest{
		{DocumentType: "INVOICE", DocumentValue: pdf},
		{DocumentType: "RECEIPT", DocumentValue: documentPNG},
		{DocumentType: "CONTRACT", DocumentValue: pdf},
	}
}

func echoEachMethod(t *probe.T) {
	s := t.Sender()
	for _, m := range allMethods {
		t.Case(string(m), func() {
			body := fullTransaction(t, s, t.Receiver(s, m))
			x := createTransaction(t, s, body)
			sent, got := probe.Object(t, body), probe.Object(t, x)
			for _, name := range []string{
				"from_amount", "fee_amount", "exchange_rate", "from_currency", "to_currency", "from_fund_id", "funding_source_type",
				"note", "purpose", "custom_purpose", "ip_address",
			} {
				t.Expect(sameValue(sent[name], got[name]), "answered another %s than was sent, or none", name)
			}
			t.Expect(slices.Equal(ids(x.PhysicalDocuments, documentType), ids(body.PhysicalDocuments, sentType)),
				"answered %d documents, or of other types; %d were sent", len(x.PhysicalDocuments), len(body.PhysicalDocuments))
			member, without := "fund_id", "payer_id"
			if m == api.PayoutMethodCashPickup || m == api.PayoutMethodHomeDelivery {
				member, without = without, member
			}
			sentTo, gotTo := toOf(sent), toOf(got)
			for _, name := range []string{"id", "payout_method", member} {
				t.Expect(sameValue(sentTo[name], gotTo[name]), "answered another to.%s than was sent, or none", name)
			}
			lacks(t, gotTo, without)
			if t.Full() { // who the receive users of the fixtures are is not known
				known := probe.Object(t, probe.ReceiveUserRequest(t.Target().Facts.Destination))
				for _, name := range receiverMembers {
					t.Expect(known[name] == gotTo[name], "answered another to.%s than that of the receive user, or none", name)
				}
			}
		})
	}
}

// echoTexts sends texts that are easily taken for careless or for none.
func echoTexts(t *probe.T) {
	s := t.Sender()
	body := fullTransaction(t, s, t.Receiver(s, api.PayoutMethodBankDeposit))
	for _, c := range []struct{ name, note, customPurpose, remittancePurpose, ip string }{
		{"usual texts", *body.Note, *body.CustomPurpose, *body.RemittancePurpose, "203.0.113.7"},
		{"white space", " a note \n\tof  two lines ", "  <b>rent</b> \U00010437", "\trent ", "2001:db8::7"},
		{"empty texts", "", "", "", "::1"},
		{"500 characters", strings.Repeat("é", 500), strings.Repeat("b", 500), strings.Repeat("c", 500), "2001:db8:1111:2222:3333:4444:5555:6666"},
	} {
		t.Case(c.name, func() {
			body.Note, body.CustomPurpose, body.RemittancePurpose, body.IPAddress = &c.note, &c.customPurpose, &c.remittancePurpose, &c.ip
			sent, got := probe.Object(t, body), probe.Object(t, createTransaction(t, s, body))
			for _, name := range []string{"note", "purpose", "custom_purpose", "ip_address"} {
				t.Expect(sent[name] == got[name], "answered another %s than was sent, or none", name)
			}
		})
	}
}

func notReturned(t *probe.T) {
	s := t.Sender()
	t.Case("pickup_location and remittance_purpose", func() {
		p := payerWithLocations(t)
		body := t.Payout(s, t.At(t.Receiver(s, api.PayoutMethodCashPickup).ID, p), "1.00")
		body.To = withMember(t, body.To, "pickup_location", p.PickupLocation[0].ID)
		body.RemittancePurpose = probe.Ptr("Family support")
		r, err := t.Create(s.UserID, "", body)
		probe.OK(t, r, err)
		lacks(t, toOf(members(t, r)), "pickup_location")
		t.Expect(!bytes.Contains(r.Body, []byte(*body.RemittancePurpose)), "answered remittance_purpose, under whatever name")
	})
	t.Case("the content of documents", func() {
		body := t.Payout(s, t.Receiver(s, api.PayoutMethodBankDeposit), "1.00")
		body.PhysicalDocuments = threeDocuments()
		r, err := t.Create(s.UserID, "", body)
		probe.OK(t, r, err)
		t.Expect(!bytes.Contains(r.Body, []byte("document_value")) && !bytes.Contains(r.Body, []byte("JVBERi0xLjcK")), "answered the content of a document")
	})
	if t.Full() { // which payer the account of the fixtures has is not known
		t.Case("the payer of a wallet", func() {
			body := t.Payout(s, t.Receiver(s, api.PayoutMethodWallet), "1.00")
			body.To = withMember(t, body.To, "payer_id", t.AnyPayer(api.PayoutMethodWallet).ID)
			r, err := t.Create(s.UserID, "", body)
			probe.OK(t, r, err)
			lacks(t, toOf(members(t, r)), "payer_id")
		})
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
