package payout_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// Section 1, rule 1: sending capability needs an enabled originating corridor; without it any country will do.
func TestWhoMayBeRegistered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		country string
		sending bool
		code    payout.Code // empty: registered
	}{
		{"US", true, ""}, {"JP", true, ""}, {"KW", true, ""}, {"US", false, ""}, {"NP", false, ""}, {"DE", false, ""},
		{"NP", true, payout.CodeCorridorNotEnabled}, // a destination is not an origin
		{"DE", true, payout.CodeCorridorNotEnabled},
		{"XX", true, payout.CodeBadRequest},
		{"XX", false, payout.CodeBadRequest},
	} {
		for _, u := range []payout.User{individual(c.country), business(c.country)} {
			u.Sending = c.sending
			before := w.count(t)
			got, replayed, err := w.CreateUser(t.Context(), w.acme, noKey, u)
			if c.code == "" {
				got = created(t, got, replayed, err)
				if got.Sending != c.sending || got.Country != c.country || got.Business != u.Business {
					t.Errorf("registered as %+v", got)
				}
				continue
			}
			refused(t, err, c.code, "/country")
			if after := w.count(t); after != before {
				t.Errorf("%s wrote: %+v, before %+v", c.country, after, before)
			}
		}
	}
	if _, _, err := w.CreateUser(t.Context(), w.other, noKey, individual("JP")); payout.CodeOf(err) != payout.CodeCorridorNotEnabled {
		t.Errorf("the corridor of another client: %v", err)
	}
}

// count returns the numbers of rows in the store, after a check that they are consistent.
func (w *world) count(t *testing.T) store.Checked {
	t.Helper()
	counts, err := w.store.Check(t.Context(), func(d store.Difference) error { return fmt.Errorf("%s", d) })
	return ok(t, counts, err)
}

// D-13: what does not fit the kind of user is refused, all of it at once.
func TestAnIndividualIsNoBusiness(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	both := payout.UserProfile{
		FirstName: "A", MiddleName: "M", LastName: "B", Email: "a@example.com", Gender: "F", Occupation: "Nurse", BusinessType: "LLC",
		UserScope: "RETAIL", CompanyWebsite: "example.com", NumberOfEmployee: "ONE", SourceOfFund: "Sales", TxnFrequency: "WEEKLY",
		NoOfTxnPerMonth: "4", MailingAddress: &payout.MailingAddress{City: "Town"},
	}
	for kind, want := range map[bool][]string{
		false: {
			"/business_type", "/user_scope", "/company_website", "/number_of_employee", "/source_of_fund", "/txn_frequency",
			"/no_of_txn_per_month", "/mailing_address",
		},
		true: {"/middle_name", "/last_name", "/gender", "/occupation"},
	} {
		u := payout.User{Business: kind, Country: "US", Profile: both}
		_, _, err := w.CreateUser(t.Context(), w.acme, noKey, u)
		if got := fieldsOf(t, err, payout.CodeBadRequest); !reflect.DeepEqual(got, want) {
			t.Errorf("business %t: refused for %q, want %q", kind, got, want)
		}
	}
	if n := w.count(t); n.Users != 0 {
		t.Errorf("%d users were written", n.Users)
	}
}

