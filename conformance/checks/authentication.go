package checks

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

const (
	clientIDHeader = "X-Client-Id"
	secretHeader   = "X-Client-Secret"
)

// failuresInARow is more than what servers allow that lock clients out.
const failuresInARow = 12

// credentials are headers that must not open anything.
type credentials struct {
	what   string
	header http.Header
}

// wrongCredentials returns all that is not the id of the client with its secret.
func wrongCredentials(t *probe.T) []credentials {
	id, secret := t.Target().ClientID, t.Target().ClientSecret
	of := func(what, id, secret string) credentials {
		return credentials{what, http.Header{clientIDHeader: {id}, secretHeader: {secret}}}
	}
	return []credentials{
		of("no credentials", "", ""),
		of("no secret", id, ""),
		of("no client id", "", secret),
		of("a client id that nobody has", "conformance-nobody", secret),
		of("a wrong secret", id, "conformance-"+secret),
		of("a secret that is cut off", id, secret[:len(secret)-1]),
		of("a secret that goes on", id, secret+"-conformance"),
		{"two client ids", http.Header{clientIDHeader: {id, "conformance-nobody"}, secretHeader: {secret}}},
		{"two secrets", http.Header{clientIDHeader: {id}, secretHeader: {secret, "conformance"}}},
	}
}

