package mutants_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/checks"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// fullVariable has all generated mutants run, and every check looked for among those that failed: make mutants sets it.
const fullVariable = "CONFORM_MUTANTS"

// mutant is the real server with one fault.
type mutant struct {
	name  string // what the server does wrong, as a sentence
	fault func() fault

	by string // the check that must fail, of a mutant written by hand

	kind, operation string // of a generated mutant: the kind of its fault, and the operation whose checks must find it
	refuses         bool   // what is refused is wrong, or what should be
}

// handWritten returns the mutants that break rules of behavior, in the order of the checks.
func handWritten() []mutant {
	return slices.Concat(
		referenceMutants(), userMutants(), verificationMutants(), informationMutants(), limitMutants(), accountMutants(), transactionMutants(), lifecycleMutants(), eventMutants(), webhookMutants(), deliveryMutants(), previewMutants(), clientListMutants(), idempotencyMutants(),
		authenticationMutants(), isolationMutants(), validationMutants(), httpMutants(), errorMutants(),
	)
}

// Every mutant is killed: one written by hand by the check that it names, a generated one by a check of its operation. And
// every check has failed on a server with a single fault, so that none passes whatever the server does.
func TestEveryMutantIsKilled(t *testing.T) {
	t.Parallel()
	full := os.Getenv(fullVariable) != ""
	all := generated()
	if !full {
		all = oneOfEachKind(all)
	}
	j := newJury(t)
	t.Run("by hand", func(t *testing.T) {
		for _, m := range handWritten() {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				if !j.failsAlone(t, m, m.by) {
					t.Errorf("%s does not fail", m.by)
				}
			})
		}
	})
	t.Run("generated", func(t *testing.T) {
		for _, m := range all {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				if j.kill(t, m) == "" {
					t.Errorf("survives all checks of %s", m.operation)
				}
			})
		}
	})
	if full {
		j.print(t, all)
		if !strings.Contains(flag.Lookup("test.run").Value.String(), "/") { // else too few mutants ran
			j.everyCheckHasFailed(t, all)
		}
	}
}

// oneOfEachKind returns a sample: one mutant of each kind, of the operations in turn.
func oneOfEachKind(all []mutant) (sample []mutant) {
	operations := slices.Compact(slices.Collect(func(yield func(string) bool) {
		for _, m := range all {
			if !yield(m.operation) {
				return
			}
		}
	}))
	byKind := map[string][]mutant{}
	for _, m := range all {
		byKind[m.kind] = append(byKind[m.kind], m)
	}
	for i, kind := range slices.Sorted(maps.Keys(byKind)) {
		for turn := range operations {
			operation := operations[(i+turn)%len(operations)]
			if at := slices.IndexFunc(byKind[kind], func(m mutant) bool { return m.operation == operation }); at >= 0 {
				sample = append(sample, byKind[kind][at])
				break
			}
		}
	}
	return sample
}

// jury runs checks against mutants, and remembers which failed.
type jury struct {
	servers chan *sandbox // each for one mutant at a time, because a client may have a limited number of webhook endpoints

	mu      sync.Mutex
	killers map[string][]string // checks that killed a mutant, by its kind and operation
	failed  map[string]bool     // checks
}

func newJury(t *testing.T) *jury {
	t.Helper()
	j := &jury{servers: make(chan *sandbox, runtime.GOMAXPROCS(0)), killers: map[string][]string{}, failed: map[string]bool{}}
	for range cap(j.servers) {
		j.servers <- &sandbox{Server: newServer(t), all: t}
	}
	t.Cleanup(func() {
		for range cap(j.servers) {
			(<-j.servers).close(t)
		}
	})
	return j
}

// sandbox is a server that mutants stand before, one after the other.
type sandbox struct {
	*server.Server
	runs int
	all  *testing.T // the test of all mutants, with whose end databases are removed
}

// mostRuns is after how many runs a sandbox is replaced: checks that read whole lists take longer the more there is in them.
const mostRuns = 40

// used returns the sandbox for one more run.
func (s *sandbox) used(t *testing.T) http.Handler {
	t.Helper()
	if s.runs == mostRuns {
		s.close(t)
		s.Server, s.runs = newServer(s.all), 0
	}
	s.runs++
	return s.Handler()
}

func (s *sandbox) close(t *testing.T) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func (m mutant) class() string { return m.kind + "\t" + m.operation }

