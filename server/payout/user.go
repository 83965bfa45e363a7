package payout

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// KYCStatus is the overall verification status of a user (D-11).
type KYCStatus string

// The KYC statuses; IN PROGRESS is written with a space.
const (
	KYCUnverified KYCStatus = "UNVERIFIED"
	KYCInProgress KYCStatus = "IN PROGRESS"
	KYCSuspended  KYCStatus = "SUSPENDED"
	KYCVerified   KYCStatus = "VERIFIED"
)

// KYCStatuses returns all of them.
func KYCStatuses() []KYCStatus {
	return []KYCStatus{KYCUnverified, KYCInProgress, KYCSuspended, KYCVerified}
}

// User is a registered user (section 2.5). An empty string is a member that was not sent: the contract accepts none that
// is empty.
type User struct {
	ID        UserID
	CreatedAt time.Time
	Status    KYCStatus
	Business  bool
	Sending   bool   // type SEND was sent
	Country   string // alpha-2
	// ClientReference is the client's own reference (D-70).
	ClientReference string
	RequestID       string // of the request that created it, for support; empty in rows before migration 11
	Profile         UserProfile
	Documents       []Document // omitted by Reader.User
}

// UserProfile is the submitted information of a user.
type UserProfile struct {
	FirstName        string
	MiddleName       string
	LastName         string
	Email            string
	Gender           string
	DateOfBirth      string // YYYY-MM-DD
	AddressLine1     string
	MobilePhone      string
	City             string
	Zipcode          string
	State            string
	IPAddress        string
	Occupation       string
	BusinessType     string
	UserScope        string
	CompanyWebsite   string
	NumberOfEmployee string
	SourceOfFund     string
	TxnFrequency     string
	NoOfTxnPerMonth  string
	MailingAddress   *MailingAddress
}

// Name returns the whole name of a person, or of a business.
func (p UserProfile) Name() string {
	parts := []string{p.FirstName, p.MiddleName, p.LastName}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " ")
}

// MailingAddress is the postal address of a business.
type MailingAddress struct {
	Country      string
	City         string
	AddressLine1 string
	AddressLine2 NullableText // the one field that may be sent as null (D-46)
	Zipcode      string
	State        string
}

// NullableText is a text that may be sent, sent as null, or not sent at all (D-46).
type NullableText struct {
	Sent bool
	Text *string // nil: null, or not sent
}

// DocumentKind distinguishes the copy of a document from its number.
type DocumentKind string

// The kinds of document of section 2.5.
const (
	PhysicalDocument DocumentKind = "physical"
	VirtualDocument  DocumentKind = "virtual"
)

// DocumentKinds returns all of them.
func DocumentKinds() []DocumentKind { return []DocumentKind{PhysicalDocument, VirtualDocument} }

// Document belongs to a user, or to one of the user's transactions.
type Document struct {
	ID               DocumentID
	Kind             DocumentKind
	Type             string
	Value            string // the number of a virtual document
	MediaType        string // of the content of a physical document
	Content          []byte // of a physical document; never read back by the service
	ExpiryDate       string // YYYY-MM-DD
	IssuingAuthority string
	Country          string
	State            string
}

// earliestBirth is the first date of birth that is accepted: nobody who sends money was born before (D-61).
const earliestBirth = "1900-01-01"

// check returns the violations of the rules that a schema cannot express (D-13, D-61).
func (u User) check(now time.Time, isCountry func(string) bool) []Violation {
	p := u.Profile
	var found []Violation
	country := func(pointer, code string) {
		if code != "" && !isCountry(code) {
			found = append(found, InBody(pointer, "must be a country of ISO 3166-1"))
		}
	}
	absent := func(sent bool, pointer, kind string) {
		if sent {
			found = append(found, InBody(pointer, "must not be sent for "+kind))
		}
	}
	country("/country", u.Country)
	if u.Business {
		absent(p.MiddleName != "", "/middle_name", "a business user")
		absent(p.LastName != "", "/last_name", "a business user")
		absent(p.Gender != "", "/gender", "a business user")
		absent(p.Occupation != "", "/occupation", "a business user")
	} else {
		absent(p.BusinessType != "", "/business_type", "an individual user")
		absent(p.UserScope != "", "/user_scope", "an individual user")
		absent(p.CompanyWebsite != "", "/company_website", "an individual user")
		absent(p.NumberOfEmployee != "", "/number_of_employee", "an individual user")
		absent(p.SourceOfFund != "", "/source_of_fund", "an individual user")
		absent(p.TxnFrequency != "", "/txn_frequency", "an individual user")
		absent(p.NoOfTxnPerMonth != "", "/no_of_txn_per_month", "an individual user")
		absent(p.MailingAddress != nil, "/mailing_address", "an individual user")
	}
	if p.MailingAddress != nil {
		country("/mailing_address/country", p.MailingAddress.Country)
	}
	switch born := p.DateOfBirth; {
	case born == "":
	case born < earliestBirth:
		found = append(found, InBody("/date_of_birth", "must not be before 1900-01-01"))
	case born > now.UTC().Format(time.DateOnly):
		found = append(found, InBody("/date_of_birth", "must not be in the future"))
	}
	for i, d := range u.Documents {
		country(documentPointer(u.Documents, i)+"/country", d.Country)
	}
	return found
}

// documentPointer returns the JSON pointer of the document at an index: each kind is a list of its own in a request.
func documentPointer(all []Document, index int) string {
	place := 0
	for _, d := range all[:index] {
		if d.Kind == all[index].Kind {
			place++
		}
	}
	return fmt.Sprintf("/%s_documents/%d", all[index].Kind, place)
}
