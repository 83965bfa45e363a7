package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// collected returns the elements of a sequence, and fails the test if it ends in an error.
func collected[T any](t *testing.T, rows iter.Seq2[T, error]) []T {
	t.Helper()
	var out []T
	for v, err := range rows {
		if err != nil {
			t.Fatalf("%T: %v", v, err)
		}
		out = append(out, v)
	}
	return out
}

func importCounts(t *testing.T, db Database) {
	ctx := t.Context()
	f := filler{prefix: "ref"}
	ref := filled[store.Reference](&f)
	// Neither limits nor locations, in both ways to say so.
	ref.Payers = append(ref.Payers, payout.Payer{ID: 1}, payout.Payer{ID: 2, NetworkLimits: []payout.NetworkLimit{}})
	changed := slices.Clone(ref.Payers)
	changed[0].PickupLocations = slices.Clone(changed[0].PickupLocations)
	changed[0].PickupLocations[1].City = "changed"
	for _, step := range []struct {
		name   string
		payers []payout.Payer
		how    store.Import
		want   store.Imported
		kept   []payout.Payer
	}{
		{"nothing", nil, store.Import{}, store.Imported{}, nil},
		{"a dry run", ref.Payers, store.Import{DryRun: true}, store.Imported{New: 4}, nil},
		{"new ones", ref.Payers, store.Import{}, store.Imported{New: 4}, ref.Payers},
		{"the same", ref.Payers, store.Import{Replace: true}, store.Imported{Unchanged: 4}, ref.Payers},
		{"one changed", changed[:2], store.Import{}, store.Imported{Changed: 1, Unchanged: 1}, changed},
		{"a dry run that removes", ref.Payers[:1], store.Import{Replace: true, DryRun: true}, store.Imported{Changed: 1, Removed: 3}, changed},
		{"some removed", changed[1:3], store.Import{Replace: true}, store.Imported{Unchanged: 2, Removed: 2}, changed[1:3]},
		{"all three at once", ref.Payers[:2], store.Import{Replace: true}, store.Imported{New: 1, Unchanged: 1, Removed: 1}, ref.Payers[:2]},
		{"all removed", nil, store.Import{Replace: true}, store.Imported{Removed: 2}, nil},
	} {
		same(t, step.name, must(db.ImportPayers(ctx, step.payers, step.how))(t), step.want)
		want := slices.SortedFunc(slices.Values(step.kept), func(a, b payout.Payer) int { return cmp.Compare(a.ID, b.ID) })
		got := collected(t, db.AllPayers(ctx))
		if len(got) != len(want) {
			t.Fatalf("%s: kept %d payers, want %d", step.name, len(got), len(want))
		}
		for i := range got {
			if len(want[i].NetworkLimits) == 0 {
				want[i].NetworkLimits, got[i].NetworkLimits = nil, nil
			}
		}
		same(t, step.name+": payers", got, want)
	}
	same(t, "banks", must(db.ImportBanks(ctx, ref.Banks, store.Import{}))(t), store.Imported{New: 2})
	same(t, "the same banks", must(db.ImportBanks(ctx, ref.Banks, store.Import{Replace: true}))(t), store.Imported{Unchanged: 2})
	same(t, "all banks", collected(t, db.AllBanks(ctx)), ref.Banks)
	same(t, "states", must(db.ImportStates(ctx, ref.States, store.Import{}))(t), store.Imported{New: 2})
	same(t, "fewer states", must(db.ImportStates(ctx, ref.States[1:], store.Import{Replace: true}))(t), store.Imported{Unchanged: 1, Removed: 1})
	same(t, "all states", collected(t, db.AllStates(ctx)), ref.States[1:])
}

// A difference in any column makes a row a changed one.
func importColumns(t *testing.T, db Database) {
	ctx := t.Context()
	f := filler{prefix: "ref"}
	ref := filled[store.Reference](&f)
	other := filled[store.Reference](&f)
	payer, bank, state := ref.Payers[0], ref.Banks[0], ref.States[0]
	if err := db.PutReference(ctx, ref); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(){
		"code":     func() { payer.Code = other.Payers[0].Code },
		"name":     func() { payer.Name = other.Payers[0].Name },
		"country":  func() { payer.Country = other.Payers[0].Country },
		"method":   func() { payer.Method = other.Payers[0].Method },
		"currency": func() { payer.Currency = other.Payers[0].Currency },
		"limits":   func() { payer.NetworkLimits = other.Payers[0].NetworkLimits },
		"pickups":  func() { payer.PickupLocations = nil },
	} {
		change()
		same(t, name, must(db.ImportPayers(ctx, []payout.Payer{payer}, store.Import{}))(t), store.Imported{Changed: 1})
		same(t, name, found(db.Payer(ctx, payer.ID))(t), payer)
	}
	for name, change := range map[string]func(){
		"name":       func() { bank.Name = other.Banks[0].Name },
		"country":    func() { bank.Country = other.Banks[0].Country },
		"branches":   func() { bank.Branches = other.Banks[0].Branches },
		"types":      func() { bank.TxnSupportedTypes = nil },
		"currencies": func() { bank.Currencies = other.Banks[0].Currencies },
	} {
		change()
		same(t, name, must(db.ImportBanks(ctx, []payout.Bank{bank}, store.Import{}))(t), store.Imported{Changed: 1})
		same(t, name, found(db.Bank(ctx, bank.ID))(t), bank)
	}
	for name, change := range map[string]func(){
		"name":    func() { state.Name = other.States[0].Name },
		"country": func() { state.Country = other.States[0].Country },
		"code":    func() { state.Code = other.States[0].Code },
	} {
		change()
		same(t, name, must(db.ImportStates(ctx, []payout.State{state}, store.Import{}))(t), store.Imported{Changed: 1})
		same(t, name, found(db.StateByID(ctx, state.ID))(t), state)
	}
}

