package checks

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// information is D-72: what is sent about a user after the registration.
func information() []probe.Check {
	updating := []string{"updateUser", "getUser", "getCipInfo"}
	return append([]probe.Check{
		{
			ID: "information.update.only-sent", Title: "Each member that is sent changes, and no other; the answer is the user as it is read afterwards",
			Clauses: []string{"D-72"}, Operations: updating, Needs: probe.Extensions,
			Fix: "Change the members of the body, leave all others as they are, and answer the whole user with its documents.",
			Run: onlySent,
		},
		{
			ID: "information.update.tags", Title: "Each member that is sent becomes its tag with SUBMIT, and no other tag changes",
			Clauses: []string{"D-25", "D-39", "D-72"}, Operations: updating, Needs: probe.Extensions,
			Fix: "Set the tag of each member that gets another value to SUBMIT, whatever it was but VERIFIED.",
			Run: func(t *probe.T) {
				for _, business := range []bool{false, true} {
					for i, m := range updates(t, business) {
						if m.tag == "" {
							continue
						}
						before := []api.CipStatus{api.CipStatusSubmit, api.CipStatusReviewing, api.CipStatusFailed, api.CipStatusRequested}[i%4]
						u := registered(t, business)
						info := t.Verify(u.ID, "", map[string]api.CipStatus{m.tag: before, "COUNTRY": api.CipStatusReviewing}).CipInfo
						if info == nil {
							t.Fatalf("a user is answered without cip_info")
						}
						updated(t, u.ID, m.body)
						info[m.tag] = api.CipStatusSubmit
						t.Case(fmt.Sprintf("%s from %s", m.name, before), func() { wantTags(t, cipInfo(t, u.ID).CipInfo, info) })
					}
				}
			},
		},
		{
			ID: "information.update.same-value", Title: "The value that a user has is accepted again: it answers REQUESTED and FAILED, and leaves other tags alone",
			Clauses: []string{"D-72"}, Operations: updating, Needs: probe.Extensions,
			Fix: "Compare each member with what is stored; set the tag of an equal one to SUBMIT only if it is REQUESTED or FAILED.",
			Run: sameValueAgain,
		},
		{
			ID: "information.update.verified", Title: "A member that is VERIFIED and would change is refused with 422, each is named, and nothing of the request is written",
			Clauses: []string{"D-09", "D-72"}, Operations: updating, Needs: probe.Extensions,
			Fix: "Compare the members whose tags are VERIFIED before anything is written, and answer 422 INFORMATION_VERIFIED naming all that differ.",
			Run: verifiedIsKept,
		},
		{
			ID: "information.update.rules", Title: "The rules of a registration hold for further information",
			Clauses: []string{"D-13", "D-61", "D-72"}, Operations: []string{"updateUser"}, Needs: probe.Extensions,
			Fix: "Refuse with 400 what the kind of user has not, countries that ISO 3166-1 does not know, and dates of birth that cannot be; an unknown user answers 404 before.",
			Run: func(t *probe.T) {
				for _, c := range []struct {
					business bool
					field    string
					body     api.UserUpdateRequest
				}{
					{false, "/business_type", api.UserUpdateRequest{BusinessType: probe.Ptr("LLC")}},
					{false, "/user_scope", api.UserUpdateRequest{UserScope: probe.Ptr("RETAIL")}},
					{false, "/company_website", api.UserUpdateRequest{CompanyWebsite: probe.Ptr("www.example.com")}},
					{false, "/number_of_employee", api.UserUpdateRequest{NumberOfEmployee: probe.Ptr("ONE")}},
					{false, "/source_of_fund", api.UserUpdateRequest{SourceOfFund: probe.Ptr("Sales")}},
					{false, "/txn_frequency", api.UserUpdateRequest{TxnFrequency: probe.Ptr("WEEKLY")}},
					{false, "/no_of_txn_per_month", api.UserUpdateRequest{NoOfTxnPerMonth: probe.Ptr("4")}},
					{false, "/mailing_address", api.UserUpdateRequest{MailingAddress: &api.MailingAddressRequest{City: probe.Ptr("Reno")}}},
					{true, "/middle_name", api.UserUpdateRequest{MiddleName: probe.Ptr("Devi")}},
					{true, "/last_name", api.UserUpdateRequest{LastName: probe.Ptr("Conformance")}},
					{true, "/gender", api.UserUpdateRequest{Gender: probe.Ptr("FEMALE")}},
					{true, "/occupation", api.UserUpdateRequest{Occupation: probe.Ptr("Nurse")}},
					{true, "/mailing_address/country", api.UserUpdateRequest{MailingAddress: &api.MailingAddressRequest{Country: probe.Ptr("XX")}}},
					{true, "/mailing_address", api.UserUpdateRequest{MailingAddress: &api.MailingAddressRequest{}}},
					{false, "/date_of_birth", api.UserUpdateRequest{DateOfBirth: date("1899-12-31")}},
					{true, "/date_of_birth", api.UserUpdateRequest{DateOfBirth: date("2999-01-01")}},
				} {
					t.Case(c.field, func() {
						r, err := t.Client().UpdateUserWithResponse(t.Context(), registered(t, c.business).ID, c.body)
						t.Refused(r, err, 400, badRequest, "body "+c.field)
					})
				}
				t.Case("an unknown user", func() {
					r, err := t.Client().UpdateUserWithResponse(t.Context(), uuid.New(), api.UserUpdateRequest{DateOfBirth: date("1899-12-31")})
					t.Refused(r, err, 404, api.ErrorCodeNotFound)
				})
			},
		},
		{
			ID: "information.update.fixed", Title: "country, type and business of a user cannot change, and no member can be removed",
			Clauses: []string{"D-72"}, Operations: []string{"updateUser"}, Needs: probe.Extensions,
			Fix: "Leave these members out of the schema, and refuse null and empty texts.",
			Run: func(t *probe.T) {
				u := registered(t, false)
				for field, value := range map[string]any{
					"country": u.Country, "type": "SEND", "business": false, "last_name": nil, "first_name": "", "city": "", "state": "", "email": "",
				} {
					t.Case(field, func() {
						t.Refused(patched(t, u.ID, map[string]any{field: value}), nil, 400, badRequest, "body /"+field)
					})
				}
				t.Case("nothing", func() {
					reply := patched(t, u.ID, map[string]any{})
					t.Expect(reply.Status == http.StatusOK, "a body without members is answered %d, want 200", reply.Status)
				})
			},
		},
		{
			ID: "information.update.mailing-address", Title: "A mailing address is replaced as a whole",
			Clauses: []string{"D-72"}, Operations: []string{"updateUser"}, Needs: probe.Extensions,
			Fix: "Store the address that was sent, without members of the one before.",
			Run: func(t *probe.T) {
				u := registered(t, true)
				for _, sent := range []map[string]any{{"city": "Reno", "zipcode": "89501"}, {"address_line2": nil}, {"address_line1": "1 Road", "address_line2": "Floor 3"}} {
					reply := patched(t, u.ID, map[string]any{"mailing_address": sent})
					t.Expect(reply.Status == http.StatusOK, "answered %d, want 200", reply.Status)
					same(t, "the address that was sent and that of the answer", members(t, reply)["mailing_address"], any(sent))
				}
			},
		},
		{
			ID: "information.update.concurrent", Title: "Of members that are sent at the same time none is lost",
			Clauses: []string{"D-72"}, Operations: updating, Needs: probe.Extensions,
			Fix: "Lock the user before it is read, so that requests about one user follow each other.",
			Run: concurrentUpdates,
		},
		{
			ID: "information.registration", Title: "What the tags are named after that the document gives no field is taken by a registration, answered, and becomes its tag",
			Clauses: []string{"2.7-individual", "2.7-business", "D-13", "D-39"}, Operations: []string{"createUser", "getUser", "getCipInfo"}, Needs: probe.Extensions,
			Fix: "Take middle_name and occupation of an individual and source_of_fund, txn_frequency and no_of_txn_per_month of a business, refuse those of the other kind, and set their tags to SUBMIT.",
			Run: registeredWithAll,
		},
		{
			ID: "information.held", Title: "All that a transaction above the tier waits for can be sent, in every tier; once it is VERIFIED the transaction is released",
			Clauses: []string{"2.7", "3-cip-requested", "D-17", "D-39", "D-66", "D-72"}, Needs: probe.Extensions,
			Operations: append(updating, "createDocuments", "createTransaction", "getTransactionLimit", "setVerification", "setTransactionStatus"),
			Fix:        "Let a member or a document submit each tag that a tier requires (D-39), and release on VERIFIED what was not VERIFIED at the creation.",
			Run: each(
				of("an individual", func(t *probe.T) { sendsAllThatIsRequired(t, individualTags) }),
				of("a business", func(t *probe.T) { sendsAllThatIsRequired(t, businessTags, asBusiness(t)) }),
			),
		},
	}, documentsSent()...)
}

