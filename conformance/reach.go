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

// reach requests the root without credentials, and then lists with those of each client. It returns a sentence if the server
// does not answer, or answers like no server of this contract that knows the client; no check runs then.
func (r *run) reach(ctx context.Context) (problem string) {
	_, err := r.ask(ctx, probe.Request{Method: http.MethodGet, Path: "/", Anonymous: true})
	if err != nil {
		return fmt.Sprintf("The server at %s cannot be tested: %s.", baseURL(r.target.URL), probe.NoAnswer(err))
	}
	problem = r.recognize(ctx, r.target.ClientID, r.target.ClientSecret,
		"Every request with the given credentials was answered with 401: the server does not know the client id or the secret.")
	if problem == "" && r.target.OtherClientID != "" {
		problem = r.recognize(ctx, r.target.OtherClientID, r.target.OtherClientSecret,
			"Every request with the credentials of the second client was answered with 401: the server does not know its id or its secret.")
	}
	return problem
}

// recognize requests lists until one of them is answered as the contract says, if only with an error. It returns a sentence if
// none is; refused is the one for a client that the server does not know.
func (r *run) recognize(ctx context.Context, id, secret, refused string) (problem string) {
	asked, missing, foreign, unknown := 0, 0, 0, 0
	for _, op := range r.session.Contract.Operations() {
		if op.Method != http.MethodGet || strings.Contains(op.Path, "{") {
			continue
		}
		credentials := http.Header{"X-Client-Id": {id}, "X-Client-Secret": {secret}}
		reply, err := r.ask(ctx, probe.Request{Method: op.Method, Path: op.Path, Header: credentials, Anonymous: true})
		asked++
		switch {
		case err != nil:
		case reply.Status == http.StatusNotFound || reply.Status == http.StatusMethodNotAllowed:
			missing++
		case r.target.Condition == probe.Normal && !json.Valid(reply.Body):
			foreign++
		case reply.Status == http.StatusUnauthorized:
			unknown++
		}
		if missing+foreign+unknown < asked {
			return ""
		}
	}
	switch asked {
	case unknown:
		return refused
	case missing:
		return fmt.Sprintf("The server at %s has none of the paths of the contract: the base URL is wrong, or it is another service.", baseURL(r.target.URL))
	default:
		return fmt.Sprintf("The server at %s is another service: none of the lists of the contract has a usable response.", baseURL(r.target.URL))
	}
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
	}
	return ""
}

// silent reports whether the server has stopped answering.
func (r *run) silent(ctx context.Context) bool {
	_, err := r.ask(ctx, probe.Request{Method: http.MethodGet, Path: "/", Anonymous: true})
	return errors.Is(err, probe.ErrUnreachable)
}
