package client_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// Every text that a method takes is checked, each on its own: parameters, members of bodies, elements, and keys of maps.
func TestEveryTextMustBeUTF8(t *testing.T) {
	t.Parallel()
	n, c := dial(t, ok)
	value := reflect.ValueOf(c)
	texts := 0
	for i := range value.NumMethod() {
		name, method := value.Type().Method(i).Name, value.Method(i)
		if !method.Type().IsVariadic() || method.Type().NumIn() < 2 {
			continue
		}
		for broken := 0; ; broken++ {
			arguments := []reflect.Value{reflect.ValueOf(t.Context())}
			left := broken
			for j := 1; j < method.Type().NumIn()-1; j++ {
				argument := reflect.New(method.Type().In(j)).Elem()
				fill(argument, &left)
				arguments = append(arguments, argument)
			}
			if left >= 0 {
				break // there is no such text
			}
			texts++
			results := method.Call(arguments)
			last := results[len(results)-1].Interface()
			if results[0].Kind() == reflect.Func {
				for _, failure := range results[0].Seq2() {
					last = failure.Interface()
				}
			}
			if e, ok := last.(*client.Error); !ok || !strings.Contains(e.Error(), " must be text in UTF-8") || e.Attempts != 0 || !e.Refused() {
				t.Errorf("%s, text %d: %v", name, broken, last)
			}
		}
	}
	if len(n.seen) != 0 || texts < 80 {
		t.Errorf("%d requests were sent for %d texts", len(n.seen), texts)
	}
}

// fill sets all parts of a value, and counts down to the text that is not UTF-8.
func fill(v reflect.Value, left *int) {
	switch {
	case v.Type() == reflect.TypeFor[uuid.UUID]():
		v.Set(reflect.ValueOf(userID))
	case v.Type() == reflect.TypeFor[api.ReceiveSide]():
		v.Set(reflect.ValueOf(client.BankDeposit(otherID, accountID)))
	case v.Kind() == reflect.String:
		text := "text"
		if *left == 0 {
			text = "Jos\xe9"
		}
		*left--
		v.SetString(text)
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), left)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), left)
		}
	case v.Kind() == reflect.Map:
		key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if key.Kind() == reflect.Bool {
			key.SetBool(true) // a nullable that is set
		}
		fill(key, left)
		fill(element, left)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, element)
	case v.Kind() == reflect.Struct && v.Type().PkgPath() == reflect.TypeFor[api.User]().PkgPath():
		for i := range v.NumField() {
			fill(v.Field(i), left)
		}
	}
}
