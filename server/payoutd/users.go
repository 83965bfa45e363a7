package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// users is `payoutd users`.
type users struct {
	List      usersList      `cmd:"" help:"List users of a client, newest first, without personal data."`
	Show      usersShow      `cmd:"" help:"Print a user with its CIP tags; the email address is masked."`
	Verify    usersVerify    `cmd:"" help:"Set the KYC status of a user, statuses of its CIP tags, or both."`
	Documents usersDocuments `cmd:"" help:"Show and export the documents of a user, to review them."`
}

// userJSON is a user without personal data.
type userJSON struct {
	ID        string           `json:"id"`
	CreatedAt time.Time        `json:"created_at"`
	Status    payout.KYCStatus `json:"kyc_status"`
	Business  bool             `json:"business"`
	Sending   bool             `json:"sending"`
	Country   string           `json:"country"`
	Reference string           `json:"client_reference,omitempty"`
}

func newUserJSON(u payout.User) userJSON {
	return userJSON{string(u.ID), u.CreatedAt, u.Status, u.Business, u.Sending, u.Country, u.ClientReference}
}

func kind(business bool) string {
	if business {
		return "business"
	}
	return "individual"
}

type usersList struct {
	database
	clientOf
	listing
	pages
	Status    string `help:"Only users with this KYC status: UNVERIFIED, 'IN PROGRESS', SUSPENDED or VERIFIED."`
	Reference string `help:"Only users that the client registered with this client_reference."`
}

// Run lists users.
func (l usersList) Run(ctx context.Context, std streams) error {
	if l.Status != "" {
		if err := checkOneOf("status", l.Status, payout.KYCStatuses()...); err != nil {
			return err
		}
	}
	if err := l.check(); err != nil {
		return err
	}
	return l.within(ctx, l.database, func(o operation) error {
		at, err := l.begin("user", func(id string) (time.Time, bool, error) {
			u, ok, err := o.db.User(ctx, o.client.ID, payout.UserID(id))
			return u.CreatedAt, ok, err
		})
		if err != nil {
			return err
		}
		filter := payout.UserFilter{Status: payout.KYCStatus(l.Status), ClientReference: l.Reference}
		all, next, err := rowsOf(std, l.pages, at, func(p payout.Page) ([]payout.User, payout.Position, error) {
			return o.service.Users(ctx, o.client, filter, p)
		})
		if err != nil {
			return err
		}
		rows := make([]userJSON, len(all))
		cells := make([][]string, len(all))
		for i, u := range all {
			rows[i] = newUserJSON(u)
			cells[i] = []string{string(u.ID), utc(u.CreatedAt), string(u.Status), kind(u.Business), yesNo(u.Sending), u.Country, printable(u.ClientReference)}
		}
		return l.print(std.out, pageJSON[userJSON]{rows, next}, []string{"ID", "CREATED", "KYC STATUS", "KIND", "SENDS", "COUNTRY", "REFERENCE"}, cells)
	})
}

// shownUser is a user with its CIP tags; Profile has the personal data, with --personal only.
type shownUser struct {
	userJSON
	keyJSON
	RequestID string                      `json:"request_id,omitempty"`
	Name      string                      `json:"name"`
	Email     string                      `json:"email"`
	Tags      map[string]payout.CIPStatus `json:"cip_info"`
	Documents []documentJSON              `json:"documents"`
	Profile   *userProfileJSON            `json:"profile,omitempty"`
}

type documentJSON struct {
	ID   string              `json:"id"`
	Kind payout.DocumentKind `json:"kind"`
	Type string              `json:"type"`
}

type usersShow struct {
	database
	clientOfID
	listing
	UserID   string `arg:"" help:"Id of the user."`
	Personal bool   `help:"Print all that the user submitted, but no document numbers."`
}

// Run prints a user.
func (s usersShow) Run(ctx context.Context, std streams) error {
	if err := checkIDs(named{"<user-id>", &s.UserID}); err != nil {
		return err
	}
	return s.within(ctx, s.database, store.KindUser, s.UserID, func(o operation) error {
		u, err := o.service.User(ctx, o.client, payout.UserID(s.UserID))
		if err != nil {
			return err
		}
		info, err := o.service.CIPInfo(ctx, o.client, payout.UserID(s.UserID))
		if err != nil {
			return err
		}
		keys, err := o.db.ResourceKeys(ctx, o.client.ID, []string{string(u.ID)})
		if err != nil {
			return err
		}
		shown := shownUser{
			userJSON: newUserJSON(u), keyJSON: newKeyJSON(keys[string(u.ID)]), RequestID: u.RequestID, Name: u.Profile.Name(),
			Email: masked(u.Profile.Email), Tags: info.Tags, Documents: []documentJSON{},
		}
		if s.Personal {
			shown.Profile, shown.Email = newUserProfileJSON(u.Profile), u.Profile.Email
		}
		for _, d := range u.Documents {
			shown.Documents = append(shown.Documents, documentJSON{string(d.ID), d.Kind, d.Type})
		}
		return s.printFields(std.out, shown, shown.fields())
	})
}

// masked keeps the first letter and the domain of an email address.
func masked(email string) string {
	name, domain, _ := strings.Cut(email, "@")
	_, first := utf8.DecodeRuneInString(name)
	return name[:first] + "***@" + domain
}

