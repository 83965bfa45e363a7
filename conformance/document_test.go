package conformance_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/servertest/subject"
)

// documentRun uses the operations of the interface document only, and fixtures created through the sandbox.
var (
	documentRun   = &sharedRun{target: documentTarget}
	documentCalls sync.Map // operationIds
)

func documentTarget(t *testing.T) probe.Target {
	s := servertest.New(t, func(c *server.Config) { c.Now, c.FailureLimit = time.Now, 300 }) // created_at is compared with the time
	target := sandbox(s.URL)
	target.Profile = probe.Document
	target.Fixtures = subject.DocumentFixtures(t, s)
	target.Transport = s.Contract.Transport(http.DefaultTransport, contract.Observe(func(e contract.Exchange) {
		documentCalls.Store(e.OperationID, true)
	}))
	return target
}

// Our server passes in profile document, in which the suite calls only operations of the interface document.
func TestOurServerPassesInProfileDocument(t *testing.T) {
	t.Parallel()
	allPassed(t, documentRun.get(t))
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			_, called := documentCalls.Load(op.OperationID)
			if shown := op.Extensions["x-origin"] == "document"; called != shown {
				t.Errorf("%s %s: called is %v, in the interface document is %v", method, path, called, shown)
			}
		}
	}
}
