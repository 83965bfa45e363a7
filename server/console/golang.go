package console

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// Packages that a call of the SDK may need.
const (
	packageAPI    = `"github.com/crossborder-payouts/payouts/gen/api"`
	packageClient = `"github.com/crossborder-payouts/payouts/client"`
	packageTypes  = `"github.com/oapi-codegen/runtime/types"`
	packageUUID   = `"github.com/google/uuid"`
)

// goCall is a call of the SDK as Go source.
type goCall struct {
	Method, Arguments string
	Standard, Others  []string // packages to import
}

// goCallOf writes a call. The methods of the SDK have the names of the operations.
func goCallOf(o *operation, ids []string, body any) goCall {
	w := &goWriter{imports: map[string]bool{`"context"`: true, `"encoding/json"`: true, `"fmt"`: true, `"log"`: true, packageClient: true}}
	for _, id := range ids {
		w.text.WriteString(", " + w.uuid(id))
	}
	if body != nil {
		w.text.WriteString(", ")
		w.value(reflect.ValueOf(body).Elem())
	}
	c := goCall{Method: strings.ToUpper(o.id[:1]) + o.id[1:], Arguments: w.text.String()}
	for path := range w.imports {
		if strings.Contains(path, ".") {
			c.Others = append(c.Others, path)
		} else {
			c.Standard = append(c.Standard, path)
		}
	}
	slices.Sort(c.Standard)
	slices.Sort(c.Others)
	return c
}

type goWriter struct {
	text    strings.Builder
	imports map[string]bool
}

func (w *goWriter) printf(format string, arguments ...any) {
	fmt.Fprintf(&w.text, format, arguments...)
}

func (w *goWriter) uuid(id string) string {
	w.imports[packageUUID] = true
	return "uuid.MustParse(" + strconv.Quote(id) + ")"
}

// value writes a value of a request as an expression.
func (w *goWriter) value(v reflect.Value) {
	switch known := v.Interface().(type) {
	case uuid.UUID:
		w.printf("%s", w.uuid(known.String()))
		return
	case api.Amount:
		w.printf("client.MustAmount(%q)", known.String())
		return
	case types.Date:
		w.imports[packageTypes], w.imports[`"time"`] = true, true
		w.printf("types.Date{Time: time.Date(%d, time.%s, %d, 0, 0, 0, 0, time.UTC)}", known.Year(), known.Month(), known.Day())
		return
	case api.ReceiveSide:
		w.side(known)
		return
	}
	switch v.Kind() { //nolint:exhaustive // requests have no others
	case reflect.Pointer:
		w.pointer(v.Elem())
	case reflect.Struct:
		w.printf("%s{\n", w.name(v.Type()))
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				continue
			}
			w.printf("%s: ", v.Type().Field(i).Name)
			w.value(v.Field(i))
			w.printf(",\n")
		}
		w.printf("}")
	case reflect.Slice:
		w.printf("[]%s{", w.name(v.Type().Elem()))
		for i := range v.Len() {
			w.value(v.Index(i))
			w.printf(",")
		}
		w.printf("}")
	case reflect.Map:
		w.printf("map[string]%s{\n", w.name(v.Type().Elem()))
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			w.printf("%q: ", key.String())
			w.value(v.MapIndex(key))
			w.printf(",\n")
		}
		w.printf("}")
	case reflect.String:
		w.printf("%q", v.String())
	default:
		w.printf("%v", v.Interface())
	}
}

// pointer writes a pointer to a value, with the type that a constant does not have.
func (w *goWriter) pointer(v reflect.Value) {
	typed := v.Type().PkgPath() != "" && v.Kind() == reflect.String || v.Kind() == reflect.Int64
	w.printf("new(")
	if typed {
		w.printf("%s(", w.name(v.Type()))
	}
	w.value(v)
	if typed {
		w.printf(")")
	}
	w.printf(")")
}

// name is that of a type of the SDK, or of the language.
func (w *goWriter) name(t reflect.Type) string {
	if strings.HasPrefix(t.String(), "api.") {
		w.imports[packageAPI] = true
	}
	return t.String()
}

// side writes how the receive user is paid.
func (w *goWriter) side(s api.ReceiveSide) {
	variant, err := s.ValueByDiscriminator()
	if err != nil {
		panic("console: a receive side: " + err.Error()) // the console made it
	}
	var mode *api.CalculationMode
	switch to := variant.(type) {
	case api.BankDepositTo:
		w.printf("client.BankDeposit(%s, %s", w.uuid(to.ID.String()), w.uuid(to.FundID.String()))
		mode = to.CalculationMode
	case api.WalletTo:
		w.printf("client.Wallet(%s, %s", w.uuid(to.ID.String()), w.uuid(to.FundID.String()))
		mode = to.CalculationMode
	case api.HomeDeliveryTo:
		w.printf("client.HomeDelivery(%s, %d", w.uuid(to.ID.String()), to.PayerID)
		mode = to.CalculationMode
	case api.CashPickupTo:
		w.printf("client.CashPickup(%s, %d", w.uuid(to.ID.String()), to.PayerID)
		if to.PickupLocation != nil {
			w.printf(", client.PickupLocation(%d)", *to.PickupLocation)
		}
		mode = to.CalculationMode
	}
	if mode != nil && *mode == api.CalculationMode(client.ReceiverAmount) {
		w.printf(", client.ReceiverAmount")
	}
	w.printf(")")
}
