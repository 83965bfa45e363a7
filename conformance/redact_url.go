package conformance

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// words are the parts of the paths of the contract that are no parameters.
var words = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{"": true}
	published, err := contract.Published()
	if err != nil {
		return all
	}
	for _, op := range published.Operations() {
		for part := range strings.SplitSeq(op.Path, "/") {
			all[part] = true
		}
	}
	return all
})

// Values of parameters that are shown. The suite may have others from a response.
var (
	inPath  = []*regexp.Regexp{identifier, place}
	inQuery = []*regexp.Regexp{identifier, place, token, number, timestamp}
)

// location redacts a path and query.
func location(sent string) string {
	path, query, asked := strings.Cut(sent, "?")
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if !words()[part] {
			parts[i] = parameter(part, url.PathUnescape, inPath)
		}
	}
	path = strings.Join(parts, "/")
	if !asked {
		return path
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if !memberName.MatchString(name) {
			name = parameter(name, url.QueryUnescape, inQuery)
		}
		pairs[i] = name + "=" + parameter(value, url.QueryUnescape, inQuery)
	}
	return path + "?" + strings.Join(pairs, "&")
}

func parameter(escaped string, unescape func(string) (string, error), harmless []*regexp.Regexp) string {
	value, err := unescape(escaped)
	if err != nil {
		value = escaped
	}
	for _, shape := range harmless {
		if value == "" || shape.MatchString(value) {
			return escaped
		}
	}
	return gap(utf8.RuneCountInString(value))
}
