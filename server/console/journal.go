package console

import (
	"iter"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// Request is a request to the API and how it was answered. It has no body, query or secret, and of the path only identifiers.
type Request struct {
	At        time.Time
	Duration  time.Duration
	Client    string // empty without valid credentials
	Method    string
	Path      string // empty if the contract does not have it
	Operation string
	Status    int
	Code      string
	Details   []api.ErrorDetail
	RequestID string
	Key       string            // the idempotency key
	IDs       map[string]string // the identifiers in the path, by name
	Created   string            // the id of what it created, or repeated
}

// Limits of what is kept.
const (
	keptRequests  = 200
	keptCreations = 1000
	keptDetails   = 10 // of a request
)

// entry is a request in the journal.
type entry struct {
	Request
	Ours bool // of the console
}

// journal has the newest requests. Creations are kept longer, because only they tell what an idempotency key made.
type journal struct {
	mu        sync.Mutex
	requests  ring
	creations ring
}

// add keeps a request, unless it is a read of the console, which would push out all others.
func (j *journal) add(r Request, ours bool) {
	if ours && r.Method == http.MethodGet {
		return
	}
	r.Details = r.Details[:min(len(r.Details), keptDetails)]
	j.mu.Lock()
	defer j.mu.Unlock()
	j.requests.add(entry{r, ours}, keptRequests)
	if r.Created != "" {
		j.creations.add(entry{r, ours}, keptCreations)
	}
}

// newest returns the requests, newest first.
func (j *journal) newest() []entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Collect(j.requests.newest())
}

// find returns the requests and creations that match, newest first.
func (j *journal) find(match func(Request) bool) (found []entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	seen := map[string]bool{}
	for _, kept := range []*ring{&j.requests, &j.creations} {
		for e := range kept.newest() {
			if match(e.Request) && !seen[e.RequestID] {
				seen[e.RequestID] = true
				found = append(found, e)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b entry) int { return b.At.Compare(a.At) })
	return found
}

// ring keeps the newest entries. The zero value is empty.
type ring struct {
	entries []entry
	next    int
}

func (r *ring) add(e entry, limit int) {
	if len(r.entries) < limit {
		r.entries = append(r.entries, e)
		return
	}
	r.entries[r.next] = e
	r.next = (r.next + 1) % limit
}

func (r *ring) newest() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for i := range r.entries {
			if !yield(r.entries[(r.next-1-i+2*len(r.entries))%len(r.entries)]) {
				return
			}
		}
	}
}
