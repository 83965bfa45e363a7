package storetest

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// filler sets every field of a value, however deep, to a different value that is not zero, so that a forgotten or confused
// column shows. Flags alternate; start selects the first.
type filler struct {
	prefix string
	start  int
	n      int
}

func filled[T any](f *filler) T {
	var v T
	f.fill(reflect.ValueOf(&v).Elem())
	return v
}

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = origin.Add(time.Duration(f.n) * (time.Hour + time.Microsecond))
		return
	case *decimal.Decimal:
		*p = decimal.MustNew(int64(f.n)*1000, 4) // with trailing zeros
		return
	case *payout.NullableText:
		text := f.text()
		*p = payout.NullableText{Sent: true, Text: &text}
		return
	case *[]byte:
		*p = append([]byte{0, 0xff}, f.text()...)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text())
	case reflect.Bool:
		v.SetBool((f.n+f.start)%2 == 0)
	case reflect.Int64:
		v.SetInt(int64(f.n) << 32)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	default:
		panic(fmt.Sprintf("storetest: cannot fill %s", v.Type()))
	}
}

// text is different each time, and not plain ASCII.
func (f *filler) text() string { return f.prefix + " \u0928\u0947 '\"%\\ " + strconv.Itoa(f.n) }
