package mutants_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// ask asks the server behind a fault.
type ask = func(request) answer

// fault is called for each request, with the operation that it matches or "". It calls next as often as it likes, and
// returns the answer to send. A fault is made anew for each run, so that it may remember.
type fault func(operation string, r request, next ask) answer

// request is a request in memory.
type request struct {
	*http.Request
	body []byte
}

// answer is an answer in memory.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// mostBytes is how long a body may be.
const mostBytes = 20 << 20

// with puts a fault before a handler. A body that is announced as too long is left to the handler, which must not read it
// either: the fault sees none.
func (f fault) with(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		unread := r.ContentLength > mostBytes
		var body []byte
		if !unread {
			var err error
			if body, err = io.ReadAll(io.LimitReader(r.Body, mostBytes+1<<20)); err != nil {
				panic(http.ErrAbortHandler) // the caller has gone
			}
		}
		a := f(operation(r), request{r, body}, func(r request) answer {
			inner := r.Clone(r.Context())
			switch {
			case unread:
			case len(r.body) == 0:
				inner.Body, inner.ContentLength = http.NoBody, 0
			default:
				inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(r.body)), int64(len(r.body))
			}
			recorded := httptest.NewRecorder()
			h.ServeHTTP(recorded, inner)
			return answer{recorded.Code, recorded.Header(), recorded.Body.Bytes()}
		})
		a.header.Del("Content-Length") // it may not be true any more
		for name, values := range a.header {
			w.Header()[name] = values
		}
		w.WriteHeader(a.status)
		_, _ = w.Write(a.body)
	})
}

// operation finds the operation that a request matches, or "".
func operation(r *http.Request) string {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	segments := strings.Split(r.URL.Path, "/")
	for _, op := range compiled().Operations() {
		if op.Method == method && slices.EqualFunc(strings.Split(op.Path, "/"), segments, func(template, segment string) bool {
			return template == segment || strings.HasPrefix(template, "{") && segment != ""
		}) {
			return op.ID
		}
	}
	return ""
}

func compiled() *contract.Contract {
	c, err := contract.Published()
	if err != nil {
		panic(err)
	}
	return c
}

// segment returns a segment of the path: of /users/U/receive-users, 1 is U.
func (r request) segment(i int) string {
	return strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")[i]
}

// member returns a member of the body by the names that lead to it, or nil.
func (r request) member(names ...string) any { return member(decode(r.body), names...) }

// as returns the request with the body that edit has changed. What edit leaves alone stays as it was sent, malformed or not.
func (r request) as(edit func(body map[string]any)) request {
	body, ok := decode(r.body).(map[string]any)
	if !ok {
		return r
	}
	edit(body)
	if !reflect.DeepEqual(body, decode(r.body)) {
		r.body = encode(body)
	}
	return r
}

// header returns the request with a header, or without it where the value is empty.
func (r request) header(name, value string) request {
	r.Request = r.Clone(r.Context())
	r.Header.Del(name)
	if value != "" {
		r.Header.Set(name, value)
	}
	return r
}

// query returns the request with a query parameter, or without it where the value is empty.
func (r request) query(name, value string) request {
	r.Request = r.Clone(r.Context())
	values := r.URL.Query()
	values.Del(name)
	if value != "" {
		values.Set(name, value)
	}
	r.URL.RawQuery = values.Encode()
	return r
}

// to returns the request for another method and path, without a body.
func (r request) to(method, path string) request {
	r.Request, r.body = r.Clone(r.Context()), nil
	r.Method, r.URL = method, &url.URL{Path: path}
	return r
}

// as returns the answer with the body, an object or a list, that edit has changed.
func (a answer) as(edit func(body any) any) answer {
	if body := decode(a.body); body != nil {
		a.body = encode(edit(body))
	}
	return a
}

// object returns the answer with the object that edit has changed; a list is changed object by object.
func (a answer) object(edit func(body map[string]any)) answer {
	return a.as(func(body any) any {
		switch v := body.(type) {
		case map[string]any:
			edit(v)
		case []any:
			for _, item := range v {
				if m, ok := item.(map[string]any); ok {
					edit(m)
				}
			}
		}
		return body
	})
}

// list returns the answer with the list that edit has changed.
func (a answer) list(edit func(list []any) []any) answer {
	return a.as(func(body any) any {
		list, ok := body.([]any)
		if !ok {
			return body
		}
		return append([]any{}, edit(list)...) // an empty list is no null
	})
}

// member returns a member of the body by the names that lead to it, or nil.
func (a answer) member(names ...string) any { return member(decode(a.body), names...) }

// code returns the code of an error.
func (a answer) code() string {
	code, _ := a.member("code").(string)
	return code
}

// failure returns an error with a status and a code in place of an answer.
func (a answer) failure(status int, code string) answer {
	id, header := a.header.Get("X-Request-Id"), http.Header{}
	for _, name := range []string{"X-Request-Id", "RateLimit", "RateLimit-Policy"} {
		if value := a.header.Get(name); value != "" {
			header.Set(name, value) // the fault is not in these
		}
	}
	header.Set("Content-Type", "application/json")
	return answer{status, header,
		encode(map[string]any{"status": status, "code": code, "message": "No.", "request_id": id})}
}

func member(v any, names ...string) any {
	for _, name := range names {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

func decode(text []byte) any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // no amount passes through a float
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// stateless makes a fault that remembers nothing.
func stateless(f fault) func() fault { return func() fault { return f } }

// after makes a fault that remembers nothing, in right answers.
func after(edit func(operation string, r request, a answer, next ask) answer) func() fault {
	return stateless(func(operation string, r request, next ask) answer { return edit(operation, r, next(r), next) })
}

// answering changes the answers of an operation that have a status.
func answering(id string, status int, edit func(request, answer) answer) func() fault {
	return stateless(func(op string, r request, next ask) answer {
		a := next(r)
		if op == id && a.status == status {
			a = edit(r, a)
		}
		return a
	})
}

// returning changes what an operation returns with 200.
func returning(id string, edit func(r request, body map[string]any)) func() fault {
	return answering(id, http.StatusOK, func(r request, a answer) answer {
		return a.object(func(body map[string]any) { edit(r, body) })
	})
}

// asking changes the requests of an operation.
func asking(id string, edit func(request) request) func() fault {
	return stateless(func(op string, r request, next ask) answer {
		if op == id {
			r = edit(r)
		}
		return next(r)
	})
}
