package contract_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestQueryParameters(t *testing.T) {
	t.Parallel()
	op := shop(t).Operation(http.MethodGet, orders)
	for _, tc := range []struct{ name, query, want string }{
		{"none", "", ""},
		{"all", "state=OPEN&limit=5&since=2026-01-31&paid=true&min_total=0.50&anything=a", ""},
		{"malformed separator", "limit=1;paid=true", "query : must be a well-formed query string"},
		{"malformed escape", "limit=%zz", "query : must be a well-formed query string"},
		{"unknown", "Limit=1", "query Limit: is not a parameter of this operation"},
		{"unknown and repeated", "x=1&x=2", "query x: is not a parameter of this operation"},
		{"repeated", "limit=1&limit=1", "query limit: must be sent only once"},
		{"empty integer", "limit=", "query limit: must not be empty"},
		{"empty string", "state", "query state: must not be empty"},
		{"empty where allowed", "anything=", ""},
		{"enum", "state=open", "query state: must be one of OPEN, SHIPPED"},
		{"format", "since=2026-02-31", "query since: must be a date such as 2026-01-31"},
		{"length in characters", "anything=" + strings.Repeat("é", 10), ""},
		{"length", "anything=12345678901", "query anything: must have at most 10 characters"},
		{"minimum", "limit=0", "query limit: must be at least 1"},
		{"integer with sign", "limit=%2B5", "query limit: must be an integer"},
		{"integer with zero in front", "limit=05", "query limit: must be an integer"},
		{"integer with fraction", "limit=5.0", "query limit: must be an integer"},
		{"integer with space", "limit=+5", "query limit: must be an integer"},
		{"integer beyond 64 bits", "limit=9223372036854775808", "query limit: must be an integer"},
		{"hexadecimal number", "min_total=0x1p-2", "query min_total: must be a number"},
		{"number with exponent", "min_total=1e3", "query min_total: must be a number"},
		{"infinity", "min_total=inf", "query min_total: must be a number"},
		{"number without digits", "min_total=.5", "query min_total: must be a number"},
		{"short boolean", "paid=t", "query paid: must be true or false"},
		{"numeric boolean", "paid=1", "query paid: must be true or false"},
		{"invalid UTF-8", "anything=%ff", "query anything: must be valid UTF-8"},
		{"NUL", "anything=%00", "query anything: must not contain NUL characters"},
		{"several", "limit=x&paid=x", "query limit: must be an integer\nquery paid: must be true or false"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.URL.RawQuery = tc.query
			_, err := op.CheckRequest(r, map[string]string{"account_id": account}, limit)
			if r.URL.RawQuery != tc.query {
				t.Errorf("the query became %s", r.URL.RawQuery)
			}
			if tc.want == "" {
				wantAccepted(t, err)
				return
			}
			wantRefused(t, err, 400, tc.want)
		})
	}
}

func TestRequiredQueryParameter(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	_, err := shop(t).Operation(http.MethodGet, "/items/{item_id}").CheckRequest(r, map[string]string{"item_id": "1"}, limit)
	wantRefused(t, err, 400, "query shop: is required")
}

func TestPathParameters(t *testing.T) {
	t.Parallel()
	op := shop(t).Operation(http.MethodDelete, "/items/{item_id}")
	for _, tc := range []struct {
		name   string
		params map[string]string
		want   string
	}{
		{"integer", map[string]string{"item_id": "7"}, ""},
		{"of another type", map[string]string{"item_id": "seven"}, "path item_id: must be an integer"},
		{"empty", map[string]string{"item_id": ""}, "path item_id: must not be empty"},
		{"negative zero", map[string]string{"item_id": "-0"}, "path item_id: must be an integer"},
		{"not handed in", nil, "path item_id: is required"},
		{"NUL", map[string]string{"item_id": "\x00"}, "path item_id: must not contain NUL characters"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := op.CheckRequest(httptest.NewRequest(http.MethodDelete, "/", nil), tc.params, limit)
			if tc.want == "" {
				wantAccepted(t, err)
				return
			}
			wantRefused(t, err, 400, tc.want)
		})
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	op := shop(t).Operation(http.MethodPost, orders)
	for _, tc := range []struct {
		name   string
		values []string
		want   string
	}{
		{"left out", nil, ""},
		{"one character", []string{"k"}, ""},
		{"255 characters", []string{strings.Repeat("é", 255)}, ""},
		{"256 characters", []string{strings.Repeat("k", 256)}, "must have at most 255 characters"},
		{"empty", []string{""}, "must not be empty"},
		{"repeated", []string{"a", "a"}, "must be sent only once"},
		{"invalid UTF-8", []string{"\xff"}, "must be valid UTF-8"},
		{"control character", []string{"a\tb"}, "must not contain control characters"},
		{"control character beyond ASCII", []string{"a\u0085b"}, "must not contain control characters"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := post(least)
			r.Header["X-Order-Key"] = tc.values
			r.Header["X-Undeclared"] = []string{"", "\xff"}
			_, err := op.CheckRequest(r, map[string]string{"account_id": account}, limit)
			if tc.want == "" {
				wantAccepted(t, err)
				return
			}
			wantRefused(t, err, 400, "header X-Order-Key: "+tc.want)
		})
	}
}

func TestEmptyHeaderWithoutMinimumLength(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodGet, "/?shop=a", nil)
	r.Header.Set("X-Hint", "")
	_, err := shop(t).Operation(http.MethodGet, "/items/{item_id}").CheckRequest(r, map[string]string{"item_id": "1"}, limit)
	wantAccepted(t, err)
}
