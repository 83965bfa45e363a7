package checks

import (
	"net/http"
	"time"

	"github.com/oapi-codegen/nullable"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// users is about registration and reading of users.
func users() []probe.Check {
	registration := []string{"createUser"}
	return append([]probe.Check{
		{
			ID: "users.registration.new", Title: "A new user is an UNVERIFIED individual without sending capability, and what was not sent is absent from the answer",
			Clauses: []string{"2.5-business", "2.5-response", "3-user", "3-move-user", "4-note-2", "D-11", "D-13", "D-14", "D-34", "D-46"}, Operations: registration,
			Fix: "Answer UNVERIFIED, business: false and the current time in UTC, and leave out what was not sent instead of answering a default, null, an empty text or list.",
			Run: func(t *probe.T) {
				r, err := t.Client().CreateUserWithResponse(t.Context(), nil, t.UserRequest(func(u *api.UserRequest) { u.LastName, u.Type = nil, nil }))
				u := probe.OK(t, r, err)
				t.Expect(u.Status == api.KycStatusUnverified, "answered status %q, want UNVERIFIED", u.Status)
				t.Expect(!u.Business, "answered business: true")
				isNow(t, u.CreatedAt.Time, r.HTTPResponse.Header)
				lacks(t, members(t, r), "last_name", "type", "gender", "date_of_birth", "address_line1", "mobile_phone", "city", "zipcode", "state",
					"ip_address", "business_type", "user_scope", "company_website", "number_of_employee", "mailing_address",
					"physical_documents", "virtual_documents")
			},
		},
		{
			ID: "users.registration.new-id", Title: "Each registration without a key makes a new user, also with the same email address",
			Clauses: []string{"3-move-user", "4-users", "D-47"}, Operations: registration,
			Fix: "Generate an id for each registration, and take an email address more than once, however it is written.",
			Run: func(t *probe.T) {
				seen, name := map[openapi_types.UUID]bool{}, probe.NewKey()
				for _, email := range []string{name + "@example.com", name + "@example.com", name + "@EXAMPLE.COM"} {
					seen[register(t, t.UserRequest(func(u *api.UserRequest) { u.Email = email })).ID] = true
				}
				t.Expect(len(seen) >= 3, "three registrations answered %d ids", len(seen))
			},
		},
		{
			ID: "users.registration.corridor", Title: "A sending user needs an enabled originating corridor",
			Clauses: []string{"1-rule-1", "D-09", "D-18"}, Operations: registration,
			Fix: "Refuse type SEND with 422 CORRIDOR_NOT_ENABLED for a country that is not an enabled originating corridor.",
			Run: func(t *probe.T) {
				r, err := t.Client().CreateUserWithResponse(t.Context(), nil, t.UserRequest(func(u *api.UserRequest) {
					u.Country = t.Target().Facts.DisabledCountry
				}))
				t.Refused(r, err, 422, api.ErrorCodeCorridorNotEnabled)
			},
		},
		{
			ID: "users.registration.impossible", Title: "A country that ISO 3166-1 does not know is refused with 400",
			Clauses: []string{"D-13"}, Operations: registration,
			Fix: "Look countries up in the list of ISO 3166-1, in addresses and documents too.",
			Run: impossible,
		},
		{
			ID: "users.registration.birth", Title: "A date of birth before 1900-01-01 or in the future is refused with 400, any other is accepted",
			Clauses: []string{"D-61"}, Operations: registration,
			Fix: "Compare date_of_birth with 1900-01-01 and with today in UTC; an expired document is accepted.",
			Run: func(t *probe.T) {
				for day, accepted := range map[string]bool{
					"1899-12-31": false, "0001-01-01": false, "2999-01-01": false, "1900-01-01": true, "2000-02-29": true,
					time.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly): false, time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly): true,
				} {
					t.Case(day, func() {
						r, err := t.Client().CreateUserWithResponse(t.Context(), nil, t.UserRequest(func(u *api.UserRequest) {
							u.DateOfBirth = date(day)
							u.VirtualDocuments = []api.VirtualDocumentRequest{{DocumentType: "PASSPORT", DocumentValue: "1", ExpiryDate: date("1899-12-31")}}
						}))
						if accepted {
							probe.OK(t, r, err)
						} else {
							t.Refused(r, err, 400, badRequest, "body /date_of_birth")
						}
					})
				}
			},
		},
		{
			ID: "users.registration.destination", Title: "A user is registered to send from a destination only where that is an originating corridor too",
			Clauses: []string{"1-rule-1", "D-09", "D-18"}, Operations: []string{"createUser", "createTransaction"},
			Fix: "Look for the country of a user with type SEND among the originating corridors of the client, not among the destinations.",
			Run: sendingFromDestination,
		},
		{
			ID: "users.registration.without-corridor", Title: "A user without sending capability may be in any country",
			Clauses: []string{"1-rule-1", "D-18"}, Operations: registration,
			Fix: "Ask for an originating corridor only where type is SEND.",
			Run: func(t *probe.T) {
				for _, country := range []string{t.Target().Facts.DisabledCountry, t.Target().Facts.Destination} {
					register(t, t.UserRequest(func(u *api.UserRequest) { u.Country, u.Type = country, nil }))
				}
			},
		},
		{
			ID: "users.registration.echo", Title: "A user is answered with all that was sent, as an individual and as a business",
			Clauses: []string{"2.5-individual", "2.5-business", "2.5-response", "4-users", "D-46"}, Operations: registration,
			Fix: "Keep every documented field of both kinds of user, the mailing address with null and absent apart, and answer it with the value that was sent.",
			Run: func(t *probe.T) {
				null := func(u *api.UserRequest) { u.MailingAddress.AddressLine2 = nullable.NewNullNullable[string]() }
				absent := func(u *api.UserRequest) { u.MailingAddress.AddressLine2 = nil }
				for name, body := range map[string]api.UserRequest{
					"an individual": individual(t), "a business": business(t), "address_line2 is null": business(t, null), "no address_line2": business(t, absent),
				} {
					t.Case(name, func() {
						r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
						probe.OK(t, r, err)
						echoes(t, body, r)
						address, _ := members(t, r)["mailing_address"].(map[string]any)
						if body.MailingAddress != nil && body.MailingAddress.AddressLine2 == nil {
							lacks(t, address, "address_line2")
						}
					})
				}
			},
		},
		{
			ID: "users.registration.kinds", Title: "An individual with a field of a business, and a business with last_name or gender, are refused with 400",
			Clauses: []string{"2.5-business", "D-13"}, Operations: registration,
			Fix: "Refuse business_type, user_scope, company_website, number_of_employee and mailing_address unless business is true, and last_name and gender where it is.",
			Run: func(t *probe.T) {
				person := func(edit func(*api.UserRequest)) api.UserRequest { return t.UserRequest(edit) }
				company := func(edit func(*api.UserRequest)) api.UserRequest { return business(t, edit) }
				for field, body := range map[string]api.UserRequest{
					"business_type":      person(func(u *api.UserRequest) { u.BusinessType = probe.Ptr("LLC") }),
					"user_scope":         person(func(u *api.UserRequest) { u.UserScope = probe.Ptr("COMPUTER_TECHNOLOGY") }),
					"company_website":    person(func(u *api.UserRequest) { u.CompanyWebsite = probe.Ptr("www.example.com") }),
					"number_of_employee": person(func(u *api.UserRequest) { u.NumberOfEmployee = probe.Ptr("BETWEEN_25_TO_50") }),
					"mailing_address": person(func(u *api.UserRequest) {
						u.MailingAddress = &api.MailingAddressRequest{City: probe.Ptr("Sample City")}
					}),
					"last_name": company(func(u *api.UserRequest) { u.LastName = probe.Ptr("Conformance") }),
					"gender":    company(func(u *api.UserRequest) { u.Gender = probe.Ptr("FEMALE") }),
				} {
					r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
					t.Refused(r, err, 400, badRequest, "body /"+field)
				}
			},
		},
		{
			ID: "users.registration.forms", Title: "Names, addresses, numbers and codes in any form that the contract allows are accepted, and come back unchanged",
			Clauses: []string{"2.5-individual", "2.5-business", "2.5-response", "D-16", "D-33", "D-41", "D-50"}, Operations: registration,
			Fix: "Keep texts as they were sent: no transliteration, trimming, change of case or conversion to numbers, and no rules stricter than those of the contract.",
			Run: allowedForms,
		},
		{
			ID: "users.read", Title: "A user is read as the registration answered it",
			Clauses: []string{"2.5-business", "2.5-response", "D-20", "D-34", "D-46"}, Operations: []string{"createUser", "getUser"}, Needs: probe.Extensions,
			Fix: "Answer the same user for GET /users/{user_id} as for its registration, with its documents and nothing that was not sent.",
			Run: func(t *probe.T) {
				null := func(u *api.UserRequest) { u.MailingAddress.AddressLine2 = nullable.NewNullNullable[string]() }
				absent := func(u *api.UserRequest) { u.MailingAddress.AddressLine2 = nil }
				for name, body := range map[string]api.UserRequest{
					"an individual": individual(t, withDocuments), "no type": t.UserRequest(func(u *api.UserRequest) { u.Type = nil }),
					"a business": business(t, withScan("EIN"), withNumber("EIN_NUMBER")), "address_line2 is null": business(t, null), "no address_line2": business(t, absent),
				} {
					t.Case(name, func() {
						created := prepare(t, "/users", body)
						sameMembers(t, created, readBack(t, "/users/"+idIn(t, created)))
					})
				}
			},
		},
	}, usersDocuments()...)
}

