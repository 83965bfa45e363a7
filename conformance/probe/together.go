package probe

import (
	"context"
	"net/http/httptrace"
	"sync"
)

// Together makes n concurrent calls with one request each and waits for them. No request is sent before each has its own
// connection; otherwise they could be sent one after another over a few connections.
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
			defer connected() // even if the call got no connection
			call(ctx, i)
		})
	}
	calls.Wait()
}
