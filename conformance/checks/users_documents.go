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
			ID: "users.physical-documents.all-fields", Title: "Each physical document is answered with an id of its own and all that was sent but its content",
			Clauses: []string{"2.5-physical-document", "D-15"}, Operations: registration,
			Fix: "Answer the copies in the order in which they were sent, each with a generated id.",
			Run: physicalDocuments,
		},
		{
			ID: "users.physical-documents.content-hidden", Title: "The content of a physical document is never answered",
			Clauses: []string{"2.5-physical-document", "D-15"}, Operations: []string{"createUser", "getUser"},
			Fix: "Leave document_value of physical documents out of every answer.",
			Run: contentHidden,
		},
		{
			ID: "users.physical-documents.media-types", Title: "A copy may be an image of any type, or a PDF",
			Clauses: []string{"2.5-physical-document", "D-15"}, Operations: registration,
			Fix: "Accept data URIs of image/* and application/pdf.",
			Run: func(t *probe.T) {
				for _, value := range []string{documentPNG, documentGIF, documentSVG, documentPDF} {
					register(t, t.UserRequest(withCopy(value)))
				}
			},
		},
		{
			ID: "users.physical-documents.large", Title: "A copy of several hundred kilobytes is accepted",
			Clauses: []string{"D-15"}, Operations: registration,
			Fix: "Take copies as long as a body may be; scans are large.",
			Run: func(t *probe.T) { register(t, t.UserRequest(withCopy(documentPDF+strings.Repeat("JVBERi0x", 1<<16)))) },
		},
		{
			ID: "users.physical-documents.other-media", Title: "A copy of any other media type is refused with 400",
			Clauses: []string{"D-15"}, Operations: registration,
			Fix: "Refuse data URIs of other media types than image/* and application/pdf.",
			Run: func(t *probe.T) {
				for _, value := range []string{"data:text/plain;base64,aGVsbG8=", "data:application/zip;base64,UEsDBA==", "data:;base64,aGVsbG8="} {
					refusedCopy(t, value)
				}
			},
		},
		{
			ID: "users.physical-documents.broken-content", Title: "A copy whose content is not base64 is refused with 400",
			Clauses: []string{"D-15"}, Operations: registration,
			Fix: "Decode the content: refuse what is cut off, holds other characters, or is empty.",
			Run: func(t *probe.T) {
				for _, value := range []string{"data:image/png;base64,iVBORw0KGg", "data:image/png;base64,iVBO*w0KGgo=", "data:image/png;base64,", "data:image/png,iVBORw0KGgo="} {
					refusedCopy(t, value)
				}
			},
		},
		{
			ID: "users.virtual-documents.all-fields", Title: "Each virtual document is answered with an id of its own and all that was sent, its number too",
			Clauses: []string{"2.5-virtual-document"}, Operations: registration,
			Fix: "Answer the numbers in the order in which they were sent, each with a generated id and its document_value.",
			Run: virtualDocuments,
		},
	}
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

func refusedCopy(t *probe.T, value string) {
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, t.UserRequest(withCopy(value)))
	t.Refused(r, err, 400, api.ErrorCodeBadRequest, "body /physical_documents/0/document_value")
}

func physicalDocuments(t *probe.T) {
	body := t.UserRequest(withDocuments)
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
	u := probe.OK(t, r, err)
	sent := probe.Object(t, body)["physical_documents"]
	for _, d := range sent.([]any) {
		delete(d.(map[string]any), "document_value")
	}
	for _, pointer := range notEchoed("/physical_documents", sent, members(t, r)["physical_documents"]) {
		t.Failf("%s was sent and did not come back with the same value", pointer)
	}
	ownIDs(t, ids(u.PhysicalDocuments, func(d api.PhysicalDocument) uuid.UUID { return d.ID }))
}

func virtualDocuments(t *probe.T) {
	body := t.UserRequest(withDocuments)
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
	u := probe.OK(t, r, err)
	for _, pointer := range notEchoed("/virtual_documents", probe.Object(t, body)["virtual_documents"], members(t, r)["virtual_documents"]) {
		t.Failf("%s was sent and did not come back with the same value", pointer)
	}
	ownIDs(t, ids(u.VirtualDocuments, func(d api.VirtualDocument) uuid.UUID { return d.ID }))
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