// An import that would remove what accounts and transactions refer to changes nothing.
func importInUse(t *testing.T, db Database) {
	ctx := t.Context()
	w := newWorld("a")
	w.wallet.PayerID, w.transfer.To.PayerID, w.bank.BankID = 1, 2, 1
	payers := []payout.Payer{{ID: 1}, {ID: 2}, {ID: 3}}
	banks := []payout.Bank{{ID: 1}, {ID: 2}}
	if err := db.PutReference(ctx, store.Reference{Payers: payers, Banks: banks}); err != nil {
		t.Fatal(err)
	}
	w.put(t, db)
	refused := func(what string, err error, want ...string) {
		t.Helper()
		var e *store.ImportError
		if !errors.As(err, &e) || !slices.Equal(e.Reasons, want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	replace := store.Import{Replace: true}
	_, err := db.ImportPayers(ctx, []payout.Payer{{ID: 4}}, replace)
	refused("payers", err, "payer 1 cannot be removed: accounts or transactions refer to it",
		"payer 2 cannot be removed: accounts or transactions refer to it")
	_, err = db.ImportBanks(ctx, []payout.Bank{{ID: 2, Name: "changed"}}, replace)
	refused("banks", err, "bank 1 cannot be removed: accounts or transactions refer to it")
	same(t, "payers", collected(t, db.AllPayers(ctx)), payers)
	same(t, "banks", collected(t, db.AllBanks(ctx)), banks)
	same(t, "without them", must(db.ImportPayers(ctx, payers[:2], replace))(t), store.Imported{Unchanged: 2, Removed: 1})
	same(t, "without it", must(db.ImportBanks(ctx, banks[:1], replace))(t), store.Imported{Unchanged: 1, Removed: 1})
}

// Codes of states are unique before and after an import, and may be swapped by it.
func importCodes(t *testing.T, db Database) {
	ctx := t.Context()
	state := func(id int64, code string) payout.State {
		return payout.State{ID: id, Country: "NP", Code: code, Name: "State"}
	}
	steps := []struct {
		name   string
		states []payout.State
		how    store.Import
		want   store.Imported
	}{
		{"new", []payout.State{state(1, "A"), state(2, "B"), state(3, "C")}, store.Import{}, store.Imported{New: 3}},
		{"round", []payout.State{state(1, "B"), state(2, "C"), state(3, "A")}, store.Import{}, store.Imported{Changed: 3}},
		{"passed on", []payout.State{state(3, "D"), state(4, "A")}, store.Import{}, store.Imported{New: 1, Changed: 1}},
		{"other ids", []payout.State{state(11, "A"), state(12, "B")}, store.Import{Replace: true}, store.Imported{New: 2, Removed: 4}},
	}
	for _, step := range steps {
		same(t, step.name, must(db.ImportStates(ctx, step.states, step.how))(t), step.want)
		for _, want := range step.states {
			same(t, step.name, found(db.State(ctx, want.Country, want.Code))(t), want)
		}
	}
	_, err := db.ImportStates(ctx, []payout.State{state(13, "C"), state(14, "B")}, store.Import{})
	var e *store.ImportError
	if !errors.As(err, &e) || len(e.Reasons) != 1 ||
		e.Reasons[0] != "state 14 cannot have the code B of NP: state 12 has it, and is not in the file" {
		t.Errorf("a code that is taken: %v", err)
	}
	same(t, "states", collected(t, db.AllStates(ctx)), steps[3].states)
}

// More rows than one statement takes.
func importMany(t *testing.T, db Database) {
	const rows = 3001
	ctx := t.Context()
	payers := make([]payout.Payer, rows)
	for i := range payers {
		payers[i] = payout.Payer{ID: int64(rows - i), Code: fmt.Sprint("C-", i), Name: strings.Repeat("n", 255)}
	}
	drawn := 0
	how := store.Import{Replace: true, Progress: func(n int) { drawn += n }}
	same(t, "all", must(db.ImportPayers(ctx, payers, how))(t), store.Imported{New: rows})
	same(t, "progress", drawn, rows)
	payers[7].Name = "changed"
	same(t, "again", must(db.ImportPayers(ctx, payers[:rows-1], how))(t), store.Imported{Changed: 1, Unchanged: rows - 2, Removed: 1})
	same(t, "almost none", must(db.ImportPayers(ctx, payers[7:8], how))(t), store.Imported{Unchanged: 1, Removed: rows - 2})
	same(t, "payers", collected(t, db.AllPayers(ctx)), payers[7:8])
}

// An error in the middle rolls everything back, and the end of the context is an outage.
func importAtomic(t *testing.T, db Database) {
	f := filler{prefix: "ref"}
	ref := filled[store.Reference](&f)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := db.ImportPayers(ctx, ref.Payers, store.Import{Progress: func(int) { cancel() }})
	outage(t, "a context that ends", err)
	if all := collected(t, db.AllPayers(t.Context())); len(all) != 0 {
		t.Errorf("%d payers were kept", len(all))
	}
	for _, err := range db.AllPayers(ctx) {
		outage(t, "reading with a context that ended", err)
	}
	if err := db.PutReference(t.Context(), ref); err != nil {
		t.Fatal(err)
	}
	for v, err := range db.AllPayers(t.Context()) { // may be left early
		same(t, "the first payer", found(v, true, err)(t), ref.Payers[0])
		break
	}
}
