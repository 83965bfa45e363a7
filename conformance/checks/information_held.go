package checks

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// registeredWithAll registers with the members of D-39 that the document does not have.
func registeredWithAll(t *probe.T) {
	person, company := map[string]any{"middle_name": "Devi", "occupation": "Nurse"},
		map[string]any{"source_of_fund": "Sale of software", "txn_frequency": "WEEKLY", "no_of_txn_per_month": "8 to 10"}
	for _, c := range []struct {
		registration api.UserRequest
		own, foreign map[string]any
	}{{individual(t), person, company}, {business(t), company, person}} {
		send := func(more map[string]any) probe.Reply {
			body := probe.Object(t, c.registration)
			maps.Copy(body, more)
			return t.Send(probe.Request{Method: http.MethodPost, Path: "/users", Body: body})
		}
		bare := members(t, send(nil))
		lacks(t, bare, slices.Sorted(maps.Keys(c.own))...)
		want := cipInfo(t, uuid.MustParse(idIn(t, bare))).CipInfo
		u := members(t, send(c.own))
		for name, value := range c.own {
			t.Expect(u[name] == value, "%s was sent and is answered as %v", name, u[name])
			want[strings.ToUpper(name)] = api.CipStatusSubmit
		}
		id := uuid.MustParse(idIn(t, u))
		same(t, "the user that is read and the answer to the registration", readBack(t, probe.UserPath(id)), any(u))
		wantTags(t, cipInfo(t, id).CipInfo, want)
		for name, value := range c.foreign {
			t.Case(name, func() { t.Refused(send(map[string]any{name: value}), nil, 400, badRequest, "body /"+name) })
		}
	}
}

// sendsAllThatIsRequired goes from tier to tier: each time it sends what a transaction waits for, has it verified, and
// releases the transaction.
func sendsAllThatIsRequired(t *probe.T, tags []string, edit ...func(*api.UserRequest)) {
	p, top := lowPurse(t, tags, edit...), highestTierOf(t, tags, edit...).CurrentTier
	release := api.TransactionMoveRequest{Status: api.TransactionStatusProcessing}
	for l := p.limit(); l.CurrentTier < top; {
		triable(t, smallest(l.RemainingLimit))
		r, err := p.send(plus(t, smallest(l.RemainingLimit), cent))
		v := probe.Setup(t, r, err)
		if len(v.RequiredInformation) == 0 {
			t.Fatalf("required_information is empty for an amount above the remaining limit of tier %d", l.CurrentTier)
		}
		for _, tag := range v.RequiredInformation {
			p.submit(tag, len(edit) > 0)
		}
		held, err := p.move(v, release)
		t.Refused(held, err, 422, api.ErrorCodeInformationRequired)
		p.verify(tagsWith(v.RequiredInformation, api.CipStatusVerified))
		released, err := p.move(v, release)
		status := probe.OK(t, released, err).Status
		t.Expect(status == api.TransactionStatusProcessing, "it became %s", status)
		now := p.limit()
		if now.CurrentTier <= l.CurrentTier {
			t.Fatalf("current_tier is %d with all that was required VERIFIED, and was %d", now.CurrentTier, l.CurrentTier)
		}
		l = now
	}
}

// submit sends the member or the document of a tag, which must become SUBMIT.
func (p purse) submit(tag string, business bool) {
	if body, ofDocument := documentOf[tag]; ofDocument {
		r, err := p.t.Client().CreateDocumentsWithResponse(p.t.Context(), p.UserID, nil, body)
		probe.OK(p.t, r, err)
	} else {
		all := pick(updates(p.t, business), func(m update) bool { return m.tag == tag })
		if len(all) == 0 {
			p.t.Fatalf("%s is required, and nothing submits it", tag)
		}
		updated(p.t, p.UserID, all[0].body)
	}
	status := p.tags()[tag]
	p.t.Expect(status == api.CipStatusSubmit, "%s was sent and is %q, want SUBMIT", tag, status)
}

// documentOf has a document for each tag that only a document submits.
var documentOf = map[string]api.UserDocumentsRequest{
	"ID_DOC":                       {PhysicalDocuments: []api.PhysicalDocumentRequest{scan("STATE_ID")}},
	"EIN_DOC":                      {PhysicalDocuments: []api.PhysicalDocumentRequest{scan("EIN")}},
	"EIN_NUMBER":                   {VirtualDocuments: []api.VirtualDocumentRequest{number("EIN_NUMBER")}},
	"CERTIFICATE_OF_INCORPORATION": {PhysicalDocuments: []api.PhysicalDocumentRequest{scan("CERTIFICATE_OF_INCORPORATION")}},
	"ACCOUNT_OPERATOR_INFO":        {VirtualDocuments: []api.VirtualDocumentRequest{number("SSN")}},
}
