package main

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/servertest/subject"
)

// A service that passes the conformance suite passes it behind the front too, whatever state it is in, and nothing that it
// answers is refused.
func TestTheSuitePassesThroughTheFront(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]func(t *testing.T) (upstream string, target probe.Target){
		"full": func(t *testing.T) (string, probe.Target) {
			s := sandbox(t, func(c *server.Config) { c.WebhooksOff = false })
			return s.URL, probe.Target{Receiver: "127.0.0.1:0"}
		},
		"document":     documentTarget,
		"rate-limited": rateLimited,
		"unavailable": func(t *testing.T) (string, probe.Target) {
			return subject.Unavailable(t), probe.Target{Condition: probe.Unavailable}
		},
		"broken": func(t *testing.T) (string, probe.Target) {
			return subject.Broken(t).URL, probe.Target{Condition: probe.Broken}
		},
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
	return servertest.New(t, append(configure, func(c *server.Config) {
		c.Now = time.Now                             // created_at is compared with the time
		c.FailureLimit = cmp.Or(c.FailureLimit, 300) // the default of the program; all callers have the address of the front
	})...)
}

// documentTarget has the fixtures of the profile document.
func documentTarget(t *testing.T) (string, probe.Target) {
	s := sandbox(t)
	return s.URL, probe.Target{Profile: probe.Document, Fixtures: subject.DocumentFixtures(t, s)}
}

func rateLimited(t *testing.T) (string, probe.Target) {
	return sandbox(t, func(c *server.Config) { c.RateLimit = 1 }).URL, probe.Target{Condition: probe.RateLimited}
}
