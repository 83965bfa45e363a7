package contract_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// In front of any handler, the middleware rejects what breaks the contract and names every field.
func ExampleContract_Middleware() {
	document, err := openapi.Document()
	if err != nil {
		panic(err)
	}
	rules, err := contract.New(document)
	if err != nil {
		panic(err)
	}
	service := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "reached") })
	server := httptest.NewServer(rules.Middleware(service))
	defer server.Close()

	resp, err := http.Post(server.URL+"/users", "application/json", strings.NewReader(`{"first_name":"Asha","contry":"US"}`))
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(resp.StatusCode)
	fmt.Println(strings.ReplaceAll(string(body), `},{`, "},\n{"))
	// Output:
	// 400
	// {"status":400,"code":"BAD_REQUEST","message":"The request does not keep the contract.","details":[{"in":"body","field":"/contry","reason":"is not a field of this object"},
	// {"in":"body","field":"/country","reason":"is required"},
	// {"in":"body","field":"/email","reason":"is required"}]}
}