// update is one member of further information. No registration of these checks has its value.
type update struct {
	name, tag string
	body      map[string]any
}

// updates returns one update for each member of a kind of user.
func updates(t *probe.T, business bool) []update {
	one := func(name, tag string, value any) update { return update{name, tag, map[string]any{name: value}} }
	all := []update{
		one("first_name", "FIRST_NAME", "Usha"), one("email", "EMAIL", "usha.conformance@example.com"), one("date_of_birth", "DATE_OF_BIRTH", "1991-05-13"),
		one("address_line1", "ADDRESS_LINE1", "2 Conformance Road"), one("mobile_phone", "PHONE_NUMBER", "14155550109"), one("city", "CITY", "Another City"),
		one("zipcode", "ZIP_CODE", "94109"), one("state", "STATE", "NV"),
	}
	if !business {
		return append(all, one("middle_name", "MIDDLE_NAME", "Devi"), one("last_name", "LAST_NAME", "Another"), one("gender", "GENDER", "MALE"),
			one("ip_address", "IP_ADDRESS", "203.0.113.9"), one("occupation", "OCCUPATION", "Night nurse"))
	}
	address := probe.Object(t, api.MailingAddressRequest{
		Country: probe.Ptr(t.Target().Facts.OriginCountry), City: probe.Ptr("Third City"), AddressLine1: probe.Ptr("6 Conformance Road"),
		AddressLine2: nullable.NewNullableWithValue("Floor 3"), Zipcode: probe.Ptr("94107"), State: probe.Ptr("NV"),
	})
	return append(all, one("ip_address", "", "203.0.113.9"), one("business_type", "COMPANY_TYPE", "PARTNERSHIP"), one("user_scope", "NATURE_OF_BUSINESS", "RETAIL"),
		one("company_website", "COMPANY_WEBSITE", "https://shop.example.com"), one("number_of_employee", "NO_OF_EMPLOYEE", "ONE"),
		one("source_of_fund", "SOURCE_OF_FUND", "Sale of software"), one("txn_frequency", "TXN_FREQUENCY", "twice a week"),
		one("no_of_txn_per_month", "NO_OF_TXN_PER_MONTH", "8 to 10"),
		one("mailing_address", "MAILING_ADDRESS", address))
}

