package checks

import (
	"net/http"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// mostBytes is how long a body may be.
const mostBytes = 20 << 20

// contentRules returns the checks of content types and of the size of bodies.
func contentRules() []probe.Check {
	withBody := operationIDs(operationsWhere(operation.takesBody))
	return []probe.Check{
		{
			ID: "http.content-type.other", Title: "A body that does not come as application/json is refused with 415",
			Clauses: []string{"D-52"}, Operations: withBody,
			Fix: "Look at Content-Type before reading a body, even if the body is JSON; text, forms and XML are not accepted.",
			Run: func(t *probe.T) {
				types := []string{"text/plain", "application/x-www-form-urlencoded", "application/xml", "application/jsonx"}
				i := 0
				eachBody(t, func(op operation, r probe.Request, _ []byte) {
					for _, contentType := range []string{types[i%len(types)], types[(i+1)%len(types)]} {
						unsupported(t, op, r, contentType)
					}
					i++
				})
			},
		},
		{
			ID: "http.content-type.missing", Title: "A body without a content type is refused with 415",
			Clauses: []string{"D-52"}, Operations: withBody,
			Fix: "Do not guess the type of a body.",
			Run: func(t *probe.T) {
				eachBody(t, func(op operation, r probe.Request, _ []byte) { unsupported(t, op, r, "") })
			},
		},
		{
			ID: "http.content-type.charset", Title: "application/json with charset=utf-8 is application/json",
			Clauses: []string{"D-52"}, Operations: []string{"createUser"},
			Fix: "Compare the media type without its parameters and whatever its case; many libraries add the charset.",
			Run: func(t *probe.T) {
				for _, contentType := range []string{"application/json; charset=utf-8", "Application/JSON;charset=UTF-8"} {
					reply := t.Send(probe.Request{
						Method: http.MethodPost, Path: "/users", Body: t.UserRequest(), Header: http.Header{"Content-Type": {contentType}},
					})
					t.Expect(reply.Status == http.StatusOK, "answered %d, want 200, to Content-Type: %s", reply.Status, contentType)
				}
			},
		},
		{
			ID: "http.content-type.other-charset", Title: "application/json with another charset than utf-8 is refused with 415",
			Clauses: []string{"D-52"}, Operations: []string{"createUser"},
			Fix: "Look at the charset too: JSON is UTF-8, and a body that says otherwise is either wrong or cannot be read.",
			Run: func(t *probe.T) {
				reply := t.Send(probe.Request{
					Method: http.MethodPost, Path: "/users", Body: t.UserRequest(),
					Header: http.Header{"Content-Type": {"application/json; charset=iso-8859-1"}},
				})
				t.Refused(reply, nil, http.StatusUnsupportedMediaType, api.ErrorCodeUnsupportedMediaType)
			},
		},
		{
			ID: "http.content-type.no-body", Title: "Without a body the content type is ignored",
			Clauses: []string{"D-52"}, Operations: []string{"listPayers", "listBanks", "createUser"},
			Fix: "Look at Content-Type only where there is a body; callers send application/json with every request. Where a body is missing answer 400, not 415.",
			Run: func(t *probe.T) {
				for path, contentType := range map[string]string{"/payers": "application/json", "/banks": "text/plain"} {
					reply := t.Send(probe.Request{Method: http.MethodGet, Path: path, Header: http.Header{"Content-Type": {contentType}}})
					t.Expect(reply.Status == http.StatusOK, "GET %s answered %d, want 200, to Content-Type: %s", path, reply.Status, contentType)
				}
				for _, contentType := range []string{"", "text/plain"} {
					r := probe.Request{Method: http.MethodPost, Path: "/users", Header: http.Header{"Content-Type": {contentType}}}
					t.Refused(t.Send(r), nil, http.StatusBadRequest, badRequest)
				}
			},
		},
		{
			ID: "http.size.announced", Title: "A body that is announced with more than 20 MiB is refused with 413",
			Clauses: []string{"D-15"}, Operations: withBody,
			Fix: "Compare Content-Length with 20971520 bytes before reading the body.",
			Run: func(t *probe.T) {
				eachBody(t, func(_ operation, r probe.Request, body []byte) {
					// Nothing of the body is sent to a server that refuses at once.
					r.Body, r.Spaces, r.Header = body, mostBytes+1-int64(len(body)), http.Header{"Expect": {"100-continue"}}
					tooLarge(t, r)
				})
			},
		},
		{
			ID: "http.size.chunked", Title: "A body of more than 20 MiB is refused with 413 even if its length is not announced",
			Clauses: []string{"D-15"}, Operations: []string{"createUser"},
			Fix: "Count what is read, and stop after 20971520 bytes.",
			Run: func(t *probe.T) {
				tooLarge(t, probe.Request{Method: http.MethodPost, Path: "/users", Body: t.UserRequest(), Spaces: mostBytes, Chunked: true})
			},
		},
		{
			ID: "http.size.most", Title: "A body of exactly 20 MiB is accepted",
			Clauses: []string{"D-15"}, Operations: []string{"createUser"},
			Fix: "Allow 20971520 bytes in the service and in every proxy before it.",
			Run: func(t *probe.T) {
				body := encoded(t, t.UserRequest())
				reply := t.Send(probe.Request{Method: http.MethodPost, Path: "/users", Body: body, Spaces: mostBytes - int64(len(body))})
				t.Expect(reply.Status == http.StatusOK, "answered %d, want 200", reply.Status)
			},
		},
	}
}

func unsupported(t *probe.T, op operation, r probe.Request, contentType string) {
	r.Header = http.Header{"Content-Type": {contentType}}
	reply := t.Send(r)
	if reply.Status != http.StatusUnsupportedMediaType {
		t.Failf("%s answered %d, want 415, to Content-Type: %q", op.id, reply.Status, contentType)
		return
	}
	t.Refused(reply, nil, http.StatusUnsupportedMediaType, api.ErrorCodeUnsupportedMediaType)
}

func tooLarge(t *probe.T, r probe.Request) {
	t.Refused(t.Send(r), nil, http.StatusRequestEntityTooLarge, api.ErrorCodePayloadTooLarge)
}
