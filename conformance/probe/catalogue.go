package probe

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// Bounds of what is read one by one from a catalogue, which may have thousands of elements.
const (
	perKind    = 8   // payers of one country and method, and banks of one country
	mostOfAll  = 160 // payers, and banks
	atOnceRead = 8
)

// catalogue is the reference data of the target, read once per run.
type catalogue struct {
	mu     sync.Mutex
	payers []api.PayerDetail
	banks  []api.BankDetail
}

// Payers returns payers of every country and method that the client can see, with details; not all if there are many.
func (t *T) Payers() []api.PayerDetail {
	c := &t.session.catalogue
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.payers == nil {
		r, err := t.Client().ListPayersWithResponse(t.ctx, nil)
		all := choose(t, Setup(t, r, err), func(p api.Payer) (int64, string, string) { return p.ID, p.Country, string(p.DeliveryMethod) })
		c.payers = readEach(t, all, func(id int64) (*api.GetPayerResponse, error) { return t.Client().GetPayerWithResponse(t.ctx, id) })
	}
	return c.payers
}

// Banks returns banks of every country that the client can see, with details; not all if there are many.
func (t *T) Banks() []api.BankDetail {
	c := &t.session.catalogue
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.banks == nil {
		r, err := t.Client().ListBanksWithResponse(t.ctx, nil)
		all := choose(t, Setup(t, r, err), func(b api.Bank) (int64, string, string) { return b.ID, b.Country, "" })
		c.banks = readEach(t, all, func(id int64) (*api.GetBankResponse, error) { return t.Client().GetBankWithResponse(t.ctx, id) })
	}
	return c.banks
}

// choose returns the identifiers of the elements to read, in the order of the list: those of the destination first, then
// the first of each kind, then the second.
func choose[V any](t *T, list []V, of func(V) (id int64, country, method string)) []int64 {
	type element struct {
		id        int64
		rank, row int
	}
	var all []element
	seen := map[[2]string]int{}
	for row, v := range list {
		id, country, method := of(v)
		rank := seen[[2]string{country, method}]
		if seen[[2]string{country, method}]++; rank >= perKind {
			continue
		}
		if country == t.Target().Facts.Destination {
			rank = -1
		}
		all = append(all, element{id, rank, row})
	}
	slices.SortStableFunc(all, func(a, b element) int { return cmp.Compare(a.rank, b.rank) })
	all = all[:min(mostOfAll, len(all))]
	slices.SortFunc(all, func(a, b element) int { return cmp.Compare(a.row, b.row) })
	ids := make([]int64, len(all))
	for i, e := range all {
		ids[i] = e.id
	}
	return ids
}

// readEach reads elements, several at the same time.
func readEach[B any, R Success[B]](t *T, ids []int64, read func(id int64) (R, error)) []B {
	answers, errs := make([]R, len(ids)), make([]error, len(ids))
	slots := make(chan struct{}, atOnceRead)
	var wait sync.WaitGroup
	for i, id := range ids {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			answers[i], errs[i] = read(id)
		})
	}
	wait.Wait()
	all := make([]B, 0, len(ids))
	for i, r := range answers {
		all = append(all, Setup(t, r, errs[i]))
	}
	return all
}

// Payer returns the first payer that fits, or skips the check; what describes such a payer.
func (t *T) Payer(what string, fits func(api.PayerDetail) bool) api.PayerDetail {
	for _, p := range t.Payers() {
		if fits(p) {
			return p
		}
	}
	t.Skipf("the server has no payer %s", what)
	return api.PayerDetail{}
}

// AnyPayer returns a payer of a method in the destination, preferably one without a network limit.
func (t *T) AnyPayer(method api.PayoutMethod) api.PayerDetail {
	return t.PreferUnrestricted(fmt.Sprintf("of %s in %s", method, t.Target().Facts.Destination), func(p api.PayerDetail) bool {
		return p.DeliveryMethod == method && p.Country == t.Target().Facts.Destination
	})
}

// PreferUnrestricted returns the first payer that fits and has no network limit, else the first that fits, or skips the check.
func (t *T) PreferUnrestricted(what string, fits func(api.PayerDetail) bool) api.PayerDetail {
	for _, p := range t.Payers() {
		if len(p.NetworkLimit) == 0 && fits(p) {
			return p
		}
	}
	return t.Payer(what, fits)
}

// usualRate is the rate of a [T.Payout] without a network limit.
var usualRate = wire.MustAmount("132.25")

// RateFor returns a rate at which a sending amount of 1 is within the network limits of a payer: the usual rate, or the
// nearest bound.
func RateFor(p api.PayerDetail) wire.Amount {
	rate := usualRate.Decimal()
	for _, l := range p.NetworkLimit {
		rate = rate.Min(l.MaxAmount.Decimal()).Max(l.MinAmount.Decimal())
	}
	return wire.AmountOf(rate)
}

// Bank returns the first bank in a country, or skips the check.
func (t *T) Bank(country string) api.BankDetail {
	return t.BankWhere("in "+country, func(b api.BankDetail) bool { return b.Country == country && len(b.ReceivingCurrency) > 0 })
}

// BankWhere returns the first bank that fits, or skips the check and reports what no bank is.
func (t *T) BankWhere(what string, fits func(api.BankDetail) bool) api.BankDetail {
	for _, b := range t.Banks() {
		if fits(b) {
			return b
		}
	}
	t.Skipf("the server has no bank %s", what)
	return api.BankDetail{}
}
