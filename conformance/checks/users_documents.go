package checks

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// Copies of documents as data URIs: the first bytes of a PNG and of a PDF, as in the examples of the contract, and a whole GIF.
const (
	documentPNG = "data:image/png;base64,iVBORw0KGgo="
	documentPDF = "data:application/pdf;base64,JVBERi0xLjcK"
	documentGIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
	documentICO = "data:image/vnd.microsoft.icon;base64,AAABAAEAAQEAAA=="
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
			ID: "users.physical-documents.accepted", Title: "A copy may be an image of any type but SVG, or a PDF, of several hundred kilobytes",
			Clauses: []string{"2.5-physical-document", "D-15"}, Operations: registration,
			Fix: "Accept data URIs of image/* and application/pdf, as long as a body may be; scans are large.",
			Run: func(t *probe.T) {
				for _, value := range []string{documentPNG, documentGIF, documentICO, documentPDF, documentPDF + strings.Repeat("JVBERi0x", 1<<16)} {
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
		{
			ID: "users.physical-documents.markup", Title: "A copy that is SVG, HTML or XML is refused with 400, whatever media type it declares",
			Clauses: []string{"D-63"}, Operations: registration,
			Fix: "Refuse image/svg+xml, and look at the beginning of the content: refuse what begins with < after white space or a byte order mark, also in UTF-16 and UTF-32.",
			Run: func(t *probe.T) {
				const script = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
				// widened writes the script with bytes before and after each of its own.
				widened := func(before, after string) string {
					var wide strings.Builder
					for _, c := range script {
						wide.WriteString(before + string(c) + after)
					}
					return wide.String()
				}
				for name, of := range map[string]struct{ mediaType, content string }{
					"SVG":                               {"image/svg+xml", script},
					"the media type of SVG in capitals": {"image/SVG+XML", script},
					"the media type of SVG alone":       {"image/svg+xml", "\x89PNG\r\n\x1a\n"},
					"SVG that declares PNG":             {"image/png", script},
					"SVG that declares PDF":             {"application/pdf", script},
					"XML with SVG after white space":    {"image/png", " \r\n\t\n" + `<?xml version="1.0"?>` + script},
					"HTML":                              {"image/jpeg", "<!DOCTYPE html><title>x</title>"},
					"HTML that goes on as PDF":          {"application/pdf", "<html><!--\n%PDF-1.7\n"},
					"SVG after a byte order mark":       {"image/png", "\xEF\xBB\xBF" + script},
					"SVG in UTF-16, little-endian":      {"image/png", "\xFF\xFE" + widened("", "\x00")},
					"SVG in UTF-16, big-endian":         {"image/png", "\xFE\xFF" + widened("\x00", "")},
					"SVG in UTF-16 without a mark":      {"image/png", widened("\x00", "")},
					"SVG in UTF-32":                     {"image/png", widened("\x00\x00\x00", "")},
				} {
					t.Case(name, func() {
						value := "data:" + of.mediaType + ";base64," + base64.StdEncoding.EncodeToString([]byte(of.content))
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
