package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/govalues/decimal"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// How values are stored in columns. Each JSON column has a row type, so that renaming a field of the domain does not change
// the format of the data. To change a row type, keep reading the old form (see pickupLocationRow).

// micros and fromMicros convert times, which are stored as microseconds.
func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(us int64) time.Time { return time.UnixMicro(us).UTC() }

// timeColumn scans a time.
type timeColumn struct{ t *time.Time }

// Scan implements sql.Scanner.
func (c timeColumn) Scan(src any) error {
	us, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a time column holds %T", src)
	}
	*c.t = fromMicros(us)
	return nil
}

// textOrNull scans a text; null is "". nullIfEmpty is the reverse: an index may then leave out the rows without one.
type textOrNull struct{ text *string }

// Scan implements sql.Scanner.
func (c textOrNull) Scan(src any) error {
	var text sql.NullString
	err := text.Scan(src)
	*c.text = text.String
	return err
}

func nullIfEmpty(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }

// jsonColumn scans JSON of the row type R into a value V of the domain.
type jsonColumn[R, V any] struct {
	into  *V
	value func(R) V
}

// Scan implements sql.Scanner.
func (c jsonColumn[R, V]) Scan(src any) error {
	var text []byte
	switch src := src.(type) {
	case string:
		text = []byte(src)
	case []byte:
		text = src
	default:
		return fmt.Errorf("a JSON column holds %T", src)
	}
	var row R
	if err := json.Unmarshal(text, &row); err != nil {
		return err
	}
	*c.into = c.value(row)
	return nil
}

// How many texts of a column are remembered, and of what length in bytes.
const (
	mostRemembered    = 1024
	longestRemembered = 16 << 10
)

// memory remembers what JSON says that is read again and again: the profile of a client with each of its requests, and reference
// data. The key is the text itself, so that nothing can be out of date.
type memory[R any] struct{ rows *lru.Cache[string, R] }

var (
	knownTexts           = newMemory[[]string]()
	knownNetworkLimits   = newMemory[[]networkLimitRow]()
	knownPickupLocations = newMemory[[]pickupLocationRow]()
	knownBranches        = newMemory[[]branchRow]()
)

func newMemory[R any]() memory[R] {
	rows, err := lru.New[string, R](mostRemembered)
	if err != nil {
		panic(err) // of a size that is not positive
	}
	return memory[R]{rows}
}

// column scans JSON of the row type R. into must not keep a slice of the row.
func (m memory[R]) column(into func(R)) sql.Scanner { return rememberedColumn[R]{m, into} }

type rememberedColumn[R any] struct {
	memory memory[R]
	into   func(R)
}

// Scan implements sql.Scanner.
func (c rememberedColumn[R]) Scan(src any) error {
	var text sql.NullString
	if err := text.Scan(src); err != nil {
		return err
	}
	row, ok := c.memory.rows.Get(text.String)
	if !ok {
		if err := json.Unmarshal([]byte(text.String), &row); err != nil {
			return err
		}
		if len(text.String) <= longestRemembered {
			c.memory.rows.Add(text.String, row)
		}
	}
	c.into(row)
	return nil
}

// jsonText returns a row type as JSON. It cannot fail, because row types are plain structs.
func jsonText(row any) string {
	text, err := json.Marshal(row)
	if err != nil {
		panic(fmt.Sprintf("store: %T is no JSON: %v", row, err))
	}
	return string(text)
}

// mapped converts each element. nil remains nil, which is null in JSON.
func mapped[A, B any](all []A, convert func(A) B) []B {
	if all == nil {
		return nil
	}
	out := make([]B, len(all))
	for i, v := range all {
		out[i] = convert(v)
	}
	return out
}

// arrayColumn scans a JSON array of rows.
func arrayColumn[R, V any](into *[]V, value func(R) V) sql.Scanner {
	return jsonColumn[[]R, []V]{into, func(rows []R) []V { return mapped(rows, value) }}
}

// textsColumn scans a JSON array of strings.
func textsColumn(into *[]string) sql.Scanner {
	return knownTexts.column(func(texts []string) { *into = slices.Clone(texts) })
}

// clientRow is the JSON of clients.profile.
type clientRow struct {
	Corridors    []corridorRow    `json:"corridors"`
	Destinations []destinationRow `json:"destinations"`
	RateBounds   []rateBoundsRow  `json:"exchange_rates,omitempty"` // since contract 1.3.0
}

// rateBoundsRow has rates as text, exact.
type rateBoundsRow struct {
	From string          `json:"from"`
	To   string          `json:"to"`
	Min  decimal.Decimal `json:"min"`
	Max  decimal.Decimal `json:"max"`
}

type corridorRow struct {
	Country  string `json:"country"`
	Currency string `json:"currency"`
}

type destinationRow struct {
	Country string    `json:"country"`
	Tiers   []tierRow `json:"tiers"`
}

type tierRow struct {
	Limits       []tierLimitRow  `json:"limits"`
	RequiredTags requiredTagsRow `json:"required_tags"`
}

