package subject

import (
	"net/http/httptest"
	"testing"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Unavailable returns the address of a server whose database is away.
func Unavailable(t testing.TB) (url string) {
	t.Helper()
	srv, err := server.New(t.Context(), server.Config{Database: servertest.Database(t), Sandbox: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Close(); err != nil { // the handler goes on without its database
		t.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(web.Close)
	return web.URL
}

// Broken returns a server with an internal fault in every operation.
func Broken(t testing.TB) *servertest.Server {
	t.Helper()
	s := servertest.New(t)
	if _, err := s.Beside(t).ExecContext(t.Context(), "alter table clients rename to clients_gone"); err != nil {
		t.Fatal(err)
	}
	return s
}

// DocumentFixtures creates what the conformance suite needs in profile document, which cannot create it itself.
func DocumentFixtures(t testing.TB, s *servertest.Server) probe.Fixtures {
	t.Helper()
	sender, unverified := servertest.NewSender(t, s.Client), servertest.NewUser(t, s.Client).ID
	fixtures := probe.Fixtures{
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
		fixtures.Receivers = append(fixtures.Receivers, f)
	}
	for _, f := range []struct { // currencies without decimals, and with three
		country, currency string
		payer             int64
	}{{"JP", "JPY", servertest.CashPayerJapan}, {"KW", "KWD", servertest.CashPayerKuwait}} {
		fixtures.Receivers = append(fixtures.Receivers, probe.FixedReceiver{
			PayoutMethod: api.PayoutMethodCashPickup, ID: servertest.NewReceiveUser(t, s.Client, sender.ID, f.country),
			PayerID: f.payer, Currency: f.currency,
		})
	}
	return fixtures
}