// registered is a user with every member and with documents, as a set-up.
func registered(t *probe.T, ofBusiness bool) api.User {
	body := individual(t, withDocuments)
	if ofBusiness {
		body = business(t, withDocuments)
	}
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
	return probe.Setup(t, r, err)
}

// patched sends further information and returns any answer.
func patched(t *probe.T, user openapi_types.UUID, body any) probe.Reply {
	return t.Send(probe.Request{Method: http.MethodPatch, Path: probe.UserPath(user), Body: body})
}

// updated sends further information that must be accepted.
func updated(t *probe.T, user openapi_types.UUID, body any) probe.Reply {
	reply := patched(t, user, body)
	if reply.Status != http.StatusOK {
		t.Fatalf("%v is answered %d, want 200", slices.Sorted(maps.Keys(probe.Object(t, body))), reply.Status)
	}
	return reply
}

// onlySent sends each member alone, then all of them.
func onlySent(t *probe.T) {
	for _, business := range []bool{false, true} {
		u := registered(t, business)
		want, _ := readBack(t, probe.UserPath(u.ID)).(map[string]any)
		if want == nil {
			t.Fatalf("a user is answered as null")
		}
		all := map[string]any{}
		for _, m := range updates(t, business) {
			maps.Copy(want, m.body)
			reply := updated(t, u.ID, m.body)
			t.Case(m.name, func() { same(t, "the answer and the user with this member", jsonValue(t, reply), any(want)) })
			all[m.name] = map[string]any{"first_name": "Asha"}[m.name]
			if all[m.name] == nil {
				all[m.name] = m.body[m.name]
			}
		}
		maps.Copy(want, all)
		t.Case("all members", func() {
			same(t, "the answer and the user with these members", jsonValue(t, updated(t, u.ID, all)), any(want))
			same(t, "what is read and the user with these members", readBack(t, probe.UserPath(u.ID)), any(want))
		})
	}
	t.Case("a user who has what is required alone", func() {
		u := t.NewUser(bare)
		reply := updated(t, u.ID, api.UserUpdateRequest{FirstName: probe.Ptr("Usha")})
		same(t, "the answer and what is read", jsonValue(t, reply), readBack(t, probe.UserPath(u.ID)))
	})
}

