package mutants_test

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// memory holds what a faulty server remembers of requests by a name: that of their key, or of their user.
type memory struct {
	mu    sync.Mutex
	named map[string]*past
}

// past is what was under one name before a request came.
type past struct {
	first   *exchange     // that was accepted
	last    *exchange     // of any status
	open    int           // requests that are not answered yet, this one included
	crowded bool          // whether there ever were two of them, and
	company chan struct{} // is closed then
}

type exchange struct {
	request request
	answer  answer
}

// pass remembers a request, answers it with what serve makes of it, and remembers the answer.
func (m *memory) pass(name string, r request, serve func(past) answer) answer {
	p := m.begin(name)
	a := serve(p)
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.named[name]
	now.open--
	now.last = &exchange{r, a}
	if now.first == nil && a.status == http.StatusOK {
		now.first = now.last
	}
	return a
}

func (m *memory) begin(name string) past {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.named == nil {
		m.named = map[string]*past{}
	}
	now := m.named[name]
	if now == nil {
		now = &past{company: make(chan struct{})}
		m.named[name] = now
	}
	now.open++
	if now.open > 1 && !now.crowded {
		now.crowded = true
		close(now.company)
	}
	return *now
}

// hasCompany reports whether two requests were under way under the name, now or before. It waits a little for another one that was
// sent at the same time.
func (p past) hasCompany() bool {
	select {
	case <-p.company:
		return true
	case <-time.After(500 * time.Millisecond):
		return false
	}
}

const (
	keyHeader    = "X-Idempotency-Key"
	replayHeader = "Idempotent-Replayed"
)

// key returns the idempotency key, "" without one.
func (r request) key() string { return r.Header.Get(keyHeader) }

// client returns the id of the client.
func (r request) client() string { return r.Header.Get("X-Client-Id") }

// user returns the id of the user in the path, "" without one.
func (r request) user() string {
	_, rest, _ := strings.Cut(r.URL.Path, "/users/")
	id, _, _ := strings.Cut(rest, "/")
	return strings.ToLower(id)
}

// repeats reports whether a request is another one to the letter.
func (r request) repeats(other request) bool {
	return r.Method == other.Method && r.URL.Path == other.URL.Path && r.key() == other.key() && string(r.body) == string(other.body)
}

func (a answer) isReplay() bool { return a.header.Get(replayHeader) == "true" }

// with returns the answer with a header, or without it where the value is empty.
func (a answer) with(name, value string) answer {
	a.header = a.header.Clone()
	a.header.Del(name)
	if value != "" {
		a.header.Set(name, value)
	}
	return a
}

// keyed makes a fault in what is done with keys: serve is told what was done with the key before.
func keyed(id string, serve func(p past, r request, next ask) answer) func() fault {
	return func() fault {
		keys := &memory{}
		return func(op string, r request, next ask) answer {
			if op != id || r.key() == "" {
				return next(r)
			}
			return keys.pass(r.client()+" "+r.key(), r, func(p past) answer { return serve(p, r, next) })
		}
	}
}

// again makes a fault in requests with a key that an earlier request was accepted with: edit is given that one and the right
// answer.
func again(id string, edit func(first exchange, r request, a answer, next ask) answer) func() fault {
	return keyed(id, func(p past, r request, next ask) answer {
		a := next(r)
		if p.first == nil {
			return a
		}
		return edit(*p.first, r, a, next)
	})
}

// crowded makes a fault in transactions whose key another request had at the same time: serve is told which. The first request
// with a key takes its time, so that one which is sent at the same time is not late.
func crowded(serve func(is bool, r request, next ask) answer) func() fault {
	return crowdedIn("createTransaction", serve)
}

func crowdedIn(id string, serve func(is bool, r request, next ask) answer) func() fault {
	return keyed(id, func(p past, r request, next ask) answer {
		if p.open == 1 && p.last == nil {
			p.hasCompany()
		}
		return serve(p.crowded, r, next)
	})
}

// beside makes a fault in the right answers to such transactions.
func beside(edit func(answer) answer) func() fault {
	return crowded(func(is bool, r request, next ask) answer {
		a := next(r)
		if is {
			a = edit(a)
		}
		return a
	})
}

// twice makes a fault in requests that repeat to the letter what was written before them for the user.
func twice(id string, serve func(before exchange, r request, next ask) answer) func() fault {
	return func() fault {
		users := &memory{}
		return func(op string, r request, next ask) answer {
			if r.Method != http.MethodPost || r.user() == "" {
				return next(r)
			}
			return users.pass(r.client()+" "+r.user(), r, func(p past) answer {
				if op == id && p.last != nil && p.last.answer.status == http.StatusOK && r.repeats(p.last.request) {
					return serve(*p.last, r, next)
				}
				return next(r)
			})
		}
	}
}
