package main

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// A service that passes the conformance suite passes it behind the front too, whatever state it is in, and nothing that it
// answers is refused.
func TestTheSuitePassesThroughTheFront(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]func(t *testing.T) (upstream string, target probe.Target){
		"full":         func(t *testing.T) (string, probe.Target) { return sandbox(t).URL, probe.Target{} },
		"document":     documentTarget,
		"rate-limited": rateLimited,
		"unavailable":  unavailable,
		"broken":       broken,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			upstream, target := target(t)
			f := before(t, upstream)
			first, second := server.SandboxClients[0], server.SandboxClients[1]
			target.URL = f.URL
			target.ClientID, target.ClientSecret = first.ID, first.Secret
			target.OtherClientID, target.OtherClientSecret = second.ID, second.Secret
			target.Timeout = 2 * time.Minute // with the race detector, too
			report, err := conformance.Run(t.Context(), conformance.Target{Target: target})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%v in %v", report.Counts, report.Duration.Round(time.Millisecond))
			if report.Verdict != conformance.Conformant {
				t.Errorf("%s %v %s", report.Verdict, report.NotRun, report.Problem)
			}
			for _, r := range report.Results {
				if r.Status > probe.Passed {
					t.Errorf("%s %s: %s\n\t%s", r.Status, r.ID, r.Title, strings.Join(r.Messages, "\n\t"))
				}
			}
			text, _ := f.log.read()
			if wrong := strings.Count(text, "response_violations"); wrong > 0 || f.summary.failures > 0 || f.summary.requests == 0 {
				t.Errorf("%d responses break the contract, %d failures", wrong, f.summary.failures)
			}
		})
	}
}

func sandbox(t *testing.T, configure ...func(*server.Config)) *servertest.Server {
	t.Helper()
	return servertest.New(t, append(configure, func(c *server.Config) { c.Now = time.Now })...) // created_at is compared with the time
}

// documentTarget has the fixtures of the profile document.
func documentTarget(t *testing.T) (string, probe.Target) {
	s := sandbox(t)
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
	for currency, f := range map[string]probe.FixedReceiver{
		"JPY": {ID: servertest.NewReceiveUser(t, s.Client, sender.ID, "JP"), PayerID: servertest.CashPayerJapan},
		"KWD": {ID: servertest.NewReceiveUser(t, s.Client, sender.ID, "KW"), PayerID: servertest.CashPayerKuwait},
	} {
		f.PayoutMethod, f.Currency = api.PayoutMethodCashPickup, currency
		fixtures.Receivers = append(fixtures.Receivers, f)
	}
	return s.URL, probe.Target{Profile: probe.Document, Fixtures: fixtures}
}

func rateLimited(t *testing.T) (string, probe.Target) {
	return sandbox(t, func(c *server.Config) { c.RateLimit = 1 }).URL, probe.Target{Condition: probe.RateLimited}
}

func unavailable(t *testing.T) (string, probe.Target) {
	srv, err := server.New(t.Context(), server.Config{Database: servertest.Database(t), Sandbox: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Close(); err != nil { // the handler goes on without its database
		t.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(web.Close)
	return web.URL, probe.Target{Condition: probe.Unavailable}
}

func broken(t *testing.T) (string, probe.Target) {
	s := sandbox(t)
	if _, err := s.Beside(t).ExecContext(t.Context(), "alter table clients rename to clients_gone"); err != nil {
		t.Fatal(err)
	}
	return s.URL, probe.Target{Condition: probe.Broken}
}
