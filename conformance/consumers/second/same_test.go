package second_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Two implementations that know only the contract answer the same to requests that are somehow wrong. Where they do not, one
// has a defect or the contract can be read in two ways.
func TestTwoImplementationsAnswerTheSame(t *testing.T) {
	t.Parallel()
	ours := servertest.New(t, func(c *server.Config) { c.Now = time.Now }).URL
	implementations := []*implementation{{t: t, url: ours}, {t: t, url: start(t, "--webhooks=off")}}
	for _, i := range implementations {
		i.prepare()
	}
	examples, names := requestExamples(t)
	random := rand.New(rand.NewPCG(1, 2))
	statuses := map[int]int{}
	for range 3000 {
		example := examples[random.IntN(len(examples))]
		r := request{method: example.method, path: strings.ReplaceAll(example.path, "{moving}", fmt.Sprintf("{moving-%d}", random.IntN(moving)))}
		if example.body != nil {
			r.body = encoded(t, mutated(t, random, decoded(t, example.body), names))
		}
		if example.takesKey && random.IntN(4) == 0 {
			r.key = fmt.Sprintf("key-%d", random.IntN(20))
		}
		r.query = query(random, example.query)
		first, second := implementations[0].send(r), implementations[1].send(r)
		if first.String() != second.String() {
			t.Errorf("%s\n%s\nours:   %s\nsecond: %s", r, example.name, first, second)
		}
		statuses[first.status]++
	}
	t.Log(statuses)
	for _, status := range []int{200, 400, 409, 422} {
		if statuses[status] < 20 {
			t.Errorf("%d answers with %d", statuses[status], status)
		}
	}
}

// implementation is one of the two, and the ids of what is prepared there by the same names.
type implementation struct {
	t   *testing.T
	url string
	ids []string // name and id in turn, as strings.NewReplacer takes them
}

// moving is how many transactions there are that the sandbox may move.
const moving = 40

// prepare creates what the requests are about.
func (i *implementation) prepare() {
	create := func(name, path string, body any) {
		a := i.send(request{method: http.MethodPost, path: path, body: encoded(i.t, body)})
		created, _ := a.body.(map[string]any)
		id, _ := created["id"].(string)
		if a.status != http.StatusOK || name != "" && id == "" {
			i.t.Fatalf("%s: POST %s: %s", i.url, path, a)
		}
		if name != "" {
			i.ids = append(i.ids, "{"+name+"}", id)
		}
	}
	for _, user := range []string{"user", "fresh", "mover"} {
		create(user, "/users", map[string]any{"first_name": "Asha", "email": "asha@example.com", "country": "US", "type": "SEND"})
		create(user+"-fund", "/users/{"+user+"}/funding-accounts", map[string]any{"funding_source_type": "CARD"})
		create("", "/sandbox/users/{"+user+"}/funding-accounts/{"+user+"-fund}/status", map[string]any{"status": "ACTIVE"})
	}
	for _, user := range []string{"user", "mover"} {
		create("", "/sandbox/users/{"+user+"}/verification", map[string]any{"kyc_status": "VERIFIED"})
	}
	create("pending", "/users/{user}/funding-accounts", map[string]any{"funding_source_type": "CARD"})
	for _, of := range [][2]string{{"receiver", "NP"}, {"japan", "JP"}, {"kuwait", "KW"}} {
		create(of[0], "/users/{user}/receive-users", map[string]any{
			"first_name": "Bina", "country": of[1], "address_line1": "3 Sample Road", "city": "Sample City",
		})
	}
	create("bare", "/users/{user}/receive-users", map[string]any{"first_name": "Bina", "country": "NP"})
	account := "/users/{user}/receive-users/{receiver}/"
	create("bank", account+"bank-accounts", map[string]any{"bank_id": 2001, "account_number": "1", "currency": "NPR"})
	create("wallet", account+"wallet-accounts", map[string]any{"payer_id": 1004, "wallet_number": "1", "currency": "NPR"})
	create("waiting", "/users/{mover}/receive-users", map[string]any{"first_name": "Bina", "country": "NP"})
	for n := range moving { // the last ones are above the first tier
		create(fmt.Sprintf("moving-%d", n), "/users/{mover}/transactions", map[string]any{
			"from_amount": 30, "exchange_rate": 132.25, "from_currency": "USD", "to_currency": "NPR", "from_fund_id": "{mover-fund}",
			"to": map[string]any{"id": "{waiting}", "payout_method": "CASH_PICKUP", "payer_id": 1003},
		})
	}
}

