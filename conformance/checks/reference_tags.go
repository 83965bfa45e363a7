package checks

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

const ifNoneMatch = "If-None-Match"

// tagged reports whether the answers of an operation have tags.
func (op operation) tagged() bool {
	return slices.ContainsFunc(op.parameters, func(p *openapi3.Parameter) bool {
		return p.In == openapi3.ParameterInHeader && p.Name == ifNoneMatch
	})
}

// referenceTags returns the checks of ETag and 304.
func referenceTags() []probe.Check {
	clauses, all := []string{"D-75"}, operationIDs(operationsWhere(operation.tagged))
	return []probe.Check{
		{
			ID: "reference.tags.match", Title: "Who has the answer, by its tag alone, in a list, compared weakly, or by *, gets 304 with the same tag",
			Clauses: clauses, Operations: all,
			Fix: "Send ETag with every 200. If one of the tags of If-None-Match is that of the answer, with or without W/, answer 304 without a body and with the same ETag.",
			Run: eachTagged(func(t *probe.T, r probe.Request, whole probe.Reply) {
				tag := whole.Header.Get("ETag")
				weak := "W/" + strings.TrimPrefix(tag, "W/")
				for what, given := range map[string]string{
					"the tag": tag, "the tag, marked as weak": weak, "the tag without the mark of a weak one": strings.TrimPrefix(tag, "W/"),
					"a list that ends with the tag": `"conformance", W/"a,b" ,` + tag, "a list that begins with the tag": tag + `,"conformance"`, "*": "*",
				} {
					reply := t.Send(conditional(r, given))
					t.Expect(reply.Status == http.StatusNotModified, "answered %d, want 304, to %s", reply.Status, what)
					t.Expect(reply.Status != http.StatusNotModified || len(reply.Body) == 0 && sameTag(reply.Header.Get("ETag"), tag),
						"answered 304 with a body or another tag, to %s", what)
				}
			}),
		},
		{
			ID: "reference.tags.no-match", Title: "Who has another answer gets this one",
			Clauses: clauses, Operations: all,
			Fix: "Compare tags as a whole, case included; what is no tag matches nothing and is not refused.",
			Run: eachTagged(func(t *probe.T, r probe.Request, whole probe.Reply) {
				tag := whole.Header.Get("ETag")
				opaque := strings.Trim(strings.TrimPrefix(tag, "W/"), `"`)
				for what, given := range map[string]string{
					"another tag": `"conformance"`, "two other tags": `"conformance", W/"conformance-2"`, "the tag without quotation marks": opaque,
					"a tag that is longer": `"` + opaque + `x"`, "a tag that ends like this one": `"x` + opaque + `"`, "what is no tag": "conformance",
					"the greatest length": strings.Repeat("x", 1000),
				} {
					reply := t.Send(conditional(r, given))
					t.Expect(reply.Status == http.StatusOK && bytes.Equal(reply.Body, whole.Body) && sameTag(reply.Header.Get("ETag"), tag),
						"answered %d, or another body or tag than before, to %s; want the same 200", reply.Status, what)
				}
			}),
		},
		{
			ID: "reference.tags.last", Title: "A condition is looked at last: what is refused without it is refused with it",
			Clauses: append(clauses, "D-19"), Operations: all,
			Fix: "Judge credentials and the request, and find the resource, before you look at If-None-Match.",
			Run: func(t *probe.T) {
				for _, op := range operationsWhere(operation.tagged) {
					t.Case(op.id, func() { conditionLast(t, op) })
				}
			},
		},
		{
			ID: "reference.tags.another-body", Title: "Another body has another tag",
			Clauses: clauses, Operations: all,
			Fix: "Make the tag from the body, or from everything that it depends on: the client, the path, the filters and the data.",
			Run: anotherBody,
		},
		{
			ID: "reference.tags.each-client", Title: "What one client has is not taken for what another client would get",
			Clauses: clauses, Operations: []string{"listPayers", "listBanks", "listStatesV2"}, Needs: probe.OtherClient,
			Fix: "The answer to the same address differs between clients, and so must its tag.",
			Run: tagsOfEachClient,
		},
		{
			ID: "reference.tags.caches", Title: "Caches may keep an answer for its client, and ask before each use",
			Clauses: clauses, Operations: all,
			Fix: "Send Cache-Control with private and no-cache, with 200 and with 304.",
			Run: eachTagged(func(t *probe.T, r probe.Request, whole probe.Reply) {
				for _, reply := range []probe.Reply{whole, t.Send(conditional(r, "*"))} {
					given := strings.Split(strings.ReplaceAll(strings.ToLower(strings.Join(reply.Header.Values("Cache-Control"), ",")), " ", ""), ",")
					for _, wanted := range []string{"private", "no-cache"} {
						t.Expect(slices.Contains(given, wanted), "Cache-Control of %d lacks %s", reply.Status, wanted)
					}
					for _, wrong := range []string{"public", "no-store"} {
						t.Expect(!slices.Contains(given, wrong), "Cache-Control of %d has %s", reply.Status, wrong)
					}
				}
			}),
		},
		{
			ID: "reference.tags.head", Title: "HEAD answers the tag that GET answers, and 304 to it, or is refused with 405",
			Clauses: clauses, Operations: all,
			Fix: "Answer HEAD as GET, the condition included; only the body is left out.",
			Run: eachTagged(func(t *probe.T, r probe.Request, whole probe.Reply) {
				r.Method = http.MethodHead
				head := t.Send(r)
				refused := head.Status == http.StatusMethodNotAllowed
				t.Expect(refused || sameTag(head.Header.Get("ETag"), whole.Header.Get("ETag")), "HEAD is answered %d with another tag than GET", head.Status)
				known := t.Send(conditional(r, whole.Header.Get("ETag")))
				t.Expect(refused || known.Status == http.StatusNotModified, "HEAD is answered %d to the tag, want 304", known.Status)
			}),
		},
	}
}

