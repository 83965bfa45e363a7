package contract_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// canned is a service with a fixed response; headers are lines "Name: value".
type canned struct {
	status  int
	headers []string
	body    string
}

func (s canned) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	for _, line := range s.headers {
		name, value, _ := strings.Cut(line, ": ")
		w.Header().Add(name, value)
	}
	w.WriteHeader(s.status)
	_, _ = io.WriteString(w, s.body)
	res := w.Result()
	res.Request = r
	return res, nil
}

const (
	asJSON  = "Content-Type: application/json"
	trace   = "X-Trace: " + account
	placed  = `{"id":"` + account + `","total":1.50}`
	refused = `{"status":400,"code":"BAD_REQUEST","message":"no"}`
)

func TestTransportFindsBrokenResponses(t *testing.T) {
	t.Parallel()
	c := shop(t)
	ok := func(body string) canned { return canned{200, []string{asJSON, trace}, body} }
	const place, item = "POST /accounts/" + account + "/orders", "/items/1?shop=a"
	for _, tc := range []struct {
		name, request string
		answer        canned
		want          string
	}{
		{"good", place, ok(placed), ""},
		{"good error", place, canned{400, []string{asJSON}, refused}, ""},
		{"undeclared status", place, canned{418, []string{asJSON}, refused}, "status 418: is not declared for this operation"},
		{"required header missing", place, canned{200, []string{asJSON}, placed}, "header X-Trace: is required"},
		{"header of another form", place, canned{200, []string{asJSON, "X-Trace: 1"}, placed},
			"header X-Trace: must be a UUID such as 123e4567-e89b-12d3-a456-426614174000"},
		{"header of another type", place, canned{200, []string{asJSON, trace, "X-Left: -1"}, placed}, "header X-Left: must be at least 0"},
		{"repeated header", place, canned{200, []string{asJSON, trace, trace}, placed}, "header X-Trace: must be sent only once"},
		{"undeclared header", place, canned{200, []string{asJSON, trace, "Server: x"}, placed}, ""},
		{"other content type", place, canned{200, []string{"Content-Type: text/plain", trace}, placed}, "header Content-Type: must be application/json"},
		{"no content type", place, canned{200, []string{"Content-Type: ", trace}, placed}, "header Content-Type: must be application/json"},
		{"no body", place, ok(""), "body : must be a JSON value"},
		{"missing field", place, ok(`{"total":1}`), "body /id: is required"},
		{"undeclared field", place, ok(strings.Replace(placed, "{", `{"x":1,`, 1)), "body /x: is not a field of this object"},
		{"undeclared field below", place, ok(strings.Replace(placed, "{", `{"lines":[{"x":1}],`, 1)), "body /lines/0/x: is not a field of this object"},
		{"text that was stored before it was refused", place, ok(strings.Replace(placed, "{", `{"lines":[{"sku":"\u202e"}],`, 1)), ""},
		{"open object", place, ok(strings.Replace(placed, "{", `{"labels":{"x":"y"},`, 1)), ""},
		{"known value", place, ok(strings.Replace(placed, "{", `{"state":"IN TRANSIT",`, 1)), ""},
		{"unknown value", place, ok(strings.Replace(placed, "{", `{"state":"LOST",`, 1)), "body /state: must be one of OPEN, IN TRANSIT"},
		{"known key", place, ok(strings.Replace(placed, "{", `{"checks":{"PRICE":"ok"},`, 1)), ""},
		{"unknown key", place, ok(strings.Replace(placed, "{", `{"checks":{"PRICE":"ok","A/B":"ok"},`, 1)), "body /checks/A~1B: is not a known member"},
		{"quoted decimal", place, ok(strings.Replace(placed, "1.50", `"1.50"`, 1)), "body /total: must be a number"},
		{"decimal with exponent", place, ok(strings.Replace(placed, "1.50", "15e-1", 1)),
			"body /total: must be a plain decimal number with at most 19 significant digits"},
		{"null", place, ok(strings.Replace(placed, "1.50", "null", 1)), "body /total: must not be null"},
		{"repeated name", place, ok(strings.Replace(placed, "}", `,"total":1}`, 1)), "body /total: must not be repeated"},
		{"trailing data", place, ok(placed + "{}"), "body : must be a single JSON value"},
		{"variant", place, ok(strings.Replace(placed, "{", `{"delivery":{"kind":"LOCKER","street":"a"},`, 1)),
			"body /delivery/locker: is required\nbody /delivery/street: is not a field of this object"},
		{"inline schema", "GET " + item, ok(`{"id":1,"x":1}`), "body /x: is not a field of this object"},
		{"null around a reference", "GET " + item, ok(`{"id":1,"owner":null}`), ""},
		{"object around a reference", "GET " + item, ok(`{"id":1,"owner":{"street":1}}`), "body /owner/street: must be a string"},
		{"no content", "DELETE /items/1", canned{204, nil, ""}, ""},
		{"body where none is declared", "DELETE /items/1", canned{204, []string{asJSON}, placed}, "body : must be empty"},
		{"HEAD", "HEAD " + item, ok(""), ""},
		{"HEAD with body", "HEAD " + item, ok(`{"id":1}`), "body : must be empty"},
		{"HEAD with undeclared status", "HEAD " + item, canned{500, nil, ""}, "status 500: is not declared for this operation"},
		{"error of an unknown path", "GET /nowhere", canned{404, []string{asJSON}, refused}, ""},
		{"error of an unknown method", "PUT " + item, canned{405, []string{asJSON}, refused}, ""},
		{"error of another form", "GET /nowhere", canned{404, []string{"Content-Type: text/plain"}, "not found"}, "header Content-Type: must be application/json"},
		{"error with undeclared field", "GET /nowhere", canned{404, []string{asJSON}, strings.Replace(refused, "{", `{"x":1,`, 1)}, "body /x: is not a field of this object"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var seen []contract.Exchange
			observe := contract.Observe(func(x contract.Exchange) { seen = append(seen, x) })
			method, target, _ := strings.Cut(tc.request, " ")
			res, err := c.Transport(tc.answer, observe).RoundTrip(httptest.NewRequest(method, target, nil))
			wantAccepted(t, err)
			if got := readAll(t, res.Body); got != tc.answer.body {
				t.Errorf("the body became %s", got)
			}
			if len(seen) != 1 || lines(seen[0].Violations) != tc.want || (tc.want == "") != (seen[0].Violations == nil) {
				t.Errorf("got  %v\nwant %s", seen, tc.want)
			}

			_, err = c.Transport(tc.answer, contract.FailOnViolation()).RoundTrip(httptest.NewRequest(method, target, nil))
			var broken *contract.ResponseError
			if errors.As(err, &broken) != (tc.want != "") {
				t.Errorf("failing transport gives %v", err)
			}
		})
	}
}

