package conformance

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// Bounds of what is remembered of a run to look for it in its report.
const (
	shortestValue = 4        // what is shorter is in any text,
	fewestDigits  = 6        // and fewer digits are in any identifier
	longestValue  = 4096     // bytes; documents, which are longer, are known by their form
	maxValues     = 20_000   // of one run
	maxLearned    = 1 << 20  // bytes of a body that is read as a whole for values
	maxSkimmed    = 64 << 10 // and of another one
)

// personalMembers are those whose values are looked for in answers too: on a server with fixtures they are of people.
var personalMembers = map[string]bool{
	"first_name": true, "last_name": true, "email": true, "gender": true, "date_of_birth": true, "address_line1": true,
	"address_line2": true, "mobile_phone": true, "city": true, "zipcode": true, "ip_address": true, "company_website": true,
	"account_number": true, "wallet_number": true, "document_value": true, "id_issuing_authority": true,
	"note": true, "custom_purpose": true, "remittance_purpose": true, "label": true,
}

// learn remembers what of an exchange must not be in a report.
func (r *redactor) learn(x probe.Exchange) {
	for name, all := range x.Header {
		for _, value := range all {
			if name == "X-Client-Secret" || name == "Authorization" || name == "Cookie" {
				r.secret(value)
			}
		}
	}
	r.learnBody(x.Body, func(name, parent string) bool { return shapeOf(name, parent) == nil })
	r.learnBody(x.ResponseBody, func(name, _ string) bool { return personalMembers[name] })
}

func (r *redactor) secret(value string) {
	value = clipped(value, longestValue)
	r.mu.Lock()
	defer r.mu.Unlock()
	tooShort := len(value) < shortestValue || len(value) < fewestDigits && integer.MatchString(value)
	if !tooShort && !r.private[value] && len(r.private) < maxValues {
		r.private[strings.Clone(value)], r.known = true, nil
	}
}

func (r *redactor) personal(value string) {
	if !r.vocabulary[value] {
		r.secret(strings.TrimSpace(value))
	}
}

// textMember finds members with a text in what may be no JSON.
var textMember = regexp.MustCompile(`"([A-Za-z0-9_]{1,40})"\s*:\s*"((?:[^"\\]|\\.)*)`)

func (r *redactor) learnBody(text []byte, private func(name, parent string) bool) {
	if len(text) == 0 {
		return
	}
	var document any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if len(text) <= maxLearned && d.Decode(&document) == nil {
		r.walk(document, "", "", private)
		return
	}
	for _, found := range textMember.FindAllSubmatch(text[:min(len(text), maxSkimmed)], -1) {
		if private(string(found[1]), "") {
			r.personal(string(found[2]))
		}
	}
}

func (r *redactor) walk(value any, name, parent string, private func(name, parent string) bool) {
	switch v := value.(type) {
	case map[string]any:
		for below, member := range v {
			r.walk(member, below, name, private)
		}
	case []any:
		for _, element := range v {
			r.walk(element, name, parent, private)
		}
	case string:
		if private(name, parent) {
			r.personal(v)
		}
	case json.Number:
		if digits := v.String(); len(digits) >= fewestDigits && private(name, parent) {
			r.personal(digits)
		}
	}
}

// replacer takes the values out of a text, as they were sent and in the forms that a server might give them.
func (r *redactor) replacer() *strings.Replacer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known != nil {
		return r.known
	}
	replaced := map[string]string{}
	for value := range r.private {
		for _, form := range forms(value) {
			if !r.vocabulary[form] {
				replaced[form] = gap(utf8.RuneCountInString(value))
			}
		}
	}
	longestFirst := slices.SortedFunc(maps.Keys(replaced), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	var pairs []string
	for _, form := range longestFirst {
		pairs = append(pairs, form, replaced[form])
	}
	r.known = strings.NewReplacer(pairs...)
	return r.known
}

