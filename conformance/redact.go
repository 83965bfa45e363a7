package conformance

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// Exchange is a request and its response without secrets, documents and personal data. It shows what is known to be
// harmless: identifiers, statuses, codes, countries, currencies, amounts, timestamps and member names. Anything else is
// replaced by its length.
type Exchange struct {
	Operation      string               `json:"operation,omitempty"` // operationId
	Method         string               `json:"method"`
	URL            string               `json:"url"` // path and query below the base URL
	RequestHeader  map[string]string    `json:"request_header,omitempty"`
	RequestBody    string               `json:"request_body,omitempty"`
	Duration       time.Duration        `json:"duration_ns"`
	Error          string               `json:"error,omitempty"` // why there is no response: the fields below are empty
	Status         int                  `json:"status,omitempty"`
	ResponseHeader map[string]string    `json:"response_header,omitempty"`
	ResponseBody   string               `json:"response_body,omitempty"`
	Violations     []contract.Violation `json:"violations,omitempty"` // of the contract in the response
}

// Bounds of what a result shows. The messages of a check are about its last exchanges.
const (
	maxExchanges  = 20
	maxMessages   = 50
	maxMessage    = 2000 // bytes
	maxBodyShown  = 8 << 10
	maxURL        = 500
	maxViolations = 20
	shortest      = 4 // bytes of a value that is removed from texts; a shorter one is part of other words
)

// redactor removes what is confidential from exchanges and messages. The people in the suite's requests are invented; those
// in a server's responses may be real. So it shows only members whose values cannot be personal and no free text of a
// server, and it removes the given secrets and fixtures everywhere.
type redactor struct {
	owner map[string]string // of ids and secrets
	given *strings.Replacer // removes secrets and fixtures
}

func newRedactor(target probe.Target) *redactor {
	replaced := map[string]string{}
	for _, value := range given(target) {
		for _, form := range forms(value) {
			replaced[form] = gap(utf8.RuneCountInString(value))
		}
	}
	const first, second = "[the first client's]", "[the second client's]"
	return &redactor{map[string]string{
		target.OtherClientID: second, target.OtherClientSecret: second, target.ClientID: first, target.ClientSecret: first,
	}, replacer(replaced)}
}

// replacer returns a replacer that prefers longer texts.
func replacer(replaced map[string]string) *strings.Replacer {
	var pairs []string
	for _, text := range slices.SortedFunc(maps.Keys(replaced), func(a, b string) int { return cmp.Compare(len(b), len(a)) }) {
		pairs = append(pairs, text, replaced[text])
	}
	return strings.NewReplacer(pairs...)
}

// given are the secrets and the fixtures of a target, which a report must not show in any form.
func given(target probe.Target) []string {
	all := []string{target.ClientSecret, target.OtherClientSecret}
	for _, values := range target.Header {
		for _, value := range values {
			all = append(append(all, value), strings.Fields(value)...) // a server may repeat the token of "Bearer token"
		}
	}
	if u, err := url.Parse(target.URL); err == nil && u.User != nil {
		password, _ := u.User.Password()
		all = append(all, password)
	}
	fixtures, _ := json.Marshal(target.Fixtures) // which can always be encoded
	all = append(all, regexp.MustCompile(uuidPattern).FindAllString(string(fixtures), -1)...)
	return slices.DeleteFunc(all, func(value string) bool { return len(value) < shortest })
}

// forms returns the encodings in which a server may repeat a value.
func forms(value string) []string {
	plain, asJSON := strconv.Quote(value), quoted(value) // one with < and the other with \u003c
	return []string{
		value, printable(value), strings.ToLower(value), strings.ToUpper(value), plain[1 : len(plain)-1], asJSON[1 : len(asJSON)-1],
		html.EscapeString(value), url.QueryEscape(value), url.PathEscape(value), base64.StdEncoding.EncodeToString([]byte(value)),
	}
}

func (r *redactor) text(s string) string { return printable(r.given.Replace(s)) }