func TestTransportReportsExchanges(t *testing.T) {
	t.Parallel()
	var got contract.Exchange
	tr := shop(t).Transport(canned{200, []string{asJSON, trace}, "{}"}, contract.FailOnViolation(),
		contract.Observe(func(x contract.Exchange) { got = x }))
	_, err := tr.RoundTrip(httptest.NewRequest(http.MethodPost, "/accounts/"+account+"/orders", nil))
	if got.OperationID != "placeOrder" || got.Method != "POST" || got.Path != orders || got.Status != 200 || len(got.Violations) != 2 {
		t.Errorf("got %+v", got)
	}
	const want = `contract: response 200 to POST /accounts/{account_id}/orders placeOrder: body "/id" is required; body "/total" is required`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestTransportUnderABasePath(t *testing.T) {
	t.Parallel()
	c := shop(t)
	for target, want := range map[string]string{
		"/api/items/1?shop=a": "getItem",
		"/api/items/%31":      "getItem",
		"/items/1?shop=a":     "",
		"/apiitems/1":         "",
	} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			var got *contract.Exchange
			tr := c.Transport(canned{404, []string{asJSON}, refused}, contract.BasePath("/api/"),
				contract.Observe(func(x contract.Exchange) { got = &x }))
			_, err := tr.RoundTrip(httptest.NewRequest(http.MethodGet, target, nil))
			wantAccepted(t, err)
			if got == nil || got.OperationID != want || got.Violations != nil {
				t.Errorf("got %+v, want operation %q", got, want)
			}
		})
	}
}

func TestTransportDoesNotChangeResponses(t *testing.T) {
	t.Parallel()
	c := shop(t)
	observe := contract.Observe(func(x contract.Exchange) { t.Errorf("%+v was checked", x) })
	t.Run("success outside of the contract", func(t *testing.T) {
		t.Parallel()
		res, err := c.Transport(canned{200, []string{"Content-Type: text/html"}, "<p>"}, observe).
			RoundTrip(httptest.NewRequest(http.MethodGet, "/docs", nil))
		wantAccepted(t, err)
		if got := readAll(t, res.Body); got != "<p>" {
			t.Errorf("the body became %s", got)
		}
	})
	t.Run("error of the next transport", func(t *testing.T) {
		t.Parallel()
		_, err := c.Transport(failing{}, observe).RoundTrip(httptest.NewRequest(http.MethodGet, "/items/1", nil))
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("body that breaks off", func(t *testing.T) {
		t.Parallel()
		_, err := c.Transport(failing{body: true}, observe).RoundTrip(httptest.NewRequest(http.MethodGet, "/items/1", nil))
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("got %v", err)
		}
	})
}

// failing breaks the connection, before or within the response.
type failing struct{ body bool }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) {
	if f.body {
		return &http.Response{StatusCode: 200, Body: io.NopCloser(brokenReader{io.ErrClosedPipe})}, nil
	}
	return nil, io.ErrClosedPipe
}
