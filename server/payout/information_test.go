package payout_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// update sends further information about a user of the client acme.
func (w *world) update(t *testing.T, u payout.User, sent payout.UserProfile) payout.User {
	t.Helper()
	updated, err := w.UpdateUser(t.Context(), w.acme, u.ID, sent)
	return ok(t, updated, err)
}

// addDocuments adds documents to a user of the client acme.
func (w *world) addDocuments(t *testing.T, u payout.User, all ...payout.Document) payout.User {
	t.Helper()
	updated, replayed, err := w.CreateDocuments(t.Context(), w.acme, noKey, u.ID, all)
	return created(t, updated, replayed, err)
}

// tags reads the CIP tags of a user of the client acme.
func (w *world) tags(t *testing.T, u payout.User) map[string]payout.CIPStatus {
	t.Helper()
	info, err := w.CIPInfo(t.Context(), w.acme, u.ID)
	return ok(t, info, err).Tags
}

// D-72: only what is sent changes, and becomes SUBMIT.
func TestFurtherInformationChangesWhatIsSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := w.register(t, individual("US"))
	w.verify(t, u, payout.Verification{Status: payout.KYCVerified, Tags: map[string]payout.CIPStatus{
		"FIRST_NAME": payout.CIPVerified, "LAST_NAME": payout.CIPReviewing, "EMAIL": payout.CIPFailed, "CITY": payout.CIPRequested,
	}})
	got := w.update(t, u, payout.UserProfile{LastName: "Sample", Email: "new@example.com", City: "Reno", IPAddress: "203.0.113.7"})
	want := u
	want.Status = payout.KYCVerified
	want.Profile.LastName, want.Profile.Email, want.Profile.City, want.Profile.IPAddress = "Sample", "new@example.com", "Reno", "203.0.113.7"
	if !reflect.DeepEqual(got, want) {
		t.Errorf("updated to\n%+v, want\n%+v", got, want)
	}
	if read, err := w.User(t.Context(), w.acme, u.ID); !reflect.DeepEqual(ok(t, read, err), want) {
		t.Errorf("read\n%+v, want\n%+v", read, want)
	}
	if tags, want := w.tags(t, u), map[string]payout.CIPStatus{
		"FIRST_NAME": payout.CIPVerified, "LAST_NAME": payout.CIPSubmit, "EMAIL": payout.CIPSubmit, "CITY": payout.CIPSubmit,
		"IP_ADDRESS": payout.CIPSubmit, "COUNTRY": payout.CIPSubmit,
	}; !maps.Equal(tags, want) {
		t.Errorf("tags %v, want %v", tags, want)
	}
}

// D-72: the value that the user has answers a request, and changes nothing else: a repeat may arrive at any time.
func TestTheSameValueAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for before, after := range map[payout.CIPStatus]payout.CIPStatus{
		payout.CIPSubmit: payout.CIPSubmit, payout.CIPReviewing: payout.CIPReviewing, payout.CIPVerified: payout.CIPVerified,
		payout.CIPFailed: payout.CIPSubmit, payout.CIPRequested: payout.CIPSubmit,
	} {
		for tag, sent := range map[string]payout.UserProfile{
			"EMAIL": {Email: "office@example.com"}, "MAILING_ADDRESS": {MailingAddress: address("Reno", "Floor 2")},
		} {
			registered := business("US")
			registered.Profile.MailingAddress = address("Reno", "Floor 2")
			u := w.register(t, registered)
			w.verify(t, u, payout.Verification{Tags: map[string]payout.CIPStatus{tag: before}})
			if got := w.update(t, u, sent); !reflect.DeepEqual(got, u) || w.tags(t, u)[tag] != after {
				t.Errorf("%s was %s and is %s, want %s: %+v", tag, before, w.tags(t, u)[tag], after, got)
			}
		}
	}
}

func address(city, second string) *payout.MailingAddress {
	return &payout.MailingAddress{Country: "US", City: city, AddressLine2: payout.NullableText{Sent: true, Text: &second}}
}

// A postal address is replaced as a whole: parts of two would be one that nobody sent.
func TestAMailingAddressIsOneValue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	registered := business("US")
	registered.Profile.MailingAddress = address("Reno", "Floor 2")
	u := w.register(t, registered)
	next := &payout.MailingAddress{AddressLine1: "1 Road", City: "Elko"}
	if got := w.update(t, u, payout.UserProfile{MailingAddress: next}).Profile.MailingAddress; !reflect.DeepEqual(got, next) {
		t.Errorf("the address is %+v", got)
	}
	_, err := w.UpdateUser(t.Context(), w.acme, u.ID, payout.UserProfile{MailingAddress: &payout.MailingAddress{}})
	refused(t, err, payout.CodeBadRequest, "/mailing_address")
}

// D-72: what is VERIFIED keeps its value. All such members are named, and nothing of the request is written.
func TestVerifiedInformationIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	registered := business("US")
	registered.Profile.MailingAddress = address("Reno", "Floor 2")
	u := w.register(t, registered)
	tags := map[string]payout.CIPStatus{}
	for _, tag := range []string{"FIRST_NAME", "CITY", "MAILING_ADDRESS", "EIN_DOC"} { // CITY without a value
		tags[tag] = payout.CIPVerified
	}
	before := w.verify(t, u, payout.Verification{Tags: tags})
	_, err := w.UpdateUser(t.Context(), w.acme, u.ID, payout.UserProfile{
		FirstName: "Example Inc", City: "Reno", Email: "new@example.com", MailingAddress: address("Reno", "Floor 3"),
	})
	if got, want := fieldsOf(t, err, payout.CodeInformationVerified), []string{"/first_name", "/city", "/mailing_address"}; !slices.Equal(got, want) {
		t.Errorf("refused for %q, want %q", got, want)
	}
	_, _, err = w.CreateDocuments(t.Context(), w.acme, noKey, u.ID, []payout.Document{
		{Kind: payout.PhysicalDocument, Type: "STATE_ID"}, {Kind: payout.PhysicalDocument, Type: "EIN"},
		{Kind: payout.VirtualDocument, Type: "EIN_NUMBER", Value: "1"},
	})
	refused(t, err, payout.CodeInformationVerified, "/physical_documents/1")
	if read, err := w.User(t.Context(), w.acme, u.ID); !reflect.DeepEqual(ok(t, read, err), u) || !maps.Equal(w.tags(t, u), before.Tags) {
		t.Errorf("the user is %+v", read)
	}
}

