//go:build unix

package docs

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Every example of a request gets a 200, with ids of this sandbox in place of those of the example. Where a response has an
// example of the same name, that is what is returned. The client of servertest checks every response against the contract.
func TestExamplesOfRequests(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sent, compared := 0, 0
	for _, c := range calls(t) {
		t.Run(c.name, func(t *testing.T) {
			s := s
			// The key of the examples is the same for all operations, and the oldest event has a delivery to the first endpoint.
			if c.header != nil || c.name == "retryWebhookDelivery" {
				s = servertest.New(t)
			}
			w := newWorld(t, s)
			if strings.HasPrefix(c.name, "setTransactionStatus") {
				w.payOut(t, s, c)
			}
			if strings.HasPrefix(c.name, "updateUser, business") {
				business := w.body(t, call{body: requestExamples(t, "/users", "POST")["business"]})
				w.World["user_id"] = memberOf(t, servertest.OKBody(t, servertest.Call(t, s, "POST", "/users", business)), "id")
			}
			answer := servertest.Call(t, s, c.method, w.path(t, c), w.body(t, c), c.header...)
			if answer.Status != 200 {
				t.Fatalf("%d: %s", answer.Status, answer.Body)
			}
			if c.returns != nil {
				compareWith(t, c.returns, decode(t, answer.Body))
			}
		})
		sent++
		if c.returns != nil {
			compared++
		}
	}
	if sent < 40 || compared < 5 {
		t.Errorf("found %d examples of requests, and for %d of them the response", sent, compared)
	}
}

// The reference data of the examples is that of the sandbox.
func TestExamplesOfReferenceData(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	compared := 0
	each(t, func(path, method string, op *openapi3.Operation) {
		if !slices.Contains(op.Tags, "Reference data") {
			return
		}
		for name, example := range responseExamples(t, path, method) {
			compared++
			if list, ok := example.([]any); ok {
				all := decode(t, servertest.Get(t, s, listPath(path))).([]any)
				for _, element := range list {
					if !slices.ContainsFunc(all, func(other any) bool { return reflect.DeepEqual(element, other) }) {
						t.Errorf("%s, example %s: %s does not list %v", op.OperationID, name, listPath(path), element)
					}
				}
				continue
			}
			one := regexp.MustCompile(`\{\w+\}`).ReplaceAllStringFunc(path, func(parameter string) string {
				return first(example.(map[string]any)[map[string]string{"{countryCode}": "country", "{stateCode}": "code"}[parameter]],
					example.(map[string]any)["id"])
			})
			if got := decode(t, servertest.Get(t, s, one)); !reflect.DeepEqual(got, example) {
				t.Errorf("%s, example %s: GET %s returns\n%v\nthe example is\n%v", op.OperationID, name, one, got, example)
			}
		}
	})
	if compared < 8 {
		t.Errorf("compared %d examples only", compared)
	}
}

// listPath returns the path of a list of reference data, with the country of the examples.
func listPath(path string) string { return strings.ReplaceAll(path, "{countryCode}", "US") }

// first returns the first value that is there, as in a path.
func first(values ...any) string {
	for _, value := range values {
		switch v := value.(type) {
		case string:
			return v
		case json.Number:
			return v.String()
		}
	}
	return ""
}

// call is an operation with one example of its request.
type call struct {
	name, method, path string
	query              url.Values
	header             []string // name, value pairs
	body               any      // nil if it has none
	returns            any      // the example of the response, or nil
}

