package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/govalues/decimal"
	"github.com/govalues/money"

	"github.com/crossborder-payouts/payouts/conformance/checks"
	"github.com/crossborder-payouts/payouts/conformance/coverage"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// Target is the server under test and how to test it.
type Target struct {
	probe.Target
	Only        Filter
	Parallel    int          // how many checks at once; 0 is 8
	MaxFailures int          // stop the run once so many checks have failed; 0 runs all
	Commit      string       // of the server, for the report; may be empty
	Progress    func(Result) // called after each check, one at a time, without messages and exchanges; may be nil
}

// Filter selects checks. A check must match every field that is not empty.
type Filter struct {
	IDs        []string `json:"ids,omitempty"`        // ids or their beginnings up to a dot: transactions.idempotency chooses all below it
	Operations []string `json:"operations,omitempty"` // operationIds
	Clauses    []string `json:"clauses,omitempty"`    // clauses of the interface document, or decisions
}

// defaults of a target.
const (
	defaultParallel = 8
	defaultTimeout  = 15 * time.Second
)

// Checks returns all checks: those that send requests, then those that judge all responses of a run.
func Checks() ([]probe.Check, error) {
	rules, err := contract.Published()
	if err != nil {
		return nil, err
	}
	return slices.Concat(checks.All(), checks.Contract(rules)), nil
}

// Run runs the checks that the target selects and reports on all of them. It returns an error only for an invalid target: a
// malformed URL, missing credentials, an unknown profile or condition, a filter that matches no check. A server that cannot
// be reached gets a report with the verdict [NotJudged].
func Run(ctx context.Context, target Target) (*Report, error) {
	r, err := newRun(target)
	if err != nil {
		return nil, err
	}
	defer r.session.Close()
	begun := time.Now()
	problem := r.reach(ctx)
	running, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	defer context.AfterFunc(ctx, func() { stop(errInterrupted) })()
	r.stop = stop
	all := checks.All()
	results := make([]Result, len(all))
	var wait sync.WaitGroup
	slots := make(chan struct{}, r.target.Parallel)
	for i, c := range all {
		if outcome, known := r.decided(c, problem); known {
			results[i] = r.done(r.newResult(c, outcome, 0))
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			started := time.Now()
			outcome := r.runCheck(running, c)
			if outcome.Status == probe.Failed {
				r.countFailure()
			}
			results[i] = r.done(r.newResult(c, outcome, time.Since(started)))
		})
	}
	wait.Wait()
	for _, c := range checks.Contract(r.session.Contract) {
		results = append(results, r.done(r.judgeContract(running, c, problem))) //nolint:makezero // all of them are there by now
	}
	return r.report(results, begun, orElse(problem, r.whatWentWrong(ctx, results))), nil
}

type run struct {
	target   Target
	contract string // version of the contract
	session  *probe.Session
	coverage *coverage.Collector
	redactor *redactor
	now      func() time.Time
	judged   map[string]bool         // operations whose responses a selected check judges
	stop     context.CancelCauseFunc // ends the checks under way

	mu        sync.Mutex
	failures  int                  // checks that have failed so far
	exchanged map[string]int       // answers by operationId, "" for none
	breaches  map[string]*breaches // of the contract, by operationId
}