// kill runs the checks of the operation of a mutant, and first those that killed one of the same kind. It returns the check that
// failed, or nothing.
func (j *jury) kill(t *testing.T, m mutant) string {
	t.Helper()
	j.mu.Lock()
	known := slices.DeleteFunc(slices.Clone(j.killers[m.class()]), func(id string) bool { return strings.HasPrefix(id, "contract.") })
	j.mu.Unlock()
	var failed []string
	if len(known) > 0 {
		failed = j.run(t, m, conformance.Filter{IDs: known})
	}
	for _, only := range []conformance.Filter{{IDs: m.likely(), Operations: []string{m.operation}}, {Operations: []string{m.operation}}} {
		if len(failed) == 0 {
			failed = j.run(t, m, only)
		}
	}
	if len(failed) == 0 {
		return ""
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if !slices.Contains(j.killers[m.class()], failed[0]) {
		j.killers[m.class()] = append(j.killers[m.class()], failed[0])
	}
	return failed[0]
}

// likely returns the checks that should find a mutant soon: those of requests that are refused, or those of this operation alone,
// which set up less than others.
func (m mutant) likely() []string {
	ids := []string{"contract." + m.operation}
	if m.refuses {
		return append(ids, "validation."+m.operation, "authentication."+m.operation)
	}
	for _, c := range checks.All() {
		if slices.Equal(c.Operations, []string{m.operation}) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// failsAlone reports whether a check fails on a mutant. A check of answers needs others that ask for them.
func (j *jury) failsAlone(t *testing.T, m mutant, id string) bool {
	t.Helper()
	only := conformance.Filter{IDs: []string{id}}
	switch operation, isContract := strings.CutPrefix(id, "contract."); {
	case id == "contract.errors":
		only.IDs = append(only.IDs, "http")
	case isContract:
		only = conformance.Filter{Operations: []string{operation}}
	}
	return slices.Contains(j.run(t, m, only), id)
}

// receives reports whether checks of what arrives may find a mutant. Those of a registration are found without waiting for it.
func (m mutant) receives() bool {
	return strings.Contains(m.operation, "Webhook") && m.operation != "createWebhookEndpoint"
}

// run runs checks against a mutant until one of them fails, and returns what has failed by then.
func (j *jury) run(t *testing.T, m mutant, only conformance.Filter) []string {
	t.Helper()
	target := conformance.Target{Only: only, MaxFailures: 1}
	if m.receives() || slices.ContainsFunc(only.IDs, func(id string) bool { return strings.HasPrefix(id, received) }) {
		target.Receiver = "127.0.0.1:0"
	}
	s := <-j.servers
	defer func() { j.servers <- s }()
	handler := s.used(t)
	results := runChecks(t, m.fault().with(handler), target)
	deleteEndpoints(t, handler)
	var failed []string
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range results {
		if r.Status == probe.Failed {
			failed, j.failed[r.ID] = append(failed, r.ID), true
		}
	}
	return failed
}

// deleteEndpoints deletes the webhook endpoints that a mutant has left.
func deleteEndpoints(t *testing.T, handler http.Handler) {
	t.Helper()
	listener := httptest.NewServer(handler)
	defer listener.Close()
	for _, c := range server.SandboxClients {
		sdk, err := client.New(listener.URL, c.ID, c.Secret)
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range sdk.WebhookEndpoints(t.Context(), nil) {
			if err == nil {
				_, err = sdk.DeleteWebhookEndpoint(t.Context(), e.ID)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// print shows how many mutants of each kind and operation there were, and by which checks they were killed.
func (j *jury) print(t *testing.T, all []mutant) {
	t.Helper()
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	mutants := map[string]int{}
	for _, m := range all {
		mutants[m.class()]++
	}
	fmt.Fprintln(out, "KIND\tOPERATION\tMUTANTS\tKILLED BY")
	for _, class := range slices.Sorted(maps.Keys(mutants)) {
		fmt.Fprintf(out, "%s\t%d\t%s\n", class, mutants[class], strings.Join(j.killers[class], " "))
	}
	if err := out.Flush(); err != nil {
		t.Error(err)
	}
}

// everyCheckHasFailed looks for a generated mutant for each check that has not failed yet.
func (j *jury) everyCheckHasFailed(t *testing.T, all []mutant) {
	t.Helper()
	for _, c := range slices.Concat(checks.All(), checks.Contract(compiled())) {
		if j.failed[c.ID] || cmp.Or(c.Condition, probe.Normal) != probe.Normal {
			continue
		}
		if !slices.ContainsFunc(all, func(m mutant) bool {
			return (len(c.Operations) == 0 || slices.Contains(c.Operations, m.operation)) && j.failsAlone(t, m, c.ID)
		}) {
			t.Errorf("%s has failed on no server with a single fault", c.ID)
		}
	}
}

func newServer(t *testing.T) *server.Server {
	t.Helper()
	srv, err := server.New(t.Context(), server.Config{Sandbox: true, Database: servertest.Database(t), RateLimit: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// realServer returns the handler of a sandbox that all mutants of a test stand before.
func realServer(t *testing.T) http.Handler {
	t.Helper()
	srv := newServer(t)
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv.Handler()
}

// runChecks runs checks against a handler, with the clients of the sandbox.
func runChecks(t *testing.T, h http.Handler, target conformance.Target) []conformance.Result {
	t.Helper()
	listener := httptest.NewServer(h)
	defer listener.Close()
	first, second := server.SandboxClients[0], server.SandboxClients[1]
	target.Target = probe.Target{
		URL: listener.URL, ClientID: first.ID, ClientSecret: first.Secret, OtherClientID: second.ID, OtherClientSecret: second.Secret,
		Receiver: target.Receiver,
	}
	report, err := conformance.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	return report.Results
}

// broken returns a mutant that is written by hand, and that a check must find.
func broken(name, by string, fault func() fault) mutant {
	return mutant{name: name, by: by, fault: fault}
}