// calls returns each operation with each example of its body, and with each example of each parameter that is not in the path.
func calls(t *testing.T) (all []call) {
	t.Helper()
	each(t, func(path, method string, op *openapi3.Operation) {
		plain := call{name: op.OperationID, method: method, path: path, query: url.Values{}}
		item := contract(t).Paths.Value(path)
		var varied []call
		for _, ref := range slices.Concat(item.Parameters, op.Parameters) {
			p := ref.Value
			for _, value := range parameterExamples(p) {
				if p.In == "path" {
					continue
				}
				c := plain
				c.name += ", " + p.Name + " " + value
				c.query = maps.Clone(plain.query)
				if p.In == "query" {
					c.query.Set(p.Name, value)
				} else {
					c.header = append(slices.Clone(plain.header), p.Name, value)
				}
				if p.Required {
					plain = c
					plain.name = op.OperationID
				} else {
					varied = append(varied, c)
				}
			}
		}
		bodies := requestExamples(t, path, method)
		if len(bodies) == 0 {
			all = append(append(all, plain), varied...)
			return
		}
		answers := responseExamples(t, path, method)
		for _, name := range slices.Sorted(maps.Keys(bodies)) {
			c := plain
			c.name, c.body = op.OperationID+", "+name, bodies[name]
			if strings.HasPrefix(op.OperationID, "create") { // what others return depends on what was done before
				c.returns = answers[name]
			}
			all = append(all, c)
		}
		for _, c := range varied {
			c.body = bodies[slices.Min(slices.Collect(maps.Keys(bodies)))]
			all = append(all, c)
		}
	})
	return all
}

func each(t *testing.T, visit func(path, method string, op *openapi3.Operation)) {
	t.Helper()
	paths := contract(t).Paths.Map()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		operations := paths[path].Operations()
		for _, method := range slices.Sorted(maps.Keys(operations)) {
			visit(path, method, operations[method])
		}
	}
}

func parameterExamples(p *openapi3.Parameter) []string {
	var values []any
	if p.Example != nil {
		values = append(values, p.Example)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Examples)) {
		values = append(values, p.Examples[name].Value.Value)
	}
	var texts []string
	for _, value := range values {
		plain, err := json.Marshal(value)
		if err != nil {
			panic(err) // it came from a document
		}
		texts = append(texts, strings.Trim(string(plain), `"`))
	}
	return texts
}

// world has the ids of a sender, a receive user, their accounts and transactions, and of a webhook endpoint and an event.
type world struct {
	servertest.World
	cursor, after string
}

func newWorld(t *testing.T, s *servertest.Server) world {
	t.Helper()
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	w := world{World: maps.Clone(servertest.Reference)}
	endpoint := servertest.Call(t, s, "POST", "/webhook-endpoints", []byte(`{"url":"http://127.0.0.1:1/webhooks"}`)) // where nobody listens
	w.World["webhook_endpoint_id"] = memberOf(t, servertest.OKBody(t, endpoint), "id")
	for range 2 {
		r := servertest.Send(t, s.Client, sender.ID, "", servertest.Deposit(t, sender, receiver, "1"))
		w.World["transaction_id"] = servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, nil).ID.String()
	}
	maps.Copy(w.World, servertest.World{
		"user_id": sender.ID.String(), "funding_account_id": sender.Fund.String(),
		"receive_user_id": receiver.ID.String(), "bank": receiver.Bank.String(), "wallet": receiver.Wallet.String(),
	})
	page := decode(t, servertest.Get(t, s, servertest.TransactionsPath(sender)+"?limit=1")).(map[string]any)
	w.cursor, _ = page["next_cursor"].(string)
	feed := servertest.Get(t, s, "/events?type=transaction.created")
	w.after = memberOf(t, feed, "next_cursor")
	w.World["event_id"] = memberOf(t, feed, "items", "0", "id")
	return w
}

// memberOf returns the text at a place in a body.
func memberOf(t *testing.T, body []byte, at ...string) string {
	t.Helper()
	value := decode(t, body)
	for _, name := range at {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				t.Fatalf("%s has no %v", body, at)
			}
			value = v[i]
		}
	}
	text, ok := value.(string)
	if !ok {
		t.Fatalf("%s has no %v", body, at)
	}
	return text
}

