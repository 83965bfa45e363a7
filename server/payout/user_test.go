package payout

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func isTestCountry(code string) bool { return code == "US" || code == "NP" }

// Just after midnight of the 15th in Kathmandu it is the 14th in UTC.
var testNow = time.Date(2026, 3, 15, 1, 0, 0, 0, time.FixedZone("", 5*3600+45*60))

const notIn = "must be a country of ISO 3166-1"

func TestAUserWithoutContradictionsHasNoViolation(t *testing.T) {
	t.Parallel()
	for name, u := range map[string]User{
		"individual, least": {Country: "US", Profile: UserProfile{FirstName: "A", Email: "a@example.com"}},
		"individual, most": {Country: "US", Profile: UserProfile{
			FirstName: "A", MiddleName: "M", LastName: "B", Email: "a@example.com", Gender: "F", DateOfBirth: "2026-03-14", AddressLine1: "1",
			MobilePhone: "1234", City: "C", Zipcode: "1", State: "CA", IPAddress: "192.0.2.1", Occupation: "O",
		}, Documents: []Document{{Kind: VirtualDocument, Country: "NP"}, {Kind: PhysicalDocument}}},
		"business, least": {Business: true, Country: "NP"},
		"business, most": {Business: true, Country: "NP", Profile: UserProfile{
			BusinessType: "LLC", UserScope: "S", CompanyWebsite: "w", NumberOfEmployee: "N", IPAddress: "192.0.2.1",
			SourceOfFund: "F", TxnFrequency: "T", NoOfTxnPerMonth: "1", MailingAddress: &MailingAddress{Country: "US"},
		}},
		"business, mailing address without country": {Business: true, Country: "NP", Profile: UserProfile{MailingAddress: &MailingAddress{}}},
	} {
		if found := u.check(testNow, isTestCountry); found != nil {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// contradictions lists all that D-13 rejects and more, each with its place and the kind of user that it is for.
var contradictions = []struct {
	business bool
	where    string
	reason   string
	send     func(*User)
}{
	{true, "/middle_name", "must not be sent for a business user", func(u *User) { u.Profile.MiddleName = "SECRET" }},
	{true, "/last_name", "must not be sent for a business user", func(u *User) { u.Profile.LastName = "SECRET" }},
	{true, "/gender", "must not be sent for a business user", func(u *User) { u.Profile.Gender = "SECRET" }},
	{true, "/occupation", "must not be sent for a business user", func(u *User) { u.Profile.Occupation = "SECRET" }},
	{true, "/mailing_address/country", notIn, func(u *User) { u.Profile.MailingAddress = &MailingAddress{Country: "SECRET"} }},
	{false, "/business_type", "must not be sent for an individual user", func(u *User) { u.Profile.BusinessType = "SECRET" }},
	{false, "/user_scope", "must not be sent for an individual user", func(u *User) { u.Profile.UserScope = "SECRET" }},
	{false, "/company_website", "must not be sent for an individual user", func(u *User) { u.Profile.CompanyWebsite = "SECRET" }},
	{false, "/number_of_employee", "must not be sent for an individual user", func(u *User) { u.Profile.NumberOfEmployee = "SECRET" }},
	{false, "/source_of_fund", "must not be sent for an individual user", func(u *User) { u.Profile.SourceOfFund = "SECRET" }},
	{false, "/txn_frequency", "must not be sent for an individual user", func(u *User) { u.Profile.TxnFrequency = "SECRET" }},
	{false, "/no_of_txn_per_month", "must not be sent for an individual user", func(u *User) { u.Profile.NoOfTxnPerMonth = "SECRET" }},
	{false, "/mailing_address", "must not be sent for an individual user", func(u *User) { u.Profile.MailingAddress = &MailingAddress{} }},
	{true, "/country", notIn, func(u *User) { u.Country = "SECRET" }},
	{false, "/country", notIn, func(u *User) { u.Country = "SECRET" }},
	{true, "/date_of_birth", "must not be in the future", func(u *User) { u.Profile.DateOfBirth = "2026-03-15" }},
	{false, "/date_of_birth", "must not be before 1900-01-01", func(u *User) { u.Profile.DateOfBirth = "1899-12-31" }},
	{false, "/physical_documents/1/country", notIn, documentFrom(PhysicalDocument)},
	{false, "/virtual_documents/1/country", notIn, documentFrom(VirtualDocument)},
	{true, "/virtual_documents/1/country", notIn, documentFrom(VirtualDocument)},
}

// documentFrom replaces the second document of a kind by one whose country does not exist.
func documentFrom(kind DocumentKind) func(*User) {
	return func(u *User) {
		index := 0
		for i, d := range u.Documents {
			if d.Kind == kind {
				if index == 1 {
					u.Documents[i].Country = "SECRET"
				}
				index++
			}
		}
	}
}

// plain is a user without contradiction; documents of both kinds come in turns.
func plain(business bool) User {
	return User{Business: business, Country: "US", Documents: []Document{
		{Kind: VirtualDocument, Country: "US"}, {Kind: PhysicalDocument}, {Kind: VirtualDocument}, {Kind: PhysicalDocument, Country: "NP"},
	}}
}

func TestAllContradictionsOfAUserAreNamedAtOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		u := plain(rapid.Bool().Draw(t, "business"))
		var want []Violation
		for i, sent := range rapid.SliceOfN(rapid.Bool(), len(contradictions), len(contradictions)).Draw(t, "sent") {
			if c := contradictions[i]; sent && c.business == u.Business {
				c.send(&u)
				want = append(want, InBody(c.where, c.reason))
			}
		}
		got := u.check(testNow, isTestCountry)
		if len(got) != len(want) {
			t.Fatalf("found %v, want %v", got, want)
		}
		for _, v := range want {
			if !slices.Contains(got, v) {
				t.Fatalf("found %v, without %v", got, v)
			}
		}
	})
}

// D-61
func TestADateOfBirthIsFrom1900ToTodayInUTC(t *testing.T) {
	t.Parallel()
	for date, wrong := range map[string]bool{
		"2026-03-14": false, "2026-03-15": true, "1900-01-01": false, "1899-12-31": true, "0001-01-01": true, "": false,
	} {
		u := plain(false)
		u.Profile.DateOfBirth = date
		if found := u.check(testNow, isTestCountry); (len(found) > 0) != wrong {
			t.Errorf("%q at %s: %v", date, testNow.UTC(), found)
		}
	}
}
