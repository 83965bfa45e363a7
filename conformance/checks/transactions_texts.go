package checks

import (
	"slices"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// echoTexts sends usual texts, and those that are easily taken for careless or for none.
func echoTexts(t *probe.T) {
	s := t.Sender()
	body := fullTransaction(t, s)
	for _, edit := range []func(){
		func() {},
		func() {
			body.Note, body.CustomPurpose = probe.Ptr(" a note \n\tof  two lines "), probe.Ptr("  <b>rent</b> ")
			body.IPAddress = probe.Ptr("2001:db8::7")
		},
		func() { body.Note, body.CustomPurpose = probe.Ptr(""), probe.Ptr("") },
	} {
		edit()
		sent, answered := probe.Object(t, body), probe.Object(t, createTransaction(t, s, body))
		for _, name := range []string{"note", "purpose", "custom_purpose", "ip_address"} {
			t.Expect(sent[name] == answered[name], "answered another %s than was sent, or none", name)
		}
	}
}

// mostTransactionDocuments is about the size of the list of documents.
func mostTransactionDocuments() []probe.Check {
	return []probe.Check{{
		ID: "transactions.documents.most", Title: "A transaction may have 20 documents",
		Clauses: []string{"2.6-request", "D-13"}, Operations: []string{"createTransaction"},
		Fix: "Accept 20 physical documents, and keep them all.",
		Run: func(t *probe.T) {
			const most = 20
			s, body := t.Deposit()
			body.PhysicalDocuments = slices.Repeat([]api.TransactionDocumentRequest{{DocumentType: "INVOICE", DocumentValue: pdf}}, most)
			n := len(createTransaction(t, s, body).PhysicalDocuments)
			t.Expect(n == most, "answered %d documents, want %d", n, most)
		},
	}}
}