// payOut makes the transaction of the world one in cash, which is on its way unless that is what the call makes it.
func (w world) payOut(t *testing.T, s *servertest.Server, c call) {
	t.Helper()
	sender := servertest.NewCashSender(t, s, "US")
	made := servertest.Created(t, servertest.SendToNepal(t, sender, "1"))
	w.World["user_id"], w.World["transaction_id"] = sender.Sender.ID.String(), made.ID.String()
	if !strings.HasSuffix(c.name, "processing") {
		servertest.OKBody(t, servertest.Call(t, s, c.method, w.path(t, c), []byte(`{"status":"PROCESSING"}`)))
	}
}

func (w world) path(t *testing.T, c call) string {
	t.Helper()
	path := c.path
	for name, id := range w.World {
		path = strings.ReplaceAll(path, "{"+name+"}", id)
	}
	if strings.Contains(path, "{") {
		t.Fatalf("there is no id for %s", path)
	}
	if c.query.Has("cursor") {
		c.query.Set("cursor", w.cursor)
	}
	if c.query.Has("after") {
		c.query.Set("after", w.after)
	}
	return path + "?" + c.query.Encode()
}

// body returns the body of a call, with the ids of this world.
func (w world) body(t *testing.T, c call) []byte {
	t.Helper()
	if c.body == nil {
		return nil
	}
	body, ok := clone(t, c.body).(map[string]any)
	if !ok {
		t.Fatalf("the body is %v", c.body)
	}
	if body["from_fund_id"] != nil {
		body["from_fund_id"] = w.World["funding_account_id"]
	}
	if to, ok := body["to"].(map[string]any); ok {
		to["id"] = w.World["receive_user_id"]
		if to["fund_id"] != nil {
			to["fund_id"] = w.World[map[any]string{"BANK_DEPOSIT": "bank", "WALLET": "wallet"}[to["payout_method"]]]
		}
	}
	plain, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

var generated = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^\d{4}-\d\d-\d\dT[\d:.]+$`)

// compareWith compares what a service returned with an example, but for ids and timestamps.
func compareWith(t *testing.T, example, got any) {
	t.Helper()
	var plain func(any) any
	plain = func(value any) any {
		switch v := value.(type) {
		case map[string]any:
			for name, member := range v {
				v[name] = plain(member)
			}
		case []any:
			for i, element := range v {
				v[i] = plain(element)
			}
		case string:
			if generated.MatchString(v) {
				return "generated"
			}
		}
		return value
	}
	want, got := plain(clone(t, example)), plain(got)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("it returned\n%v\nthe example of the response is\n%v", got, want)
	}
}

func requestExamples(t *testing.T, path, method string) map[string]any {
	t.Helper()
	return examplesAt(t, "paths", path, strings.ToLower(method), "requestBody", "content", "application/json", "examples")
}

func responseExamples(t *testing.T, path, method string) map[string]any {
	t.Helper()
	return examplesAt(t, "paths", path, strings.ToLower(method), "responses", "200", "content", "application/json", "examples")
}

// examplesAt returns the values of named examples, with the digits of the contract.
func examplesAt(t *testing.T, at ...string) map[string]any {
	t.Helper()
	source, err := openapi.JSON()
	if err != nil {
		t.Fatal(err)
	}
	root, ok := decode(t, source).(map[string]any)
	if !ok {
		t.Fatal("the contract is no object")
	}
	var follow func(names []string) map[string]any
	follow = func(names []string) map[string]any {
		node := root
		for _, name := range names {
			node, _ = node[name].(map[string]any)
			if target, ok := node["$ref"].(string); ok {
				node = follow(strings.Split(strings.TrimPrefix(target, "#/"), "/"))
			}
		}
		return node
	}
	found := map[string]any{}
	for name := range follow(at) {
		found[name] = follow(append(slices.Clone(at), name))["value"]
	}
	return found
}

func decode(t *testing.T, source []byte) (value any) {
	t.Helper()
	in := json.NewDecoder(bytes.NewReader(source))
	in.UseNumber()
	if err := in.Decode(&value); err != nil {
		t.Fatalf("%v: %s", err, source)
	}
	return value
}

func clone(t *testing.T, value any) any {
	t.Helper()
	plain, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, plain)
}
