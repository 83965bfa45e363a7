package coverage

import (
	"cmp"
	"net/http"
	"slices"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// Collector observes the exchanges of a run. It may be used from several goroutines.
type Collector struct {
	operations map[string]*operation // by operationId; "" for what matches none

	mu       sync.Mutex
	answered map[string]int
	touched  map[string]map[string]bool
}

// New returns a collector for a contract; in profile document it covers only the operations of the interface document.
func New(doc *openapi3.T, profile probe.Profile) *Collector {
	c := &Collector{
		operations: map[string]*operation{"": outside(doc)}, answered: map[string]int{}, touched: map[string]map[string]bool{},
	}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			if profile != probe.Document || op.Extensions["x-origin"] == "document" {
				c.operations[op.OperationID] = newOperation(item, op)
			}
		}
	}
	for id := range c.operations {
		c.touched[id] = map[string]bool{}
	}
	return c
}

// Observe records an exchange.
func (c *Collector) Observe(x probe.Exchange) {
	op := c.operations[x.OperationID]
	if op == nil || x.Err != nil || x.Method == http.MethodHead {
		return
	}
	items := op.touchedBy(x)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered[op.id]++
	for _, item := range items {
		if op.wanted[item] {
			c.touched[op.id][item] = true
		}
	}
}

// Report lists what has been exercised, and what has not.
type Report struct {
	Operations []Operation `json:"operations"` // by id
	Missing    []string    `json:"missing"`    // of all operations, as sentences
}

// Operation is the coverage of an operation. Its items have names such as "422 LIMIT_EXCEEDED", "invalid query country",
// "valid body /to[WALLET]/payer_id", "missing body /email" and "response /items/*/id".
type Operation struct {
	ID       string   `json:"id"`       // "" for requests that match no operation
	Answered int      `json:"answered"` // requests
	Touched  []string `json:"touched"`
	Missing  []string `json:"missing"`
}

// Report returns what has been exercised so far.
func (c *Collector) Report() Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Operation
	for id, op := range c.operations {
		o := Operation{ID: id, Answered: c.answered[id]}
		for item := range op.wanted {
			if c.touched[id][item] {
				o.Touched = append(o.Touched, item)
			} else {
				o.Missing = append(o.Missing, item)
			}
		}
		all = append(all, o)
	}
	return newReport(all)
}

// Merge returns what several runs have exercised together, such as those in different conditions.
func Merge(reports ...Report) Report {
	merged := map[string]*Operation{}
	for _, r := range reports {
		for _, o := range r.Operations {
			m := merged[o.ID]
			if m == nil {
				m = &Operation{ID: o.ID}
				merged[o.ID] = m
			}
			m.Answered += o.Answered
			m.Touched = append(m.Touched, o.Touched...)
			m.Missing = append(m.Missing, o.Missing...)
		}
	}
	var all []Operation
	for _, m := range merged {
		m.Missing = slices.DeleteFunc(m.Missing, func(item string) bool { return slices.Contains(m.Touched, item) })
		all = append(all, *m)
	}
	return newReport(all)
}

// newReport sorts operations and their items.
func newReport(all []Operation) Report {
	slices.SortFunc(all, func(a, b Operation) int { return cmp.Compare(a.ID, b.ID) })
	r := Report{Operations: all, Missing: []string{}}
	for i := range all {
		o := &all[i]
		o.Touched, o.Missing = unique(o.Touched), unique(o.Missing)
		for _, item := range o.Missing {
			r.Missing = append(r.Missing, cmp.Or(o.ID, "no operation")+" "+item+" never seen")
		}
	}
	return r
}

func unique(items []string) []string {
	slices.Sort(items)
	return slices.Compact(append([]string{}, items...)) // never null in JSON
}