// request is what both are asked, with names in braces for their ids.
type request struct {
	method, path, key string
	query             url.Values
	body              []byte
}

func (r request) String() string {
	return fmt.Sprintf("%s %s?%s %s with key %q", r.method, r.path, r.query.Encode(), r.body, r.key)
}

// answer is what both must agree on.
type answer struct {
	status   int
	replayed string
	code     any
	fields   []string // what details name
	body     any
}

// String is equal for equal answers. The contract leaves open which amount AMOUNT_NOT_ALLOWED names, and what is found in `to`
// beside an unknown payout_method.
func (a answer) String() string {
	if a.status != http.StatusOK {
		if a.code == "AMOUNT_NOT_ALLOWED" {
			a.fields = nil
		}
		if method := "body /to/payout_method"; slices.Contains(a.fields, method) {
			a.fields = slices.DeleteFunc(a.fields, func(f string) bool { return f != method && strings.HasPrefix(f, "body /to/") })
		}
		return fmt.Sprint(a.status, " ", a.code, " ", a.fields)
	}
	return fmt.Sprint(a.status, " ", a.replayed, " ", alike(a.body)) // maps are printed in order
}

// What differs between two implementations.
var different = map[string]*regexp.Regexp{
	"an id":    regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`),
	"a time":   regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}$`),
	"a secret": regexp.MustCompile(`^whsec_`),
}

// alike replaces what differs between two implementations, and numbers by their values. The contract leaves open whether empty
// lists of the documents of a user come back (D-46).
func alike(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if _, isUser := v["business"]; isUser {
			maps.DeleteFunc(v, func(name string, member any) bool {
				list, ok := member.([]any)
				return ok && len(list) == 0 && strings.HasSuffix(name, "_documents")
			})
		}
		for name, member := range v {
			v[name] = alike(member)
		}
		if v["next_cursor"] != nil {
			v["next_cursor"] = "a cursor"
		}
	case []any:
		for i, element := range v {
			v[i] = alike(element)
		}
	case json.Number:
		value, _ := new(big.Rat).SetString(v.String())
		return value.RatString()
	case string:
		for name, pattern := range different {
			if pattern.MatchString(v) {
				return name
			}
		}
	}
	return v
}

func (i *implementation) send(q request) answer {
	i.t.Helper()
	fill := strings.NewReplacer(i.ids...)
	target := i.url + fill.Replace(q.path)
	if len(q.query) > 0 {
		target += "?" + q.query.Encode()
	}
	r, err := http.NewRequestWithContext(i.t.Context(), q.method, target, strings.NewReader(fill.Replace(string(q.body))))
	if err != nil {
		i.t.Fatal(err)
	}
	client := server.SandboxClients[0]
	r.Header = http.Header{"X-Client-Id": {client.ID}, "X-Client-Secret": {client.Secret}}
	if q.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.key != "" {
		r.Header.Set("X-Idempotency-Key", q.key)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		i.t.Fatal(err)
	}
	defer res.Body.Close()
	received, err := io.ReadAll(res.Body)
	if err != nil {
		i.t.Fatal(err)
	}
	a := answer{status: res.StatusCode, replayed: res.Header.Get("Idempotent-Replayed"), body: decoded(i.t, received)}
	body, _ := a.body.(map[string]any)
	a.code = body["code"]
	details, _ := body["details"].([]any)
	for _, d := range details {
		d, _ := d.(map[string]any)
		a.fields = append(a.fields, fmt.Sprint(d["in"], " ", d["field"]))
	}
	slices.Sort(a.fields)
	above := ""
	a.fields = slices.DeleteFunc(a.fields, func(f string) bool { // what is below a place that is refused, and what is named twice
		if above != "" && (f == above || strings.HasPrefix(f, above+"/")) {
			return true
		}
		above = f
		return false
	})
	return a
}