// The rules of a registration hold for what is sent (D-13, D-61), and only for that: a user may be older than a rule.
func TestFurtherInformationFollowsTheRulesOfTheRegistration(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	person, company := w.register(t, individual("US")), w.register(t, business("US"))
	all := payout.UserProfile{
		MiddleName: "M", LastName: "B", Gender: "F", Occupation: "Nurse", BusinessType: "LLC", UserScope: "RETAIL",
		CompanyWebsite: "example.com", NumberOfEmployee: "ONE", SourceOfFund: "Sales", TxnFrequency: "WEEKLY", NoOfTxnPerMonth: "4",
		MailingAddress: &payout.MailingAddress{Country: "XX"}, DateOfBirth: "1899-12-31",
	}
	for id, want := range map[payout.UserID][]string{
		person.ID: {
			"/business_type", "/user_scope", "/company_website", "/number_of_employee", "/source_of_fund", "/txn_frequency",
			"/no_of_txn_per_month", "/mailing_address", "/mailing_address/country", "/date_of_birth",
		},
		company.ID: {"/middle_name", "/last_name", "/gender", "/occupation", "/mailing_address/country", "/date_of_birth"},
	} {
		_, err := w.UpdateUser(t.Context(), w.acme, id, all)
		if got := fieldsOf(t, err, payout.CodeBadRequest); !slices.Equal(got, want) {
			t.Errorf("refused for %q, want %q", got, want)
		}
	}
	_, _, err := w.CreateDocuments(t.Context(), w.acme, noKey, person.ID, []payout.Document{
		{Kind: payout.PhysicalDocument, Type: "STATE_ID"}, {Kind: payout.VirtualDocument, Type: "SSN", Country: "XX"},
	})
	refused(t, err, payout.CodeBadRequest, "/virtual_documents/0/country")
	_, _, err = w.CreateDocuments(t.Context(), w.acme, noKey, person.ID, nil)
	refused(t, err, payout.CodeBadRequest, "/physical_documents")
}

// Further documents come after the others, and set their tags.
func TestFurtherDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	registered := individual("US")
	registered.Documents = []payout.Document{{Kind: payout.VirtualDocument, Type: "INVOICE", Value: "1"}}
	u := w.register(t, registered)
	w.addDocuments(t, u, payout.Document{Kind: payout.VirtualDocument, Type: "INVOICE", Value: "2"})
	if tags := w.tags(t, u); tags["ID_DOC"] != "" {
		t.Errorf("an invoice is %s as ID_DOC", tags["ID_DOC"])
	}
	got := w.addDocuments(t, u, payout.Document{Kind: payout.PhysicalDocument, Type: "STATE_ID", MediaType: "image/png", Content: []byte("scan")},
		payout.Document{Kind: payout.VirtualDocument, Type: "SSN", Value: "3", Country: "US", State: "CA", ExpiryDate: "2031-04-12", IssuingAuthority: "a"})
	got.Documents[2].Content = nil // never read back
	read, err := w.User(t.Context(), w.acme, u.ID)
	if ok(t, read, err); !reflect.DeepEqual(read, got) {
		t.Errorf("read\n%+v, want\n%+v", read, got)
	}
	var types []string
	seen := map[payout.DocumentID]bool{}
	for _, d := range read.Documents {
		types, seen[d.ID] = append(types, d.Type), true
	}
	if want := []string{"INVOICE", "INVOICE", "STATE_ID", "SSN"}; !slices.Equal(types, want) || len(seen) != 4 {
		t.Errorf("documents %q with %d ids, want %q", types, len(seen), want)
	}
	if tags := w.tags(t, u); tags["ID_DOC"] != payout.CIPSubmit {
		t.Errorf("ID_DOC is %s", tags["ID_DOC"])
	}
}

// D-72: a user has at most 100 documents.
func TestAUserHasABoundedNumberOfDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	number := payout.Document{Kind: payout.VirtualDocument, Type: "SSN", Value: "1"}
	registered := individual("US")
	registered.Documents = slices.Repeat([]payout.Document{number}, 40)
	u := w.register(t, registered)
	w.addDocuments(t, u, slices.Repeat([]payout.Document{number}, 20)...)
	_, _, err := w.CreateDocuments(t.Context(), w.acme, noKey, u.ID, slices.Repeat([]payout.Document{number}, 41))
	refused(t, err, payout.CodeTooManyDocuments, "/virtual_documents")
	if got := w.addDocuments(t, u, slices.Repeat([]payout.Document{number}, 40)...); len(got.Documents) != 100 {
		t.Errorf("%d documents", len(got.Documents))
	}
	_, _, err = w.CreateDocuments(t.Context(), w.acme, noKey, u.ID, []payout.Document{number})
	refused(t, err, payout.CodeTooManyDocuments, "/virtual_documents")
	if n := w.count(t); n.Documents != 100 {
		t.Errorf("%d documents are kept", n.Documents)
	}
}
