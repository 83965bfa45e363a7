package mutants_test

import (
	"encoding/json"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// A server that is another one wherever the contract leaves it open keeps all rules: the suite must not see the difference.
func TestAServerThatDiffersWhereTheContractIsSilentPasses(t *testing.T) {
	t.Parallel()
	handler := realServer(t)
	for _, another := range []struct {
		name string
		way  fault
	}{
		{"words", otherWords}, {"forms", otherForms}, {"clock", coarseClock}, {"pages", shortPages}, {"paths", otherPaths},
		{"tags", otherTags}, {"payers", allPayersRestrict}, {"locations", locationsOfOnePayer},
	} {
		handler = another.way.with(handler)
	}
	for _, r := range runChecks(t, handler, conformance.Target{}) {
		if r.Status >= probe.Failed {
			t.Errorf("%s %s: %s", r.Status, r.ID, strings.Join(r.Messages, "\n\t"))
		}
	}
}

// otherWords says things in its own words.
func otherWords(_ string, r request, next ask) answer {
	a := next(r)
	if a.status < http.StatusBadRequest {
		return a
	}
	return a.object(func(body map[string]any) {
		body["message"] = "No: " + a.code()
		for _, d := range objects(body["details"]) {
			d["reason"] = "that will not do"
		}
	})
}

// otherForms writes the same values in another form: identifiers in capitals, zeros at the end of amounts, one header more.
func otherForms(_ string, r request, next ask) answer {
	a := next(r).with("Via", "1.1 proxy")
	if a.status != http.StatusOK {
		return a
	}
	return a.as(capitalized)
}

func capitalized(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			number, isNumber := member.(json.Number)
			switch {
			case isNumber && strings.HasSuffix(name, "_amount") && len(number) < 15:
				v[name] = json.Number(new(big.Rat).SetFrac(rational(number).Num(), rational(number).Denom()).FloatString(4))
			default:
				v[name] = capitalized(member)
			}
		}
	case []any:
		for i := range v {
			v[i] = capitalized(v[i])
		}
	case string:
		if uuid.Validate(v) == nil {
			return strings.ToUpper(v)
		}
	}
	return v
}

// coarseClock knows whole seconds only, and lists what it created within one by identifiers.
func coarseClock(_ string, r request, next ask) answer {
	for _, bound := range []string{"created_from", "created_to"} { // whole seconds are compared, those after a fraction
		if at, err := time.Parse("2006-01-02T15:04:05.000000", r.URL.Query().Get(bound)); err == nil && at.Nanosecond() > 0 {
			r = r.query(bound, at.Truncate(time.Second).Add(time.Second).Format("2006-01-02T15:04:05.000000"))
		}
	}
	a := next(r)
	if a.status != http.StatusOK {
		return a
	}
	var cut func(v any)
	cut = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, element := range v {
				cut(element)
			}
		case map[string]any:
			for _, member := range v {
				cut(member)
			}
			if at := text(v["created_at"]); at != "" {
				whole := strings.Split(at, ".")[0] + ".000000"
				if v["created_at"] = whole; text(v["updated_at"]) == at { // each change must make it later
					v["updated_at"] = whole
				}
			}
		}
	}
	sorted := func(all []any) {
		cut(all)
		descending := len(all) > 1 && text(member(all[0], "created_at")) > text(member(all[len(all)-1], "created_at"))
		slices.SortStableFunc(all, func(x, y any) int {
			order := strings.Compare(text(member(x, "created_at")), text(member(y, "created_at")))
			if descending {
				order = -order
			}
			if order == 0 {
				order = strings.Compare(text(member(x, "id")), text(member(y, "id")))
			}
			return order
		})
	}
	return a.as(func(body any) any {
		switch body := body.(type) {
		case []any:
			if len(body) > 0 && member(body[0], "created_at") != nil {
				sorted(body)
			}
		case map[string]any:
			cut(body)
			if items, ok := body["items"].([]any); ok {
				sorted(items)
			}
		}
		return body
	})
}

// shortPages holds less than it may on each page but the last.
func shortPages(op string, r request, next ask) answer {
	sent := r.URL.Query().Get("limit")
	if limit, err := strconv.Atoi(sent); op == "listTransactions" && err == nil && strconv.Itoa(limit) == sent && limit > 1 && limit < 100 {
		r = r.query("limit", strconv.Itoa(limit-1))
	}
	return next(r)
}

// otherPaths refuses HEAD, and takes the slash at the end of a path for an identifier that is empty.
func otherPaths(_ string, r request, next ask) answer {
	a := next(r)
	switch {
	case r.Method == http.MethodHead && a.status != http.StatusUnauthorized:
		return a.failure(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED").with("Allow", "GET")
	case a.status == http.StatusNotFound && strings.HasSuffix(r.URL.Path, "/"):
		return a.failure(http.StatusBadRequest, "BAD_REQUEST")
	}
	return a
}

// otherTags has weak tags in another form, and tells caches more.
func otherTags(_ string, r request, next ask) answer {
	if given := r.Header.Get("If-None-Match"); given != "" {
		r = r.header("If-None-Match", strings.ReplaceAll(given, `"other,`, `"`))
	}
	a := next(r)
	if tag := a.header.Get("ETag"); tag != "" {
		a = a.with("ETag", `W/"other,`+tag[1:]).with("Cache-Control", "No-Cache, private, must-revalidate")
	}
	return a
}

// locationsOfOnePayer returns the pick-up locations of a payer only where it is read alone, as the interface document shows it.
func locationsOfOnePayer(op string, r request, next ask) answer {
	a := next(r)
	if op == "listPayers" && a.status == http.StatusOK {
		a = a.object(func(p map[string]any) { p["pickup_location"] = []any{} })
	}
	return a
}

// allPayersRestrict sets the bounds 200 and 500 for every payer that allows all amounts.
func allPayersRestrict(op string, r request, next ask) answer {
	a := next(r)
	if a.status != http.StatusOK || op != "getPayer" && op != "createTransaction" {
		return a
	}
	if op == "getPayer" {
		return a.object(func(p map[string]any) {
			if len(each(p["network_limit"])) == 0 {
				p["network_limit"] = []any{map[string]any{"currency": p["receiving_currency"], "min_amount": 200, "max_amount": 500}}
			}
		})
	}
	var payer map[string]any
	switch r.method() {
	case "WALLET":
		for _, account := range r.accounts(next) {
			if id, _ := account["payer_id"].(json.Number); strings.EqualFold(text(account["id"]), r.text("to", "fund_id")) {
				payer, _ = r.read(next, "/payers/"+id.String()).(map[string]any)
			}
		}
	case "CASH_PICKUP", "HOME_DELIVERY":
		payer = r.payer(next)
	}
	paid := rational(a.member("to_amount"))
	if payer != nil && len(each(payer["network_limit"])) == 0 && (paid.Cmp(big.NewRat(200, 1)) < 0 || paid.Cmp(big.NewRat(500, 1)) > 0) {
		return a.failure(http.StatusUnprocessableEntity, "AMOUNT_NOT_ALLOWED")
	}
	return a
}
