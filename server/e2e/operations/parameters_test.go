package operations_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// D-48: every operation answers 400 to unknown query parameters and to a malformed query.
func TestUnknownAndUnreadableQueries(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	watch := servertest.NewWatch(s.Beside(t))
	for _, op := range s.Contract.Operations() {
		for _, c := range []struct{ name, query, field string }{
			{"unknown", "contry=NP", "contry"},
			{"unknown and empty", "x", "x"},
			{"known in another case", "COUNTRY=NP", "COUNTRY"},
			{"semicolon", "a;b", ""},
			{"broken escape", "%zz", ""},
		} {
			t.Run(op.ID+"/"+c.name, func(t *testing.T) {
				path := w.Path(t, op)
				if strings.Contains(path, "?") {
					path += "&" + c.query
				} else {
					path += "?" + c.query
				}
				watch.Unchanged(t, func() {
					e := servertest.Call(t, s, op.Method, path, w.Body(t, op)).Refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
					wantViolations(t, e, violation{api.ErrorDetailInQuery, c.field})
				})
			})
		}
	}
}

// Query parameters follow their schemas (section 4; D-02, D-18, D-29, D-32).
func TestQueryParametersThatBreakTheContract(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	user := "/users/" + servertest.NewWorld(t, s.Client)["user_id"]
	for _, c := range []struct{ name, path, field string }{
		{"payers of a country in lower case", "/payers?country=np", "country"},
		{"payers of a country of one letter", "/payers?country=N", "country"},
		{"payers of an empty country", "/payers?country=", "country"},
		{"payers of two countries", "/payers?country=NP&country=IN", "country"},
		{"payers of a country with NUL", "/payers?country=N%00", "country"},
		{"payers of a country that is no UTF-8", "/payers?country=%ff", "country"},
		{"payers of an unknown method", "/payers?payout_method=CHEQUE", "payout_method"},
		{"payers of a method in lower case", "/payers?payout_method=wallet", "payout_method"},
		{"payers of an unknown method in the other spelling", "/payers?delivery_method=CHEQUE", "delivery_method"},
		{"payers of two methods", "/payers?payout_method=WALLET&delivery_method=CASH_PICKUP", "delivery_method"},
		{"banks of a country of three letters", "/banks?country=NPL", "country"},
		{"states of a country of three letters", "/v2/states?countryCode=USA", "countryCode"},
		{"limits without a destination", user + "/transaction-limit", "destination"},
		{"limits for a destination of three letters", user + "/transaction-limit?destination=NPL", "destination"},
		{"limits for two destinations", user + "/transaction-limit?destination=NP&destination=IN", "destination"},
		{"page of none", user + "/transactions?limit=0", "limit"},
		{"page of less than none", user + "/transactions?limit=-1", "limit"},
		{"page of too many", user + "/transactions?limit=101", "limit"},
		{"page of a fraction", user + "/transactions?limit=1.0", "limit"},
		{"page of a word", user + "/transactions?limit=all", "limit"},
		{"page of a number with a plus", user + "/transactions?limit=%2B5", "limit"},
		{"page of a huge number", user + "/transactions?limit=99999999999999999999", "limit"},
		{"cursor with other letters", user + "/transactions?cursor=a%2Fb", "cursor"},
		{"cursor of nowhere", user + "/transactions?cursor=abcd", "cursor"},
		{"cursor too long", user + "/transactions?cursor=" + strings.Repeat("a", 201), "cursor"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := servertest.Call(t, s, http.MethodGet, c.path, nil).Refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
			wantViolations(t, e, violation{api.ErrorDetailInQuery, c.field})
		})
	}
}

// D-10: every operation answers 400 to malformed identifiers in the path, and names the parameter.
func TestMalformedIdentifiersInThePath(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	watch := servertest.NewWatch(s.Beside(t))
	uuids := map[string]string{
		"word": "asha", "urn": "urn:uuid:" + w["user_id"], "braces": "%7B" + w["user_id"] + "%7D",
		"without hyphens": strings.ReplaceAll(w["user_id"], "-", ""), "one digit more": w["user_id"] + "0",
		"NUL": "%00", "no UTF-8": "%ff", "slash": w["user_id"] + "%2F",
	}
	integers := map[string]string{
		"word": "first", "zero": "0", "negative": "-1", "plus": "%2B1", "leading zero": "01", "fraction": "1.0",
		"exponent": "1e3", "hexadecimal": "0x1", "2^63": "9223372036854775808", "space": "1%20",
	}
	kinds := map[string]map[string]string{
		"payerId": integers, "bankId": integers, "stateId": integers,
		"countryCode": {"lower case": "us", "three letters": "USA", "digit": "U1"},
		"stateCode":   {"lower case": "ca", "four letters": "CALI", "hyphen": "C-A"},
	}
	for _, op := range s.Contract.Operations() {
		for _, name := range servertest.PathParameters(op) {
			values, ok := kinds[name]
			if !ok {
				values = uuids
			}
			for kind, value := range values {
				t.Run(op.ID+"/"+name+"/"+kind, func(t *testing.T) {
					watch.Unchanged(t, func() {
						a := w.WithID(name, value).Send(t, s, op)
						e := a.Refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
						wantViolations(t, e, violation{api.ErrorDetailInPath, name})
					})
				})
			}
		}
	}
}

// D-08: violations of parameters and body are reported together.
func TestViolationsInSeveralPlacesAreReportedTogether(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	h := servertest.Headers("X-Idempotency-Key", strings.Repeat("k", 256))
	body := `{"from_amount":"1"}`
	a := servertest.Do(t, s, http.MethodPost, "/users/asha/transactions?x=1", h, strings.NewReader(body), int64(len(body)))
	e := a.Refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
	wantViolations(t, e, append(
		inBody("/from_amount", "/exchange_rate", "/from_currency", "/to_currency", "/from_fund_id", "/to"),
		violation{api.ErrorDetailInPath, "user_id"}, violation{api.ErrorDetailInQuery, "x"},
		violation{api.ErrorDetailInHeader, "X-Idempotency-Key"},
	)...)
}

// Percent-encoding does not change an identifier in the path (RFC 3986, section 2.3), in every operation.
func TestPercentEncodedIdentifiersAreTheSame(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	for _, op := range s.Contract.Operations() {
		for _, name := range servertest.PathParameters(op) {
			t.Run(op.ID+"/"+name, func(t *testing.T) {
				id := w.ID(op, name)
				encoded := fmt.Sprintf("%%%02X%s", id[0], id[1:])
				if a := w.WithID(name, encoded).Send(t, s, op); a.Status != http.StatusOK {
					t.Errorf("status %d: %s", a.Status, a.Body)
				}
			})
		}
	}
}
