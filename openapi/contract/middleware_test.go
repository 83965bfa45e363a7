package contract_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

func TestMiddlewareForwardsCheckedRequests(t *testing.T) {
	t.Parallel()
	c := shop(t)
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		checked, ok := contract.FromContext(r.Context())
		if !ok {
			_, _ = io.WriteString(w, "unknown route")
			return
		}
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, checked.Operation.ID+" "+string(body))
	})
	for _, tc := range []struct {
		name, method, target, body, want string
		status                           int
	}{
		{"with body", "POST", "/accounts/" + account + "/orders", least, "placeOrder " + least, 200},
		{"HEAD is GET", "HEAD", "/items/1?shop=a", "", "getItem ", 200},
		{"escaped parameter", "DELETE", "/items/%37", "", "dropItem ", 200},
		{"separator in a parameter", "DELETE", "/items/7%2F8", "", `{"in":"path","field":"item_id","reason":"must be an integer"}`, 400},
		{"unknown path", "GET", "/docs", "", "unknown route", 200},
		{"slash at the end", "GET", "/items/1/", "", "unknown route", 200},
		{"unknown method", "PATCH", "/items/1", "", "unknown route", 200},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := post(tc.body)
			target := httptest.NewRequest(tc.method, tc.target, nil)
			r.Method, r.URL = target.Method, target.URL
			w := httptest.NewRecorder()
			c.Middleware(next).ServeHTTP(w, r)
			if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.want) {
				t.Errorf("got %d %s, want %d %s", w.Code, w.Body, tc.status, tc.want)
			}
		})
	}
}

func TestMiddlewareAnswersRejectedRequests(t *testing.T) {
	t.Parallel()
	h := shop(t).Middleware(http.NotFoundHandler(), contract.BodyLimit(20))
	for _, tc := range []struct {
		name   string
		change func(r *http.Request)
		want   string
	}{
		{"400", func(*http.Request) {}, `{"status":400,"code":"BAD_REQUEST","message":"The request is not valid.",` +
			`"details":[{"in":"body","field":"/x","reason":"is not a field of this object"}]}`},
		{"413", func(r *http.Request) { r.ContentLength = 21 }, `{"status":413,"code":"PAYLOAD_TOO_LARGE","message":"The body is too large.",` +
			`"details":[{"in":"body","field":"","reason":"must have at most 20 bytes"}]}`},
		{"415", func(r *http.Request) { r.Header.Del("Content-Type") }, `{"status":415,"code":"UNSUPPORTED_MEDIA_TYPE","message":"The body must be sent as JSON.",` +
			`"details":[{"in":"header","field":"Content-Type","reason":"must be application/json"}]}`},
		{"broken off", func(r *http.Request) { r.Body = io.NopCloser(brokenReader{io.ErrUnexpectedEOF}) }, `{"status":400,"code":"BAD_REQUEST","message":"The request is not valid.",` +
			`"details":[{"in":"body","field":"","reason":"must be sent completely"}]}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodPost, "/notes", strings.NewReader(`{"x":1}`))
			r.Header.Set("Content-Type", "application/json")
			tc.change(r)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got := strings.TrimSpace(w.Body.String()); got != tc.want || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			var body struct{ Status int }
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.Status != w.Code {
				t.Errorf("status %d: %v", w.Code, err)
			}
		})
	}
}

func TestMiddlewareOnError(t *testing.T) {
	t.Parallel()
	h := shop(t).Middleware(http.NotFoundHandler(), contract.OnError(func(w http.ResponseWriter, _ *http.Request, err error) {
		var refused *contract.Error
		if !errors.As(err, &refused) {
			t.Errorf("got %v", err)
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/items/x", nil))
	if w.Code != http.StatusTeapot {
		t.Errorf("status %d", w.Code)
	}
}