func forms(value string) []string {
	asJSON := string(quoted(value))
	all := []string{
		value, printable(value), strings.ToLower(value), strings.ToUpper(value), asJSON[1 : len(asJSON)-1], html.EscapeString(value),
		url.QueryEscape(value), url.PathEscape(value), base64.StdEncoding.EncodeToString([]byte(value)),
	}
	if digits := strings.TrimLeft(value, "0"); len(digits) >= fewestDigits && integer.MatchString(digits) {
		all = append(all, digits) // as a server that takes it for a number gives it
	}
	return all
}

// What is personal or secret by its form, whoever made it up.
var (
	mailAddress = regexp.MustCompile(`[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}`)
	longRun     = regexp.MustCompile(`data:[a-z]+/[a-z0-9.+-]+;base64,[A-Za-z0-9+/=]*|[A-Za-z0-9+=]{40,}(?:/[A-Za-z0-9+/=]*)*`)
	malformed   = regexp.MustCompile(`(malformed (?:HTTP|MIME)[A-Za-z ]*:?) .*`) // net/http quotes the line that it cannot read
)

func scrub(text string, known *strings.Replacer) string {
	text = printable(known.Replace(text))
	text = mailAddress.ReplaceAllStringFunc(text, masking)
	text = longRun.ReplaceAllStringFunc(text, masking)
	return malformed.ReplaceAllString(text, "$1 [redacted]")
}

func masking(found string) string { return gap(utf8.RuneCountInString(found)) }

// excerpt gives the beginning of a text without its tags, or nothing where it repeats what was sent.
func (r *redactor) excerpt(text string) string {
	text = printable(text[:min(len(text), maxSkimmed)])
	if scrub(text, r.replacer()) != text {
		return ""
	}
	return clipped(strings.Join(strings.Fields(htmlTag.ReplaceAllString(text, " ")), " "), maxHeader)
}

var htmlTag = regexp.MustCompile(`(?s)<(?:style|script).*?</(?:style|script)>|<[^>]*>`)

// printable makes characters that a terminal or an XML document would stumble over into a replacement character.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' || unicode.IsPrint(c) {
			return c
		}
		return unicode.ReplacementChar
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}

// clipped gives no more than so many bytes.
func clipped(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// finish takes everything that the run has sent in confidence out of a report.
func (r *redactor) finish(report *Report) {
	for _, secret := range []string{r.target.ClientSecret, r.target.OtherClientSecret} {
		r.secret(secret)
	}
	if u, err := url.Parse(r.target.URL); err == nil && u.User != nil {
		password, _ := u.User.Password()
		r.secret(password)
	}
	known := r.replacer()
	report.URL, report.Problem = baseURL(report.URL), scrub(report.Problem, known)
	for i := range report.Results {
		result := &report.Results[i]
		if more := len(result.Messages) - maxMessages; more > 0 {
			result.Messages = append(result.Messages[:maxMessages:maxMessages], fmt.Sprintf("and %d more", more))
		}
		for j, message := range result.Messages {
			result.Messages[j] = clipped(scrub(message, known), maxMessage)
		}
		for j := range result.Exchanges {
			result.Exchanges[j].scrub(known)
		}
	}
}

func (x *Exchange) scrub(known *strings.Replacer) {
	x.URL, x.Error = scrub(x.URL, known), scrub(x.Error, known)
	x.RequestBody, x.ResponseBody = scrub(x.RequestBody, known), scrub(x.ResponseBody, known)
	for name, value := range x.ResponseHeader {
		x.ResponseHeader[name] = scrub(value, known)
	}
	for name, value := range x.RequestHeader {
		if !strings.HasPrefix(name, "X-Client-") { // those say whose they are, in our words
			x.RequestHeader[name] = scrub(value, known)
		}
	}
	x.Violations = slices.Clone(x.Violations)
	for i, violation := range x.Violations {
		x.Violations[i].Field, x.Violations[i].Reason = scrub(violation.Field, known), scrub(violation.Reason, known)
	}
}
