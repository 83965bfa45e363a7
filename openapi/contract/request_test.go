package contract_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

func TestJSONIsReadStrictly(t *testing.T) {
	t.Parallel()
	c := shop(t)
	nested := func(levels int) string {
		return strings.Repeat("[", levels) + strings.Repeat("]", levels)
	}
	for _, tc := range []struct{ name, body, want string }{
		{"empty", ``, `body : must not be empty`},
		{"only white space", ` `, `body : must be a JSON value`},
		{"cut off", `{"total":1`, `body : must be valid JSON, which ends at byte 10`},
		{"cut off in a member", `{"note":"a`, `body : must be valid JSON, which ends at byte 10`},
		{"not JSON", `{"note":x}`, `body /note: must be valid JSON, which ends at byte 8`},
		{"name without quotes", `{note:1}`, `body : must be valid JSON, which ends at byte 2`},
		{"comma at the end", `{"note":"a",}`, `body : must be valid JSON, which ends at byte 11`},
		{"byte order mark", "\ufeff" + least, `body : must be valid JSON, which ends at byte 0`},
		{"second value", least + `{}`, `body : must be a single JSON value`},
		{"trailing text", least + ` x`, `body : must be a single JSON value`},
		{"trailing white space", least + " \r\n\t", ``},
		{"repeated name", with(`"note":"a","note":"a"`), `body /note: must not be repeated`},
		{"name repeated with an escape", with(`"note":"a","not\u0065":"b"`), `body /note: must not be repeated`},
		{"name repeated below", with(`"labels":{"x":"","x":""}`), `body /labels/x: must not be repeated`},
		{"same name in two objects", with(`"lines":[{"sku":"a"},{"sku":"a"}]`), ``},
		{"invalid UTF-8", with("\"note\":\"\xff\""), `body : must be valid UTF-8`},
		{"half a surrogate pair", with(`"note":"\ud800"`), `body /note: must be valid JSON, which ends at byte 9`},
		{"surrogate pair", with(`"note":"\ud83d\ude00"`), ``},
		{"NUL", with(`"note":"a\u0000"`), `body /note: must not contain NUL characters`},
		{"NUL is not judged again", with(`"coupon":"\u0000"`), `body /coupon: must not contain NUL characters`},
		{"64 levels", nested(64), `body : must be an object`},
		{"65 levels", nested(65), "body " + strings.Repeat("/0", 64) + `: must not be nested deeper than 64 levels`},
		{"too many values", `[` + strings.Repeat("1,", 100_000) + `1]`, `body : must contain at most 100000 values`},
		{"reading goes on after what can be read", with(`"note":"\u0000","serial":1e2,"serial":3,"mode":"x"`),
			"body /mode: must be one of FAST, SLOW\n" +
				"body /note: must not contain NUL characters\n" +
				"body /serial: must be a plain decimal number with at most 19 significant digits\n" +
				"body /serial: must not be repeated"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := place(c, tc.body)
			if tc.want == "" {
				wantAccepted(t, err)
				return
			}
			wantRefused(t, err, 400, tc.want)
		})
	}
}

func TestContentType(t *testing.T) {
	t.Parallel()
	op := shop(t).Operation(http.MethodPost, orders)
	for _, tc := range []struct {
		values []string
		ok     bool
	}{
		{[]string{"application/json"}, true},
		{[]string{"Application/JSON; charset=UTF-8"}, true},
		{[]string{`application/json;charset="utf-8"`}, true},
		{nil, false},
		{[]string{""}, false},
		{[]string{"text/json"}, false},
		{[]string{"application/xml"}, false},
		{[]string{"application/json; charset=latin1"}, false},
		{[]string{"application/json; version=1"}, false},
		{[]string{"application/json;;;="}, false},
		{[]string{"application/json, text/plain"}, false},
		{[]string{"application/json", "application/json"}, false},
	} {
		t.Run(fmt.Sprint(tc.values), func(t *testing.T) {
			t.Parallel()
			r := post(least)
			r.Header["Content-Type"] = tc.values
			_, err := op.CheckRequest(r, map[string]string{"account_id": account}, limit)
			if tc.ok {
				wantAccepted(t, err)
				return
			}
			wantRefused(t, err, 415, "header Content-Type: must be application/json")
		})
	}
}

func TestBodySize(t *testing.T) {
	t.Parallel()
	op := shop(t).Operation(http.MethodPost, orders)
	check := func(r *http.Request, limit int) (*contract.Request, error) {
		return op.CheckRequest(r, map[string]string{"account_id": account}, int64(limit))
	}
	t.Run("exactly the limit", func(t *testing.T) {
		t.Parallel()
		_, err := check(post(least), len(least))
		wantAccepted(t, err)
	})
	t.Run("announced to be larger, so it is not read", func(t *testing.T) {
		t.Parallel()
		r := post("")
		r.ContentLength, r.Body = 10, io.NopCloser(brokenReader{errors.New("was read")})
		_, err := check(r, 9)
		wantRefused(t, err, 413, "body : must have at most 9 bytes")
	})
	t.Run("not announced", func(t *testing.T) {
		t.Parallel()
		r := post(least)
		r.ContentLength = -1
		_, err := check(r, len(least)-1)
		wantRefused(t, err, 413, fmt.Sprintf("body : must have at most %d bytes", len(least)-1))
	})
	t.Run("limited by someone before", func(t *testing.T) {
		t.Parallel()
		r := post(least)
		r.Body = http.MaxBytesReader(httptest.NewRecorder(), r.Body, 3)
		_, err := check(r, limit)
		wantRefused(t, err, 413, fmt.Sprintf("body : must have at most %d bytes", limit))
	})
	t.Run("broken off", func(t *testing.T) {
		t.Parallel()
		r := post(least)
		r.Body = io.NopCloser(brokenReader{context.DeadlineExceeded})
		_, err := check(r, limit)
		var refused *contract.Error
		if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &refused) {
			t.Errorf("got %v, want the cause and no refusal", err)
		}
	})
}

