package contract

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	optional "github.com/oapi-codegen/nullable"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/openapi/wire"
)

type (
	currency string
	shouted  string // has a method of its own
	label    struct {
		Text string `json:"-"`
	}
	orderOfPointers struct {
		Total    *wire.Amount              `json:"total"`
		Discount *float64                  `json:"discount,omitempty"`
		Ref      *openapi_types.UUID       `json:"ref,omitempty"`
		Currency *currency                 `json:"currency,omitempty"`
		Coupon   **string                  `json:"coupon,omitempty"`
		Pieces   *int32                    `json:"pieces,omitempty"`
		Serial   *int16                    `json:"serial,omitempty"` // too narrow
		Lines    *[]*lineOfPointers        `json:"lines,omitempty"`
		Gift     *bool                     `json:"gift,omitempty"`
		Mode     *shouted                  `json:"mode,omitempty"`
		Note     optional.Nullable[string] `json:"note,omitempty"`
		Remark   *string                   `json:"remark,omitempty"`
		Names    []shouted                 `json:"names,omitempty"`
		Labels   map[string]*string        `json:"labels,omitempty"`
		Host     *netip.Addr               `json:"host,omitempty"`
		Day      *openapi_types.Date       `json:"day,omitempty"`
		Delivery json.RawMessage           `json:"delivery"`
		Mail     any                       `json:"mail,omitempty"`
		Untold   string                    `json:"-"`
	}
	lineOfPointers struct {
		SKU    *string      `json:"sku"`
		Pieces *int         `json:"pieces,omitempty"`
		Weight *wire.Amount `json:"weight,omitempty"`
	}
	orderOfValues struct {
		Total    wire.Amount        `json:"total"`
		Ref      openapi_types.UUID `json:"ref,omitzero"`
		Currency currency           `json:"currency"`
		Pieces   uint8              `json:"pieces"`
		Lines    []struct {
			SKU    shouted `json:"sku"`
			Pieces int64
		} `json:"lines"`
		Gift     bool                                   `json:"gift"`
		Note     string                                 `json:"note"`
		Remark   shouted                                `json:"remark"`
		Labels   label                                  `json:"labels"`
		Day      openapi_types.Date                     `json:"day"`
		Delivery struct{ Kind, Locker, Address string } `json:"delivery"`
	}
	orderOfLabels struct {
		Labels struct {
			A string `json:"a"`
		} `json:"labels"`
	}
	embedded       struct{ Currency string }
	orderWithMore  struct{ embedded }
	orderOfStrings struct {
		Serial int `json:"serial,string"`
	}
)

func (s *shouted) UnmarshalText(text []byte) error {
	*s = shouted(strings.ToUpper(string(text)))
	return nil
}

func (l *label) UnmarshalJSON(text []byte) error {
	l.Text = string(text)
	return nil
}

// What is decoded while it is accepted is what the JSON library decodes, whatever the type.
func TestBodiesAreDecodedLikeTheLibraryDoes(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromFile("testdata/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(doc)
	if err != nil {
		t.Fatal(err)
	}
	op := c.Operation(http.MethodPost, "/accounts/{account_id}/orders")
	example := []byte(`{"total":12.50,"discount":-0.5,"ref":"0b54f3a5-6d1f-4f0a-9f0e-3a1f7c9d2e11","currency":"USD","coupon":"abc","pieces":3,"serial":7,` +
		`"lines":[{"sku":"a","pieces":2,"weight":0.50},{"sku":"b"}],"gift":true,"mode":"FAST","note":null,"remark":"x\ny","names":["Ana","Bea"],` +
		`"labels":{"a":"b","c":"d"},"mail":"a@b.ch","host":"10.0.0.1","day":"2026-01-31","delivery":{"locker":7,"kind":"LOCKER"}}`)
	for _, into := range []reflect.Type{
		reflect.TypeFor[orderOfPointers](), reflect.TypeFor[orderOfValues](), reflect.TypeFor[*orderOfValues](), reflect.TypeFor[orderWithMore](), reflect.TypeFor[orderOfLabels](),
		reflect.TypeFor[orderOfStrings](), reflect.TypeFor[map[string]any](), reflect.TypeFor[any](), reflect.TypeFor[label](), reflect.TypeFor[string](),
	} {
		t.Run(into.String(), func(t *testing.T) {
			t.Parallel()
			random, decoding, n := rand.New(rand.NewPCG(5, 6)), op.Decoding(into).decoding, 0
			for i := range 3000 {
				body := example
				if i > 0 {
					body = mutated(random, [][]byte{example, []byte(`{"total":1,"delivery":{"kind":"COURIER","address":{"street":"s"}}}`)})
				}
				want := reflect.New(into)
				fits := decodeText(body, want.Interface()) == nil
				got := decoding.decode(body, manyValues)
				switch accepted := accepts(op.body.acceptor, body, manyValues, reflect.Value{}); {
				case got.IsValid() != (accepted && fits):
					t.Errorf("decoded: %t, accepted: %t, fits: %t: %s", got.IsValid(), accepted, fits, body)
				case got.IsValid() && !reflect.DeepEqual(got.Interface(), want.Interface()):
					t.Errorf("decoded as\n%+v, want\n%+v: %s", got, want, body)
				case got.IsValid():
					n++
				}
			}
			if fits := into.Kind() != reflect.String && into != reflect.TypeFor[orderOfStrings](); fits && n < 300 {
				t.Errorf("only %d bodies were decoded", n)
			}
		})
	}
}

// A value is handed over once; the next is another one.
func TestDecodedTwice(t *testing.T) {
	t.Parallel()
	op := theContract(t).Operation(http.MethodPost, "/users").Decoding(reflect.TypeFor[userBody]())
	r := Request{Operation: op, Body: []byte(`{"first_name":"Asha","email":"a@example.com","country":"US"}`)}
	r.decoded = op.decoding.decode(r.Body, op.asRequest.maxValues)
	if !r.decoded.IsValid() {
		t.Fatal("not decoded")
	}
	var first, second userBody
	var other struct {
		Country string `json:"country"`
	}
	if err := r.Decode(&other); err != nil || other.Country != "US" {
		t.Errorf("into another type: %+v, %v", other, err)
	}
	for _, into := range []*userBody{&first, &second} {
		if err := r.Decode(into); err != nil || into.Name == nil || *into.Name != "Asha" {
			t.Errorf("decoded as %+v: %v", into, err)
		}
	}
	if first.Name == second.Name {
		t.Error("two values share a part")
	}
}

// The library reads bytes from base64.
func TestBytesAreNoList(t *testing.T) {
	t.Parallel()
	into := reflect.TypeFor[[]byte]()
	list := &arrayAcceptor{items: numberAcceptor{numberRule{bits: 32}}}
	if got := (&decoding{typed{}.of(list, into), into}).decode([]byte("[1,2]"), 10); got.IsValid() {
		t.Errorf("decoded as %v", got.Elem())
	}
}

type userBody struct {
	Name *string `json:"first_name"`
}
