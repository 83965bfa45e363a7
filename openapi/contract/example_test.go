package contract_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// In front of any handler, the middleware rejects what breaks the contract and names every field; credentials come first.
func ExampleContract_Middleware() {
	rules, err := contract.Published()
	if err != nil {
		panic(err)
	}
	service := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "reached") })
	server := httptest.NewServer(rules.Middleware(service,
		contract.Authenticate(func(r *http.Request) error {
			if r.Header.Get("X-Client-Id") == "acme" && r.Header.Get("X-Client-Secret") == "a-secret" { // or look it up
				return nil
			}
			return &contract.Error{Status: http.StatusUnauthorized}
		}),
		contract.RequestID(func() string { return "7" }), // the default is unique
	))
	defer server.Close()

	for _, secret := range []string{"", "a-secret"} {
		r, err := http.NewRequest(http.MethodPost, server.URL+"/users", strings.NewReader(`{"first_name":"Asha","contry":"US"}`))
		if err != nil {
			panic(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "X-Client-Id": {"acme"}, "X-Client-Secret": {secret}}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			panic(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			panic(err)
		}
		fmt.Println(resp.Status)
		fmt.Println(strings.ReplaceAll(string(body), `},{`, "},\n{"))
	}
	// Output:
	// 401 Unauthorized
	// {"status":401,"code":"UNAUTHORIZED","message":"The credentials are not those of an active client.","request_id":"7"}
	//
	// 400 Bad Request
	// {"status":400,"code":"BAD_REQUEST","message":"The request is not valid.","request_id":"7","details":[{"in":"body","field":"/contry","reason":"is not a field of this object"},
	// {"in":"body","field":"/country","reason":"is required"},
	// {"in":"body","field":"/email","reason":"is required"}]}
}

// Around the transport of a client, the contract finds what a service breaks.
func ExampleContract_Transport() {
	rules, err := contract.Published()
	if err != nil {
		panic(err)
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Cache-Control", "private, no-cache")
		fmt.Fprint(w, `[{"id":1001,"name":7,"country":"NP","delivery_method":"WALLET","pickup_location":[]}]`)
	}))
	defer service.Close()
	client := &http.Client{Transport: rules.Transport(http.DefaultTransport, contract.Observe(func(x contract.Exchange) {
		for _, v := range x.Violations {
			fmt.Println(x.OperationID, x.Status, v.In, v.Field, v.Reason)
		}
	}))}
	resp, err := client.Get(service.URL + "/payers")
	if err != nil {
		panic(err)
	}
	_ = resp.Body.Close()
	// Output:
	// listPayers 200 header X-Request-Id is required
	// listPayers 200 body /0/name must be a string
}
