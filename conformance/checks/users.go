package checks

import (
	"net/http"
	"slices"
	"time"

	"github.com/oapi-codegen/nullable"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// users is about registration and reading of users.
func users() []probe.Check {
	return slices.Concat(usersRegistration(), usersKinds(), usersForms(), usersDocuments(), readingOfUsers, []probe.Check{
		{
			ID: "users.read", Title: "A user is read as the registration answered it",
			Clauses: []string{"2.5-response", "D-20"}, Operations: []string{"createUser", "getUser"}, Needs: probe.Extensions,
			Fix: "Answer the same user for GET /users/{user_id} as for its registration, documents included.",
			Run: func(t *probe.T) {
				created, err := t.Client().CreateUserWithResponse(t.Context(), nil, individual(t, withDocuments))
				user := probe.Setup(t, created, err)
				read, err := t.Client().GetUserWithResponse(t.Context(), user.ID)
				probe.OK(t, read, err)
				for _, pointer := range notEchoed("", members(t, created), members(t, read)) {
					t.Failf("%s is not what the registration answered", pointer)
				}
			},
		},
		{
			ID: "users.read-without-type", Title: "A user that was registered without type is read without one",
			Clauses: []string{"2.5-response", "D-34", "D-46"}, Operations: []string{"getUser"}, Needs: probe.Extensions,
			Fix: "Leave type out of every answer about a user that may not send.",
			Run: func(t *probe.T) {
				user := t.NewUser(func(u *api.UserRequest) { u.Type = nil })
				read, err := t.Client().GetUserWithResponse(t.Context(), user.ID)
				probe.OK(t, read, err)
				lacks(t, members(t, read), "type")
			},
		},
	})
}

func usersRegistration() []probe.Check {
	registration := []string{"createUser"}
	return []probe.Check{
		{
			ID: "users.registration.unverified", Title: "A new user is UNVERIFIED",
			Clauses: []string{"2.5-response", "3-user", "3-move-user", "4-note-2", "D-11"}, Operations: registration,
			Fix: "Register users with the status UNVERIFIED.",
			Run: func(t *probe.T) {
				u := register(t, t.UserRequest())
				t.Expect(u.Status == api.KycStatusUnverified, "answered status %q", u.Status)
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
			ID: "users.registration.created-at", Title: "created_at is the time of the registration, in UTC",
			Clauses: []string{"2.5-response", "D-14"}, Operations: registration,
			Fix: "Write the current time in UTC, whatever the time zone of the server.",
			Run: createdNow,
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
			ID: "users.registration.without-type", Title: "A user registered without type has none",
			Clauses: []string{"2.5-response", "D-34"}, Operations: registration,
			Fix: "Leave type out of the answer where it was not sent: SEND is never a default.",
			Run: func(t *probe.T) {
				r, err := t.Client().CreateUserWithResponse(t.Context(), nil, t.UserRequest(func(u *api.UserRequest) { u.Type = nil }))
				probe.OK(t, r, err)
				lacks(t, members(t, r), "type")
			},
		},
		{
			ID: "users.registration.absent-fields", Title: "What was not sent is absent from the answer",
			Clauses: []string{"2.5-response", "D-46"}, Operations: registration,
			Fix: "Leave out what was not sent instead of answering null, an empty text or an empty list.",
			Run: func(t *probe.T) {
				r, err := t.Client().CreateUserWithResponse(t.Context(), nil, t.UserRequest(func(u *api.UserRequest) { u.LastName = nil }))
				probe.OK(t, r, err)
				lacks(t, members(t, r), "last_name", "gender", "date_of_birth", "address_line1", "mobile_phone", "city", "zipcode", "state",
					"ip_address", "business_type", "user_scope", "company_website", "number_of_employee", "mailing_address",
					"physical_documents", "virtual_documents")
			},
		},
		{
			ID: "users.registration.any-script", Title: "Names come back as they were sent, in any script",
			Clauses: []string{"2.5-response", "D-16"}, Operations: registration,
			Fix: "Keep text as it is: no transliteration, no Unicode normalization, no loss beyond the basic plane.",
			Run: func(t *probe.T) {
				for _, name := range []string{
					"A\u030agnes", // a letter and a combining mark, which have a form in one character too
					"\u0906\u0936\u093e \u0928\u0947\u092a\u093e\u0932\u0940", "\u5c71\u7530", "\u0639\u0644\u064a", "\U00020bb7\u91ce", "O\u2019Neill <&> \"x\" \\",
				} {
					body := t.UserRequest(func(u *api.UserRequest) { u.FirstName, u.LastName = name, &name })
					u := register(t, body)
					t.Expect(u.FirstName == name && u.LastName != nil && *u.LastName == name,
						"a name of %d characters came back changed", len([]rune(name)))
				}
			},
		},
		{
			ID: "users.registration.longest", Title: "Texts of the greatest length are accepted and kept whole",
			Clauses: []string{"2.5-response", "D-13", "D-50"}, Operations: registration,
			Fix: "Accept texts as long as the contract says, those of documents and mailing addresses too, and cut nothing.",
			Run: func(t *probe.T) {
				for _, kind := range longestUsers {
					body := t.UserRequest(kind)
					r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
					probe.OK(t, r, err)
					uncut(t, body, r)
				}
			},
		},
	}
}

func usersKinds() []probe.Check {
	registration := []string{"createUser"}
	return []probe.Check{
		{
			ID: "users.individual.all-fields", Title: "An individual is answered with all that was sent",
			Clauses: []string{"2.5-individual", "2.5-response", "4-users"}, Operations: registration,
			Fix: "Keep every documented field of an individual and answer it with the value that was sent.",
			Run: func(t *probe.T) {
				body := individual(t)
				r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
				probe.OK(t, r, err)
				echoes(t, body, r)
			},
		},
		{
			ID: "users.individual.business-false", Title: "A user registered without business is an individual",
			Clauses: []string{"2.5-business", "D-13"}, Operations: registration,
			Fix: "Answer business: false where it was not sent.",
			Run: func(t *probe.T) {
				t.Expect(!register(t, t.UserRequest()).Business, "answered business: true")
			},
		},
		{
			ID: "users.individual.business-fields", Title: "An individual that sends a field of a business is refused with 400",
			Clauses: []string{"2.5-business", "D-13"}, Operations: registration,
			Fix: "Refuse business_type, user_scope, company_website, number_of_employee and mailing_address with 400 unless business is true.",
			Run: func(t *probe.T) {
				refusedField(t, "business_type", t.UserRequest(func(u *api.UserRequest) { u.BusinessType = probe.Ptr("LLC") }))
				refusedField(t, "user_scope", t.UserRequest(func(u *api.UserRequest) { u.UserScope = probe.Ptr("COMPUTER_TECHNOLOGY") }))
				refusedField(t, "company_website", t.UserRequest(func(u *api.UserRequest) { u.CompanyWebsite = probe.Ptr("www.example.com") }))
				refusedField(t, "number_of_employee", t.UserRequest(func(u *api.UserRequest) { u.NumberOfEmployee = probe.Ptr("BETWEEN_25_TO_50") }))
				refusedField(t, "mailing_address", t.UserRequest(func(u *api.UserRequest) {
					u.MailingAddress = &api.MailingAddressRequest{City: probe.Ptr("Sample City")}
				}))
			},
		},
		{
			ID: "users.business.all-fields", Title: "A business is answered with all that was sent",
			Clauses: []string{"2.5-business", "2.5-response", "4-users"}, Operations: registration,
			Fix: "Keep every documented field of a business, its mailing address included, and answer it with the value that was sent.",
			Run: func(t *probe.T) {
				body := business(t)
				r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
				probe.OK(t, r, err)
				echoes(t, body, r)
			},
		},
		{
			ID: "users.business.documents", Title: "A business is answered with its documents of both forms",
			Clauses: []string{"2.5-business", "2.5-physical-document", "2.5-virtual-document"}, Operations: registration,
			Fix: "Keep the documents of a business as those of an individual, and answer them without the content of copies.",
			Run: businessDocuments,
		},
		{
			ID: "users.business.individual-fields", Title: "A business that sends last_name or gender is refused with 400",
			Clauses: []string{"2.5-business", "D-13"}, Operations: registration,
			Fix: "Refuse last_name and gender with 400 where business is true; first_name carries the name of the business.",
			Run: func(t *probe.T) {
				refusedField(t, "last_name", business(t, func(u *api.UserRequest) { u.LastName = probe.Ptr("Conformance") }))
				refusedField(t, "gender", business(t, func(u *api.UserRequest) { u.Gender = probe.Ptr("FEMALE") }))
			},
		},
		{
			ID: "users.business.address-line2", Title: "address_line2 of a mailing address is null where null was sent, and absent where nothing was",
			Clauses: []string{"2.5-business", "D-46"}, Operations: registration,
			Fix: "Keep null and absent apart for address_line2.",
			Run: addressLine2,
		},
	}
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

func createdNow(t *probe.T) {
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, t.UserRequest())
	isNow(t, probe.OK(t, r, err).CreatedAt.Time, r.HTTPResponse.Header)
}

// isNow compares a time with the server's own clock where it sends one: that of the suite may be wrong.
func isNow(t *probe.T, at time.Time, h http.Header) {
	const tolerance = 5 * time.Minute // much less than the difference of two time zones
	now := time.Now()
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	apart := at.Sub(now).Abs()
	t.Expect(apart <= tolerance, "created_at is %v away from the time of the answer", apart.Round(time.Minute))
}

func addressLine2(t *probe.T) {
	null := business(t, func(u *api.UserRequest) { u.MailingAddress.AddressLine2 = nullable.NewNullNullable[string]() })
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, null)
	probe.OK(t, r, err)
	address, _ := members(t, r)["mailing_address"].(map[string]any)
	if line, there := address["address_line2"]; !there || line != nil {
		t.Failf("address_line2 was sent as null and is not null in the answer")
	}
	absent := business(t, func(u *api.UserRequest) { u.MailingAddress.AddressLine2 = nil })
	r, err = t.Client().CreateUserWithResponse(t.Context(), nil, absent)
	probe.OK(t, r, err)
	address, _ = members(t, r)["mailing_address"].(map[string]any)
	_, there := address["address_line2"]
	t.Expect(!there, "address_line2 was not sent and came back")
}

// register registers a user; the registration is what the check is about.
func register(t *probe.T, body api.UserRequest) api.User {
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
	return probe.OK(t, r, err)
}

// refusedField expects 400 for a registration with a field that does not belong to the kind of user.
func refusedField(t *probe.T, field string, body api.UserRequest) {
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
	t.Refused(r, err, 400, api.ErrorCodeBadRequest, "body /"+field)
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