func TestBodyCanBeReadAgain(t *testing.T) {
	t.Parallel()
	r := post(least)
	r.ContentLength = -1
	checked, err := shop(t).Operation(http.MethodPost, orders).CheckRequest(r, map[string]string{"account_id": account}, limit)
	wantAccepted(t, err)
	if got := readAll(t, r.Body); got != least || string(checked.Body) != least || r.ContentLength != int64(len(least)) {
		t.Errorf("got %s and %s of length %d", got, checked.Body, r.ContentLength)
	}
	again, err := r.GetBody()
	wantAccepted(t, err)
	if got := readAll(t, again); got != least {
		t.Errorf("a second time %s", got)
	}
}

func TestOptionalAndUnexpectedBodies(t *testing.T) {
	t.Parallel()
	c := shop(t)
	t.Run("optional body left out", func(t *testing.T) {
		t.Parallel()
		r := httptest.NewRequest(http.MethodPost, "/notes", nil)
		checked, err := c.Operation(http.MethodPost, "/notes").CheckRequest(r, nil, limit)
		wantAccepted(t, err)
		if checked.Body != nil {
			t.Errorf("body %q", checked.Body)
		}
	})
	t.Run("optional body is judged when sent", func(t *testing.T) {
		t.Parallel()
		_, err := c.Operation(http.MethodPost, "/notes").CheckRequest(post(`{"text":"too long"}`), nil, limit)
		wantRefused(t, err, 400, "body /text: must have at most 5 characters")
	})
	t.Run("body where none is expected is ignored", func(t *testing.T) {
		t.Parallel()
		r := post("garbage")
		_, err := c.Operation(http.MethodDelete, "/items/{item_id}").CheckRequest(r, map[string]string{"item_id": "1"}, limit)
		wantAccepted(t, err)
		if got := readAll(t, r.Body); got != "garbage" {
			t.Errorf("the body was touched: %q", got)
		}
	})
}

func TestAllViolationsAreReportedInOrder(t *testing.T) {
	t.Parallel()
	r := post(`{"total":1,"b":1,"a":1}`)
	r.URL.RawQuery = "x=1"
	r.Header.Set("X-Order-Key", "")
	_, err := shop(t).Operation(http.MethodPost, orders).CheckRequest(r, map[string]string{"account_id": "me"}, limit)
	wantRefused(t, err, 400, strings.Join([]string{
		"path account_id: must be a UUID such as 123e4567-e89b-12d3-a456-426614174000",
		"query x: is not a parameter of this operation",
		"header X-Order-Key: must not be empty",
		"body /a: is not a field of this object",
		"body /b: is not a field of this object",
		"body /delivery: is required",
	}, "\n"))
}

func TestErrorsAreSmallAndShowNoValue(t *testing.T) {
	t.Parallel()
	c := shop(t)
	t.Run("at most 100 violations, the first by pointer", func(t *testing.T) {
		t.Parallel()
		var members strings.Builder
		for i := range 300 {
			fmt.Fprintf(&members, `"x%03d":1,`, 299-i)
		}
		_, err := place(c, "{"+members.String()+strings.TrimPrefix(least, "{"))
		var refused *contract.Error
		if !errors.As(err, &refused) || len(refused.Violations) != 100 || refused.Violations[0].Field != "/x000" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("long names are cut between characters", func(t *testing.T) {
		t.Parallel()
		_, err := place(c, with(`"`+strings.Repeat("é", 1000)+`":1`))
		wantRefused(t, err, 400, "body /"+strings.Repeat("é", 99)+"…: is not a field of this object")
	})
	t.Run("no value, pattern or schema in the text", func(t *testing.T) {
		t.Parallel()
		_, err := place(c, with(`"currency":"s3cret","coupon":"S3CRET","ref":"s3cret","serial":"s3cret","scan":"s3cret"`))
		for _, leak := range []string{"3cret", "3CRET", "[A-Z]", "[a-z]", "Schema"} {
			if strings.Contains(err.Error(), leak) {
				t.Errorf("%s in %s", leak, err)
			}
		}
	})
}

func TestRequestInTheContext(t *testing.T) {
	t.Parallel()
	checked, err := place(shop(t), least)
	wantAccepted(t, err)
	if got, ok := contract.FromContext(checked.WithContext(t.Context())); !ok || got != checked {
		t.Error("it was not found")
	}
	if _, ok := contract.FromContext(t.Context()); ok {
		t.Error("found where none was put")
	}
}