func sameValueAgain(t *probe.T) {
	for _, business := range []bool{false, true} {
		u := registered(t, business)
		sent, want := map[string]any{}, map[string]api.CipStatus{}
		set := map[string]api.CipStatus{}
		for i, m := range updates(t, business) {
			sent[m.name] = m.body[m.name]
			if m.tag == "" {
				continue
			}
			set[m.tag] = cipStatuses[i%len(cipStatuses)]
			want[m.tag] = set[m.tag]
			if set[m.tag] == api.CipStatusRequested || set[m.tag] == api.CipStatusFailed {
				want[m.tag] = api.CipStatusSubmit
			}
		}
		first := members(t, updated(t, u.ID, sent))
		t.Verify(u.ID, "", set)
		for range 2 {
			same(t, "the answers to two equal requests", members(t, updated(t, u.ID, sent)), first)
			wantTags(t, cipInfo(t, u.ID).CipInfo, union(cipInfo(t, u.ID).CipInfo, want))
		}
	}
}

func verifiedIsKept(t *probe.T) {
	for _, business := range []bool{false, true} {
		u := registered(t, business)
		sent, verified := map[string]any{}, map[string]api.CipStatus{}
		var places []string
		for i, m := range updates(t, business) {
			sent[m.name] = m.body[m.name]
			if m.tag != "" && i%3 > 0 {
				verified[m.tag] = api.CipStatusVerified
				places = append(places, "body /"+m.name)
			}
		}
		info := t.Verify(u.ID, "", verified).CipInfo
		before := readBack(t, probe.UserPath(u.ID))
		answer := t.Refused(patched(t, u.ID, sent), nil, 422, api.ErrorCodeInformationVerified, places...)
		t.Expect(len(answer.Details) == len(places), "%d places are named, want the %d that are VERIFIED", len(answer.Details), len(places))
		same(t, "the user before and after a refusal", readBack(t, probe.UserPath(u.ID)), before)
		wantTags(t, cipInfo(t, u.ID).CipInfo, info)
		for _, m := range updates(t, business) { // each of them alone
			if verified[m.tag] != "" {
				t.Case(m.name, func() {
					t.Refused(patched(t, u.ID, m.body), nil, 422, api.ErrorCodeInformationVerified, "body /"+m.name)
				})
			}
		}
	}
}

// concurrentUpdates sends each member by itself, all at the same time.
func concurrentUpdates(t *probe.T) {
	for range 3 {
		u := registered(t, false)
		all := updates(t, false)
		replies := make([]probe.Reply, len(all))
		t.Together(len(all), func(ctx context.Context, i int) {
			replies[i], _ = t.TryIn(ctx, probe.Request{Method: http.MethodPatch, Path: probe.UserPath(u.ID), Body: all[i].body})
		})
		read, _ := readBack(t, probe.UserPath(u.ID)).(map[string]any)
		info := cipInfo(t, u.ID).CipInfo
		for i, m := range all {
			t.Expect(replies[i].Status == http.StatusOK, "%s is answered %d, want 200", m.name, replies[i].Status)
			t.Expect(read[m.name] == m.body[m.name] && info[m.tag] == api.CipStatusSubmit, "%s was sent at the same time as others, and is lost", m.name)
		}
	}
}

