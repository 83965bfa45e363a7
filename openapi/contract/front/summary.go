package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
)

// maxKinds is how many kinds of violations a summary has; the rest is counted together.
const maxKinds = 200

// summary counts what was found since the start.
type summary struct {
	mu        sync.Mutex
	requests  int
	refused   int // answered by the front, without those to which the service failed to respond
	failures  int
	notJudged int
	kinds     map[kind]int
	more      int
}

type kind struct {
	of     string // request or response, and the operation
	status int
	what   string
}

func newSummary() *summary { return &summary{kinds: map[kind]int{}} }

func (s *summary) add(of string, status int, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := kind{of, status, what}
	if _, ok := s.kinds[k]; !ok && len(s.kinds) == maxKinds {
		s.more++
		return
	}
	s.kinds[k]++
}

func (s *summary) request(by, failure, notJudged string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	switch {
	case failure != "":
		s.failures++
	case by == "front":
		s.refused++
	}
	if notJudged != "" {
		s.notJudged++
	}
}

// print writes the totals and each kind of violation, the most frequent first.
func (s *summary) print(out io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(out, "%d requests, %d answered by the front, %d failures of the service, %d responses not judged\n",
		s.requests, s.refused, s.failures, s.notJudged)
	for _, k := range slices.SortedFunc(maps.Keys(s.kinds), func(a, b kind) int {
		return cmp.Or(cmp.Compare(s.kinds[b], s.kinds[a]), cmp.Compare(a.of, b.of), cmp.Compare(a.status, b.status), cmp.Compare(a.what, b.what))
	}) {
		fmt.Fprintf(out, "%6d  %s %d: %s\n", s.kinds[k], k.of, k.status, k.what)
	}
	if s.more > 0 {
		fmt.Fprintf(out, "%6d  of other kinds\n", s.more)
	}
}
