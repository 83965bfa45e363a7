package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// pointerTokenPattern is a token of a JSON pointer that names a member, a tag or an index.
const pointerTokenPattern = `(?:[a-z][A-Za-z0-9_]{0,39}|[A-Z][A-Z0-9_]{0,63}|[0-9]{1,4})`

var (
	number     = regexp.MustCompile(`^-?[0-9]{1,25}(?:\.[0-9]{1,25})?(?:[eE][+-]?[0-9]{1,4})?$`)
	identifier = regexp.MustCompile(`^(?:[0-9]{1,18}|` + uuidPattern + `)$`)
	token      = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)
	place      = regexp.MustCompile(`^[A-Za-z]{1,3}$`) // a country or currency, or an attempt at one
	timestamp  = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]{5,20}(?:Z|[+-][0-9:]{4,6})?$`)
	memberName = regexp.MustCompile(`^[a-z][A-Za-z0-9_]{0,39}$`)

	pointerToken   = regexp.MustCompile(`^` + pointerTokenPattern + `$`)
	violationField = regexp.MustCompile(`^(?:/` + pointerTokenPattern + `)+$|^[a-z][A-Za-z0-9_]{0,39}$|^X-[A-Z][A-Za-z-]{0,30}$`) // or a parameter or header
)

// shownMembers are the members whose values are shown if they match the format.
var shownMembers = map[string]*regexp.Regexp{
	"id": identifier, "user_id": identifier, "from_fund_id": identifier, "fund_id": identifier, "payer_id": identifier,
	"bank_id": identifier, "branch_id": identifier, "country_id": place, "pickup_location": identifier, "current_tier": number,

	"from_amount": number, "to_amount": number, "fee_amount": number, "bonus_amount": number, "exchange_rate": number,
	"daily_limit": number, "monthly_limit": number, "annual_limit": number, "min_amount": number, "max_amount": number,

	"country": place, "currency": place, "from_currency": place, "to_currency": place, "receiving_currency": place,

	"status": regexp.MustCompile(`^(?:[0-9]{3}|[A-Z][A-Z0-9_]{0,63})$`), "code": token, "kyc_status": token, "delivery_status": token,
	"payout_method": token, "delivery_method": token, "calculation_mode": token, "type": token, "document_type": token, "purpose": token,
	"funding_source_type": token, "txn_supported_types": token, "business_type": token, "user_scope": token, "number_of_employee": token,

	"created_at": timestamp, "request_id": requestID, "in": regexp.MustCompile(`^(?:path|query|header|body)$`), "field": violationField,
}

// cipInfo is the member that maps tags to their statuses.
const cipInfo = "cip_info"

// member is the place of a value in a body: member name of the object that is member parent.
type member struct {
	name, parent string
	list         bool
}

func (m member) shows(value string) bool {
	if m.parent == cipInfo && token.MatchString(m.name) {
		return token.MatchString(value)
	}
	shape := shownMembers[m.name]
	return shape != nil && shape.MatchString(value)
}

// jsonLine matches a line of a JSON document that has each member and element on its own line.
var jsonLine = regexp.MustCompile(`^(?:("(?:[^"\\]|\\.)*"): )?(.*?)(,?)$`)

// mask returns a JSON document, indented and redacted, and the values and names that it removed; "" unless text is one JSON
// document.
func mask(text []byte) (shown string, hidden []string) {
	var lines bytes.Buffer
	if json.Indent(&lines, bytes.Trim(text, " \t\r\n"), "", "") != nil {
		return "", nil
	}
	var out strings.Builder
	write := func(text string) {
		if out.Len() <= maxBodyShown {
			out.WriteString(text)
		}
	}
	hide := func(note, text string) string {
		hidden = append(hidden, text)
		return quoted(strings.Replace(gap(utf8.RuneCountInString(text)), "[", "["+note, 1))
	}
	open := []member{{list: true}} // the objects and lists around a line
	for line := range strings.SplitSeq(lines.String(), "\n") {
		part := jsonLine.FindStringSubmatch(line)
		value := part[2]
		if value == "}" || value == "]" {
			open = open[:len(open)-1]
		}
		at := open[len(open)-1] // an element of a list is shown as the list would be
		write("\n" + strings.Repeat("  ", min(len(open)-1, 32)))
		if part[1] != "" {
			at = member{name: unquoted(part[1]), parent: at.name}
			if memberName.MatchString(at.name) || at.parent == cipInfo && token.MatchString(at.name) {
				write(part[1] + ": ")
			} else {
				write(hide("name ", at.name) + ": ")
			}
		}
		if value == "{" || value == "[" {
			at.list = value == "["
			open = append(open, at)
		}
		switch text := unquoted(value); {
		case strings.ContainsAny(value[:1], "{}[]tfn"), text == "", at.shows(text):
			write(value)
		case value[0] == '"':
			write(hide("", text))
		default:
			write(`"[redacted, a number]"`)
		}
		write(part[3])
	}
	shown = strings.TrimPrefix(out.String(), "\n")
	if len(shown) > maxBodyShown {
		shown = clipped(shown, maxBodyShown) + fmt.Sprintf("\n... (%s in all)", count(len(text), "byte"))
	}
	return shown, hidden
}

// violation redacts names in a JSON pointer that are not written like those of a contract.
func (r *redactor) violation(v contract.Violation) contract.Violation {
	names := strings.Split(v.Field, "/")
	for i, name := range names {
		if v.In == "body" && name != "" && !pointerToken.MatchString(name) {
			names[i] = gap(utf8.RuneCountInString(name))
		}
	}
	return contract.Violation{In: v.In, Field: r.text(strings.Join(names, "/")), Reason: r.text(v.Reason)}
}

// unquoted is the text of a JSON string, and anything else as it is written.
func unquoted(value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) != nil {
		return value
	}
	return text
}

func quoted(text string) string {
	b, _ := json.Marshal(text) // a string can always be encoded
	return string(b)
}
