package checks

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// httpRules returns the checks of paths, methods, content types and sizes.
func httpRules() []probe.Check { return slices.Concat(pathRules(), contentRules(), headerRules()) }

func pathRules() []probe.Check {
	return []probe.Check{
		{
			ID: "http.methods", Title: "A method that a path does not have answers 405 METHOD_NOT_ALLOWED",
			Clauses: []string{"D-08"}, Operations: operationIDs(operations()),
			Fix: "Distinguish a path that exists without this method from a path that does not exist.",
			Run: func(t *probe.T) {
				eachMissingMethod(t, func(method, path string, _ []string) {
					reply := t.Send(probe.Request{Method: method, Path: path})
					if reply.Status != http.StatusMethodNotAllowed {
						t.Failf("%s %s answered %d, want 405", method, path, reply.Status)
						return
					}
					t.Refused(reply, nil, http.StatusMethodNotAllowed, api.ErrorCodeMethodNotAllowed)
				})
			},
		},
		{
			ID: "http.allow", Title: "A 405 lists the methods of the path in the header Allow",
			Clauses: []string{"D-08"}, Operations: operationIDs(operations()),
			Fix: "Send Allow with every method that the path has, and with none that it has not.",
			Run: func(t *probe.T) {
				eachMissingMethod(t, func(method, path string, has []string) {
					reply := t.Send(probe.Request{Method: method, Path: path})
					if reply.Status != http.StatusMethodNotAllowed {
						t.Failf("%s %s answered %d, want 405", method, path, reply.Status)
						return
					}
					allowed := strings.Split(strings.ReplaceAll(strings.Join(reply.Header.Values("Allow"), ","), " ", ""), ",")
					for _, m := range has {
						t.Expect(slices.Contains(allowed, m), "Allow of %s lacks %s", path, m)
					}
					t.Expect(!slices.Contains(allowed, method), "Allow of %s has %s, which was refused", path, method)
				})
			},
		},
		{
			ID: "http.unknown-path", Title: "A path that does not exist answers 404 NOT_FOUND",
			Clauses: []string{"D-08", "D-22", "D-30", "D-65"},
			Fix: "Answer every other path with 404 and the error body, also one that begins like a known path, and with a detail in path " +
				"whose field is empty.",
			Run: func(t *probe.T) {
				country := t.Target().Facts.OriginCountry
				for _, path := range []string{
					"/conformance", "/v1/payers", "/v2/payers", "/" + country + "/states", "/users/" + madeUp(t)["user_id"] + "/conformance",
				} {
					notFound(t, path)
				}
			},
		},
		{
			ID: "http.longer-path", Title: "A path with further segments after an identifier is another path",
			Clauses: []string{"D-08"},
			Fix:     "An identifier ends at the next slash: answer 404 to further segments, not 400 or what the shorter path answers.",
			Run: func(t *probe.T) {
				all := pick(operations(), func(op operation) bool { return op.id == "getPayer" || op.id == "getBank" || op.id == "getStateV2" })
				n := existing(t, all...)
				for _, op := range all {
					notFound(t, op.fill(n)+"/conformance")
				}
			},
		},
		{
			ID: "http.percent-encoding", Title: "An identifier in the path may be percent-encoded, and an encoded slash is part of it",
			Clauses: []string{"D-48"}, Operations: []string{"getPayer", "getBank", "getStateV2", "getCountryState"},
			Fix: "Split the path at its slashes, decode each part once, and judge what comes out.",
			Run: func(t *probe.T) {
				all := pick(operations(), func(op operation) bool { return op.reads() && op.document && strings.HasSuffix(op.path, "}") })
				n := existing(t, all...)
				for _, op := range all {
					plain := t.Send(probe.Request{Method: http.MethodGet, Path: op.fill(n)})
					if plain.Status != http.StatusOK {
						t.Brokenf("set-up: GET %s answered %d, want 200", op.path, plain.Status)
					}
					id := op.fill(n)[strings.LastIndex(op.fill(n), "/")+1:]
					before := strings.TrimSuffix(op.fill(n), id)
					encoded := t.Send(probe.Request{Method: http.MethodGet, Path: before + fmt.Sprintf("%%%02x", id[0]) + id[1:]})
					t.Expect(encoded.Status == http.StatusOK && reflect.DeepEqual(jsonValue(t, encoded), jsonValue(t, plain)),
						"GET %s answered %d, or another body, to an identifier that is percent-encoded", op.path, encoded.Status)
					for _, no := range []string{"%2f" + id, id + "%2F", id + "%20", "%2B" + id} {
						reply := t.Send(probe.Request{Method: http.MethodGet, Path: before + no})
						t.Expect(reply.Status == http.StatusBadRequest || reply.Status == http.StatusNotFound,
							"GET %s%s answered %d, want 400 or 404", before, no, reply.Status)
					}
				}
			},
		},
		{
			ID: "http.path-spelling", Title: "A path in another case or with a slash at its end is another path",
			Clauses: []string{"D-08", "D-48"},
			Fix:     "Do not correct or redirect paths: answer 404 to those that are not the ones of the contract.",
			Run: func(t *probe.T) {
				for _, path := range []string{"/Payers", "/V2/states"} {
					notFound(t, path)
				}
				for _, path := range []string{"/payers/", "/v2/states/"} { // an empty identifier, to some routers
					if reply := t.Send(probe.Request{Method: http.MethodGet, Path: path}); reply.Status != http.StatusBadRequest {
						notFound(t, path)
					}
				}
			},
		},
		{
			ID: "http.head", Title: "HEAD answers as GET does, without a body, or with 405",
			Clauses: []string{"D-08"}, Operations: operationIDs(operationsWhere(operation.reads)),
			Fix: "Serve HEAD wherever there is GET (RFC 9110, 9.3.2), only the body is left out; or refuse it as any method that a path does not have.",
			Run: func(t *probe.T) {
				all := inProfile(t, operationsWhere(operation.reads))
				n := existing(t, all...)
				for _, op := range all {
					r := op.request(t, n)
					get := t.Send(r)
					r.Method = http.MethodHead
					head := t.Send(r)
					refused := head.Status == http.StatusMethodNotAllowed
					t.Expect(refused || head.Status == get.Status, "HEAD %s answered %d, GET %d", op.path, head.Status, get.Status)
					t.Expect(len(head.Body) == 0, "HEAD %s answered with a body of %d bytes", op.path, len(head.Body))
					a, b := head.Header.Get("Content-Type"), get.Header.Get("Content-Type")
					t.Expect(refused || a == b || a == "", "HEAD %s answered with another content type than GET", op.path)
				}
			},
		},
		{
			ID: "http.options", Title: "OPTIONS returns the methods of a path or is refused, and does nothing else",
			Clauses: []string{"D-08"}, Operations: operationIDs(operations()),
			Fix: "Answer OPTIONS without a body, or with 405; it must neither fail nor run an operation.",
			Run: func(t *probe.T) {
				eachPath(t, func(path string, _ []string) {
					reply := t.Send(probe.Request{Method: http.MethodOptions, Path: path})
					t.Expect(reply.Status < 500 && (reply.Status >= 400 || len(reply.Body) == 0),
						"OPTIONS %s answered %d with %d bytes", path, reply.Status, len(reply.Body))
				})
			},
		},
	}
}