func (u shownUser) fields() [][2]string {
	fields := [][2]string{
		{"ID", u.ID},
		{"CREATED", utc(u.CreatedAt)},
		{"KYC STATUS", string(u.Status)},
		{"KIND", kind(u.Business)},
		{"SENDS", yesNo(u.Sending)},
		{"COUNTRY", u.Country},
		{"REFERENCE", printable(u.Reference)},
		{"NAME", printable(u.Name)},
		{"EMAIL", printable(u.Email)},
	}
	if p := u.Profile; p != nil {
		for _, f := range [][2]string{
			{"GENDER", p.Gender},
			{"DATE OF BIRTH", p.DateOfBirth},
			{"ADDRESS", p.AddressLine1},
			{"CITY", p.City},
			{"STATE", p.State},
			{"ZIPCODE", p.Zipcode},
			{"MOBILE PHONE", p.MobilePhone},
			{"IP ADDRESS", p.IPAddress},
			{"OCCUPATION", p.Occupation},
			{"BUSINESS TYPE", p.BusinessType},
			{"USER SCOPE", p.UserScope},
			{"COMPANY WEBSITE", p.CompanyWebsite},
			{"EMPLOYEES", p.NumberOfEmployee},
			{"SOURCE OF FUND", p.SourceOfFund},
			{"TXN FREQUENCY", p.TxnFrequency},
			{"TXN PER MONTH", p.NoOfTxnPerMonth},
			{"MAILING ADDRESS", mailingAddress(p.MailingAddress)},
		} {
			fields = append(fields, [2]string{f[0], printable(f[1])})
		}
	}
	fields = append(append(fields, u.keyJSON.fields()...), [2]string{"REQUEST", printable(u.RequestID)})
	for _, d := range u.Documents {
		fields = append(fields, [2]string{"DOCUMENT", printable(d.Type) + " (" + string(d.Kind) + ") " + d.ID})
	}
	return append(fields, tagFields(u.Tags)...)
}

func mailingAddress(a *mailingAddressJSON) string {
	if a == nil {
		return ""
	}
	var second string
	if a.AddressLine2 != nil {
		second = *a.AddressLine2
	}
	parts := []string{a.AddressLine1, second, a.Zipcode, a.City, a.State, a.Country}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

func tagFields(tags map[string]payout.CIPStatus) [][2]string {
	fields := make([][2]string, 0, len(tags))
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		fields = append(fields, [2]string{"TAG " + tag, string(tags[tag])})
	}
	return fields
}

// verificationJSON is the verification of a user after the change.
type verificationJSON struct {
	UserID string                      `json:"user_id"`
	Status payout.KYCStatus            `json:"kyc_status"`
	Tags   map[string]payout.CIPStatus `json:"cip_info"`
}

type usersVerify struct {
	changing
	clientOfID
	listing
	UserID    string            `arg:"" help:"Id of the user."`
	KYCStatus string            `name:"kyc-status" help:"UNVERIFIED, 'IN PROGRESS', SUSPENDED or VERIFIED."`
	Tag       map[string]string `help:"CIP tag and its status, such as ID_DOC=VERIFIED; may be repeated." mapsep:"," placeholder:"TAG=STATUS"`
	Force     bool              `help:"Make tags VERIFIED for which nothing was submitted."`
}

// Run sets the verification of a user, all or nothing.
func (v usersVerify) Run(ctx context.Context, std streams) error {
	if err := checkIDs(named{"<user-id>", &v.UserID}); err != nil {
		return err
	}
	change := payout.Verification{
		Status: payout.KYCStatus(v.KYCStatus), Tags: map[string]payout.CIPStatus{}, OnlySubmitted: !v.Force,
	}
	if v.KYCStatus != "" {
		if err := checkOneOf("kyc-status", v.KYCStatus, payout.KYCStatuses()...); err != nil {
			return err
		}
	} else if len(v.Tag) == 0 {
		return usageError{"kyc-status", errors.New("or --tag is needed")}
	}
	for _, tag := range slices.Sorted(maps.Keys(v.Tag)) {
		if !slices.Contains(payout.CIPStatuses(), payout.CIPStatus(v.Tag[tag])) {
			return usageError{"tag", fmt.Errorf("%s must be one of %s", printable(tag), joined(payout.CIPStatuses()))}
		}
		change.Tags[tag] = payout.CIPStatus(v.Tag[tag])
	}
	return v.within(ctx, v.changing, store.KindUser, v.UserID, func(o operation) error {
		info, err := o.service.SetVerification(ctx, o.client, payout.UserID(v.UserID), change)
		if payout.CodeOf(err) == payout.CodeBadRequest {
			return unknownTag(err)
		}
		if err != nil {
			return err
		}
		fields := [][2]string{{"ID", string(info.UserID)}, {"KYC STATUS", string(info.Status)}}
		return v.printFields(std.out, verificationJSON{string(info.UserID), info.Status, info.Tags},
			append(fields, tagFields(info.Tags)...))
	})
}

// unknownTag names the flag in an error of the service about a tag.
func unknownTag(err error) error {
	var e *payout.Error
	if !errors.As(err, &e) {
		return err
	}
	reasons := make([]string, len(e.Details))
	for i, d := range e.Details {
		reasons[i] = fmt.Sprintf("%s %s", printable(strings.TrimPrefix(d.Field, "/cip_info/")), d.Reason)
	}
	return usageError{"tag", errors.New(strings.Join(reasons, "; "))}
}