// sendingFromDestination takes the answers of the server for what the destination is: one that may be sent from too has a
// corridor, so that the next rule answers a transaction.
func sendingFromDestination(t *probe.T) {
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, t.UserRequest(func(u *api.UserRequest) { u.Country = t.Target().Facts.Destination }))
	if err != nil || r.JSON200 == nil {
		t.Refused(r, err, 422, api.ErrorCodeCorridorNotEnabled)
		return
	}
	x, err := t.Create(r.JSON200.ID, "", unmet(t, r.JSON200.ID))
	t.Refused(x, err, 422, api.ErrorCodeKycNotEligible)
}

// isNow compares a time with the server's own clock where it sends one: that of the suite may be wrong.
func isNow(t *probe.T, at time.Time, h http.Header) {
	const tolerance = 5 * time.Minute // much less than the difference of two time zones
	now := time.Now()
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	apart := at.Sub(now).Abs()
	t.Expect(apart <= tolerance, "a time is %v away from the time of the answer", apart.Round(time.Minute))
}

// register registers a user; the registration is what the check is about.
func register(t *probe.T, body api.UserRequest) api.User {
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
	return probe.OK(t, r, err)
}

// individual is the registration of an individual sender with every field but documents; edit changes it.
func individual(t *probe.T, edit ...func(*api.UserRequest)) api.UserRequest {
	return t.UserRequest(append([]func(*api.UserRequest){everyPlainField, func(u *api.UserRequest) { u.Gender = probe.Ptr("FEMALE") }}, edit...)...)
}

