package client

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// textError names text of a request that is not valid UTF-8. Encoded, it would be replaced, and the service would store what
// the caller did not mean.
type textError struct {
	in    api.ErrorDetailIn
	field string
}

// Error implements error.
func (e textError) Error() string { return string(e.in) + " " + e.field + " " + mustBeUTF8 }

const mustBeUTF8 = "must be text in UTF-8"

// encoded returns the error with which a request body was encoded, or a textError. It looks at the body itself, because what
// encoding/json writes in place of such text depends on the version of Go.
func encoded(body any, err error) error {
	if err != nil {
		return err
	}
	if where, found := notUTF8(reflect.ValueOf(body)); found {
		return textError{api.ErrorDetailInBody, where}
	}
	return nil
}

// checkParameters returns a textError if a parameter of a request is not valid UTF-8.
func checkParameters(r *http.Request) error {
	if !utf8.ValidString(r.URL.Path) {
		return textError{in: api.ErrorDetailInPath}
	}
	if query, err := url.QueryUnescape(r.URL.RawQuery); err != nil || !utf8.ValidString(query) {
		return textError{in: api.ErrorDetailInQuery}
	}
	return nil
}

// notUTF8 returns the JSON pointer of the first text that is not valid UTF-8.
func notUTF8(v reflect.Value) (pointer string, found bool) {
	switch v.Kind() { //nolint:exhaustive // others have no text
	case reflect.String:
		return "", !utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return notUTF8(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if pointer, found := notUTF8(v.Index(i)); found {
				return "/" + strconv.Itoa(i) + pointer, true
			}
		}
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			name := ""
			if each.Key().Kind() == reflect.String { // otherwise it is a nullable
				name = "/" + pointerEscaper.Replace(strings.ToValidUTF8(each.Key().String(), "?"))
			}
			if _, found := notUTF8(each.Key()); found {
				return name, true
			}
			if pointer, found := notUTF8(each.Value()); found {
				return name + pointer, true
			}
		}
	case reflect.Struct:
		if _, own := v.Interface().(json.Marshaler); own { // an amount, a date or a receive side, whose texts are constants
			return "", false
		}
		for i := range v.NumField() {
			if pointer, found := notUTF8(v.Field(i)); found {
				name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
				return "/" + name + pointer, true
			}
		}
	}
	return "", false
}
