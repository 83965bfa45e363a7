package wire_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"testing"

	"github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// accepted are plain numbers of at most 19 significant digits (D-05).
var accepted = []string{
	"0", "1", "10", "100", "0.1", "0.00", "100.00", "100.10", "-1", "-0.5", "-12345678901.23", "132.25",
	"9999999999999999999", "-9999999999999999999", "0.0000000000000000001", "0.9999999999999999999",
	"999999999999999999.9", "1000000000000.000000",
}

var refusedNumbers = map[string]error{
	"":          wire.ErrNotPlainNumber,
	" ":         wire.ErrNotPlainNumber,
	" 1":        wire.ErrNotPlainNumber,
	"1 ":        wire.ErrNotPlainNumber,
	"-":         wire.ErrNotPlainNumber,
	"+1":        wire.ErrNotPlainNumber,
	"--1":       wire.ErrNotPlainNumber,
	"-+1":       wire.ErrNotPlainNumber,
	"01":        wire.ErrNotPlainNumber,
	"-01":       wire.ErrNotPlainNumber,
	"00":        wire.ErrNotPlainNumber,
	"00.1":      wire.ErrNotPlainNumber,
	".5":        wire.ErrNotPlainNumber,
	"-.5":       wire.ErrNotPlainNumber,
	"1.":        wire.ErrNotPlainNumber,
	".":         wire.ErrNotPlainNumber,
	"1.2.3":     wire.ErrNotPlainNumber,
	"1,5":       wire.ErrNotPlainNumber,
	"1_000":     wire.ErrNotPlainNumber,
	"0x10":      wire.ErrNotPlainNumber,
	"1e3":       wire.ErrNotPlainNumber,
	"1E3":       wire.ErrNotPlainNumber,
	"1.5e+2":    wire.ErrNotPlainNumber,
	"1e-2":      wire.ErrNotPlainNumber,
	"NaN":       wire.ErrNotPlainNumber,
	"nan":       wire.ErrNotPlainNumber,
	"Inf":       wire.ErrNotPlainNumber,
	"-Infinity": wire.ErrNotPlainNumber,
	"null":      wire.ErrNotPlainNumber,
	"true":      wire.ErrNotPlainNumber,
	"[1]":       wire.ErrNotPlainNumber,
	"{}":        wire.ErrNotPlainNumber,
	`"1"`:       wire.ErrNotPlainNumber,
	`"100.00"`:  wire.ErrNotPlainNumber,
	"\u0661":    wire.ErrNotPlainNumber, // a digit, and not one of JSON
	"1\x00":     wire.ErrNotPlainNumber,
	"1\n":       wire.ErrNotPlainNumber,
	"1/3":       wire.ErrNotPlainNumber,

	"10000000000000000000":   wire.ErrTooManyDigits, // 20 digits
	"18446744073709551616":   wire.ErrTooManyDigits,
	"-10000000000000000000":  wire.ErrTooManyDigits,
	"0.00000000000000000001": wire.ErrTooManyDigits,
	"0.00000000000000000000": wire.ErrTooManyDigits,
	"1.1234567890123456789":  wire.ErrTooManyDigits,
	"1.0000000000000000000":  wire.ErrTooManyDigits,
	"1000000000000000000.00": wire.ErrTooManyDigits,
	"9999999999999999999.9":  wire.ErrTooManyDigits,
}

func TestAmountsKeepTheirDigits(t *testing.T) {
	t.Parallel()
	for _, text := range accepted {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			checkAccepted(t, text)
		})
	}
}

func TestInvalidAmounts(t *testing.T) {
	t.Parallel()
	for text, want := range refusedNumbers {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if _, err := wire.ParseAmount(text); !errors.Is(err, want) {
				t.Errorf("ParseAmount: %v, want %v", err, want)
			}
			kept := wire.MustAmount("7.70")
			if err := kept.UnmarshalJSON([]byte(text)); !errors.Is(err, want) {
				t.Errorf("UnmarshalJSON: %v, want %v", err, want)
			}
			if err := kept.Bind(text); !errors.Is(err, want) {
				t.Errorf("Bind: %v, want %v", err, want)
			}
			if kept.String() != "7.70" {
				t.Errorf("a refusal left %s behind", kept)
			}
		})
	}
}

