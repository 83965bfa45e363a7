package payout

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// piece is one field or document of a registration and its tag, for individuals and for businesses (D-39); empty if there
// is none, or if it cannot be sent.
type piece struct {
	name                 string
	individual, business string
	send                 func(*User)
}

var pieces = append([]piece{
	{"first_name", "FIRST_NAME", "FIRST_NAME", func(u *User) { u.Profile.FirstName = "x" }},
	{"email", "EMAIL", "EMAIL", func(u *User) { u.Profile.Email = "x" }},
	{"date_of_birth", "DATE_OF_BIRTH", "DATE_OF_BIRTH", func(u *User) { u.Profile.DateOfBirth = "x" }},
	{"address_line1", "ADDRESS_LINE1", "ADDRESS_LINE1", func(u *User) { u.Profile.AddressLine1 = "x" }},
	{"mobile_phone", "PHONE_NUMBER", "PHONE_NUMBER", func(u *User) { u.Profile.MobilePhone = "x" }},
	{"city", "CITY", "CITY", func(u *User) { u.Profile.City = "x" }},
	{"zipcode", "ZIP_CODE", "ZIP_CODE", func(u *User) { u.Profile.Zipcode = "x" }},
	{"state", "STATE", "STATE", func(u *User) { u.Profile.State = "x" }},
	{"country", "COUNTRY", "COUNTRY", func(u *User) { u.Country = "US" }},
	{"middle_name", "MIDDLE_NAME", "", func(u *User) { u.Profile.MiddleName = "x" }},
	{"last_name", "LAST_NAME", "", func(u *User) { u.Profile.LastName = "x" }},
	{"gender", "GENDER", "", func(u *User) { u.Profile.Gender = "x" }},
	{"ip_address", "IP_ADDRESS", "", func(u *User) { u.Profile.IPAddress = "x" }},
	{"occupation", "OCCUPATION", "", func(u *User) { u.Profile.Occupation = "x" }},
	{"business_type", "", "COMPANY_TYPE", func(u *User) { u.Profile.BusinessType = "x" }},
	{"user_scope", "", "NATURE_OF_BUSINESS", func(u *User) { u.Profile.UserScope = "x" }},
	{"company_website", "", "COMPANY_WEBSITE", func(u *User) { u.Profile.CompanyWebsite = "x" }},
	{"number_of_employee", "", "NO_OF_EMPLOYEE", func(u *User) { u.Profile.NumberOfEmployee = "x" }},
	{"source_of_fund", "", "SOURCE_OF_FUND", func(u *User) { u.Profile.SourceOfFund = "x" }},
	{"txn_frequency", "", "TXN_FREQUENCY", func(u *User) { u.Profile.TxnFrequency = "x" }},
	{"no_of_txn_per_month", "", "NO_OF_TXN_PER_MONTH", func(u *User) { u.Profile.NoOfTxnPerMonth = "x" }},
	{"mailing_address", "", "MAILING_ADDRESS", func(u *User) { u.Profile.MailingAddress = &MailingAddress{} }},
}, documentPieces()...)

func documentPieces() []piece {
	var all []piece
	for _, kind := range []DocumentKind{PhysicalDocument, VirtualDocument} {
		for documentType, business := range map[string]map[DocumentKind]string{
			"STATE_ID":                     {PhysicalDocument: "ACCOUNT_OPERATOR_INFO", VirtualDocument: "ACCOUNT_OPERATOR_INFO"},
			"PASSPORT":                     {PhysicalDocument: "ACCOUNT_OPERATOR_INFO", VirtualDocument: "ACCOUNT_OPERATOR_INFO"},
			"SSN":                          {PhysicalDocument: "ACCOUNT_OPERATOR_INFO", VirtualDocument: "ACCOUNT_OPERATOR_INFO"},
			"EIN":                          {PhysicalDocument: "EIN_DOC"},
			"EIN_NUMBER":                   {VirtualDocument: "EIN_NUMBER"},
			"CERTIFICATE_OF_INCORPORATION": {PhysicalDocument: "CERTIFICATE_OF_INCORPORATION"},
			"INVOICE":                      {},
			"UTILITY_BILL":                 {},
		} {
			individual := "ID_DOC"
			if documentType == "INVOICE" {
				individual = ""
			}
			all = append(all, piece{string(kind) + " " + documentType, individual, business[kind], func(u *User) {
				u.Documents = append(u.Documents, Document{Kind: kind, Type: documentType})
			}})
		}
	}
	return all
}

func TestEachPieceOfInformationGivesItsTagAlone(t *testing.T) {
	t.Parallel()
	for _, business := range []bool{false, true} {
		for _, p := range pieces {
			u := User{Business: business}
			p.send(&u)
			want := map[string]CIPStatus{}
			if tag := p.tag(business); tag != "" {
				want[tag] = CIPSubmit
			}
			if got := submittedTags(u); !maps.Equal(got, want) {
				t.Errorf("%s of a user with business %t has %v, want %v", p.name, business, got, want)
			}
		}
	}
}

func (p piece) tag(business bool) string {
	if business {
		return p.business
	}
	return p.individual
}

func TestATagIsThereOnlyIfItsInformationWasSubmitted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		u, want := User{Business: rapid.Bool().Draw(t, "business")}, map[string]CIPStatus{}
		for _, p := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces") {
			p.send(&u)
			if tag := p.tag(u.Business); tag != "" {
				want[tag] = CIPSubmit
			}
		}
		if got := submittedTags(u); !maps.Equal(got, want) {
			t.Fatalf("tags %v, want %v", got, want)
		}
	})
}

// A tag that nothing submits could be requested, and would hold a payout forever.
func TestEveryTagOfTheDocumentIsGivenBySomething(t *testing.T) {
	t.Parallel()
	for _, business := range []bool{false, true} {
		var given []string
		for _, p := range pieces {
			if tag := p.tag(business); tag != "" && !slices.Contains(given, tag) {
				given = append(given, tag)
			}
		}
		slices.Sort(given)
		all := CIPTags(business)
		slices.Sort(all)
		if !slices.Equal(given, all) {
			t.Errorf("business %t: tags %q, want %q", business, given, all)
		}
	}
}

func TestTheTagsOfTheDocumentCannotBeChanged(t *testing.T) {
	t.Parallel()
	for _, business := range []bool{false, true} {
		clear(CIPTags(business))
		if slices.Contains(CIPTags(business), "") {
			t.Errorf("business %t: a change of what CIPTags returned reached the next caller", business)
		}
	}
	if individual, business := len(CIPTags(false)), len(CIPTags(true)); individual != 15 || business != 21 {
		t.Errorf("%d and %d tags, section 2.7 has 15 and 21", individual, business)
	}
}