// requestExample is a request of an example of the contract, with a path where it is right.
type requestExample struct {
	name, method, path string
	takesKey           bool
	query              map[string]string // parameters and their examples
	body               []byte            // nil if the operation takes none
}

// requestExamples returns those of all operations, and the names of all members in them.
func requestExamples(t *testing.T) (examples []requestExample, names []string) {
	t.Helper()
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	ids := strings.NewReplacer("{user_id}", "{user}", "{receive_user_id}", "{receiver}", "{funding_account_id}", "{fresh-fund}")
	for path, item := range document.Paths.Map() {
		switch { // what is set there must not change the sender
		case strings.Contains(path, "{transaction_id}"):
			path = strings.NewReplacer("{user_id}", "{mover}", "{transaction_id}", "{moving}").Replace(path)
		case strings.HasPrefix(path, "/sandbox/"), path == "/users/{user_id}", path == "/users/{user_id}/documents":
			path = strings.ReplaceAll(path, "{user_id}", "{fresh}")
		}
		path = ids.Replace(path)
		for method, o := range item.Operations() {
			e := requestExample{method: method, path: path, query: map[string]string{}}
			for _, p := range slices.Concat(item.Parameters, o.Parameters) {
				switch {
				case p.Value.In == "query":
					e.query[p.Value.Name] = fmt.Sprint(p.Value.Example)
				case p.Value.Name == "X-Idempotency-Key":
					e.takesKey = true
				case strings.Contains(e.path, "{"+p.Value.Name+"}"): // one that is not prepared
					e.path = strings.ReplaceAll(e.path, "{"+p.Value.Name+"}", fmt.Sprint(p.Value.Example))
				}
			}
			if o.RequestBody == nil {
				e.name = o.OperationID
				examples = append(examples, e)
				continue
			}
			for name, example := range o.RequestBody.Value.Content["application/json"].Examples {
				body := decoded(t, encoded(t, example.Value.Value))
				aboutPrepared(body)
				e.name, e.body = o.OperationID+" "+name, encoded(t, body)
				examples = append(examples, e)
				for place := range places(body, nil) {
					if name, ok := place[len(place)-1].(string); ok {
						names = append(names, name)
					}
				}
			}
		}
	}
	slices.SortFunc(examples, func(a, b requestExample) int { return strings.Compare(a.name, b.name) })
	slices.Sort(names)
	return examples, slices.Compact(names)
}

// query returns some of the parameters, most of them with the value of their example.
func query(random *rand.Rand, examples map[string]string) url.Values {
	values := url.Values{}
	for _, name := range slices.Sorted(maps.Keys(examples)) {
		switch random.IntN(8) {
		case 0:
			values.Set(name, strings.Trim(odd[random.IntN(len(odd))], `"`))
		case 1, 2, 3:
			values.Set(name, examples[name])
		}
	}
	return values
}

// aboutPrepared puts the ids of what is prepared into a transaction.
func aboutPrepared(body any) {
	transaction, _ := body.(map[string]any)
	to, ok := transaction["to"].(map[string]any)
	if !ok {
		return
	}
	transaction["from_fund_id"], to["id"] = "{user-fund}", "{receiver}"
	switch to["payout_method"] {
	case "BANK_DEPOSIT":
		to["fund_id"] = "{bank}"
	case "WALLET":
		to["fund_id"] = "{wallet}"
	}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func decoded(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}
