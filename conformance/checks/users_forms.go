package checks

import (
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// Forms that the contract allows and that rules of other systems refuse.
var (
	allowedEmails = []string{"asha+payouts@example.com", "o'asha_x.y@mail.example.co.uk"}
	allowedPhones = []string{"1415", "1415555010012345", "14155550100123456789"}
	allowedIPs    = []string{"2001:db8::7", "::1", "2001:db8:1111:2222:3333:4444:5555:6666"}
)

// longestUsers fill every text of a registration that the contract bounds, of a person and of a business.
var longestUsers = []func(*api.UserRequest){
	func(u *api.UserRequest) {
		u.LastName = probe.Ptr(strings.Repeat("é", 200))
		u.VirtualDocuments = []api.VirtualDocumentRequest{{
			DocumentType: "PASSPORT", DocumentValue: strings.Repeat("1", 100), IDIssuingAuthority: probe.Ptr(strings.Repeat("a", 200)),
		}}
	},
	func(u *api.UserRequest) {
		u.FirstName, u.LastName, u.Business = strings.Repeat("a", 200), nil, probe.Ptr(true)
		u.AddressLine1 = probe.Ptr(strings.Repeat("b", 255))
		u.City, u.Zipcode = probe.Ptr(strings.Repeat("c", 100)), probe.Ptr(strings.Repeat("1", 20))
		u.Email = strings.Repeat("d", 64) + "@" + strings.Repeat(strings.Repeat("e", 60)+".", 3) + "ab.com"
		u.CompanyWebsite = probe.Ptr("https://www.example.com/" + strings.Repeat("f", 2024))
		u.MailingAddress = &api.MailingAddressRequest{
			AddressLine1: probe.Ptr(strings.Repeat("g", 255)), AddressLine2: nullable.NewNullableWithValue(strings.Repeat("h", 255)),
			City: probe.Ptr(strings.Repeat("i", 100)), Zipcode: probe.Ptr(strings.Repeat("2", 20)),
		}
	},
}

// usersForms is about what a registration must not refuse and not change.
func usersForms() []probe.Check {
	registration := []string{"createUser"}
	return []probe.Check{
		{
			ID: "users.registration.emails", Title: "An email address may have signs in its local part and several labels in its domain",
			Clauses: []string{"2.5-individual", "D-50"}, Operations: registration,
			Fix: "Accept plus signs and apostrophes in the local part, and domains of any number of labels.",
			Run: func(t *probe.T) {
				for _, email := range allowedEmails {
					keeps(t, t.UserRequest(func(u *api.UserRequest) { u.Email = email }), "email")
				}
			},
		},
		{
			ID: "users.registration.email-case", Title: "An email address comes back with the capitals that were sent",
			Clauses: []string{"2.5-response"}, Operations: registration,
			Fix: "Keep email as it was sent; compare in small letters where that is wanted, and store the original.",
			Run: func(t *probe.T) {
				email := "Asha." + probe.NewKey() + "@Example.COM" // which nobody has written in another way
				keeps(t, t.UserRequest(func(u *api.UserRequest) { u.Email = email }), "email")
			},
		},
		{
			ID: "users.registration.phones", Title: "A phone number may have 4 to 20 digits",
			Clauses: []string{"2.5-individual", "D-41"}, Operations: registration,
			Fix: "Accept every mobile_phone of 4 to 20 digits: the bounds are wider than those of E.164.",
			Run: func(t *probe.T) {
				for _, phone := range allowedPhones {
					keeps(t, t.UserRequest(func(u *api.UserRequest) { u.MobilePhone = &phone }), "mobile_phone")
				}
			},
		},
		{
			ID: "users.registration.ipv6", Title: "The IP address of a user may be one of IPv6",
			Clauses: []string{"2.5-individual", "D-50"}, Operations: registration,
			Fix: "Accept IPv6 as well as IPv4 for ip_address, shortened or not, and answer it as it was sent.",
			Run: func(t *probe.T) {
				for _, ip := range allowedIPs {
					keeps(t, t.UserRequest(func(u *api.UserRequest) { u.IPAddress = &ip }), "ip_address")
				}
			},
		},
		{
			ID: "users.registration.state-codes", Title: "The code of a state has 1 to 3 characters, as in ISO 3166-2",
			Clauses: []string{"2.5-individual", "D-33"}, Operations: registration,
			Fix: "Accept codes of one and of three characters as well as those of two, of letters and of digits, also in documents.",
			Run: stateCodes,
		},
		{
			ID: "users.registration.white-space", Title: "Names and addresses come back with the white space that was sent",
			Clauses: []string{"2.5-response"}, Operations: registration,
			Fix: "Do not trim texts, and do not join spaces.",
			Run: func(t *probe.T) {
				keeps(t, t.UserRequest(func(u *api.UserRequest) {
					u.FirstName, u.LastName = " Asha ", probe.Ptr("van  der Conformance ")
					u.AddressLine1, u.City = probe.Ptr(" 1 Conformance Road"), probe.Ptr("Sample  City ")
				}), "first_name", "last_name", "address_line1", "city")
			},
		},
		{
			ID: "users.registration.zipcode", Title: "A zip code is a text: it comes back with its leading zeros",
			Clauses: []string{"2.5-response"}, Operations: registration,
			Fix: "Keep zipcode as text, never as a number.",
			Run: func(t *probe.T) {
				for _, code := range []string{"02139", "00000"} {
					keeps(t, t.UserRequest(func(u *api.UserRequest) { u.Zipcode = &code }), "zipcode")
				}
			},
		},
		{
			ID: "users.business.any-website", Title: "The website of a business is any text, with or without a scheme",
			Clauses: []string{"2.5-business", "D-50"}, Operations: registration,
			Fix: "Leave company_website to those who verify the business: accept any text of at most 2048 characters.",
			Run: func(t *probe.T) {
				for _, site := range []string{"www.example.com", "example.com/shop, soon"} {
					keeps(t, business(t, func(u *api.UserRequest) { u.CompanyWebsite = &site }), "company_website")
				}
			},
		},
		{
			ID: "users.documents.most", Title: "A user may have 20 documents of each form",
			Clauses: []string{"2.5-physical-document", "2.5-virtual-document", "D-13"}, Operations: registration,
			Fix: "Accept 20 physical and 20 virtual documents, whatever their types, and keep them all.",
			Run: mostDocuments,
		},
	}
}

// stateCodes takes codes of countries that have no such ones of two characters. Who does not send may be in any country.
func stateCodes(t *probe.T) {
	for _, of := range [][2]string{{"GB", "ENG"}, {"MX", "AGU"}, {"AT", "9"}, {"AR", "C"}} {
		country, code := of[0], of[1]
		body := t.UserRequest(func(u *api.UserRequest) {
			u.Country, u.State, u.Type = country, &code, nil
			u.VirtualDocuments = []api.VirtualDocumentRequest{{DocumentType: "PASSPORT", DocumentValue: "1", Country: &country, State: &code}}
		})
		keeps(t, body, "state")
	}
}

func mostDocuments(t *probe.T) {
	const most = 20
	body := t.UserRequest(func(u *api.UserRequest) {
		for range most {
			u.PhysicalDocuments = append(u.PhysicalDocuments, api.PhysicalDocumentRequest{DocumentType: "STATE_ID", DocumentValue: documentPNG})
			u.VirtualDocuments = append(u.VirtualDocuments, api.VirtualDocumentRequest{DocumentType: "PASSPORT", DocumentValue: uuid.NewString()})
		}
	})
	u := register(t, body)
	t.Expect(len(u.PhysicalDocuments) == most && len(u.VirtualDocuments) == most,
		"answered %d physical and %d virtual documents, want %d of each", len(u.PhysicalDocuments), len(u.VirtualDocuments), most)
}

// businessDocuments looks at the types only: their members are checked elsewhere.
func businessDocuments(t *probe.T) {
	body := business(t, withDocuments)
	u := register(t, body)
	copies := ids(u.PhysicalDocuments, func(d api.PhysicalDocument) string { return d.DocumentType })
	t.Expect(slices.Equal(copies, ids(body.PhysicalDocuments, func(d api.PhysicalDocumentRequest) string { return d.DocumentType })),
		"answered %d physical documents, or of other types; %d were sent", len(copies), len(body.PhysicalDocuments))
	numbers := ids(u.VirtualDocuments, func(d api.VirtualDocument) string { return d.DocumentType })
	t.Expect(slices.Equal(numbers, ids(body.VirtualDocuments, func(d api.VirtualDocumentRequest) string { return d.DocumentType })),
		"answered %d virtual documents, or of other types; %d were sent", len(numbers), len(body.VirtualDocuments))
}

// keeps registers a user and expects these members as they were sent. Whether all others come back is checked elsewhere.
func keeps(t *probe.T, body api.UserRequest, names ...string) {
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
	probe.OK(t, r, err)
	sent, got := probe.Object(t, body), members(t, r)
	for _, name := range names {
		for _, pointer := range notEchoed("/"+name, sent[name], got[name]) {
			t.Failf("%s was sent and did not come back with the same value", pointer)
		}
	}
}