func newRun(target Target) (*run, error) {
	target.Profile = orElse(target.Profile, probe.Full)
	target.Condition = orElse(target.Condition, probe.Normal)
	target.Timeout = orElse(target.Timeout, defaultTimeout)
	target.Parallel = orElse(target.Parallel, defaultParallel)
	target.Facts.OriginCountry = orElse(target.Facts.OriginCountry, probe.DefaultFacts.OriginCountry)
	target.Facts.OriginCurrency = orElse(target.Facts.OriginCurrency, probe.DefaultFacts.OriginCurrency)
	target.Facts.Destination = orElse(target.Facts.Destination, probe.DefaultFacts.Destination)
	target.Facts.DisabledCountry = orElse(target.Facts.DisabledCountry, probe.DefaultFacts.DisabledCountry)
	target.Facts.Rates = orElse(target.Facts.Rates, probe.DefaultFacts.Rates)
	switch {
	case target.ClientID == "" || target.ClientSecret == "":
		return nil, errors.New("conformance: the credentials of a client are needed")
	case (target.OtherClientID == "") != (target.OtherClientSecret == ""):
		return nil, errors.New("conformance: the second client needs both an id and a secret")
	case target.OtherClientID == target.ClientID:
		return nil, errors.New("conformance: the second client must be another one")
	case target.Profile != probe.Full && target.Profile != probe.Document:
		return nil, fmt.Errorf("conformance: unknown profile %q", target.Profile)
	case !slices.Contains([]probe.Condition{probe.Normal, probe.RateLimited, probe.Unavailable, probe.Broken}, target.Condition):
		return nil, fmt.Errorf("conformance: unknown condition %q", target.Condition)
	case !hasCents(target.Facts.OriginCurrency):
		return nil, fmt.Errorf("conformance: the origin currency is %q, and must be one of ISO 4217 with 2 decimals", target.Facts.OriginCurrency)
	case !isRange(target.Facts.Rates.Min, target.Facts.Rates.Max):
		return nil, errors.New("conformance: the exchange_rate of the facts needs min and max, decimal numbers above 0, min below max")
	case target.Parallel < 0 || target.Timeout < 0:
		return nil, errors.New("conformance: the number of checks at once and the timeout must be above 0")
	case target.MaxFailures < 0:
		return nil, errors.New("conformance: the number of failures that end a run must not be negative")
	}
	document, err := openapi.Document()
	if err != nil {
		return nil, err
	}
	rules, err := contract.Published()
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(slices.Concat(checks.All(), checks.Contract(rules)), target.Only.Fits) {
		return nil, errors.New("conformance: the filter matches no check")
	}
	session, err := probe.NewSession(target.Target, rules)
	if err != nil {
		return nil, fmt.Errorf("conformance: %w", err)
	}
	r := &run{
		target: target, contract: document.Info.Version, session: session, coverage: coverage.New(document, target.Profile),
		redactor: newRedactor(target.Target), now: time.Now, exchanged: map[string]int{}, breaches: map[string]*breaches{},
		judged: map[string]bool{}, stop: func(error) {},
	}
	for _, c := range checks.Contract(rules) {
		r.judged[checks.ContractOperation(c)] = target.Disabled(c) == ""
	}
	return r, nil
}

// hasCents reports whether a currency has 2 decimals, as the sending amounts of the checks do.
func hasCents(currency string) bool {
	c, err := money.ParseCurr(currency)
	return err == nil && c.Scale() == 2
}

// isRange reports whether two texts are positive decimal numbers, the first below the second.
func isRange(low, high string) bool {
	least, err := decimal.Parse(low)
	greatest, err2 := decimal.Parse(high)
	return err == nil && err2 == nil && least.IsPos() && least.Cmp(greatest) < 0
}

func orElse[V comparable](v, otherwise V) V {
	var zero V
	if v == zero {
		return otherwise
	}
	return v
}

// Disabled returns why a check is not selected, or "".
func (t Target) Disabled(c probe.Check) string {
	switch {
	case c.Run != nil && orElse(c.Condition, probe.Normal) != orElse(t.Condition, probe.Normal): // responses are judged in all
		return "for condition " + string(orElse(c.Condition, probe.Normal)) + " only"
	case t.Profile == probe.Document && c.Needs&probe.Extensions != 0:
		return "for profile full only"
	case !t.Only.Fits(c):
		return notChosen
	}
	return ""
}

// Fits reports whether the filter selects a check.
func (f Filter) Fits(c probe.Check) bool {
	below := func(id string) bool { return c.ID == id || strings.HasPrefix(c.ID, strings.TrimSuffix(id, ".")+".") }
	common := func(wanted, has []string) bool {
		return len(wanted) == 0 || slices.ContainsFunc(wanted, func(w string) bool { return slices.Contains(has, w) })
	}
	return (len(f.IDs) == 0 || slices.ContainsFunc(f.IDs, below)) && common(f.Operations, c.Operations) && common(f.Clauses, c.Clauses)
}

