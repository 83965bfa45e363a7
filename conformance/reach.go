package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/crossborder-payouts/payouts/conformance/probe"
)

var errInterrupted = errors.New("the run was interrupted")

// reach requests the root without credentials, and then lists. It returns a sentence if the server does not answer, or answers
// like no server of this contract; no check runs then.
func (r *run) reach(ctx context.Context) (problem string) {
	_, err := r.ask(ctx, probe.Request{Method: http.MethodGet, Path: "/", Anonymous: true})
	if err != nil {
		return fmt.Sprintf("The server at %s cannot be tested: %s.", baseURL(r.target.URL), probe.NoAnswer(err))
	}
	asked, missing, foreign := 0, 0, 0
	for _, op := range r.session.Contract.Operations() {
		if op.Method != http.MethodGet || strings.Contains(op.Path, "{") {
			continue
		}
		reply, err := r.ask(ctx, probe.Request{Method: op.Method, Path: op.Path})
		asked++
		switch {
		case err != nil:
		case reply.Status == http.StatusNotFound || reply.Status == http.StatusMethodNotAllowed:
			missing++
		case r.target.Condition == probe.Normal && !json.Valid(reply.Body):
			foreign++
		}
		if missing+foreign < asked {
			return ""
		}
	}
	if foreign == 0 {
		return fmt.Sprintf("The server at %s has none of the paths of the contract: the base URL is wrong, or it is another service.", baseURL(r.target.URL))
	}
	return fmt.Sprintf("The server at %s is another service: no list of the contract is answered with JSON.", baseURL(r.target.URL))
}

// ask sends a request that belongs to no check.
func (r *run) ask(ctx context.Context, request probe.Request) (reply probe.Reply, err error) {
	r.session.Run(ctx, probe.Check{Run: func(t *probe.T) { reply, err = t.Try(request) }}, func(probe.Exchange) {})
	if err == nil && reply.Status == 0 {
		err = errors.New("no request can be made")
	}
	return reply, err
}

// runCheck runs a check. Limits are counted by UTC day, so a check that fails across midnight is run again.
func (r *run) runCheck(ctx context.Context, c probe.Check) probe.Outcome {
	day := r.day()
	outcome := r.session.Run(ctx, c, r.observe)
	if outcome.Status >= probe.Failed && r.day() != day {
		outcome = r.session.Run(ctx, c, r.observe)
	}
	return outcome
}

func (r *run) day() string { return r.now().UTC().Format(time.DateOnly) }

// whatWentWrong returns a sentence if one cause makes the results of a run meaningless.
func (r *run) whatWentWrong(ctx context.Context, results []Result) string {
	bad := slices.ContainsFunc(results, func(result Result) bool { return result.Status >= probe.Failed })
	switch {
	case ctx.Err() != nil:
		return "The run was interrupted: only checks that had finished have results."
	case bad && r.silent(ctx):
		return "The server stopped answering during the run: most results follow from that."
	case bad && r.clients[0].refused():
		return "Every request with the given credentials was answered with 401: the server does not know the client id or the secret."
	case bad && r.clients[1].refused():
		return "Every request with the credentials of the second client was answered with 401: the server does not know its id or its secret."
	}
	return ""
}

// silent reports whether the server has stopped answering.
func (r *run) silent(ctx context.Context) bool {
	_, err := r.ask(ctx, probe.Request{Method: http.MethodGet, Path: "/", Anonymous: true})
	return errors.Is(err, probe.ErrUnreachable)
}