func (op operation) reads() bool { return op.method == http.MethodGet }

// eachPath returns each path of the profile, with made-up values, and its methods.
func eachPath(t *probe.T, visit func(path string, has []string)) {
	n := madeUp(t)
	known := operations()
	if !t.Full() { // a server may have the methods of extensions
		known = inProfile(t, known)
	}
	for i, op := range known {
		if i > 0 && known[i-1].path == op.path {
			continue
		}
		var has []string
		for _, other := range known {
			if other.path == op.path {
				has = append(has, other.method)
			}
		}
		visit(op.fill(n), has)
	}
}

// eachMissingMethod returns each path with a method that no operation of the contract has.
func eachMissingMethod(t *probe.T, visit func(method, path string, has []string)) {
	i := 0
	eachPath(t, func(path string, has []string) {
		missing := slices.DeleteFunc([]string{http.MethodDelete, http.MethodPut, http.MethodPatch}, func(method string) bool {
			return slices.Contains(has, method)
		})
		visit(missing[i%len(missing)], path, has)
		i++
	})
}

func notFound(t *probe.T, path string) {
	reply := t.Send(probe.Request{Method: http.MethodGet, Path: path})
	if reply.Status != http.StatusNotFound {
		t.Failf("GET %s answered %d, want 404", path, reply.Status)
		return
	}
	t.Refused(reply, nil, http.StatusNotFound, api.ErrorCodeNotFound, "path ")
}

