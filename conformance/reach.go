package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/crossborder-payouts/payouts/conformance/probe"
)

var errInterrupted = errors.New("the run was interrupted")

// reach asks the server for anything, without credentials, and gives a sentence if there is no answer: no check need wait
// for one then.
func (r *run) reach(ctx context.Context) (problem string) {
	if err := r.ask(ctx); err != nil {
		return fmt.Sprintf("The server at %s cannot be tested: %s.", baseURL(r.target.URL), noAnswer(err))
	}
	return ""
}

func (r *run) ask(ctx context.Context) (err error) {
	outcome := r.session.Run(ctx, probe.Check{Run: func(t *probe.T) {
		_, err = t.Try(probe.Request{Method: http.MethodGet, Path: "/", Anonymous: true})
		t.Expect(err == nil, "no answer")
	}}, func(probe.Exchange) {})
	if err == nil && outcome.Status != probe.Passed {
		err = errors.New("no request can be made")
	}
	return err
}

// runCheck runs a check. Limits count by UTC days, so that a check over midnight says nothing: if it went wrong, it is run
// again.
func (r *run) runCheck(ctx context.Context, c probe.Check) probe.Outcome {
	day := r.day()
	outcome := r.session.Run(ctx, c, r.observe)
	if outcome.Status >= probe.Failed && r.day() != day {
		outcome = r.session.Run(ctx, c, r.observe)
	}
	return outcome
}

func (r *run) day() string { return r.now().UTC().Format(time.DateOnly) }

// whatWentWrong gives a sentence if the results of a run tell less than they seem to.
func (r *run) whatWentWrong(ctx context.Context, results []Result) string {
	bad := slices.ContainsFunc(results, func(result Result) bool { return result.Status >= probe.Failed })
	switch {
	case ctx.Err() != nil:
		return "The run was interrupted: the results are those of the checks that had ended."
	case bad && errors.Is(r.ask(ctx), probe.ErrUnreachable):
		return "The server stopped answering during the run: most results are about that."
	case bad && r.clients[0].refused():
		return "Every request with the given credentials was answered with 401: the server does not know the client id or the secret."
	case bad && r.clients[1].refused():
		return "Every request with the credentials of the second client was answered with 401: the server does not know its id or its secret."
	}
	return ""
}
