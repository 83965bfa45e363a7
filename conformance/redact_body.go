package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	integer    = regexp.MustCompile(`^-?[0-9]{1,18}$`)
	number     = regexp.MustCompile(`^-?[0-9]{1,25}(?:\.[0-9]{1,25})?(?:[eE][+-]?[0-9]{1,4})?$`)
	identifier = regexp.MustCompile(`^(?:[0-9]{1,18}|` + uuidPattern + `)$`)
	token      = regexp.MustCompile(`^[A-Z][A-Z0-9_ ]{0,63}$`)
	place      = regexp.MustCompile(`^[A-Za-z]{1,3}$`) // a country or currency, or an attempt at one
	timestamp  = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]{5,20}(?:Z|[+-][0-9:]{4,6})?$`)
	tag        = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)
	memberName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,63}$`)
	status     = regexp.MustCompile(`^(?:[0-9]{3}|[A-Z][A-Z_ ]{0,63})$`)
)

// shownMembers are the members whose values are shown, as far as they look like what the contract has there.
var shownMembers = map[string]*regexp.Regexp{
	"id": identifier, "user_id": identifier, "from_fund_id": identifier, "fund_id": identifier, "payer_id": identifier,
	"bank_id": identifier, "branch_id": identifier, "country_id": place, "pickup_location": integer, "current_tier": integer,

	"from_amount": number, "to_amount": number, "fee_amount": number, "bonus_amount": number, "exchange_rate": number,
	"daily_limit": number, "monthly_limit": number, "annual_limit": number, "min_amount": number, "max_amount": number,

	"country": place, "currency": place, "from_currency": place, "to_currency": place, "receiving_currency": place,

	"status": status, "code": token, "kyc_status": token, "delivery_status": token, "payout_method": token, "delivery_method": token,
	"calculation_mode": token, "type": token, "document_type": token, "purpose": token, "funding_source_type": token,
	"txn_supported_types": token, "business_type": token, "user_scope": token, "number_of_employee": token,

	"created_at": timestamp, "request_id": requestID, "in": whereabouts, "field": anyVisible, "reason": anyVisible,
}

var whereabouts = regexp.MustCompile(`^(?:path|query|header|body)$`)

// cipInfo is the member that maps tags to their statuses.
const cipInfo = "cip_info"

// shapeOf gives what a value must look like to be shown; nil: it never is.
func shapeOf(name, parent string) *regexp.Regexp {
	if parent == cipInfo && tag.MatchString(name) {
		return token
	}
	return shownMembers[name]
}

// errLong ends the writing of a body that is long enough.
var errLong = errors.New("long enough")

// masked writes a JSON document again, indented, with gaps for the values that are not shown.
type masked struct {
	in  *json.Decoder
	out strings.Builder
}

// maskJSON gives false for what is not one JSON document.
func maskJSON(text []byte) (string, bool) {
	if !json.Valid(text) {
		return "", false
	}
	m := masked{in: json.NewDecoder(bytes.NewReader(text))}
	m.in.UseNumber()
	switch err := m.value("", "", 0); {
	case errors.Is(err, errLong):
		return fmt.Sprintf("%s\n... (%s in all)", strings.ToValidUTF8(m.out.String()[:maxBodyShown], ""), count(len(text), "byte")), true
	case err != nil && !errors.Is(err, io.EOF):
		return "", false
	}
	return m.out.String(), true
}

// value writes the next value, which belongs to the member name of an object that is itself the member parent.
func (m *masked) value(name, parent string, depth int) error {
	next, err := m.in.Token()
	if err != nil {
		return err
	}
	if m.out.Len() > maxBodyShown {
		return errLong
	}
	switch v := next.(type) {
	case json.Delim:
		return m.composite(v, name, parent, depth)
	case string:
		m.out.Write(quoted(shownText(v, name, parent)))
	case json.Number:
		if shape := shapeOf(name, parent); shape != nil && shape.MatchString(v.String()) {
			m.out.WriteString(v.String())
		} else {
			m.out.WriteString(`"[redacted, a number]"`)
		}
	default:
		fmt.Fprint(&m.out, orElse[any](v, "null"))
	}
	return nil
}

func shownText(v, name, parent string) string {
	if shape := shapeOf(name, parent); v == "" || shape != nil && shape.MatchString(v) {
		return v
	}
	return gap(utf8.RuneCountInString(v))
}

func (m *masked) composite(open json.Delim, name, parent string, depth int) error {
	m.out.WriteByte(byte(open))
	first := true
	for ; m.in.More(); first = false {
		if !first {
			m.out.WriteByte(',')
		}
		m.line(depth + 1)
		below, above := name, parent // an element is shown as its list would be
		if open == '{' {
			key, err := m.in.Token()
			if err != nil {
				return err
			}
			below, above = key.(string), name //nolint:forcetypeassert // the decoder gives names as strings
			m.out.Write(quoted(shownName(below)))
			m.out.WriteString(": ")
		}
		if err := m.value(below, above, depth+1); err != nil {
			return err
		}
	}
	if _, err := m.in.Token(); err != nil {
		return err
	}
	if !first {
		m.line(depth)
	}
	m.out.WriteByte(byte(open) + 2) // in ASCII, ] is [ + 2 and } is { + 2
	return nil
}

func (m *masked) line(depth int) {
	m.out.WriteByte('\n')
	m.out.WriteString(strings.Repeat("  ", min(depth, 32)))
}

func shownName(name string) string {
	if memberName.MatchString(name) {
		return name
	}
	return "[name " + strings.TrimPrefix(gap(utf8.RuneCountInString(name)), "[")
}

// quoted encodes a string without the escapes that are for HTML.
func quoted(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be encoded
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