func headerRules() []probe.Check {
	return []probe.Check{
		{
			ID: "http.unknown-headers", Title: "Headers that an operation does not know are ignored, Accept included",
			Clauses: []string{"D-04", "D-48", "D-75"}, Operations: []string{"listPayers", "createUser", "getCipInfo"},
			Fix: "Answer the whole body as JSON with 200 whatever Accept, Range and conditions that the operation does not know ask for, and reject no request for its other headers, such as a key in an operation that takes none.",
			Run: func(t *probe.T) {
				untagged := operations()[placeOf("getCipInfo")]
				h := http.Header{"Accept": {"text/html"}, "X-Conformance": {"1"}, "X-Http-Method-Override": {"DELETE"}, "Accept-Language": {"x"}}
				key := http.Header{"X-Idempotency-Key": {strings.Repeat("k", 256)}} // longer than one may be where it counts
				for _, r := range []probe.Request{
					{Method: http.MethodGet, Path: "/payers", Header: h}, {Method: http.MethodPost, Path: "/users", Body: t.UserRequest(), Header: h},
					{Method: http.MethodGet, Path: "/payers", Header: key},
					{Method: http.MethodGet, Path: "/payers", Header: http.Header{"Range": {"bytes=0-1"}, "If-Match": {`"conformance"`}}},
					{Method: http.MethodGet, Path: untagged.fill(existing(t, untagged)), Header: http.Header{ifNoneMatch: {"*"}}},
				} {
					reply := t.Send(r)
					t.Expect(reply.Status == http.StatusOK && json.Valid(reply.Body),
						"%s %s answered %d, want 200 with JSON", r.Method, r.Path, reply.Status)
				}
			},
		},
		{
			ID: "http.body-on-get", Title: "A body that comes with GET changes nothing",
			Clauses: []string{"D-48", "D-52"}, Operations: []string{"listPayers"},
			Fix: "Ignore the body of an operation that takes none, or refuse it with 400; do not read parameters from it.",
			Run: func(t *probe.T) {
				without := t.Send(probe.Request{Method: http.MethodGet, Path: "/payers"})
				if without.Status != http.StatusOK {
					t.Brokenf("set-up: GET /payers answered %d, want 200", without.Status)
				}
				with := t.Send(probe.Request{Method: http.MethodGet, Path: "/payers", Body: map[string]any{"country": "ZZ", "payout_method": "WALLET"}})
				if with.Status == http.StatusBadRequest {
					t.Refused(with, nil, http.StatusBadRequest, badRequest)
					return
				}
				t.Expect(with.Status == http.StatusOK && reflect.DeepEqual(jsonValue(t, with), jsonValue(t, without)),
					"answered %d to GET with a body, and not the same as without", with.Status)
			},
		},
		{
			ID: "http.request-id", Title: "Every answer has an X-Request-Id of its own, whatever the caller sends",
			Clauses: []string{"D-08", "D-48"}, Operations: []string{"listPayers"},
			Fix: "Make a new identifier for each request; do not take one over from the caller without making it unique.",
			Run: func(t *probe.T) {
				seen := map[string]bool{}
				for range 3 {
					for _, path := range []string{"/payers", "/payers?country=-", "/conformance"} {
						reply := t.Send(probe.Request{Method: http.MethodGet, Path: path, Header: http.Header{"X-Request-Id": {"conformance"}}})
						id := reply.Header.Get("X-Request-Id")
						t.Expect(id != "", "GET %s answered without X-Request-Id", path)
						t.Expect(!seen[id], "GET %s answered with the X-Request-Id of another answer", path)
						seen[id] = true
					}
				}
			},
		},
	}
}