// eachTagged makes a check with a case for each operation: run gets a request, and the whole answer to it.
func eachTagged(run func(t *probe.T, r probe.Request, whole probe.Reply)) func(*probe.T) {
	return func(t *probe.T) {
		all := operationsWhere(operation.tagged)
		n := existing(t, all...)
		for _, op := range all {
			t.Case(op.id, func() {
				r := op.request(t, n)
				whole := t.Send(r)
				t.Expect(whole.Header.Get("ETag") != "", "answered %d without a tag", whole.Status)
				if whole.Status != http.StatusOK {
					t.Fatalf("answered %d, want 200", whole.Status)
				}
				run(t, r, whole)
			})
		}
	}
}

// conditional returns a request with the header If-None-Match.
func conditional(r probe.Request, given string) probe.Request {
	r.Header = r.Header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(ifNoneMatch, given)
	return r
}

// sameTag compares weakly, because a proxy that compresses one answer and not the other marks its tag.
func sameTag(a, b string) bool { return strings.TrimPrefix(a, "W/") == strings.TrimPrefix(b, "W/") }

// conditionLast sends what is refused, with a condition that every answer meets.
func conditionLast(t *probe.T, op operation) {
	r := op.request(t, existing(t, op))
	for _, wrong := range wrongCredentials(t) {
		anonymous := r
		anonymous.Header = wrong.header
		unauthorized(t, conditional(anonymous, "*"), wrong.what+" and a condition")
	}
	malformed := r
	malformed.Path += "?conformance=1"
	t.Refused(t.Send(conditional(malformed, "*")), nil, http.StatusBadRequest, badRequest)
	if strings.HasSuffix(op.path, "}") {
		unknown := op.request(t, madeUp(t))
		t.Refused(t.Send(conditional(unknown, "*")), nil, http.StatusNotFound, api.ErrorCodeNotFound)
	}
}