// documentsSent is about documents after the registration.
func documentsSent() []probe.Check {
	sending := []string{"createDocuments", "getUser", "getCipInfo"}
	return []probe.Check{
		{
			ID: "information.documents.added", Title: "Documents come after those that the user has, each with an id of its own, all that was sent but the content of copies, and their tag",
			Clauses: []string{"D-15", "D-39", "D-72"}, Operations: sending, Needs: probe.Extensions,
			Fix: "Add the documents in the order in which they were sent, set their tags to SUBMIT, and answer the user with all of them.",
			Run: addsDocuments,
		},
		{
			ID: "information.documents.verified", Title: "A document whose tag is VERIFIED is refused with 422, each is named, and none is added",
			Clauses: []string{"D-09", "D-72"}, Operations: sending, Needs: probe.Extensions,
			Fix: "Compare the tags of all documents before any is written, and answer 422 INFORMATION_VERIFIED naming each that is VERIFIED.",
			Run: func(t *probe.T) {
				u := registered(t, true)
				info := t.Verify(u.ID, "", map[string]api.CipStatus{"EIN_DOC": api.CipStatusVerified, "ACCOUNT_OPERATOR_INFO": api.CipStatusVerified}).CipInfo
				before := readBack(t, probe.UserPath(u.ID))
				r, err := t.Client().CreateDocumentsWithResponse(t.Context(), u.ID, nil, api.UserDocumentsRequest{
					PhysicalDocuments: []api.PhysicalDocumentRequest{scan("CERTIFICATE_OF_INCORPORATION"), scan("EIN")},
					VirtualDocuments:  []api.VirtualDocumentRequest{number("EIN_NUMBER"), number("SSN")},
				})
				answer := t.Refused(r, err, 422, api.ErrorCodeInformationVerified, "body /physical_documents/1", "body /virtual_documents/1")
				t.Expect(len(answer.Details) == 2, "%d places are named, want 2", len(answer.Details))
				same(t, "the user before and after a refusal", readBack(t, probe.UserPath(u.ID)), before)
				wantTags(t, cipInfo(t, u.ID).CipInfo, info)
				t.Case("a document without a tag", func() {
					r, err := t.Client().CreateDocumentsWithResponse(t.Context(), u.ID, nil, api.UserDocumentsRequest{
						PhysicalDocuments: []api.PhysicalDocumentRequest{scan("INVOICE")},
					})
					probe.OK(t, r, err)
				})
			},
		},
		{
			ID: "information.documents.most", Title: "A user has at most 100 documents; a request that would make them more adds none",
			Clauses: []string{"D-09", "D-72"}, Operations: sending, Needs: probe.Extensions,
			Fix: "Count the documents of the user, of both forms, and answer 422 TOO_MANY_DOCUMENTS where there would be more than 100.",
			Run: mostDocuments,
		},
		{
			ID: "information.documents.refused", Title: "A request without a document is refused with 400, and so is what a registration refuses",
			Clauses: []string{"D-13", "D-15", "D-63", "D-65", "D-72"}, Operations: []string{"createDocuments"}, Needs: probe.Extensions,
			Fix: "Look up the user first, then read documents as at the registration; without any, name a member in the details, which proves that nothing was created.",
			Run: func(t *probe.T) {
				u := t.NewUser()
				markup := scan("STATE_ID")
				markup.DocumentValue = "data:image/png;base64,PHN2Zz48L3N2Zz4="
				nowhere, empty := number("SSN"), []api.PhysicalDocumentRequest{}
				nowhere.Country = probe.Ptr("XX")
				for place, body := range map[string]api.UserDocumentsRequest{
					"/physical_documents": {}, "/physical_documents/0/document_value": {PhysicalDocuments: []api.PhysicalDocumentRequest{markup}},
					"/virtual_documents/1/country": {VirtualDocuments: []api.VirtualDocumentRequest{number("SSN"), nowhere}},
				} {
					t.Case(place, func() {
						r, err := t.Client().CreateDocumentsWithResponse(t.Context(), u.ID, nil, body)
						t.Refused(r, err, 400, badRequest, "body "+place)
					})
				}
				reply := t.Send(probe.Request{Method: http.MethodPost, Path: probe.UserPath(u.ID, "documents"), Body: map[string]any{"physical_documents": empty}})
				t.Refused(reply, nil, 400, badRequest, "body /physical_documents")
				t.Case("an unknown user", func() {
					r, err := t.Client().CreateDocumentsWithResponse(t.Context(), uuid.New(), nil, api.UserDocumentsRequest{})
					t.Refused(r, err, 404, api.ErrorCodeNotFound)
				})
			},
		},
	}
}

func scan(kind string) api.PhysicalDocumentRequest {
	return api.PhysicalDocumentRequest{DocumentType: kind, DocumentValue: documentPDF}
}

func number(kind string) api.VirtualDocumentRequest {
	return api.VirtualDocumentRequest{DocumentType: kind, DocumentValue: "000000003"}
}

// withInformation adds what only the extension takes of a registration.
func withInformation(u *api.UserRequest) {
	if u.Business != nil && *u.Business {
		u.SourceOfFund, u.TxnFrequency, u.NoOfTxnPerMonth = probe.Ptr("Sale of software"), probe.Ptr("Monthly"), probe.Ptr("About 30")
	} else {
		u.MiddleName, u.Occupation = probe.Ptr("Kumari"), probe.Ptr("Nurse")
	}
}

