package conformance_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// documentRun uses the operations of the interface document only, and fixtures created through the sandbox.
var (
	documentRun   = &sharedRun{target: documentTarget}
	documentCalls sync.Map // operationIds
)

func documentTarget(t *testing.T) probe.Target {
	s := servertest.New(t, func(c *server.Config) { c.Now = time.Now }) // created_at is compared with the time
	target := sandbox(s.URL)
	target.Profile = probe.Document
	sender := servertest.NewSender(t, s.Client)
	unverified := servertest.NewUser(t, s.Client).ID
	target.Fixtures = probe.Fixtures{
		Sender: &probe.FixedSender{UserID: sender.ID, FromFundID: sender.Fund},
		Unverified: &probe.FixedSender{
			UserID: unverified, FromFundID: servertest.NewFundingAccount(t, s.Client, unverified, api.FundingAccountStatusActive),
		},
	}
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	for _, f := range []probe.FixedReceiver{
		{PayoutMethod: api.PayoutMethodBankDeposit, FundID: &receiver.Bank},
		{PayoutMethod: api.PayoutMethodWallet, FundID: &receiver.Wallet},
		{PayoutMethod: api.PayoutMethodCashPickup, PayerID: servertest.CashPayer},
		{PayoutMethod: api.PayoutMethodHomeDelivery, PayerID: servertest.HomePayer},
	} {
		f.ID, f.Currency = receiver.ID, servertest.DestinationCurrency
		target.Fixtures.Receivers = append(target.Fixtures.Receivers, f)
	}
	for _, f := range []struct { // currencies without decimals, and with three
		country, currency string
		payer             int64
	}{{"JP", "JPY", servertest.CashPayerJapan}, {"KW", "KWD", servertest.CashPayerKuwait}} {
		target.Fixtures.Receivers = append(target.Fixtures.Receivers, probe.FixedReceiver{
			PayoutMethod: api.PayoutMethodCashPickup, ID: servertest.NewReceiveUser(t, s.Client, sender.ID, f.country),
			PayerID: f.payer, Currency: f.currency,
		})
	}
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
