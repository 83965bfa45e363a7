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
	implementations := []*implementation{{t: t, url: ours}, {t: t, url: start(t)}}
	for _, i := range implementations {
		i.prepare()
	}
	examples, names := requestExamples(t)
	random := rand.New(rand.NewPCG(1, 2))
	statuses := map[int]int{}
	for range 2000 {
		example := examples[random.IntN(len(examples))]
		body := mutated(t, random, decoded(t, example.body), names)
		key := ""
		if random.IntN(4) == 0 {
			key = fmt.Sprintf("key-%d", random.IntN(20))
		}
		first, second := implementations[0].post(example.path, key, body), implementations[1].post(example.path, key, body)
		if first.String() != second.String() {
			t.Errorf("POST %s %s with key %q\n%s\nours:   %s\nsecond: %s", example.path, encoded(t, body), key, example.name, first, second)
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

// prepare creates what the requests are about.
func (i *implementation) prepare() {
	create := func(name, path string, body map[string]any) {
		a := i.post(path, "", body)
		if a.status != http.StatusOK {
			i.t.Fatalf("%s: POST %s: %s", i.url, path, a)
		}
		if id, ok := a.body["id"].(string); ok && name != "" {
			i.ids = append(i.ids, "{"+name+"}", id)
		}
	}
	for _, user := range []string{"user", "fresh"} {
		create(user, "/users", map[string]any{"first_name": "Asha", "email": "asha@example.com", "country": "US", "type": "SEND"})
		create(user+"-fund", "/users/{"+user+"}/funding-accounts", map[string]any{"funding_source_type": "CARD"})
		create("", "/sandbox/users/{"+user+"}/funding-accounts/{"+user+"-fund}/status", map[string]any{"status": "ACTIVE"})
	}
	create("", "/sandbox/users/{user}/verification", map[string]any{"kyc_status": "VERIFIED"})
	create("pending", "/users/{user}/funding-accounts", map[string]any{"funding_source_type": "CARD"})
	for name, country := range map[string]string{"receiver": "NP", "japan": "JP", "kuwait": "KW"} {
		create(name, "/users/{user}/receive-users", map[string]any{
			"first_name": "Bina", "country": country, "address_line1": "3 Sample Road", "city": "Sample City",
		})
	}
	create("bare", "/users/{user}/receive-users", map[string]any{"first_name": "Bina", "country": "NP"})
	account := "/users/{user}/receive-users/{receiver}/"
	create("bank", account+"bank-accounts", map[string]any{"bank_id": 2001, "account_number": "1", "currency": "NPR"})
	create("wallet", account+"wallet-accounts", map[string]any{"payer_id": 1004, "wallet_number": "1", "currency": "NPR"})
}

// answer is what both must agree on.
type answer struct {
	status   int
	replayed string
	code     any
	fields   []string // what details name
	body     map[string]any
}

// String is equal for equal answers. The contract leaves open which amount AMOUNT_NOT_ALLOWED names, what is found in `to`
// beside an unknown payout_method, and whether empty lists of the documents of a user come back (D-46).
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
	if _, isUser := a.body["business"]; isUser {
		maps.DeleteFunc(a.body, func(name string, v any) bool {
			list, ok := v.([]any)
			return ok && len(list) == 0 && strings.HasSuffix(name, "_documents")
		})
	}
	return fmt.Sprint(a.status, " ", a.replayed, " ", alike(a.body)) // maps are printed in order
}

var uuids = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// comparable replaces what differs between two implementations, and numbers by their values.
func alike(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = alike(member)
		}
		delete(v, "created_at")
	case []any:
		for i, element := range v {
			v[i] = alike(element)
		}
	case json.Number:
		value, _ := new(big.Rat).SetString(v.String())
		return value.RatString()
	case string:
		if uuids.MatchString(v) {
			return "an id"
		}
	}
	return v
}

func (i *implementation) post(path, key string, body any) answer {
	i.t.Helper()
	fill := strings.NewReplacer(i.ids...)
	text := fill.Replace(string(encoded(i.t, body)))
	r, err := http.NewRequestWithContext(i.t.Context(), http.MethodPost, i.url+fill.Replace(path), strings.NewReader(text))
	if err != nil {
		i.t.Fatal(err)
	}
	client := server.SandboxClients[0]
	r.Header = http.Header{"Content-Type": {"application/json"}, "X-Client-Id": {client.ID}, "X-Client-Secret": {client.Secret}}
	if key != "" {
		r.Header.Set("X-Idempotency-Key", key)
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
	a := answer{status: res.StatusCode, replayed: res.Header.Get("Idempotent-Replayed")}
	a.body, _ = decoded(i.t, received).(map[string]any)
	a.code = a.body["code"]
	details, _ := a.body["details"].([]any)
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

// requestExample is the body of an example of the contract, and a path where it is right.
type requestExample struct {
	name, path string
	body       []byte
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
		if item.Post == nil {
			continue
		}
		if strings.HasPrefix(path, "/sandbox/") { // what is sent there must not change the sender
			path = strings.ReplaceAll(path, "{user_id}", "{fresh}")
		}
		for name, example := range item.Post.RequestBody.Value.Content["application/json"].Examples {
			body := decoded(t, encoded(t, example.Value.Value))
			aboutPrepared(body)
			examples = append(examples, requestExample{name, ids.Replace(path), encoded(t, body)})
			for place := range places(body, nil) {
				if name, ok := place[len(place)-1].(string); ok {
					names = append(names, name)
				}
			}
		}
	}
	slices.SortFunc(examples, func(a, b requestExample) int { return strings.Compare(a.path+a.name, b.path+b.name) })
	slices.Sort(names)
	return examples, slices.Compact(names)
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
