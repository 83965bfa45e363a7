package checks

import (
	"bytes"
	"strings"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// Copies of documents as data URIs: the first bytes of a PNG and of a PDF, as in the examples of the contract, and a whole GIF
// and SVG.
const (
	documentPNG = "data:image/png;base64,iVBORw0KGgo="
	documentPDF = "data:application/pdf;base64,JVBERi0xLjcK"
	documentGIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
	documentSVG = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4="
)

func usersDocuments() []probe.Check {
	registration := []string{"createUser"}
	return []probe.Check{
		{
			ID: "users.documents.echo", Title: "Each document is answered in its place with an id of its own and all that was sent, but the content of copies",
			Clauses: []string{"2.5-business", "2.5-physical-document", "2.5-virtual-document", "D-13", "D-15"}, Operations: registration,
			Fix: "Answer the documents of both kinds of user in the order in which they were sent, up to 20 of each form, each with a generated id.",
			Run: func(t *probe.T) {
				many := func(u *api.UserRequest) {
					for i := range 20 {
						u.PhysicalDocuments = append(u.PhysicalDocuments, api.PhysicalDocumentRequest{DocumentType: "STATE_ID", DocumentValue: documentPNG})
						u.VirtualDocuments = append(u.VirtualDocuments, api.VirtualDocumentRequest{DocumentType: "PASSPORT", DocumentValue: inDigits(int64(i))})
					}
				}
				for name, body := range map[string]api.UserRequest{
					"an individual": t.UserRequest(withDocuments), "a business": business(t, withDocuments), "20 of each form": t.UserRequest(many),
				} {
					t.Case(name, func() { echoesDocuments(t, body) })
				}
			},
		},
		{
			ID: "users.physical-documents.content-hidden", Title: "The content of a physical document is never answered",
			Clauses: []string{"2.5-physical-document", "D-15"}, Operations: []string{"createUser", "getUser"},
			Fix: "Leave document_value of physical documents out of every answer.",
			Run: contentHidden,
		},
		{
			ID: "users.physical-documents.accepted", Title: "A copy may be an image of any type or a PDF, of several hundred kilobytes",
			Clauses: []string{"2.5-physical-document", "D-15"}, Operations: registration,
			Fix: "Accept data URIs of image/* and application/pdf, as long as a body may be; scans are large.",
			Run: func(t *probe.T) {
				for _, value := range []string{documentPNG, documentGIF, documentSVG, documentPDF, documentPDF + strings.Repeat("JVBERi0x", 1<<16)} {
					register(t, t.UserRequest(withCopy(value)))
				}
			},
		},
		{
			ID: "users.physical-documents.refused", Title: "A copy of any other media type or form, or whose content is not base64, is refused with 400",
			Clauses: []string{"D-15"}, Operations: registration,
			Fix: "Refuse other media types than image/* and application/pdf, and decode the content: refuse what is cut off, has " +
				"other characters, line breaks or too much padding, or is empty. Media types have no parameters.",
			Run: func(t *probe.T) {
				for _, value := range []string{
					"data:text/plain;base64,aGVsbG8=", "data:application/zip;base64,UEsDBA==", "data:;base64,aGVsbG8=",
					"data:image/png;base64,iVBORw0KGg", "data:image/png;base64,iVBO*w0KGgo=", "data:image/png;base64,", "data:image/png,iVBORw0KGgo=",
					"data:image/png;base64,iVBO\nRw0KGgo=", "data:image/png;base64,AAAA=", "data:image/png;charset=utf-8;base64,iVBORw0KGgo=",
				} {
					t.Case(value, func() {
						r, err := t.Client().CreateUserWithResponse(t.Context(), nil, t.UserRequest(withCopy(value)))
						t.Refused(r, err, 400, badRequest, "body /physical_documents/0/document_value")
					})
				}
			},
		},
	}
}

// echoesDocuments registers a user with documents of both forms.
func echoesDocuments(t *probe.T, body api.UserRequest) {
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
	u := probe.OK(t, r, err)
	sent := probe.Object(t, body)
	copies, _ := sent["physical_documents"].([]any)
	for _, d := range copies {
		delete(d.(map[string]any), "document_value") //nolint:forcetypeassert // a document is an object
	}
	for _, name := range []string{"physical_documents", "virtual_documents"} {
		for _, pointer := range notEchoed("/"+name, sent[name], members(t, r)[name]) {
			t.Failf("%s was sent and did not come back with the same value", pointer)
		}
	}
	ownIDs(t, ids(u.PhysicalDocuments, func(d api.PhysicalDocument) uuid.UUID { return d.ID }))
	ownIDs(t, ids(u.VirtualDocuments, func(d api.VirtualDocument) uuid.UUID { return d.ID }))
}

// withDocuments adds two documents of each form; the second of each has its required fields only.
func withDocuments(u *api.UserRequest) {
	u.PhysicalDocuments = []api.PhysicalDocumentRequest{
		{
			DocumentType: "STATE_ID", DocumentValue: documentPNG,
			Country: &u.Country, ExpiryDate: date("2091-04-12"), State: probe.Ptr("CA"),
		},
		{DocumentType: "INVOICE", DocumentValue: documentPDF},
	}
	u.VirtualDocuments = []api.VirtualDocumentRequest{
		{
			DocumentType: "PASSPORT", DocumentValue: "000000001",
			Country: &u.Country, ExpiryDate: date("2092-04-12"), State: probe.Ptr("NV"), IDIssuingAuthority: probe.Ptr("Sample authority"),
		},
		{DocumentType: "SSN", DocumentValue: "000000002"},
	}
}

// withCopy adds one physical document.
func withCopy(value string) func(*api.UserRequest) {
	return func(u *api.UserRequest) {
		u.PhysicalDocuments = []api.PhysicalDocumentRequest{{DocumentType: "STATE_ID", DocumentValue: value}}
	}
}

// ownIDs fails the check where an id is missing or is that of several.
func ownIDs(t *probe.T, all []uuid.UUID) {
	seen := map[uuid.UUID]bool{uuid.Nil: true}
	for i, id := range all {
		t.Expect(!seen[id], "element %d has no id of its own", i)
		seen[id] = true
	}
}

// contentHidden looks for the content itself too: it could come back under another name.
func contentHidden(t *probe.T) {
	hidden := func(what string, a probe.Answer) {
		content := strings.TrimPrefix(documentPNG, "data:image/png;base64,")
		t.Expect(!bytes.Contains(a.GetBody(), []byte("document_value")) && !bytes.Contains(a.GetBody(), []byte(content)),
			"%s answered the content of a physical document", what)
	}
	created, err := t.Client().CreateUserWithResponse(t.Context(), nil, t.UserRequest(withCopy(documentPNG)))
	u := probe.OK(t, created, err)
	hidden("the registration", created)
	if t.Full() {
		read, err := t.Client().GetUserWithResponse(t.Context(), u.ID)
		probe.OK(t, read, err)
		hidden("the reading", read)
	}
}
