package contract

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"
)

// refusal is what a format expects, in the words of a violation. kin-openapi carries it through to explain.
type refusal string

func (r refusal) Error() string { return string(r) }

// formats lists what a document may use, by type. stringFormats judges the strings, numberRule the numbers.
var formats = map[string][]string{
	openapi3.TypeString:  {"uuid", "email", "date", "ip", "uri", "uri-reference", "data-uri"},
	openapi3.TypeNumber:  {"decimal"},
	openapi3.TypeInteger: {"int32", "int64"},
}

// They are handed over with each check instead of being registered, which would change kin-openapi for the process.
var stringFormats = map[string]openapi3.StringFormatValidator{
	"uuid":          format(isUUID, "must be a UUID such as 123e4567-e89b-12d3-a456-426614174000"),
	"email":         format(isEmail, "must be an email address"),
	"date":          format(isDate, "must be a date such as 2026-01-31"),
	"ip":            format(isIP, "must be an IPv4 or IPv6 address"),
	"uri":           format(isWebAddress, "must be an absolute http or https address"),
	"uri-reference": format(isReference, "must be a URI or a reference relative to one"),
	"data-uri":      openapi3.NewCallbackValidator(checkDataURI),
}

func format(ok func(string) bool, expected refusal) openapi3.StringFormatValidator {
	return openapi3.NewCallbackValidator(func(s string) error {
		if !ok(s) {
			return expected
		}
		return nil
	})
}

// isUUID takes the canonical form only: what a lenient parser also takes would be several names for one thing.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case '0' <= c && c <= '9', 'a' <= c && c <= 'f', 'A' <= c && c <= 'F':
		default:
			return false
		}
	}
	return true
}

func isEmail(s string) bool {
	local, domain, ok := strings.Cut(s, "@")
	return ok && len(s) <= 254 && local != "" &&
		strings.Contains(domain, ".") && !strings.Contains(domain, "@") && !strings.Contains(domain, "..") &&
		!strings.HasPrefix(domain, ".") && !strings.HasSuffix(domain, ".") &&
		!strings.ContainsFunc(s, spaceOrControl)
}

func spaceOrControl(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func isIP(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Zone() == ""
}

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		!strings.ContainsFunc(s, spaceOrControl)
}

// isReference takes what RFC 3986 calls a URI-reference: a URI, or a path, query or fragment relative to one.
func isReference(s string) bool {
	_, err := url.Parse(s)
	return err == nil && !strings.ContainsFunc(s, outsideURI)
}

// outsideURI reports whether a URI must have a character encoded.
func outsideURI(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}", r) }

const (
	errNotDataURI = refusal("must be a base64 data URI of an image or PDF")
	errNotBase64  = refusal("must contain valid base64")
	errMarkup     = refusal("must not be SVG, HTML or XML")
)

// checkDataURI returns errNotDataURI, errNotBase64 or errMarkup. It is one pass over the text: a document has up to 15 MB of it.
func checkDataURI(s string) error {
	rest, ok := strings.CutPrefix(s, "data:")
	if !ok {
		return errNotDataURI
	}
	mediaType, data, ok := strings.Cut(rest, ";base64,")
	switch mediaType = strings.ToLower(mediaType); {
	case !ok || !isDocumentType(mediaType):
		return errNotDataURI
	case strings.HasPrefix(mediaType, "image/svg"), strings.HasSuffix(mediaType, "xml"):
		return errMarkup
	}
	if !isBase64(data) {
		return errNotBase64
	}
	if isMarkup(data) {
		return errMarkup
	}
	return nil
}

// wideText begins text in UTF-16 or UTF-32: a byte order mark, or a "<" without one. No image and no PDF begins so.
var wideText = [][]byte{{0xFE, 0xFF}, {0xFF, 0xFE}, {0, '<', 0}, {0, 0, 0xFE, 0xFF}, {0, 0, 0, '<', 0}}

// isMarkup reports whether content, in base64, begins like SVG, HTML or XML, which a browser executes (D-63): with a "<" after
// white space.
func isMarkup(data string) bool {
	var first [3]byte
	if _, err := base64.StdEncoding.Decode(first[:], []byte(data[:4])); err == nil && !mayBeginMarkup(first[0]) {
		return false // as most does, without the readers
	}
	content := bufio.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	begin, _ := content.Peek(5) // fewer if that is all
	if slices.ContainsFunc(wideText, func(prefix []byte) bool { return bytes.HasPrefix(begin, prefix) }) {
		return true
	}
	if bytes.HasPrefix(begin, []byte("\uFEFF")) {
		_, _ = content.Discard(len("\uFEFF"))
	}
	for {
		next, err := content.ReadByte()
		if err != nil || !unicode.IsSpace(rune(next)) {
			return err == nil && next == '<'
		}
	}
}

// mayBeginMarkup reports whether markup, white space or a byte order mark may begin with a byte.
func mayBeginMarkup(b byte) bool {
	return b == '<' || b == "\uFEFF"[0] || unicode.IsSpace(rune(b)) ||
		slices.ContainsFunc(wideText, func(prefix []byte) bool { return prefix[0] == b })
}

func isDocumentType(mediaType string) bool {
	subtype, image := strings.CutPrefix(mediaType, "image/")
	if !image {
		return mediaType == "application/pdf"
	}
	return subtype != "" && !strings.ContainsFunc(subtype, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("+.-", r)
	})
}

// notBase64 is 1 for the bytes that are not in the standard alphabet.
var notBase64 = func() (table [256]byte) {
	for c := range table {
		if !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", rune(c)) {
			table[c] = 1
		}
	}
	return table
}()

// isBase64 takes the standard alphabet with full padding and at least one byte of content.
func isBase64(s string) bool {
	if s == "" || len(s)%4 != 0 {
		return false
	}
	content := s[:len(s)-1]
	if s[len(s)-1] != '=' {
		content = s
	} else if s[len(s)-2] == '=' {
		content = s[:len(s)-2]
	}
	var wrong byte
	for ; len(content) >= 8; content = content[8:] { // several at a time, because documents have megabytes
		c := content[:8]
		wrong |= notBase64[c[0]] | notBase64[c[1]] | notBase64[c[2]] | notBase64[c[3]] |
			notBase64[c[4]] | notBase64[c[5]] | notBase64[c[6]] | notBase64[c[7]]
	}
	for i := range len(content) {
		wrong |= notBase64[content[i]]
	}
	return wrong == 0
}
