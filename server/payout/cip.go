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

// submittedTags returns the tag of each piece of information that the user submitted (D-39).
func submittedTags(u User) map[string]CIPStatus {
	p := u.Profile
	tags := map[string]CIPStatus{}
	for tag, value := range map[string]string{
		"FIRST_NAME": p.FirstName, "LAST_NAME": p.LastName, "EMAIL": p.Email, "GENDER": p.Gender,
		"DATE_OF_BIRTH": p.DateOfBirth, "ADDRESS_LINE1": p.AddressLine1, "PHONE_NUMBER": p.MobilePhone, "CITY": p.City,
		"ZIP_CODE": p.Zipcode, "STATE": p.State, "COUNTRY": u.Country, "IP_ADDRESS": p.IPAddress,
		"COMPANY_TYPE": p.BusinessType, "NATURE_OF_BUSINESS": p.UserScope, "COMPANY_WEBSITE": p.CompanyWebsite,
		"NO_OF_EMPLOYEE": p.NumberOfEmployee,
	} {
		if value != "" {
			tags[tag] = CIPSubmit
		}
	}
	if p.MailingAddress != nil {
		tags["MAILING_ADDRESS"] = CIPSubmit
	}
	for _, d := range u.Documents {
		if tag := documentTag(d, u.Business); tag != "" {
			tags[tag] = CIPSubmit
		}
	}
	known := CIPTags(u.Business)
	for tag := range tags {
		if !slices.Contains(known, tag) {
			delete(tags, tag)
		}
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
