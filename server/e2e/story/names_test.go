package story

import (
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// names is the name server of the place. A name leads to the next of its addresses at each look-up, and stays at the last.
type names struct {
	mu     sync.Mutex
	lead   map[string][]netip.Addr
	asked  map[string]int // for addresses of IPv4
	server net.PacketConn
}

func newNames(t *testing.T) *names {
	t.Helper()
	server, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp4", "127.0.0.1:53")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	n := &names{lead: map[string][]netip.Addr{}, asked: map[string]int{}, server: server}
	go n.serve()
	return n
}

// set makes a name lead to addresses, one after the other.
func (n *names) set(name string, addresses ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, address := range addresses {
		n.lead[name] = append(n.lead[name], netip.MustParseAddr(address))
	}
}

// lookups returns how often the address of a name was asked for.
func (n *names) lookups(name string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[name]
}

func (n *names) serve() {
	buffer := make([]byte, 1500)
	for {
		length, from, err := n.server.ReadFrom(buffer)
		if err != nil {
			return
		}
		var question dnsmessage.Message
		if question.Unpack(buffer[:length]) != nil || len(question.Questions) != 1 {
			continue
		}
		if packed, err := n.answer(question).Pack(); err == nil {
			_, _ = n.server.WriteTo(packed, from)
		}
	}
}

func (n *names) answer(question dnsmessage.Message) *dnsmessage.Message {
	q := question.Questions[0]
	answer := &dnsmessage.Message{
		Header:    dnsmessage.Header{ID: question.ID, Response: true, RecursionAvailable: true},
		Questions: question.Questions,
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	name := strings.TrimSuffix(strings.ToLower(q.Name.String()), ".")
	all := n.lead[name]
	if len(all) == 0 {
		answer.RCode = dnsmessage.RCodeNameError
		return answer
	}
	header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
	now := all[min(n.asked[name], len(all)-1)]
	switch {
	case q.Type == dnsmessage.TypeA && now.Is4():
		answer.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: now.As4()}}}
	case q.Type == dnsmessage.TypeAAAA && now.Is6():
		answer.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AAAAResource{AAAA: now.As16()}}}
	}
	if q.Type == dnsmessage.TypeA {
		n.asked[name]++
	}
	return answer
}
