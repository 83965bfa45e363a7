package contract_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// FuzzCheckRequest checks that no request panics, and that violations have a place and a reason, but no value.
func FuzzCheckRequest(f *testing.F) {
	c := shop(f)
	f.Add(account, "", "key", "application/json", least)
	f.Add("me", "a;b", "\xff", "text/plain", with(`"serial":1e400`))
	f.Add("", "limit=1&limit=2", "", "application/json;charset=utf-8", `{"delivery":{"kind":[]}}`)
	f.Fuzz(func(t *testing.T, id, query, key, contentType, body string) {
		for _, op := range c.Operations() {
			r := httptest.NewRequest(op.Method, "/", strings.NewReader(body))
			r.URL.RawQuery = query
			r.Header = http.Header{"Content-Type": {contentType}, "X-Order-Key": {key}}
			checked, err := op.CheckRequest(r, map[string]string{"account_id": id, "item_id": id}, 1000)
			var refused *contract.Error
			switch {
			case err == nil:
				if len(checked.Fingerprint()) != 64 {
					t.Errorf("fingerprint %s", checked.Fingerprint())
				}
			case !errors.As(err, &refused) || len(refused.Violations) == 0:
				t.Errorf("got %v", err)
			default:
				for _, v := range refused.Violations {
					if v.In == "" || v.Reason == "" {
						t.Errorf("violation %+v", v)
					}
				}
			}
		}
	})
}