// business is the registration of a business sender with every field but documents; edit changes it.
func business(t *probe.T, edit ...func(*api.UserRequest)) api.UserRequest {
	return t.UserRequest(append([]func(*api.UserRequest){everyPlainField, func(u *api.UserRequest) {
		u.FirstName, u.LastName, u.Business = "Conformance LLC", nil, probe.Ptr(true)
		u.BusinessType, u.UserScope = probe.Ptr("LLC"), probe.Ptr("COMPUTER_TECHNOLOGY")
		u.CompanyWebsite, u.NumberOfEmployee = probe.Ptr("https://www.example.com"), probe.Ptr("BETWEEN_25_TO_50")
		u.MailingAddress = &api.MailingAddressRequest{
			Country: &u.Country, City: probe.Ptr("Mailing City"), AddressLine1: probe.Ptr("5 Conformance Road"),
			AddressLine2: nullable.NewNullableWithValue("Floor 2"), Zipcode: probe.Ptr("94106"), State: probe.Ptr("NV"),
		}
	}}, edit...)...)
}

// asBusiness makes a business of a registration.
func asBusiness(t *probe.T) func(*api.UserRequest) {
	return func(u *api.UserRequest) { *u = business(t) }
}

// everyPlainField sets the fields that both kinds of user have. No two values are the same: none can stand for another.
func everyPlainField(u *api.UserRequest) {
	u.DateOfBirth, u.AddressLine1 = date("1990-04-12"), probe.Ptr("1 Conformance Road")
	u.MobilePhone, u.City, u.Zipcode = probe.Ptr("14155550100"), probe.Ptr("Sample City"), probe.Ptr("94105")
	u.State, u.IPAddress = probe.Ptr("CA"), probe.Ptr("203.0.113.7")
}

// date reads a constant such as 1990-04-12.
func date(text string) *openapi_types.Date {
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return &openapi_types.Date{Time: d}
}

// impossible sends what has the form of the contract and cannot be. XX is a code that ISO 3166-1 never assigns.
func impossible(t *probe.T) {
	const nowhere = "XX"
	copied := api.PhysicalDocumentRequest{DocumentType: "STATE_ID", DocumentValue: documentPNG, Country: probe.Ptr(nowhere)}
	number := api.VirtualDocumentRequest{DocumentType: "PASSPORT", DocumentValue: "1", Country: probe.Ptr(nowhere)}
	for field, body := range map[string]api.UserRequest{
		"/country":                      t.UserRequest(func(u *api.UserRequest) { u.Country, u.Type = nowhere, nil }),
		"/mailing_address/country":      business(t, func(u *api.UserRequest) { u.MailingAddress.Country = probe.Ptr(nowhere) }),
		"/physical_documents/0/country": t.UserRequest(func(u *api.UserRequest) { u.PhysicalDocuments = []api.PhysicalDocumentRequest{copied} }),
		"/virtual_documents/0/country":  t.UserRequest(func(u *api.UserRequest) { u.VirtualDocuments = []api.VirtualDocumentRequest{number} }),
	} {
		t.Case(field, func() {
			r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
			t.Refused(r, err, 400, badRequest, "body "+field)
		})
	}
}
