package reference_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server/reference"
)

func FuzzReadPayers(f *testing.F) {
	f.Add("")
	f.Add(payerHeader)
	f.Add("\uFEFF" + payerHeader + "1,C,N,NP,WALLET,NPR,,\r\n\n1,C,,XX,,,[],null\n")
	f.Add(payerHeader + payerLine("KWD", `[{"currency":"KWD","min_amount":0.001,"max_amount":9.5}]`,
		`[{"id":1,"name":"N","address_line1":"A","city":"C"}]`))
	f.Add(payerHeader + payerLine("JPY", `[{"currency":"JPY","min_amount":1e9,"max_amount":-0}] x`, `[null]`))
	f.Fuzz(func(t *testing.T, file string) {
		payers, err := reference.ReadPayers(strings.NewReader(file))
		if err != nil {
			if lines, ok := errors.AsType[reference.LineErrors](err); !ok || len(lines) == 0 || payers != nil {
				t.Errorf("error %v with %d payers", err, len(payers))
			}
			return
		}
		payerIDs, pickupIDs := map[int64]bool{}, map[int64]bool{}
		for _, p := range payers {
			checkPayer(t, p)
			if payerIDs[p.ID] {
				t.Errorf("id %d occurs twice", p.ID)
			}
			payerIDs[p.ID] = true
			for _, location := range p.PickupLocations {
				if pickupIDs[location.ID] {
					t.Errorf("pickup location %d occurs twice", location.ID)
				}
				pickupIDs[location.ID] = true
			}
		}
	})
}