// tierLimitRow has amounts in minor units of its currency.
type tierLimitRow struct {
	Currency string `json:"currency"`
	Daily    int64  `json:"daily"`
	Monthly  int64  `json:"monthly"`
	Annual   int64  `json:"annual"`
}

type requiredTagsRow struct {
	Individual []string `json:"individual"`
	Business   []string `json:"business"`
}

func profileText(c payout.Client) string {
	return jsonText(clientRow{
		Corridors: mapped(c.Corridors, func(v payout.Corridor) corridorRow { return corridorRow(v) }),
		Destinations: mapped(c.Destinations, func(v payout.Destination) destinationRow {
			return destinationRow{v.Country, mapped(v.Tiers, func(v payout.Tier) tierRow {
				limits := mapped(v.Limits, func(v payout.TierLimit) tierLimitRow { return tierLimitRow(v) })
				return tierRow{limits, requiredTagsRow(v.RequiredTags)}
			})}
		}),
		RateBounds: mapped(c.RateBounds, func(v payout.RateBounds) rateBoundsRow { return rateBoundsRow(v) }),
	})
}

var knownProfiles = newMemory[clientRow]()

// profileOf scans the profile into a client, and leaves its other fields alone.
func profileOf(c *payout.Client) sql.Scanner {
	return knownProfiles.column(func(row clientRow) {
		c.Corridors = mapped(row.Corridors, func(v corridorRow) payout.Corridor { return payout.Corridor(v) })
		c.Destinations = mapped(row.Destinations, func(v destinationRow) payout.Destination {
			return payout.Destination{Country: v.Country, Tiers: mapped(v.Tiers, func(v tierRow) payout.Tier {
				limits := mapped(v.Limits, func(v tierLimitRow) payout.TierLimit { return payout.TierLimit(v) })
				return payout.Tier{Limits: limits, RequiredTags: payout.RequiredTags{
					Individual: slices.Clone(v.RequiredTags.Individual), Business: slices.Clone(v.RequiredTags.Business),
				}}
			})}
		})
		c.RateBounds = mapped(row.RateBounds, func(v rateBoundsRow) payout.RateBounds { return payout.RateBounds(v) })
	})
}

// networkLimitRow is an element of payers.network_limits; its amounts are in minor units. Up to
// contract 1.1.0 the names differed in case, which encoding/json ignores.
type networkLimitRow struct {
	Currency string `json:"currency"`
	Min      int64  `json:"min"`
	Max      int64  `json:"max"`
}

func networkLimitsText(all []payout.NetworkLimit) string {
	return jsonText(mapped(all, func(v payout.NetworkLimit) networkLimitRow { return networkLimitRow(v) }))
}

func networkLimitsOf(all *[]payout.NetworkLimit) sql.Scanner {
	return knownNetworkLimits.column(func(rows []networkLimitRow) {
		*all = mapped(rows, func(v networkLimitRow) payout.NetworkLimit { return payout.NetworkLimit(v) })
	})
}

// pickupLocationRow is an element of payers.pickup_locations. FormerAddress is address_line1 as written up to contract
// 1.1.0; the other names differed in case only.
type pickupLocationRow struct {
	ID            int64  `json:"id"`
	Name          string `json:"name"`
	AddressLine1  string `json:"address_line1"`
	City          string `json:"city"`
	FormerAddress string `json:"AddressLine1,omitempty"`
}

func pickupLocationsText(all []payout.PickupLocation) string {
	return jsonText(mapped(all, func(v payout.PickupLocation) pickupLocationRow {
		return pickupLocationRow{ID: v.ID, Name: v.Name, AddressLine1: v.AddressLine1, City: v.City}
	}))
}

func pickupLocationsOf(all *[]payout.PickupLocation) sql.Scanner {
	return knownPickupLocations.column(func(rows []pickupLocationRow) {
		*all = mapped(rows, func(v pickupLocationRow) payout.PickupLocation {
			return payout.PickupLocation{ID: v.ID, Name: v.Name, AddressLine1: v.AddressLine1 + v.FormerAddress, City: v.City}
		})
	})
}

// branchRow is an element of banks.branches. Up to contract 1.1.0 the names differed in case.
type branchRow struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func branchesText(all []payout.Branch) string {
	return jsonText(mapped(all, func(v payout.Branch) branchRow { return branchRow(v) }))
}

func branchesOf(all *[]payout.Branch) sql.Scanner {
	return knownBranches.column(func(rows []branchRow) {
		*all = mapped(rows, func(v branchRow) payout.Branch { return payout.Branch(v) })
	})
}

