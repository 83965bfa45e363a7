package conformance

import (
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// Exchange is one request and its answer, without secrets, documents and personal data. What is kept is what is known to
// be harmless: identifiers, statuses, codes, countries, currencies, amounts, timestamps and the names of members. In the
// place of anything else it says how long it was.
type Exchange struct {
	Operation      string               `json:"operation,omitempty"` // operationId
	Method         string               `json:"method"`
	URL            string               `json:"url"` // path and query below the base URL
	RequestHeader  map[string]string    `json:"request_header,omitempty"`
	RequestBody    string               `json:"request_body,omitempty"`
	Duration       time.Duration        `json:"duration_ns"`
	Error          string               `json:"error,omitempty"` // why there is no answer: nothing follows then
	Status         int                  `json:"status,omitempty"`
	ResponseHeader map[string]string    `json:"response_header,omitempty"`
	ResponseBody   string               `json:"response_body,omitempty"`
	Violations     []contract.Violation `json:"violations,omitempty"` // what of the answer breaks the contract
}

// Bounds of what one result shows. The last exchanges of a check are those that its messages are about.
const (
	maxExchanges  = 20
	maxMessages   = 50
	maxMessage    = 2000 // bytes
	maxBodyShown  = 8 << 10
	maxHeader     = 200
	maxViolations = 20
)

// redactor makes exchanges and messages fit to leave the house. First everything that is not known to be harmless is left
// out, as it comes ([redactor.exchange]). At the end of the run, when all values that were sent are known, they are looked
// for in whatever is left ([redactor.finish]): a server may repeat anything anywhere.
type redactor struct {
	target     probe.Target
	parameters map[string][]string // names of the query parameters of each operation
	vocabulary map[string]bool     // words of the contract and of the suite, which are never personal

	mu      sync.Mutex
	private map[string]bool   // secrets and personal values that the run has seen
	known   *strings.Replacer // takes them out of a text; nil when it does not know all of them
}

func newRedactor(target probe.Target, document *openapi3.T, all []probe.Check) *redactor {
	r := &redactor{
		target: target, parameters: map[string][]string{}, private: map[string]bool{},
		vocabulary: map[string]bool{"redacted": true, "characters": true, "conformance": true}, // the last begins our keys
	}
	r.speak(all)
	for path, item := range document.Paths.Map() {
		for segment := range strings.SplitSeq(path, "/") {
			r.vocabulary[strings.Trim(segment, "{}")] = true
		}
		for _, op := range item.Operations() {
			r.vocabulary[op.OperationID] = true
			for _, p := range slices.Concat(item.Parameters, op.Parameters) {
				r.vocabulary[p.Value.Name] = true
				if p.Value.In == openapi3.ParameterInQuery {
					r.parameters[op.OperationID] = append(r.parameters[op.OperationID], p.Value.Name)
				}
			}
		}
	}
	for _, schema := range document.Components.Schemas {
		for _, token := range schema.Value.Enum {
			if word, ok := token.(string); ok {
				r.vocabulary[word] = true
			}
		}
		for name := range schema.Value.Properties {
			r.vocabulary[name] = true
		}
	}
	return r
}

// speak makes the words that our own texts use no secrets: else a label "first" would take all of them out.
func (r *redactor) speak(all []probe.Check) {
	for _, c := range all {
		for word := range strings.FieldsFuncSeq(c.Title+" "+c.Fix, func(c rune) bool { return !unicode.IsLetter(c) }) {
			r.vocabulary[word] = true
		}
	}
}

// exchanges redacts the last ones, and tells how many it left out.
func (r *redactor) exchanges(all []probe.Exchange) (kept []Exchange, omitted int) {
	omitted = max(0, len(all)-maxExchanges)
	for _, x := range all[omitted:] {
		kept = append(kept, r.exchange(x))
	}
	return kept, omitted
}

func (r *redactor) exchange(x probe.Exchange) Exchange {
	redacted := Exchange{
		Operation: x.OperationID, Method: x.Method, URL: r.url(x), Duration: x.Duration, Status: x.Status,
		RequestHeader: r.header(x.Header, requestHeaders), RequestBody: r.body(x.Header, x.Body),
		Violations: x.Violations[:min(len(x.Violations), maxViolations)],
	}
	if x.Err != nil {
		redacted.Error = probe.NoAnswer(x.Err)
		return redacted
	}
	redacted.ResponseHeader, redacted.ResponseBody = r.header(x.ResponseHeader, responseHeaders), r.body(x.ResponseHeader, x.ResponseBody)
	return redacted
}

var (
	uuidPattern = `[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}`
	segment     = regexp.MustCompile(`^(?:[0-9]{1,18}|[A-Za-z]{1,3}|[a-z0-9][a-z0-9.-]{0,39}|` + uuidPattern + `)$`)
	queryValue  = regexp.MustCompile(`^[A-Za-z0-9_]{0,40}$`)
	queryName   = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,40}$`)
)

// url keeps the path as far as its segments look like identifiers, codes and words of paths, and the values of documented
// parameters as far as they look like codes and numbers.
func (r *redactor) url(x probe.Exchange) string {
	path, query, asked := strings.Cut(x.URL, "?")
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if s != "" && !segment.MatchString(s) {
			segments[i] = gap(len(s))
		}
	}
	shown := strings.Join(segments, "/")
	if !asked {
		return shown
	}
	var pairs []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if !slices.Contains(r.parameters[x.OperationID], name) || !queryValue.MatchString(value) {
			value = gap(len(value))
		}
		if !queryName.MatchString(name) {
			name = gap(len(name))
		}
		pairs = append(pairs, name+"="+value)
	}
	return shown + "?" + strings.Join(pairs, "&")
}

var (
	requestID  = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)
	suiteKey   = regexp.MustCompile(`^conformance-` + uuidPattern + `$`)
	mediaType  = regexp.MustCompile(`^[a-z0-9.+-]{1,40}/[a-z0-9.+*-]{1,60}(?: *; *[a-z]{1,20}="?[A-Za-z0-9._-]{1,40}"?)*$`)
	methods    = regexp.MustCompile(`^[A-Z]{1,10}(?:, ?[A-Z]{1,10}){0,10}$`)
	delay      = regexp.MustCompile(`^(?:-?[0-9]{1,10}|[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT)$`)
	yesOrNo    = regexp.MustCompile(`^(?i:true|false)$`)
	anyVisible = regexp.MustCompile(`^[ -~]{0,200}$`)
)

// Headers that are shown, and what their values must look like. The credentials of a request are handled apart.
var (
	requestHeaders = map[string]*regexp.Regexp{
		"Content-Type": mediaType, "Content-Encoding": requestID, "Accept": mediaType, "X-Idempotency-Key": suiteKey,
	}
	responseHeaders = map[string]*regexp.Regexp{
		"X-Request-Id": requestID, "Content-Type": mediaType, "Allow": methods, "Retry-After": delay,
		"Idempotent-Replayed": yesOrNo, "Www-Authenticate": anyVisible,
	}
)

func (r *redactor) header(h http.Header, shown map[string]*regexp.Regexp) map[string]string {
	kept := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		value := strings.Join(h[name], ", ")
		switch shape, ok := shown[name]; {
		case name == "X-Client-Id":
			kept[name] = whose(value, r.target.ClientID, r.target.OtherClientID)
		case name == "X-Client-Secret":
			kept[name] = whose(value, r.target.ClientSecret, r.target.OtherClientSecret)
		case !ok:
		case shape.MatchString(value):
			kept[name] = value
		default:
			kept[name] = gap(utf8.RuneCountInString(value))
		}
	}
	return kept
}

// whose tells which client's id or secret it is, and nothing about another one.
func whose(value, first, second string) string {
	switch value {
	case first:
		return "[the first client's]"
	case second:
		return "[the second client's]"
	default:
		return "[neither client's]"
	}
}

// body shows JSON with its values checked one by one. Of anything else it gives the media type and the length, and of a
// text its beginning, unless something that was sent is in it.
func (r *redactor) body(h http.Header, text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if shown, ok := maskJSON(text); ok {
		return shown
	}
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || !mediaType.MatchString(kind) {
		kind = "no media type"
	}
	note := fmt.Sprintf("[%s, %s, not readable as JSON]", kind, count(len(text), "byte"))
	if kind == "text/html" || kind == "text/plain" {
		if begins := r.excerpt(string(text)); begins != "" {
			return note + "\n" + begins
		}
	}
	return note
}

// baseURL gives a URL without credentials and query.
func baseURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return gap(len(raw))
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/")}).String()
}

func gap(length int) string { return "[redacted, " + count(length, "character") + "]" }

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
