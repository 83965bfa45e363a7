package client_test

import (
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/server"
)

// connect makes a client with the credentials of the first sandbox client, until the test ends.
func connect(t testing.TB, baseURL string, options ...client.Option) *client.Client {
	t.Helper()
	sandbox := server.SandboxClients[0]
	c, err := client.New(baseURL, sandbox.ID, sandbox.Secret, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// times is how often a test repeats a call: fewer times with -short.
func times(full int) int {
	if testing.Short() {
		return full / 10
	}
	return full
}

// concurrently calls do n times, from this number of workers.
func concurrently(workers, n int, do func()) {
	turns := make(chan struct{}, n)
	for range n {
		turns <- struct{}{}
	}
	close(turns)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range turns {
				do()
			}
		})
	}
	all.Wait()
}

// withoutAnswer returns an info that can be compared.
func withoutAnswer(i client.Info) client.Info {
	i.Answer = client.Answer{}
	return i
}
