package main

import "github.com/crossborder-payouts/payouts/server/payout"

// userProfileJSON is what a user submitted, under the names of the contract.
type userProfileJSON struct {
	FirstName        string              `json:"first_name"`
	MiddleName       string              `json:"middle_name,omitempty"`
	LastName         string              `json:"last_name,omitempty"`
	Email            string              `json:"email"`
	Gender           string              `json:"gender,omitempty"`
	DateOfBirth      string              `json:"date_of_birth,omitempty"`
	AddressLine1     string              `json:"address_line1,omitempty"`
	MobilePhone      string              `json:"mobile_phone,omitempty"`
	City             string              `json:"city,omitempty"`
	Zipcode          string              `json:"zipcode,omitempty"`
	State            string              `json:"state,omitempty"`
	IPAddress        string              `json:"ip_address,omitempty"`
	Occupation       string              `json:"occupation,omitempty"`
	BusinessType     string              `json:"business_type,omitempty"`
	UserScope        string              `json:"user_scope,omitempty"`
	CompanyWebsite   string              `json:"company_website,omitempty"`
	NumberOfEmployee string              `json:"number_of_employee,omitempty"`
	SourceOfFund     string              `json:"source_of_fund,omitempty"`
	TxnFrequency     string              `json:"txn_frequency,omitempty"`
	NoOfTxnPerMonth  string              `json:"no_of_txn_per_month,omitempty"`
	MailingAddress   *mailingAddressJSON `json:"mailing_address,omitempty"`
}

type mailingAddressJSON struct {
	Country      string  `json:"country,omitempty"`
	City         string  `json:"city,omitempty"`
	AddressLine1 string  `json:"address_line1,omitempty"`
	AddressLine2 *string `json:"address_line2,omitempty"`
	Zipcode      string  `json:"zipcode,omitempty"`
	State        string  `json:"state,omitempty"`
}

func newUserProfileJSON(p payout.UserProfile) *userProfileJSON {
	out := &userProfileJSON{
		p.FirstName, p.MiddleName, p.LastName, p.Email, p.Gender, p.DateOfBirth, p.AddressLine1, p.MobilePhone, p.City, p.Zipcode,
		p.State, p.IPAddress, p.Occupation, p.BusinessType, p.UserScope, p.CompanyWebsite, p.NumberOfEmployee, p.SourceOfFund,
		p.TxnFrequency, p.NoOfTxnPerMonth, nil,
	}
	if a := p.MailingAddress; a != nil {
		out.MailingAddress = &mailingAddressJSON{a.Country, a.City, a.AddressLine1, a.AddressLine2.Text, a.Zipcode, a.State}
	}
	return out
}
