package contract

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/gen/server"
	"github.com/crossborder-payouts/payouts/openapi"
)

var acceptorBodies = flag.Int("contract.bodies", 20_000, "how many mutated bodies the acceptors and the judge are compared on")

// What the acceptors do not know is judged twice.
func TestAcceptorsKnowTheWholeContract(t *testing.T) {
	t.Parallel()
	c := theContract(t)
	for _, compiled := range []acceptors{c.judge.requests, c.judge.responses} {
		for s, a := range compiled.made {
			if _, ok := a.(nothing); ok {
				t.Errorf("no acceptor for a schema of type %v: %s", s.Type, s.Description)
			}
		}
	}
}

// A body that the acceptors take is never seen by the judge; one that they do not take is judged slowly.
func TestAcceptorsAgreeWithTheJudge(t *testing.T) {
	t.Parallel()
	rules := exampleBodies(t)
	random := rand.New(rand.NewPCG(1, 2))
	valid := 0
	for n := range *acceptorBodies {
		b := rules[n%len(rules)]
		if b.sameVerdict(t, mutated(random, b.examples)) {
			valid++
		}
	}
	t.Logf("%d of %d bodies followed the contract", valid, *acceptorBodies)
	if valid < *acceptorBodies/10 || valid > *acceptorBodies*9/10 {
		t.Errorf("of %d bodies, %d followed the contract: they show little", *acceptorBodies, valid)
	}
}

// FuzzAcceptors is TestAcceptorsAgreeWithTheJudge with bodies that Go looks for.
func FuzzAcceptors(f *testing.F) {
	rules := exampleBodies(f)
	random := rand.New(rand.NewPCG(3, 4))
	for i, b := range rules {
		for _, example := range b.examples {
			f.Add(i, example)
			f.Add(i, mutated(random, [][]byte{example}))
		}
	}
	f.Fuzz(func(t *testing.T, i int, body []byte) {
		rules[uint(i)%uint(len(rules))].sameVerdict(t, body)
	})
}

// bodyRule is a body of the published contract, in one direction, with examples.
type bodyRule struct {
	name     string
	judge    *judge
	schema   *bodySchema
	as       direction
	examples [][]byte
	decoding *decoding // nil: of a response
}

func theContract(t testing.TB) *Contract {
	t.Helper()
	c, err := Published()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sameVerdict fails the test if the acceptor and the judge do not agree on a body, and returns their verdict.
func (b bodyRule) sameVerdict(t *testing.T, body []byte) bool {
	t.Helper()
	quick := accepts(b.schema.acceptor, body, b.as.maxValues, reflect.Value{})
	exact := len(b.judge.body(body, &bodySchema{b.schema.Schema, nothing{}}, b.as)) == 0
	if quick != exact {
		t.Errorf("%s: the acceptor says %t, the judge %t: %q", b.name, quick, exact, body)
	}
	if b.decoding != nil && quick {
		b.sameValue(t, body)
	}
	return exact
}

// sameValue fails the test if a body is decoded differently while it is accepted and afterwards.
func (b bodyRule) sameValue(t *testing.T, body []byte) {
	t.Helper()
	after := reflect.New(b.decoding.into)
	err := decodeText(body, after.Interface())
	switch decoded := b.decoding.decode(body, b.as.maxValues); {
	case err != nil:
		t.Errorf("%s: does not fit %s: %v: %q", b.name, b.decoding.into, err, body)
	case !decoded.IsValid():
		t.Errorf("%s: accepted, but not decoded: %q", b.name, body)
	case !reflect.DeepEqual(decoded.Interface(), after.Interface()):
		t.Errorf("%s: decoded as\n%+v\nand afterwards as\n%+v\nof %q", b.name, decoded.Elem(), after.Elem(), body)
	}
}

// bodyTypes returns the Go types of the bodies of requests, by operationId.
func bodyTypes() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for method := range reflect.TypeFor[server.StrictServerInterface]().Methods() {
		if body, ok := method.Type.In(1).FieldByName("Body"); ok {
			types[strings.ToLower(method.Name[:1])+method.Name[1:]] = body.Type.Elem()
		}
	}
	return types
}

// exampleBodies returns the bodies of all operations with the examples of the document.
func exampleBodies(t testing.TB) []bodyRule {
	t.Helper()
	c := theContract(t)
	doc, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	var all []bodyRule
	types := bodyTypes()
	for _, op := range c.Operations() {
		spec := doc.Paths.Value(op.Path).GetOperation(op.Method)
		if op.body != nil {
			all = append(all, bodyRule{
				op.ID, c.judge, op.body, op.asRequest, examplesOf(t, spec.RequestBody.Value.Content), op.Decoding(types[op.ID]).decoding,
			})
		}
		for status, response := range op.responses {
			if response.body == nil || status >= 400 {
				continue
			}
			content := spec.Responses.Status(status).Value.Content
			all = append(all, bodyRule{fmt.Sprintf("%s %d", op.ID, status), c.judge, response.body, asResponse, examplesOf(t, content), nil})
		}
	}
	all = append(all, bodyRule{"error", c.judge, c.errorBody, asResponse, [][]byte{[]byte(`{"code":"NOT_FOUND","message":"m"}`)}, nil})
	for _, b := range all {
		if len(b.examples) == 0 {
			t.Errorf("%s has no example", b.name)
		}
	}
	return all
}

func examplesOf(t testing.TB, content openapi3.Content) (all [][]byte) {
	t.Helper()
	media := content["application/json"]
	values := []any{media.Example}
	for _, name := range slices.Sorted(maps.Keys(media.Examples)) {
		values = append(values, media.Examples[name].Value.Value)
	}
	for _, value := range values {
		if value == nil {
			continue
		}
		body, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, body)
	}
	return all
}