func TestAmountsAreJSONNumbers(t *testing.T) {
	t.Parallel()
	type object struct {
		A wire.Amount  `json:"a"`
		P *wire.Amount `json:"p,omitempty"`
	}
	const text = `{"a":100.00,"p":-0.10}`
	var o object
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(o)
	if err != nil || string(out) != text {
		t.Errorf("%s came back as %s, %v", text, out, err)
	}
	for _, text := range []string{`{"a":"100.00"}`, `{"a":null}`, `{"a":1e2}`, `{"a":1.0E0}`, `{"a":[]}`, `{"a":10000000000000000000}`} {
		if err := json.Unmarshal([]byte(text), new(object)); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

func TestNegativeZero(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"-0": "0", "-0.00": "0.00"} {
		if got := wire.MustAmount(text).String(); got != want {
			t.Errorf("%s is written as %s, want %s", text, got, want)
		}
	}
}

func TestAmountsAreEqualByValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b  string
		equal bool
	}{
		{"100", "100.00", true}, {"0", "0.000", true}, {"-0", "0", true}, {"1", "-1", false}, {"1", "1.0000000001", false},
		{"9999999999999999999", "999999999999999999.9", false},
	} {
		a, b := wire.MustAmount(c.a), wire.MustAmount(c.b)
		if a.Equal(b) != c.equal || b.Equal(a) != c.equal {
			t.Errorf("%s equal %s: want %t", c.a, c.b, c.equal)
		}
	}
}

func TestAmountOf(t *testing.T) {
	t.Parallel()
	d := decimal.MustNew(12345, 3)
	if got := wire.AmountOf(d); got.Decimal() != d || got.String() != "12.345" {
		t.Errorf("AmountOf(12.345) is %s", got)
	}
	out, err := json.Marshal(wire.Amount{})
	if err != nil || string(out) != "0" {
		t.Errorf("the zero value is written as %s, %v", out, err)
	}
}

func TestMustAmountPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	wire.MustAmount("1e3")
}

func FuzzParseAmount(f *testing.F) {
	for _, text := range accepted {
		f.Add(text)
	}
	for text := range refusedNumbers {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := wire.ParseAmount(text); err != nil {
			if !errors.Is(err, wire.ErrNotPlainNumber) && !errors.Is(err, wire.ErrTooManyDigits) {
				t.Errorf("ParseAmount(%q): %v is neither of its errors", text, err)
			}
			return
		}
		checkAccepted(t, text)
	})
}

// checkAccepted checks the rules of D-05 for a valid amount.
func checkAccepted(t *testing.T, text string) {
	t.Helper()
	a, err := wire.ParseAmount(text)
	if err != nil {
		t.Fatalf("ParseAmount(%q): %v", text, err)
	}
	want, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q was accepted and is no number", text)
	}
	if got, ok := new(big.Rat).SetString(a.Decimal().String()); !ok || got.Cmp(want) != 0 {
		t.Errorf("%q has the value %s", text, a.Decimal())
	}
	if want.Sign() == 0 && text[0] == '-' {
		text = text[1:] // the sign of zero is not kept
	}
	var read wire.Amount
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Fatalf("%q is no JSON for an amount: %v", text, err)
	}
	if out, err := json.Marshal(read); err != nil || string(out) != text {
		t.Errorf("%q came back as %q, %v", text, out, err)
	}
	var bound wire.Amount
	if err := bound.Bind(text); err != nil || bound.String() != text || !bound.Equal(a) {
		t.Errorf("%q was bound as %s, %v", text, bound, err)
	}
}
