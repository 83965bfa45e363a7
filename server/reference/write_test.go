package reference_test

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/reference"
)

// sequence yields the items, and then the error unless it is nil.
func sequence[T any](items []T, err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range items {
			if !yield(v, nil) {
				return
			}
		}
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

// What is written is read back as it was, and written again with the same bytes.
func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	payers := append(reference.SamplePayers(),
		payout.Payer{
			ID: 1, Code: "a,b", Name: "<Ne & \"Sons\"> \u0928\u0947", Country: "KW", Method: payout.CashPickup, Currency: "KWD",
			NetworkLimits:   []payout.NetworkLimit{{Currency: "KWD", Min: 1, Max: 1_000_000_000_000_000}},
			PickupLocations: []payout.PickupLocation{{ID: 2, Name: `back\slash "q"`, AddressLine1: "<1> & \u3000 2", City: "C"}},
		},
		payout.Payer{
			ID: 3, Code: "C", Name: "N", Country: "JP", Method: payout.Wallet, Currency: "JPY",
			NetworkLimits: []payout.NetworkLimit{{Currency: "JPY", Min: 0, Max: 1}},
		})
	writeAndRead(t, payers, reference.WritePayers, reference.ReadPayers)
	writeAndRead(t, reference.SampleBanks(), reference.WriteBanks, reference.ReadBanks)
	writeAndRead(t, reference.States(), reference.WriteStates, reference.ReadStates)
	writeAndRead(t, nil, reference.WriteStates, reference.ReadStates)
}

func writeAndRead[T any](
	t *testing.T, want []T, write func(io.Writer, iter.Seq2[T, error]) error, read func(io.Reader) ([]T, error),
) {
	t.Helper()
	var first, second bytes.Buffer
	if err := write(&first, sequence(want, nil)); err != nil {
		t.Fatal(err)
	}
	got, err := read(bytes.NewReader(first.Bytes()))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v; read %d of %d %T\n%s", err, len(got), len(want), want, first.String())
	}
	if err := write(&second, sequence(got, nil)); err != nil || first.String() != second.String() {
		t.Errorf("%v; the second time it is\n%s\nafter\n%s", err, second.String(), first.String())
	}
}

func TestAmountsAreWrittenWithAllTheirDecimals(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	limit := func(currency string) []payout.NetworkLimit {
		return []payout.NetworkLimit{{Currency: currency, Min: 5, Max: 1000}}
	}
	err := reference.WritePayers(&out, sequence([]payout.Payer{
		{ID: 1, Currency: "JPY", NetworkLimits: limit("JPY")}, {ID: 2, Currency: "USD", NetworkLimits: limit("USD")},
		{ID: 3, Currency: "KWD", NetworkLimits: limit("KWD")}, {ID: 4},
	}, nil))
	want := "id,code,name,country,delivery_method,receiving_currency,network_limit,pickup_location\n" +
		`1,,,,,JPY,"[{""currency"":""JPY"",""min_amount"":5,""max_amount"":1000}]",` + "\n" +
		`2,,,,,USD,"[{""currency"":""USD"",""min_amount"":0.05,""max_amount"":10.00}]",` + "\n" +
		`3,,,,,KWD,"[{""currency"":""KWD"",""min_amount"":0.005,""max_amount"":1.000}]",` + "\n" +
		"4,,,,,,,\n"
	if err != nil || out.String() != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, out.String(), want)
	}
}

func TestWritingPassesOnErrors(t *testing.T) {
	t.Parallel()
	if err := reference.WriteStates(io.Discard, sequence(reference.States(), io.ErrUnexpectedEOF)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("of the rows: %v", err)
	}
	full, closed := io.Pipe()
	if err := full.Close(); err != nil {
		t.Fatal(err)
	}
	if err := reference.WriteStates(closed, sequence(reference.States(), nil)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("of the output: %v", err)
	}
	unknown := payout.Payer{ID: 7, NetworkLimits: []payout.NetworkLimit{{Currency: "QQQ"}}}
	if err := reference.WritePayers(io.Discard, sequence([]payout.Payer{unknown}, nil)); err == nil || !strings.Contains(err.Error(), "payer 7") {
		t.Errorf("of a currency that does not exist: %v", err)
	}
}
