package payout

import "slices"

// CIPStatus is the verification status of one piece of information (section 3).
type CIPStatus string

// The statuses of a CIP tag.
const (
	CIPSubmit    CIPStatus = "SUBMIT"
	CIPReviewing CIPStatus = "REVIEWING"
	CIPVerified  CIPStatus = "VERIFIED"
	CIPFailed    CIPStatus = "FAILED"
	CIPRequested CIPStatus = "REQUESTED"
)

// CIPStatuses returns all of them.
func CIPStatuses() []CIPStatus {
	return []CIPStatus{CIPSubmit, CIPReviewing, CIPVerified, CIPFailed, CIPRequested}
}

// CIPInfo is the verification information of a user: CIP tag to status, and the overall status (section 2.7).
type CIPInfo struct {
	UserID UserID
	Status KYCStatus
	Tags   map[string]CIPStatus
}

var individualTags = []string{
	"GENDER", "COUNTRY", "STATE", "LAST_NAME", "OCCUPATION", "CITY", "ZIP_CODE", "DATE_OF_BIRTH", "ID_DOC",
	"PHONE_NUMBER", "EMAIL", "ADDRESS_LINE1", "MIDDLE_NAME", "FIRST_NAME", "IP_ADDRESS",
}

var businessTags = []string{
	"NATURE_OF_BUSINESS", "COMPANY_TYPE", "EIN_NUMBER", "ACCOUNT_OPERATOR_INFO", "ZIP_CODE", "EMAIL",
	"CERTIFICATE_OF_INCORPORATION", "TXN_FREQUENCY", "NO_OF_EMPLOYEE", "DATE_OF_BIRTH", "EIN_DOC", "FIRST_NAME",
	"NO_OF_TXN_PER_MONTH", "MAILING_ADDRESS", "STATE", "SOURCE_OF_FUND", "ADDRESS_LINE1", "COUNTRY", "PHONE_NUMBER",
	"COMPANY_WEBSITE", "CITY",
}

// CIPTags returns the tags of section 2.7 for an individual or a business.
func CIPTags(business bool) []string {
	if business {
		return slices.Clone(businessTags)
	}
	return slices.Clone(individualTags)
}

// profileMembers has the members of a profile that are texts, each with its name in the contract and the CIP tag of its
// submission, if there is one (D-39). A tag counts for the kinds of user that have it.
var profileMembers = []struct {
	name, tag string
	of        func(*UserProfile) *string
}{
	{"first_name", "FIRST_NAME", func(p *UserProfile) *string { return &p.FirstName }},
	{"middle_name", "MIDDLE_NAME", func(p *UserProfile) *string { return &p.MiddleName }},
	{"last_name", "LAST_NAME", func(p *UserProfile) *string { return &p.LastName }},
	{"email", "EMAIL", func(p *UserProfile) *string { return &p.Email }},
	{"gender", "GENDER", func(p *UserProfile) *string { return &p.Gender }},
	{"date_of_birth", "DATE_OF_BIRTH", func(p *UserProfile) *string { return &p.DateOfBirth }},
	{"address_line1", "ADDRESS_LINE1", func(p *UserProfile) *string { return &p.AddressLine1 }},
	{"mobile_phone", "PHONE_NUMBER", func(p *UserProfile) *string { return &p.MobilePhone }},
	{"city", "CITY", func(p *UserProfile) *string { return &p.City }},
	{"zipcode", "ZIP_CODE", func(p *UserProfile) *string { return &p.Zipcode }},
	{"state", "STATE", func(p *UserProfile) *string { return &p.State }},
	{"ip_address", "IP_ADDRESS", func(p *UserProfile) *string { return &p.IPAddress }},
	{"occupation", "OCCUPATION", func(p *UserProfile) *string { return &p.Occupation }},
	{"business_type", "COMPANY_TYPE", func(p *UserProfile) *string { return &p.BusinessType }},
	{"user_scope", "NATURE_OF_BUSINESS", func(p *UserProfile) *string { return &p.UserScope }},
	{"company_website", "COMPANY_WEBSITE", func(p *UserProfile) *string { return &p.CompanyWebsite }},
	{"number_of_employee", "NO_OF_EMPLOYEE", func(p *UserProfile) *string { return &p.NumberOfEmployee }},
	{"source_of_fund", "SOURCE_OF_FUND", func(p *UserProfile) *string { return &p.SourceOfFund }},
	{"txn_frequency", "TXN_FREQUENCY", func(p *UserProfile) *string { return &p.TxnFrequency }},
	{"no_of_txn_per_month", "NO_OF_TXN_PER_MONTH", func(p *UserProfile) *string { return &p.NoOfTxnPerMonth }},
}

// tagMailingAddress is the CIP tag of the one member of a profile that is no text.
const tagMailingAddress = "MAILING_ADDRESS"

// submittedTags returns the tag of each piece of information that the user submitted (D-39).
func submittedTags(u User) map[string]CIPStatus {
	known, tags := CIPTags(u.Business), map[string]CIPStatus{}
	submit := func(tag string, sent bool) {
		if sent && slices.Contains(known, tag) {
			tags[tag] = CIPSubmit
		}
	}
	submit("COUNTRY", u.Country != "")
	for _, m := range profileMembers {
		submit(m.tag, *m.of(&u.Profile) != "")
	}
	submit(tagMailingAddress, u.Profile.MailingAddress != nil)
	for _, d := range u.Documents {
		submit(documentTag(d, u.Business), true)
	}
	return tags
}

func documentTag(d Document, business bool) string {
	switch {
	case !business && d.Type != "INVOICE":
		return "ID_DOC"
	case !business:
		return ""
	case d.Kind == VirtualDocument && d.Type == "EIN_NUMBER":
		return "EIN_NUMBER"
	case d.Kind == PhysicalDocument && d.Type == "EIN":
		return "EIN_DOC"
	case d.Kind == PhysicalDocument && d.Type == "CERTIFICATE_OF_INCORPORATION":
		return d.Type
	case d.Type == "STATE_ID" || d.Type == "PASSPORT" || d.Type == "SSN":
		return "ACCOUNT_OPERATOR_INFO"
	}
	return ""
}