// result redacts the messages and the last exchanges of a check. Messages may quote member names and values of responses.
func (r *redactor) result(result *Result, exchanges []probe.Exchange) {
	hidden := map[string]string{}
	for _, x := range exchanges {
		_, texts := mask(x.ResponseBody)
		for _, text := range texts {
			if len(text) >= shortest && !memberName.MatchString(text) { // that could be a word of the message itself
				hidden[text] = gap(utf8.RuneCountInString(text))
			}
		}
	}
	made := replacer(hidden)
	result.Omitted += max(0, len(exchanges)-maxExchanges)
	for _, x := range exchanges[max(0, len(exchanges)-maxExchanges):] {
		result.Exchanges = append(result.Exchanges, r.exchange(x))
	}
	messages := result.Messages[:min(maxMessages, len(result.Messages))]
	if more := len(result.Messages) - maxMessages; more > 0 {
		messages = append(slices.Clone(messages), fmt.Sprintf("and %d more", more))
	}
	result.Messages = nil
	for _, message := range messages {
		result.Messages = append(result.Messages, clipped(r.text(made.Replace(message)), maxMessage))
	}
}

func (r *redactor) exchange(x probe.Exchange) Exchange {
	redacted := Exchange{
		Operation: x.OperationID, Method: x.Method, URL: clipped(r.text(location(x.URL)), maxURL), Duration: x.Duration, Status: x.Status,
		RequestHeader: r.header(x.Header, requestHeaders), RequestBody: r.body(x.Header, x.Body),
	}
	if x.Err != nil {
		redacted.Error = probe.NoAnswer(x.Err)
		return redacted
	}
	for _, v := range x.Violations[:min(len(x.Violations), maxViolations)] {
		redacted.Violations = append(redacted.Violations, r.violation(v))
	}
	redacted.ResponseHeader, redacted.ResponseBody = r.header(x.ResponseHeader, responseHeaders), r.body(x.ResponseHeader, x.ResponseBody)
	return redacted
}

const uuidPattern = `[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}`

var (
	requestID = regexp.MustCompile(`^[A-Za-z0-9._:-]{16,128}$`) // a shorter value may be a name
	mediaType = regexp.MustCompile(`^[a-z0-9.+-]{1,40}/[a-z0-9.+*-]{1,60}(?: *; *charset="?[A-Za-z0-9._-]{1,20}"?)?$`)
)

// Headers that are shown, with the format of their values. Credentials are handled separately.
var (
	requestHeaders = map[string]*regexp.Regexp{
		"Content-Type": mediaType, "Content-Encoding": regexp.MustCompile(`^[a-z]{1,10}$`), "Accept": mediaType,
		"X-Idempotency-Key": regexp.MustCompile(`^conformance-` + uuidPattern + `$`),
	}
	responseHeaders = map[string]*regexp.Regexp{
		"X-Request-Id": requestID, "Content-Type": mediaType, "Allow": regexp.MustCompile(`^[A-Z]{1,10}(?:, ?[A-Z]{1,10}){0,10}$`),
		"Retry-After":         regexp.MustCompile(`^(?:-?[0-9]{1,10}|[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT)$`),
		"Idempotent-Replayed": regexp.MustCompile(`^(?i:true|false)$`),
		"Www-Authenticate":    regexp.MustCompile(`^(?:Basic|Bearer|Client headers="X-Client-Id X-Client-Secret")$`),
	}
)

func (r *redactor) header(h http.Header, shown map[string]*regexp.Regexp) map[string]string {
	kept := map[string]string{}
	for name, values := range h {
		value := strings.Join(values, ", ")
		switch shape, ok := shown[name]; {
		case name == "X-Client-Id", name == "X-Client-Secret":
			kept[name] = cmp.Or(r.owner[value], "[neither client's]")
		case !ok:
		case shape.MatchString(value):
			kept[name] = r.text(value)
		default:
			kept[name] = gap(utf8.RuneCountInString(value))
		}
	}
	return kept
}

// body returns redacted JSON, or the media type and length of anything else.
func (r *redactor) body(h http.Header, text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if shown, _ := mask(text); shown != "" {
		return r.text(shown)
	}
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || !mediaType.MatchString(kind) {
		kind = "no media type"
	}
	return fmt.Sprintf("[%s, %s, not readable as JSON]", kind, count(len(text), "byte"))
}

// baseURL is a URL without credentials and query.
func baseURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return gap(len(raw))
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/")}).String()
}

// printable replaces characters that terminals and XML cannot show.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' || unicode.IsPrint(c) {
			return c
		}
		return unicode.ReplacementChar
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}

// clipped returns the beginning of a text, at most so many bytes.
func clipped(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

func gap(length int) string { return "[redacted, " + count(length, "character") + "]" }

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
