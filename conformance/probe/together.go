package probe

import (
	"context"
	"net/http/httptrace"
	"sync"
)

// Together makes n calls, each with one request, at the same time. Every request gets a connection of its own before any
// is sent: else one after the other would go over those that are there. It returns when all calls have.
func (t *T) Together(n int, call func(ctx context.Context, i int)) {
	var calls, connecting sync.WaitGroup
	connecting.Add(n)
	for i := range n {
		connected := sync.OnceFunc(connecting.Done)
		ctx := httptrace.WithClientTrace(t.ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
			connected()
			connecting.Wait()
		}})
		calls.Go(func() {
			defer connected() // it may have got none
			call(ctx, i)
		})
	}
	calls.Wait()
}
