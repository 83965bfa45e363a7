package client

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// notUTF8 names the first text of a request that was not valid UTF-8, "" if there is none. encoding/json would replace it,
// and the service would store what the caller did not mean.
func notUTF8(r *http.Request) string {
	if !utf8.ValidString(r.URL.Path) {
		return "a path parameter"
	}
	if query, err := url.QueryUnescape(r.URL.RawQuery); err != nil || !utf8.ValidString(query) {
		return "a query parameter"
	}
	if r.GetBody == nil {
		return ""
	}
	body, err := r.GetBody()
	if err != nil {
		return ""
	}
	var seen replacements
	_, _ = io.Copy(&seen, body) // one Write of the whole body, which is in memory
	if !seen.found {
		return ""
	}
	return seen.field
}

// replacements finds the escape that encoding/json writes in place of bytes that are no UTF-8. The character U+FFFD itself
// is not escaped.
type replacements struct {
	found bool
	field string
}

const replaced = `\ufffd`

// Write implements [io.Writer].
func (f *replacements) Write(body []byte) (int, error) {
	for rest := body; ; {
		i := bytes.Index(rest, []byte(replaced))
		if i < 0 {
			return len(body), nil
		}
		escapes := i
		for escapes > 0 && rest[escapes-1] == '\\' {
			escapes--
		}
		if (i-escapes)%2 == 0 {
			break
		}
		rest = rest[i+1:]
	}
	var value any
	_ = json.Unmarshal(bytes.ReplaceAll(body, []byte(string(utf8.RuneError)), nil), &value)
	f.found, f.field = true, "the body"
	if where := fieldOfReplaced(value); where != "" {
		f.field = where
	}
	return len(body), nil
}

// fieldOfReplaced returns the JSON pointer of a string with U+FFFD.
func fieldOfReplaced(value any) string {
	switch v := value.(type) {
	case map[string]any:
		for name, part := range v {
			if where := fieldOfReplaced(part); where != "" {
				return "/" + pointerEscaper.Replace(name) + strings.TrimSuffix(where, "/")
			}
		}
	case []any:
		for i, part := range v {
			if where := fieldOfReplaced(part); where != "" {
				return "/" + strconv.Itoa(i) + strings.TrimSuffix(where, "/")
			}
		}
	case string:
		if strings.ContainsRune(v, utf8.RuneError) {
			return "/"
		}
	}
	return ""
}