// anotherBody compares the tags of answers with different bodies, and sends the tag of each to where another body is.
func anotherBody(t *probe.T) {
	f := t.Target().Facts
	for name, paths := range map[string]func() []string{
		"payers": func() []string {
			return []string{"/payers", "/payers?country=" + f.Destination, "/payers?payout_method=CASH_PICKUP", "/payers?country=" + f.DisabledCountry}
		},
		"banks": func() []string {
			return []string{"/banks", "/banks?country=" + f.Destination, "/banks?country=" + f.DisabledCountry}
		},
		"states, second form": func() []string {
			return []string{"/v2/states", "/v2/states?countryCode=" + f.OriginCountry, "/v2/states?countryCode=" + f.DisabledCountry}
		},
		"states": func() []string {
			return []string{"/countries/" + f.OriginCountry + "/states", "/countries/" + f.Destination + "/states"}
		},
		"one payer":              func() []string { return below(t, "/payers/", ids(allPayers(t), payerID)) },
		"one bank":               func() []string { return below(t, "/banks/", ids(allBanks(t), bankID)) },
		"one state, second form": func() []string { return below(t, "/v2/states/", ids(allStatesV2(t), stateID)) },
		"one state":              func() []string { return statePaths(t, f.OriginCountry) },
	} {
		t.Case(name, func() { differentTags(t, paths()) })
	}
}

func differentTags(t *probe.T, paths []string) {
	answers := make([]probe.Reply, len(paths))
	for i, path := range paths {
		answers[i] = t.Send(probe.Request{Method: http.MethodGet, Path: path})
		tag := answers[i].Header.Get("ETag")
		t.Expect(answers[i].Status == http.StatusOK && tag != "", "GET %s answered %d, want 200 with a tag", path, answers[i].Status)
		for j, other := range answers[:i] {
			if bytes.Equal(other.Body, answers[i].Body) {
				continue
			}
			t.Expect(!sameTag(tag, other.Header.Get("ETag")), "GET %s has the tag of GET %s, and another body", path, paths[j])
			again := t.Send(conditional(probe.Request{Method: http.MethodGet, Path: path}, other.Header.Get("ETag")))
			t.Expect(again.Status == http.StatusOK, "GET %s answered %d to the tag of GET %s, want 200", path, again.Status, paths[j])
		}
	}
}

// below returns the paths of two elements.
func below(t *probe.T, folder string, all []int64) []string {
	if len(all) < 2 {
		t.Skipf("%s has fewer than two elements", folder)
	}
	return []string{folder + inDigits(all[0]), folder + inDigits(all[1])}
}

// statePaths returns the paths of two states of a country.
func statePaths(t *probe.T, country string) []string {
	r, err := t.Client().ListCountryStatesWithResponse(t.Context(), country)
	states := probe.Setup(t, r, err)
	if len(states) < 2 {
		t.Skipf("%s has fewer than two states", country)
	}
	folder := "/countries/" + country + "/states/"
	return []string{folder + states[0].Code, folder + states[1].Code}
}

// tagsOfEachClient sends the tags of the first client's lists as the second client.
func tagsOfEachClient(t *probe.T) {
	t.Other() // or the check is skipped
	other := http.Header{clientIDHeader: {t.Target().OtherClientID}, secretHeader: {t.Target().OtherClientSecret}}
	differ := false
	for _, path := range []string{"/payers", "/banks", "/v2/states"} {
		first, r := t.Send(probe.Request{Method: http.MethodGet, Path: path}), probe.Request{Method: http.MethodGet, Path: path, Header: other}
		second := t.Send(r)
		if bytes.Equal(first.Body, second.Body) {
			continue
		}
		differ = true
		t.Expect(!sameTag(first.Header.Get("ETag"), second.Header.Get("ETag")), "GET %s has the same tag for two clients, and two bodies", path)
		again := t.Send(conditional(r, first.Header.Get("ETag")))
		t.Expect(again.Status == http.StatusOK && bytes.Equal(again.Body, second.Body),
			"GET %s answered the second client %d, or another list, to the tag of the first client; want 200", path, again.Status)
	}
	if !differ {
		t.Skipf("the lists of both clients are the same")
	}
}