// addsDocuments sends the documents of a registration, with all their members, to a user who has some.
func addsDocuments(t *probe.T) {
	for name, body := range map[string]api.UserRequest{
		"an individual": individual(t, withDocuments, withInformation), "a business": business(t, withDocuments, withInformation),
		"what is required alone": t.UserRequest(withDocuments), "a business without an address": t.UserRequest(asBusiness(t), withDocuments, func(u *api.UserRequest) { u.MailingAddress = &api.MailingAddressRequest{} }),
	} {
		t.Case(name, func() {
			first := t.NewUser(func(u *api.UserRequest) { *u = body })
			sent := api.UserDocumentsRequest{PhysicalDocuments: body.PhysicalDocuments, VirtualDocuments: body.VirtualDocuments}
			r, err := t.Client().CreateDocumentsWithResponse(t.Context(), first.ID, nil, sent)
			u := probe.OK(t, r, err)
			t.Expect(!strings.Contains(string(r.Body), strings.TrimPrefix(documentPNG, "data:image/png;base64,")), "the content of a copy is answered")
			want := probe.Object(t, body)
			for _, list := range []string{"physical_documents", "virtual_documents"} {
				documents, _ := want[list].([]any)
				for _, d := range documents {
					if list == "physical_documents" {
						delete(d.(map[string]any), "document_value") //nolint:forcetypeassert // a document is an object
					}
				}
				for _, pointer := range notEchoed("/"+list, any(append(slices.Clone(documents), documents...)), members(t, r)[list]) {
					t.Failf("%s is not in its place", pointer)
				}
			}
			ownIDs(t, ids(u.PhysicalDocuments, func(d api.PhysicalDocument) openapi_types.UUID { return d.ID }))
			ownIDs(t, ids(u.VirtualDocuments, func(d api.VirtualDocument) openapi_types.UUID { return d.ID }))
			same(t, "what is answered and what is read", readBack(t, probe.UserPath(first.ID)), jsonValue(t, r))
		})
	}
	for tag, documents := range documentOf {
		t.Case(tag, func() {
			for _, before := range []api.CipStatus{api.CipStatusSubmit, api.CipStatusReviewing, api.CipStatusFailed, api.CipStatusRequested} {
				u := registered(t, slices.Contains(businessTags, tag))
				want := t.Verify(u.ID, "", map[string]api.CipStatus{tag: before, "EMAIL": api.CipStatusReviewing}).CipInfo
				if want == nil {
					t.Fatalf("a user is answered without cip_info")
				}
				r, err := t.Client().CreateDocumentsWithResponse(t.Context(), u.ID, nil, documents)
				probe.OK(t, r, err)
				want[tag] = api.CipStatusSubmit
				wantTags(t, cipInfo(t, u.ID).CipInfo, want)
			}
		})
	}
}

func mostDocuments(t *probe.T) {
	many := func(copies, numbers int) api.UserDocumentsRequest {
		return api.UserDocumentsRequest{
			PhysicalDocuments: slices.Repeat([]api.PhysicalDocumentRequest{scan("STATE_ID")}, copies),
			VirtualDocuments:  slices.Repeat([]api.VirtualDocumentRequest{number("SSN")}, numbers),
		}
	}
	u := t.NewUser(withDocuments) // 4
	add := func(copies, numbers int) (*api.CreateDocumentsResponse, error) {
		return t.Client().CreateDocumentsWithResponse(t.Context(), u.ID, nil, many(copies, numbers))
	}
	for _, n := range [][2]int{{20, 20}, {20, 20}} {
		r, err := add(n[0], n[1])
		probe.OK(t, r, err)
	}
	r, err := add(8, 9)
	t.Refused(r, err, 422, api.ErrorCodeTooManyDocuments)
	r, err = add(8, 8)
	full := probe.OK(t, r, err)
	t.Expect(len(full.PhysicalDocuments) == 50 && len(full.VirtualDocuments) == 50,
		"%d copies and %d numbers are answered, want 50 of each", len(full.PhysicalDocuments), len(full.VirtualDocuments))
	for _, n := range [][2]int{{1, 0}, {0, 1}} {
		r, err := add(n[0], n[1])
		t.Refused(r, err, 422, api.ErrorCodeTooManyDocuments)
	}
}
