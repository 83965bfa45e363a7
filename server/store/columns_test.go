package store

import (
	"database/sql"
	"reflect"
	"testing"

	"github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// The JSON columns are read by every later version, and by that of other replicas during an upgrade: their text is fixed
// here. What was written before is read as well.
func TestTheTextOfEachJSONColumn(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	limits := []payout.NetworkLimit{{Currency: "NPR", Min: 100_00, Max: 5}}
	pickups := []payout.PickupLocation{{ID: 1, Name: "N", AddressLine1: "A", City: "C"}}
	branches := []payout.Branch{{ID: 2, Name: "B"}}
	bounds := []payout.RateBounds{{From: "USD", To: "NPR", Min: decimal.MustParse("100.5"), Max: decimal.MustParse("1000000000")}}
	client := payout.Client{
		Corridors: []payout.Corridor{{Country: "US", Currency: "USD"}},
		Destinations: []payout.Destination{{Country: "NP", Tiers: []payout.Tier{{
			Limits:       []payout.TierLimit{{Currency: "USD", Daily: 1, Monthly: 2, Annual: 3}},
			RequiredTags: payout.RequiredTags{Individual: []string{"ID_DOC"}, Business: []string{"EIN_DOC"}},
		}}}},
	}
	user := payout.UserProfile{
		FirstName: "f", MiddleName: "mn", LastName: "l", Email: "e", Gender: "g", DateOfBirth: "d", AddressLine1: "a", MobilePhone: "m",
		City: "c", Zipcode: "z", State: "s", IPAddress: "i", Occupation: "o", BusinessType: "b", UserScope: "u", CompanyWebsite: "w",
		NumberOfEmployee: "n", SourceOfFund: "sf", TxnFrequency: "tf", NoOfTxnPerMonth: "nt",
		MailingAddress: &payout.MailingAddress{
			Country: "US", City: "c", AddressLine1: "a", AddressLine2: payout.NullableText{Sent: true, Text: text("2")}, Zipcode: "z", State: "s",
		},
	}
	mailing := func(second payout.NullableText) payout.UserProfile {
		return payout.UserProfile{MailingAddress: &payout.MailingAddress{AddressLine2: second}}
	}
	notes := payout.Notes{Note: text("n"), Purpose: text("p"), CustomPurpose: text(""), RemittancePurpose: text("r"), IPAddress: text("i")}
	receiver := payout.Receiver{FirstName: "f", LastName: "l", Email: "e", MobilePhone: "m", AddressLine1: "a"}

	for name, c := range map[string]struct {
		written string // by this version
		read    func(src any) (any, error)
		want    any
		text    string
		before  string // as versions before wrote it, where that differs
	}{
		"clients.profile": {
			profileText(client), reading(profileOf), client,
			`{"corridors":[{"country":"US","currency":"USD"}],"destinations":[{"country":"NP","tiers":[{"limits":[{"currency":"USD",` +
				`"daily":1,"monthly":2,"annual":3}],"required_tags":{"individual":["ID_DOC"],"business":["EIN_DOC"]}}]}]}`, "",
		},
		"clients.profile, with rates": {
			profileText(payout.Client{RateBounds: bounds}), reading(profileOf), payout.Client{RateBounds: bounds},
			`{"corridors":null,"destinations":null,"exchange_rates":[{"from":"USD","to":"NPR","min":"100.5","max":"1000000000"}]}`, "",
		},
		"clients.profile, none": {
			profileText(payout.Client{}), reading(profileOf), payout.Client{}, `{"corridors":null,"destinations":null}`, "",
		},
		"payers.network_limits": {
			networkLimitsText(limits), reading(networkLimitsOf), limits,
			`[{"currency":"NPR","min":10000,"max":5}]`, `[{"Currency":"NPR","Min":10000,"Max":5}]`,
		},
		"payers.pickup_locations": {
			pickupLocationsText(pickups), reading(pickupLocationsOf), pickups,
			`[{"id":1,"name":"N","address_line1":"A","city":"C"}]`, `[{"ID":1,"Name":"N","AddressLine1":"A","City":"C"}]`,
		},
		"payers.pickup_locations, none": {
			pickupLocationsText(nil), reading(pickupLocationsOf), []payout.PickupLocation(nil), `null`, "",
		},
		"banks.branches": {branchesText(branches), reading(branchesOf), branches, `[{"id":2,"name":"B"}]`, `[{"ID":2,"Name":"B"}]`},
		"banks.currencies": {
			jsonText([]string{"NPR", "USD"}), reading(textsColumn), []string{"NPR", "USD"}, `["NPR","USD"]`, "",
		},
		"users.profile": {
			userText(user), reading(userOf), user,
			`{"first_name":"f","middle_name":"mn","last_name":"l","email":"e","gender":"g","date_of_birth":"d","address_line1":"a",` +
				`"mobile_phone":"m","city":"c","zipcode":"z","state":"s","ip_address":"i","occupation":"o","business_type":"b",` +
				`"user_scope":"u","company_website":"w","number_of_employee":"n","source_of_fund":"sf","txn_frequency":"tf",` +
				`"no_of_txn_per_month":"nt","mailing_address":{"country":"US","city":"c","address_line1":"a","address_line2":"2",` +
				`"zipcode":"z","state":"s"}}`, "",
		},
		"users.profile, address_line2 null": {
			userText(mailing(payout.NullableText{Sent: true})), reading(userOf), mailing(payout.NullableText{Sent: true}),
			`{"first_name":"","email":"","mailing_address":{"address_line2":null}}`, "",
		},
		"users.profile, no address_line2": {
			userText(mailing(payout.NullableText{})), reading(userOf), mailing(payout.NullableText{}),
			`{"first_name":"","email":"","mailing_address":{}}`, "",
		},
		"transactions.notes": {
			jsonText(notesRow(notes)), reading(notesOf), notes,
			`{"note":"n","purpose":"p","custom_purpose":"","remittance_purpose":"r","ip_address":"i"}`, "",
		},
		"transactions.notes, none": {jsonText(notesRow{}), reading(notesOf), payout.Notes{}, `{}`, ""},
		"transactions.receiver": {
			jsonText(receiverRow(receiver)), reading(receiverOf), receiver,
			`{"first_name":"f","last_name":"l","email":"e","mobile_phone":"m","address_line1":"a"}`, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.written != c.text {
				t.Errorf("written\n%s, want\n%s", c.written, c.text)
			}
			for _, src := range []any{c.text, []byte(c.text), c.before} {
				if got, err := c.read(src); src != "" && (err != nil || !reflect.DeepEqual(got, c.want)) {
					t.Errorf("%s is read as\n%+v, %v, want\n%+v", src, got, err, c.want)
				}
			}
			for _, src := range []any{"{", "1", nil, 1} {
				if got, err := c.read(src); err == nil {
					t.Errorf("%v is read as %+v", src, got)
				}
			}
		})
	}
}

// reading reads a column into a new value.
func reading[V any](column func(*V) sql.Scanner) func(src any) (any, error) {
	return func(src any) (any, error) {
		var v V
		err := column(&v).Scan(src)
		return v, err
	}
}
