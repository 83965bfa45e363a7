package mutants_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/checks"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// matrixVariable has every mutant run against every check, and the table printed: make mutants sets it.
const matrixVariable = "CONFORM_MUTANTS"

// mutants are all broken servers, in the order of the checks.
func mutants() []mutant {
	return slices.Concat(
		referenceMutants(), userMutants(), verificationMutants(), limitMutants(), accountMutants(), transactionMutants(), idempotencyMutants(),
		authenticationMutants(), isolationMutants(), validationMutants(), httpMutants(), errorMutants(), contractMutants(),
	)
}

// Each mutant fails the checks that it names. That no other check is needed is for the matrix below to show.
func TestEveryMutantIsFoundOut(t *testing.T) {
	t.Parallel()
	if os.Getenv(matrixVariable) != "" {
		t.Skip("the matrix runs instead")
	}
	handler := realServer(t)
	for _, m := range mutants() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			for _, id := range m.expected() {
				if found := killers(t, m.fault().with(handler), id); !slices.Contains(found, id) {
					t.Errorf("%s does not find it out", id)
				}
			}
		})
	}
}

// Every check is the only one to find out some mutant, or is listed with the reason why it cannot be.
func TestEveryCheckIsTheOnlyOneToFindOutSomeMutant(t *testing.T) {
	t.Parallel()
	if os.Getenv(matrixVariable) == "" {
		t.Skip("a matter of minutes: make mutants")
	}
	handler := realServer(t)
	if found := killers(t, handler); len(found) > 0 {
		t.Fatalf("the real server fails %q", found)
	}
	all := mutants()
	table := killersOf(t, handler, all)
	alone := map[string]bool{}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for i, m := range all {
		found := table[i]
		shown := strings.Join(found, " ")
		if len(found) > 3 {
			shown = fmt.Sprintf("%s and %d more", strings.Join(found[:3], " "), len(found)-3)
		}
		fmt.Fprintf(out, "%s\t%d\t%s\n", m.name, len(found), shown)
		switch {
		case len(found) == 0:
			t.Errorf("nobody finds out: %s", m.name)
		case m.only != "" && !slices.Equal(found, []string{m.only}):
			t.Errorf("%s: found out by %s, want only %s", m.name, shown, m.only)
		}
		for _, id := range m.expected() {
			if !slices.Contains(found, id) {
				t.Errorf("%s: %s does not find it out", m.name, id)
			}
		}
		if len(found) == 1 {
			alone[found[0]] = true
		}
	}
	if err := out.Flush(); err != nil {
		t.Error(err)
	}
	for _, id := range checkIDs() {
		switch reason := neverAlone[id]; {
		case alone[id] && reason != "":
			t.Errorf("%s is listed as never alone and is the only one to find out a mutant", id)
		case !alone[id] && reason == "":
			t.Errorf("%s is not the only one to find out any mutant", id)
		}
	}
	for id := range neverAlone {
		if !slices.Contains(checkIDs(), id) {
			t.Errorf("%s is listed and does not exist", id)
		}
	}
}

func (m mutant) expected() []string {
	if m.only != "" {
		return []string{m.only}
	}
	return m.kills
}

// checkIDs are those of the checks that run against a server in normal condition.
func checkIDs() (ids []string) {
	for _, c := range slices.Concat(checks.All(), checks.Contract(compiled())) {
		if c.Condition == "" || c.Condition == probe.Normal {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// realServer gives the handler of a sandbox that all mutants of a test stand before.
func realServer(t *testing.T) http.Handler {
	t.Helper()
	srv, err := server.New(t.Context(), server.Config{Sandbox: true, Database: servertest.Database(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv.Handler()
}

// choosing gives the filter for the checks that are named, or all. A check of answers needs others that ask for them: all of
// its operation, or those of paths.
func choosing(ids []string) conformance.Filter {
	if len(ids) == 1 {
		switch group, operation, _ := strings.Cut(ids[0], "."); {
		case ids[0] == "contract.errors":
			return conformance.Filter{IDs: []string{ids[0], "http"}}
		case group == "contract":
			return conformance.Filter{Operations: []string{operation}}
		}
	}
	return conformance.Filter{IDs: ids}
}

// killers runs the suite, or the checks that are named, against a handler and gives those that did not pass.
func killers(t *testing.T, h http.Handler, only ...string) (found []string) {
	t.Helper()
	listener := httptest.NewServer(h)
	defer listener.Close()
	report, err := conformance.Run(t.Context(), conformance.Target{
		Target: probe.Target{
			URL: listener.URL, ClientID: server.SandboxClients[0].ID, ClientSecret: server.SandboxClients[0].Secret,
			OtherClientID: server.SandboxClients[1].ID, OtherClientSecret: server.SandboxClients[1].Secret,
		},
		Only: choosing(only),
	})
	if err != nil {
		t.Error(err)
		return nil
	}
	for _, r := range report.Results {
		if r.Status >= probe.Failed {
			found = append(found, r.ID)
		}
	}
	slices.Sort(found)
	return found
}

// failing runs checks against a handler until one of them fails, and returns those that have.
func failing(t *testing.T, h http.Handler, only conformance.Filter) (failed []string) {
	t.Helper()
	listener := httptest.NewServer(h)
	defer listener.Close()
	report, err := conformance.Run(t.Context(), conformance.Target{
		Target: probe.Target{
			URL: listener.URL, ClientID: server.SandboxClients[0].ID, ClientSecret: server.SandboxClients[0].Secret,
			OtherClientID: server.SandboxClients[1].ID, OtherClientSecret: server.SandboxClients[1].Secret,
		},
		Only: only, MaxFailures: 1,
	})
	if err != nil {
		t.Error(err)
		return nil
	}
	for _, r := range report.Results {
		if r.Status == probe.Failed {
			failed = append(failed, r.ID)
		}
	}
	slices.Sort(failed)
	return failed
}

func ended(t *testing.T, m mutant, h http.Handler) []string {
	return failing(t, m.fault().with(h), conformance.Filter{Operations: []string{m.operation}})
}