// decided returns the outcome of a check that does not run: it is not selected, or no check can run.
func (r *run) decided(c probe.Check, problem string) (probe.Outcome, bool) {
	if reason := r.target.Disabled(c); reason != "" {
		return probe.Outcome{Status: probe.Disabled, Messages: []string{reason}}, true
	}
	if problem != "" {
		return probe.Outcome{Status: probe.Error, Messages: []string{problem}}, true
	}
	return probe.Outcome{}, false
}

func (r *run) observe(x probe.Exchange) {
	r.coverage.Observe(x)
	r.mu.Lock()
	defer r.mu.Unlock()
	if x.Err != nil {
		return
	}
	r.exchanged[x.OperationID]++
	if len(x.Violations) == 0 {
		return
	}
	if r.breaches[x.OperationID] == nil {
		r.breaches[x.OperationID] = &breaches{seen: map[string]int{}}
		if r.judged[x.OperationID] { // its check has failed, whatever follows
			r.countFailureLocked()
		}
	}
	r.breaches[x.OperationID].add(x, r.redactor)
}

func (r *run) countFailure() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.countFailureLocked()
}

// countFailureLocked ends the run at the maximum number of failures.
func (r *run) countFailureLocked() {
	if r.failures++; r.failures == r.target.MaxFailures {
		r.stop(fmt.Errorf("the run stopped at %s", count(r.failures, "failure")))
	}
}

// done reports progress.
func (r *run) done(result Result) Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.target.Progress != nil {
		r.target.Progress(Result{ID: result.ID, Title: result.Title, Status: result.Status, Duration: result.Duration})
	}
	return result
}

// judgeContract returns the result of a check of [checks.Contract], which judges the responses to all other checks.
func (r *run) judgeContract(ctx context.Context, c probe.Check, problem string) Result {
	outcome, known := r.decided(c, problem)
	if known {
		return r.newResult(c, outcome, 0)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	id := checks.ContractOperation(c)
	outcome.Status = probe.Passed
	switch broken := r.breaches[id]; {
	case broken != nil:
		outcome.Status, outcome.Messages = probe.Failed, broken.messages()
		result := r.newResult(c, outcome, 0)
		result.Exchanges, result.Omitted = broken.examples, broken.times-len(broken.examples)
		return result
	case ctx.Err() != nil: // there could have been more responses
		outcome = probe.NotRun(ctx)
	case r.exchanged[id] == 0 && r.target.Condition != probe.Normal: // the few checks of a condition need not call it
		outcome.Status, outcome.Messages = probe.Disabled, []string{"no check for condition " + string(r.target.Condition) + " calls it"}
	case r.exchanged[id] == 0:
		outcome.Status, outcome.Messages = probe.Skipped, []string{"no check of this run got a response from it"}
	}
	return r.newResult(c, outcome, 0)
}

// breaches are the responses of an operation that broke the contract.
type breaches struct {
	seen     map[string]int // count by breach
	times    int            // responses with a breach
	examples []Exchange     // one for each breach
}

func (b *breaches) add(x probe.Exchange, redactor *redactor) {
	b.times++
	isNew := false
	for _, v := range x.Violations {
		v = redactor.violation(v)
		text := fmt.Sprintf("%s %s answered %d: %s %s %s", x.Method, orElse(x.Template, "an unknown path"), x.Status, v.In, v.Field, v.Reason)
		isNew = isNew || b.seen[text] == 0
		if len(b.seen) <= maxMessages || b.seen[text] > 0 { // a server may invent a new name in each response
			b.seen[text]++
		}
	}
	if isNew && len(b.examples) < maxExchanges {
		b.examples = append(b.examples, redactor.exchange(x))
	}
}

// messages returns each breach once.
func (b *breaches) messages() []string {
	var messages []string
	for _, text := range slices.Sorted(maps.Keys(b.seen)) {
		if times := b.seen[text]; times > 1 {
			text += fmt.Sprintf(" (%d times)", times)
		}
		messages = append(messages, text)
	}
	return messages
}