// authentication returns the checks of the two headers: one for each operation, and those of all together.
func authentication() []probe.Check {
	var all []probe.Check
	for _, op := range operations() {
		all = append(all, probe.Check{
			ID: "authentication." + op.id, Title: op.name() + " refuses missing, unknown and wrong credentials with 401",
			Clauses: []string{"5-headers", "D-19"}, Operations: []string{op.id}, Needs: op.needs(),
			Fix: "Require both headers and compare the whole secret with those of the named client before doing anything else.",
			Run: func(t *probe.T) {
				r := op.request(t, madeUp(t))
				for _, wrong := range wrongCredentials(t) {
					r.Header = wrong.header
					unauthorized(t, r, wrong.what)
				}
			},
		})
	}
	return append(all,
		probe.Check{
			ID: "authentication.one-answer", Title: "The 401 does not reveal what is wrong with the credentials",
			Clauses: []string{"D-19"}, Operations: []string{"listPayers"},
			Fix: "Answer missing, unknown and wrong credentials with the same message and no details.",
			Run: func(t *probe.T) {
				var first *api.Error
				for _, wrong := range wrongCredentials(t) {
					reply := t.Send(probe.Request{Method: http.MethodGet, Path: "/payers", Header: wrong.header})
					var got api.Error
					if reply.Status != http.StatusUnauthorized || json.Unmarshal(reply.Body, &got) != nil {
						t.Fatalf("answered %d to %s, want 401 with the error body", reply.Status, wrong.what)
					}
					if first == nil {
						first = &got
					}
					t.Expect(got.Message == first.Message && len(got.Details) == 0,
						"with %s the answer is another one than without credentials", wrong.what)
				}
			},
		},
		probe.Check{
			ID: "authentication.first", Title: "Credentials are judged before anything else of a request",
			Clauses: []string{"D-19"}, Operations: operationIDs(operations()),
			Fix: "Authenticate before reading parameters, content type and body: a caller without credentials learns nothing about them.",
			Run: func(t *probe.T) {
				for _, op := range inProfile(t, operations()) {
					n := madeUp(t)
					for name := range n {
						n[name] = "~"
					}
					r := probe.Request{Method: op.method, Path: op.fill(n) + "?conformance=1", Anonymous: true}
					if op.takesBody() {
						r.Body, r.Header = []byte("{"), http.Header{"Content-Type": {"text/plain"}}
					}
					unauthorized(t, r, op.id+" with parameters and a body that are malformed and no credentials")
				}
			},
		},
		probe.Check{
			ID: "authentication.query", Title: "Credentials in the query do not count",
			Clauses: []string{"5-headers", "D-19"}, Operations: []string{"listPayers"},
			Fix: "Read the credentials from the two headers only; addresses are logged everywhere.",
			Run: func(t *probe.T) {
				query := url.Values{clientIDHeader: {t.Target().ClientID}, secretHeader: {t.Target().ClientSecret}}
				unauthorized(t, probe.Request{Method: http.MethodGet, Path: "/payers?" + query.Encode(), Anonymous: true}, "credentials in the query")
			},
		},
		probe.Check{
			ID: "authentication.basic", Title: "Credentials in the header Authorization do not count",
			Clauses: []string{"5-headers", "D-19"}, Operations: []string{"listPayers"},
			Fix: "Do not read credentials from the header Authorization.",
			Run: func(t *probe.T) {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, t.Target().URL, nil)
				if err != nil {
					t.Brokenf("make a request: %v", err)
				}
				r.SetBasicAuth(t.Target().ClientID, t.Target().ClientSecret)
				unauthorized(t, probe.Request{Method: http.MethodGet, Path: "/payers", Header: r.Header, Anonymous: true}, "credentials in Authorization")
			},
		},
		probe.Check{
			ID: "authentication.case", Title: "Secrets are case-sensitive",
			Clauses: []string{"D-19"}, Operations: []string{"listPayers"},
			Fix: "Compare the bytes of the secret; a comparison that ignores case makes it easier to guess.",
			Run: func(t *probe.T) {
				secret := otherCase(t.Target().ClientSecret)
				if secret == t.Target().ClientSecret {
					t.Skipf("the secret has no letters")
				}
				unauthorized(t, probe.Request{Method: http.MethodGet, Path: "/payers", Header: http.Header{secretHeader: {secret}}}, "a secret in another case")
			},
		},
		probe.Check{
			ID: "authentication.secret-of-another-client", Title: "The secret of one client is not valid for another",
			Clauses: []string{"5-headers", "D-19"}, Operations: []string{"listPayers", "createUser"}, Needs: probe.OtherClient,
			Fix: "Compare the secret with those of the client in X-Client-Id only.",
			Run: func(t *probe.T) {
				t.Other() // or the check is skipped
				for _, op := range inProfile(t, pick(operations(), func(op operation) bool { return op.id == "listPayers" || op.id == "createUser" })) {
					r := op.request(t, madeUp(t))
					r.Header = http.Header{secretHeader: {t.Target().OtherClientSecret}}
					unauthorized(t, r, "the secret of the other client")
				}
			},
		},
		probe.Check{
			ID: "authentication.no-lock-out", Title: "Wrong secrets do not lock out the client whose id they name",
			Clauses: []string{"D-58"}, Operations: []string{"listPayers"},
			Fix: "Limit failures, not clients: whoever knows an id could otherwise stop the payouts of its client.",
			Run: func(t *probe.T) {
				right := probe.Request{Method: http.MethodGet, Path: "/payers"}
				if reply := t.Send(right); reply.Status != http.StatusOK {
					t.Brokenf("the right secret is answered %d", reply.Status)
				}
				for range failuresInARow {
					wrong := right
					wrong.Header = http.Header{secretHeader: {"conformance"}}
					reply := t.Send(wrong)
					t.Expect(reply.Status == http.StatusUnauthorized || reply.Status == http.StatusTooManyRequests,
						"answered %d, want 401 or 429, to a wrong secret", reply.Status)
				}
				reply := t.Send(right)
				t.Expect(reply.Status == http.StatusOK,
					"answered %d, want 200, to the right secret after %d wrong ones", reply.Status, failuresInARow)
			},
		},
		probe.Check{
			ID: "authentication.changes-nothing", Title: "A request without credentials changes nothing",
			Clauses: []string{"D-19"}, Operations: operationIDs(operationsWhere(writesBelowUser)), Needs: probe.Extensions,
			Fix: "Stop at missing credentials; do not answer 401 after the request has taken effect.",
			Run: func(t *probe.T) {
				o := owns(t)
				o.unchanged(t, func() {
					for _, r := range o.writes(t) {
						r.Anonymous = true
						reply := t.Send(r)
						t.Expect(reply.Status != http.StatusOK, "%s %s is accepted without credentials", r.Method, r.Path)
					}
				})
			},
		},
	)
}

// unauthorized expects a 401.
func unauthorized(t *probe.T, r probe.Request, what string) {
	reply := t.Send(r)
	if reply.Status != http.StatusUnauthorized {
		t.Failf("answered %d, want 401, to %s", reply.Status, what)
		return
	}
	t.Refused(reply, nil, http.StatusUnauthorized, api.ErrorCodeUnauthorized)
}

func otherCase(s string) string {
	if upper := strings.ToUpper(s); upper != s {
		return upper
	}
	return strings.ToLower(s)
}
