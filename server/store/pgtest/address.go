package pgtest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"
)

// FreeAddress returns an address of the loopback interface at which nothing listens now. Its port is none of those that systems give
// to connections, one of which could take it before the caller listens, and none that was returned before.
func FreeAddress(t testing.TB) string {
	t.Helper()
	for range 100 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(10_000+rand.IntN(22_000)))
		if _, again := returned.LoadOrStore(address, true); again {
			continue
		}
		if listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address); err == nil {
			_ = listener.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

// freePort returns the port of a free address.
func freePort(t testing.TB) string {
	t.Helper()
	_, port, err := net.SplitHostPort(FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// returned has what FreeAddress returned.
var returned sync.Map
