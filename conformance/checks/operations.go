package checks

import (
	"bytes"
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
)

// operation is an operation of the contract, from which checks are made.
type operation struct {
	id, method, path string
	document         bool // the interface document shows it
	parameters       []*openapi3.Parameter
	body             *openapi3.Schema // nil: takes none
}

// operations returns all operations in the order of the contract.
var operations = sync.OnceValue(func() []operation {
	document, err := openapi.Document()
	if err != nil {
		panic(err) // the contract is part of the program
	}
	var all []operation
	for path, item := range document.Paths.Map() {
		for method, spec := range item.Operations() {
			op := operation{id: spec.OperationID, method: method, path: path, document: spec.Extensions["x-origin"] == "document"}
			for _, ref := range slices.Concat(item.Parameters, spec.Parameters) {
				op.parameters = append(op.parameters, ref.Value)
			}
			if spec.RequestBody != nil {
				op.body = spec.RequestBody.Value.Content["application/json"].Schema.Value
			}
			all = append(all, op)
		}
	}
	text := openapi.YAML()
	place := func(op operation) int { return bytes.Index(text, []byte("operationId: "+op.id+"\n")) }
	slices.SortFunc(all, func(a, b operation) int { return cmp.Compare(place(a), place(b)) })
	return all
})

// placeOf returns the place of an operation among all.
func placeOf(id string) int {
	return slices.IndexFunc(operations(), func(op operation) bool { return op.id == id })
}

// operationsWhere returns the operations that fit.
func operationsWhere(fits func(operation) bool) []operation {
	return slices.DeleteFunc(slices.Clone(operations()), func(op operation) bool { return !fits(op) })
}

func (op operation) takesBody() bool { return op.body != nil }

// belowUser reports whether what the operation is about belongs to a user.
func (op operation) belowUser() bool { return strings.Contains(op.path, "{user_id}") }

// ofEndpoint reports whether the operation is about a webhook endpoint that there is.
func (op operation) ofEndpoint() bool { return strings.Contains(op.path, "{webhook_endpoint_id}") }

func (op operation) name() string { return op.method + " " + op.path }

// needs returns what a check of the operation cannot do without.
func (op operation) needs() probe.Need {
	if op.document {
		return 0
	}
	return probe.Extensions
}

// needsOf returns what a check of the operation with an id cannot do without.
func needsOf(id string) probe.Need {
	for _, op := range operations() {
		if op.id == id {
			return op.needs()
		}
	}
	return 0
}

// inProfile returns the operations that the profile of a run knows.
func inProfile(t *probe.T, all []operation) []operation {
	return slices.DeleteFunc(slices.Clone(all), func(op operation) bool { return !op.document && !t.Full() })
}

func operationIDs(all []operation) []string {
	ids := make([]string, len(all))
	for i, op := range all {
		ids[i] = op.id
	}
	return ids
}

// pathValues has the values of path parameters, by name.
type pathValues map[string]string

// madeUp returns values that never existed, and a country that is enabled.
func madeUp(t *probe.T) pathValues {
	n := pathValues{
		"payerId": "999999999999", "bankId": "999999999999", "stateId": "999999999999", "stateCode": "ZZZ",
		"countryCode": t.Target().Facts.OriginCountry,
	}
	for _, op := range operations() {
		for _, p := range op.parameters {
			if p.In == openapi3.ParameterInPath && p.Schema.Value.Format == "uuid" {
				n[p.Name] = uuid.NewString()
			}
		}
	}
	return n
}

// existing returns values that these operations find, and makes what is not there yet. In profile document the user is that
// of the fixtures.
func existing(t *probe.T, all ...operation) pathValues {
	n := madeUp(t)
	needed := func(name string) bool {
		return slices.ContainsFunc(all, func(op operation) bool { return strings.Contains(op.path, "{"+name+"}") })
	}
	if needed("payerId") {
		n["payerId"] = inDigits(firstOf(t, "payer", t.Payers()).ID)
	}
	if needed("bankId") {
		n["bankId"] = inDigits(firstOf(t, "bank", t.Banks()).ID)
	}
	if needed("stateCode") {
		r, err := t.Client().ListCountryStatesWithResponse(t.Context(), t.Target().Facts.OriginCountry)
		n["stateCode"] = firstOf(t, "state of the originating country", probe.Setup(t, r, err)).Code
	}
	if needed("stateId") {
		r, err := t.Client().ListStatesV2WithResponse(t.Context(), nil)
		n["stateId"] = inDigits(firstOf(t, "state", probe.Setup(t, r, err)).ID)
	}
	if needed("webhook_endpoint_id") { // before the event, which is then delivered to it
		n["webhook_endpoint_id"] = newEndpoint(t).ID.String()
	}
	if needed("event_id") {
		user := t.NewUser().ID
		t.Verify(user, api.KycStatusVerified, nil)
		n["event_id"] = lastEvent(t, user).ID.String()
	}
	if !needed("user_id") {
		return n
	}
	var user openapi_types.UUID
	switch {
	case !t.Full():
		n["user_id"] = t.Sender().UserID.String()
		return n
	case needed("transaction_id"):
		s, body := t.Deposit()
		r, err := t.Create(s.UserID, "", body)
		user, n["transaction_id"] = s.UserID, probe.Setup(t, r, err).ID.String()
	default:
		user = t.NewUser().ID
	}
	n["user_id"] = user.String()
	if needed("funding_account_id") {
		n["funding_account_id"] = t.NewFundingAccount(user, api.FundingAccountStatusPending).String()
	}
	if needed("receive_user_id") {
		n["receive_user_id"] = t.NewReceiveUser(user, t.Target().Facts.Destination).String()
	}
	return n
}

// request is a request of the operation that keeps the contract: required members and parameters only.
func (op operation) request(t *probe.T, n pathValues) probe.Request {
	r := probe.Request{Method: op.method, Path: op.fill(n)}
	query := url.Values{}
	for _, p := range op.parameters {
		if p.In == openapi3.ParameterInQuery && p.Required {
			query.Set(p.Name, t.Target().Facts.Destination) // the only one
		}
	}
	if len(query) > 0 {
		r.Path += "?" + query.Encode()
	}
	if op.takesBody() {
		r.Body = op.sample(t, bankDeposit, requiredMembers)
	}
	return r
}

// fill puts values into the path.
func (op operation) fill(n pathValues) string {
	path := op.path
	for name, value := range n {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	return path
}

// firstOf returns the first of a list, or skips the check.
func firstOf[V any](t *probe.T, what string, all []V) V {
	if len(all) == 0 {
		t.Skipf("the server has no %s", what)
	}
	return all[0]
}

func inDigits(n int64) string { return strconv.FormatInt(n, 10) }
