package client

import (
	chain "container/list" // list is a function of this package
	"errors"
	"net/http"
	"strings"
	"sync"
)

// ofReferenceData are the operations whose answers have tags (decision D-75).
var ofReferenceData = map[*operation]bool{
	listPayers: true, getPayer: true, listBanks: true, getBank: true,
	listCountryStates: true, getCountryState: true, listStatesV2: true, getStateV2: true,
}

// WithReferenceMemory keeps up to bytes of the answers about payers, banks and states. Each call still asks the service, with
// the tag of the answer that is kept, and gets 304 without a body as long as nothing has changed (decision D-75): results are
// never out of date, and [Info.NotModified] says which came from memory. What was used longest ago makes room.
//
// An HTTP cache in the transport of [WithHTTPClient] does the same, if it is one for a single user (RFC 9111).
func WithReferenceMemory(bytes int) Option {
	return Option{"WithReferenceMemory", func(s *settings) error {
		if bytes <= 0 {
			return errors.New("must be above zero")
		}
		s.memory = &memory{most: bytes, known: map[string]*chain.Element{}}
		return nil
	}}
}

// memory has the answers that were used last, by URL. Another client has other tags for other bodies, so that it needs no memory
// of its own if credentials change.
type memory struct {
	most int

	mu    sync.Mutex
	known map[string]*chain.Element
	order chain.List // of *remembered, the last used first
	bytes int
}

// remembered is an answer with its tag. It does not change.
type remembered struct {
	url, tag string
	body     []byte
}

// recall returns the answer to the request of a call; nil if there is none.
func (m *memory) recall(k *call) *remembered {
	if m == nil || !ofReferenceData[k.operation] {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.known[k.request.URL.String()]
	if e == nil {
		return nil
	}
	m.order.MoveToFront(e)
	return valueOf(e)
}

// remember keeps the answer to the request of a call, if it has a tag and may be kept.
func (m *memory) remember(k *call, header http.Header, body []byte) {
	tag, url := header.Get("ETag"), k.request.URL.String()
	if m == nil || !ofReferenceData[k.operation] || tag == "" || len(body) > m.most || strings.Contains(header.Get("Cache-Control"), "no-store") {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if before := m.known[url]; before != nil {
		m.forget(before)
	}
	m.known[url] = m.order.PushFront(&remembered{url, tag, body})
	for m.bytes += len(body); m.bytes > m.most; {
		m.forget(m.order.Back())
	}
}

func (m *memory) forget(e *chain.Element) {
	r := valueOf(e)
	m.order.Remove(e)
	delete(m.known, r.url)
	m.bytes -= len(r.body)
}

func valueOf(e *chain.Element) *remembered {
	return e.Value.(*remembered) //nolint:forcetypeassert // there is nothing else
}

// confirmed reports whether a 304 is about the answer that the call knows.
func (k *call) confirmed(res *http.Response) bool {
	if k.known == nil || res.StatusCode != http.StatusNotModified {
		return false
	}
	tag := res.Header.Get("ETag")
	return tag == "" || strings.TrimPrefix(tag, "W/") == strings.TrimPrefix(k.known.tag, "W/")
}