// userRow is the JSON of users.profile.
type userRow struct {
	FirstName        string             `json:"first_name"`
	MiddleName       string             `json:"middle_name,omitempty"`
	LastName         string             `json:"last_name,omitempty"`
	Email            string             `json:"email"`
	Gender           string             `json:"gender,omitempty"`
	DateOfBirth      string             `json:"date_of_birth,omitempty"` // YYYY-MM-DD
	AddressLine1     string             `json:"address_line1,omitempty"`
	MobilePhone      string             `json:"mobile_phone,omitempty"`
	City             string             `json:"city,omitempty"`
	Zipcode          string             `json:"zipcode,omitempty"`
	State            string             `json:"state,omitempty"`
	IPAddress        string             `json:"ip_address,omitempty"`
	Occupation       string             `json:"occupation,omitempty"`
	BusinessType     string             `json:"business_type,omitempty"`
	UserScope        string             `json:"user_scope,omitempty"`
	CompanyWebsite   string             `json:"company_website,omitempty"`
	NumberOfEmployee string             `json:"number_of_employee,omitempty"`
	SourceOfFund     string             `json:"source_of_fund,omitempty"`
	TxnFrequency     string             `json:"txn_frequency,omitempty"`
	NoOfTxnPerMonth  string             `json:"no_of_txn_per_month,omitempty"`
	MailingAddress   *mailingAddressRow `json:"mailing_address,omitempty"`
}

type mailingAddressRow struct {
	Country      string          `json:"country,omitempty"`
	City         string          `json:"city,omitempty"`
	AddressLine1 string          `json:"address_line1,omitempty"`
	AddressLine2 nullableTextRow `json:"address_line2,omitzero"`
	Zipcode      string          `json:"zipcode,omitempty"`
	State        string          `json:"state,omitempty"`
}

// nullableTextRow is absent, null or a string (D-46).
type nullableTextRow payout.NullableText

// UnmarshalJSON implements json.Unmarshaler.
func (n *nullableTextRow) UnmarshalJSON(text []byte) error {
	n.Sent = true
	return json.Unmarshal(text, &n.Text)
}

// MarshalJSON implements json.Marshaler.
func (n nullableTextRow) MarshalJSON() ([]byte, error) { return json.Marshal(n.Text) }

func userText(p payout.UserProfile) string {
	row := userRow{
		p.FirstName, p.MiddleName, p.LastName, p.Email, p.Gender, p.DateOfBirth, p.AddressLine1, p.MobilePhone, p.City, p.Zipcode,
		p.State, p.IPAddress, p.Occupation, p.BusinessType, p.UserScope, p.CompanyWebsite, p.NumberOfEmployee, p.SourceOfFund,
		p.TxnFrequency, p.NoOfTxnPerMonth, nil,
	}
	if a := p.MailingAddress; a != nil {
		row.MailingAddress = &mailingAddressRow{a.Country, a.City, a.AddressLine1, nullableTextRow(a.AddressLine2), a.Zipcode, a.State}
	}
	return jsonText(row)
}

func userOf(p *payout.UserProfile) sql.Scanner {
	return jsonColumn[userRow, payout.UserProfile]{p, userRow.profile}
}

func (row userRow) profile() payout.UserProfile {
	p := payout.UserProfile{
		FirstName: row.FirstName, MiddleName: row.MiddleName, LastName: row.LastName, Email: row.Email, Gender: row.Gender,
		DateOfBirth: row.DateOfBirth, AddressLine1: row.AddressLine1, MobilePhone: row.MobilePhone, City: row.City,
		Zipcode: row.Zipcode, State: row.State, IPAddress: row.IPAddress, Occupation: row.Occupation,
		BusinessType: row.BusinessType, UserScope: row.UserScope, CompanyWebsite: row.CompanyWebsite,
		NumberOfEmployee: row.NumberOfEmployee, SourceOfFund: row.SourceOfFund, TxnFrequency: row.TxnFrequency,
		NoOfTxnPerMonth: row.NoOfTxnPerMonth,
	}
	if a := row.MailingAddress; a != nil {
		p.MailingAddress = &payout.MailingAddress{
			Country: a.Country, City: a.City, AddressLine1: a.AddressLine1, AddressLine2: payout.NullableText(a.AddressLine2),
			Zipcode: a.Zipcode, State: a.State,
		}
	}
	return p
}

// notesRow is the JSON of transactions.notes.
type notesRow struct {
	Note              *string `json:"note,omitempty"`
	Purpose           *string `json:"purpose,omitempty"`
	CustomPurpose     *string `json:"custom_purpose,omitempty"`
	RemittancePurpose *string `json:"remittance_purpose,omitempty"`
	IPAddress         *string `json:"ip_address,omitempty"`
}

func notesOf(n *payout.Notes) sql.Scanner {
	return jsonColumn[notesRow, payout.Notes]{n, func(row notesRow) payout.Notes { return payout.Notes(row) }}
}

// receiverRow is the JSON of transactions.receiver.
type receiverRow struct {
	FirstName    string `json:"first_name"`
	LastName     string `json:"last_name,omitempty"`
	Email        string `json:"email,omitempty"`
	MobilePhone  string `json:"mobile_phone,omitempty"`
	AddressLine1 string `json:"address_line1,omitempty"`
}

func receiverOf(r *payout.Receiver) sql.Scanner {
	return jsonColumn[receiverRow, payout.Receiver]{r, func(row receiverRow) payout.Receiver { return payout.Receiver(row) }}
}