// A new user is UNVERIFIED, has an id and the time of the clock, and a SUBMIT tag for what was submitted, no other one.
func TestAUserIsReadAsRegistered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock.set(startOfTests.In(time.FixedZone("", 5*3600+45*60)))
	u := business("US")
	u.Profile.MailingAddress = &payout.MailingAddress{Country: "US", City: "Town"}
	u.Documents = []payout.Document{
		{Kind: payout.PhysicalDocument, Type: "EIN", MediaType: "image/png", Content: []byte("scan"), Country: "US"},
		{Kind: payout.VirtualDocument, Type: "EIN_NUMBER", Value: "12-345"},
	}
	got := w.register(t, u)
	if got.Status != payout.KYCUnverified || got.ID == "" || !got.CreatedAt.Equal(startOfTests.Truncate(time.Microsecond)) ||
		got.CreatedAt.Location() != time.UTC {
		t.Errorf("registered as %+v", got)
	}
	first, second := got.Documents[0].ID, got.Documents[1].ID
	if first == "" || second == "" || first == second || u.Documents[0].ID != "" {
		t.Errorf("ids of documents %q and %q", first, second)
	}
	read, err := w.User(t.Context(), w.acme, got.ID)
	got.Documents[0].Content = nil // never read back
	if ok(t, read, err); !reflect.DeepEqual(read, got) {
		t.Errorf("read\n%+v, want\n%+v", read, got)
	}
	info, err := w.CIPInfo(t.Context(), w.acme, got.ID)
	want := payout.CIPInfo{UserID: got.ID, Status: payout.KYCUnverified, Tags: map[string]payout.CIPStatus{
		"FIRST_NAME": payout.CIPSubmit, "EMAIL": payout.CIPSubmit, "COUNTRY": payout.CIPSubmit, "MAILING_ADDRESS": payout.CIPSubmit,
		"EIN_DOC": payout.CIPSubmit, "EIN_NUMBER": payout.CIPSubmit,
	}}
	if ok(t, info, err); !reflect.DeepEqual(info, want) {
		t.Errorf("tags %+v, want %+v", info, want)
	}
}

// D-24, D-25: the operator sets any status; what is not given stays.
func TestVerificationIsSetAsGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := w.register(t, individual("US"))
	for _, status := range []payout.KYCStatus{payout.KYCVerified, payout.KYCSuspended, payout.KYCInProgress, payout.KYCUnverified} {
		info := w.verify(t, u, payout.Verification{Status: status})
		read, err := w.User(t.Context(), w.acme, u.ID)
		if ok(t, read, err); info.Status != status || read.Status != status || info.Tags["EMAIL"] != payout.CIPSubmit {
			t.Errorf("%s: %+v, read %s", status, info, read.Status)
		}
	}
	info := w.verify(t, u, payout.Verification{Tags: map[string]payout.CIPStatus{"ID_DOC": payout.CIPReviewing, "EMAIL": payout.CIPFailed}})
	if info.Status != payout.KYCUnverified || info.Tags["ID_DOC"] != payout.CIPReviewing || info.Tags["EMAIL"] != payout.CIPFailed ||
		info.Tags["FIRST_NAME"] != payout.CIPSubmit || info.UserID != u.ID {
		t.Errorf("%+v", info)
	}
	read, err := w.CIPInfo(t.Context(), w.acme, u.ID)
	if ok(t, read, err); !reflect.DeepEqual(read, info) {
		t.Errorf("read %+v, want %+v", read, info)
	}
}

// A tag of the other kind of user is refused, together with the rest of the change.
func TestATagOfTheOtherKindOfUserIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		u      payout.User
		tags   []string
		want   []string
		reason string
	}{
		{individual("US"), []string{"EIN_DOC", "ID_DOC", "a/b~c"}, []string{"/cip_info/EIN_DOC", "/cip_info/a~1b~0c"}, "is not a CIP tag of an individual user"},
		{business("US"), []string{"ID_DOC", "EIN_DOC"}, []string{"/cip_info/ID_DOC"}, "is not a CIP tag of a business user"},
	} {
		u := w.register(t, c.u)
		tags := map[string]payout.CIPStatus{}
		for _, tag := range c.tags {
			tags[tag] = payout.CIPVerified
		}
		_, err := w.SetVerification(t.Context(), w.acme, u.ID, payout.Verification{Status: payout.KYCVerified, Tags: tags})
		if got := fieldsOf(t, err, payout.CodeBadRequest); !reflect.DeepEqual(got, c.want) {
			t.Errorf("refused for %q, want %q", got, c.want)
		}
		if refused := (&payout.Error{}); !errors.As(err, &refused) || refused.Details[0].Reason != c.reason {
			t.Errorf("the reason is %q, want %q", refused.Details, c.reason)
		}
		if read, err := w.User(t.Context(), w.acme, u.ID); err != nil || read.Status != payout.KYCUnverified {
			t.Errorf("the status is %s, %v", read.Status, err)
		}
	}
}
