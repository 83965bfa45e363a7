package idempotency_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// settles reports whether an error proves that no request with its key and content has created anything (D-65).
func settles(e api.Error) bool {
	named := slices.ContainsFunc(e.Details, func(d api.ErrorDetail) bool { return d.Field != "" })
	switch e.Status {
	case http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	case http.StatusBadRequest:
		return named
	case http.StatusNotFound:
		return named || len(e.Details) == 0
	}
	return false
}

// D-65: whatever is answered before the key is looked at, or because the service fails, leaves open what an earlier request with
// that key did. The key still returns what it created.
func TestAnswersThatLeaveTheOutcomeOpen(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.FailureLimit = 1 })
	w := servertest.NewWorld(t, s.Client)
	for _, op := range servertest.Creations(t, s) {
		t.Run(op.ID, func(t *testing.T) {
			path, body := w.Path(t, op), w.Body(t, op)
			send := func(method, path string, body []byte, headers ...string) func() servertest.Answer {
				return func() servertest.Answer {
					return servertest.Call(t, s, method, path, body, append([]string{servertest.IdempotencyKey, op.ID}, headers...)...)
				}
			}
			repeat := send(op.Method, path, body)
			first := repeat().First(t)
			type answer struct {
				name   string
				status int
				answer func() servertest.Answer
			}
			answers := []answer{
				{"no credentials", 401, send(op.Method, path, body, "X-Client-Secret", "")},
				{"no operation of the path", 405, send(http.MethodPut, path, body)},
				{"no path", 404, send(op.Method, "/prefix"+path, body)},
			}
			if body != nil {
				answers = append(answers, []answer{
					{"another media type", 415, send(op.Method, path, body, "Content-Type", "text/plain")},
					{"no body", 400, send(op.Method, path, nil)},
					{"half a body", 400, send(op.Method, path, body[:len(body)/2])},
					{"a damaged body", 400, send(op.Method, path, slices.Concat(body[:3], []byte{0xff}, body[3:]))},
					{"a body that is not sent completely", 400, func() servertest.Answer { return cut(t, s, path, op.ID, body) }},
				}...)
			}
			for _, open := range answers {
				t.Run(open.name, func(t *testing.T) {
					a := open.answer()
					e := servertest.Parse[api.Error](t, a.Body)
					if a.Status != open.status || int(e.Status) != open.status || settles(e) {
						t.Errorf("answered %d %s, want %d that settles nothing", a.Status, a.Body, open.status)
					}
					repeat().Replays(t, first)
				})
			}
			t.Run("a failure", func(t *testing.T) {
				restore := servertest.Lose(t, s, servertest.CreationTables[op.ID])
				servertest.WantInternalError(t, repeat())
				restore()
				repeat().Replays(t, first)
			})
		})
	}
	t.Run("wrong credentials", func(t *testing.T) {
		op := servertest.Creations(t, s)[0]
		wrong := []string{"X-Client-Id", server.SandboxClients[1].ID, "X-Client-Secret", "wrong"}
		for _, status := range []int{http.StatusUnauthorized, http.StatusTooManyRequests} { // beyond the limit of failures
			if a := w.Create(t, s, op, op.ID, w.Body(t, op), wrong...); a.Status != status || settles(servertest.Parse[api.Error](t, a.Body)) {
				t.Errorf("answered %d %s, want %d", a.Status, a.Body, status)
			}
		}
	})
}

// D-65: a request that can never be accepted is refused by an answer that settles it, whether its key was used or not. With a
// used one it never hides what the key created.
func TestAnswersThatSettleTheOutcome(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	type change struct {
		old, next string
		status    int  // with an unused key
		schema    bool // judged before the key
	}
	all := map[string][]change{
		"createUser": {
			{`{`, `{"unknown":1,`, 400, true}, {`"Asha"`, `""`, 400, true}, {`{`, `{"business":true,"last_name":"Example",`, 400, false}, {`"US"`, `"DE"`, 422, false},
		},
		"createFundingAccount": {{`{`, `{"unknown":1,`, 400, true}, {`"CARD"`, `1`, 400, true}},
		"createReceiveUser":    {{`{`, `{"unknown":1,`, 400, true}, {`"NP"`, `"DE"`, 422, false}},
		"createBankAccount": {
			{`{`, `{"unknown":1,`, 400, true}, {`2001`, `9999999`, 400, false}, {`{`, `{"branch_id":1,`, 400, false}, {`"NPR"`, `"USD"`, 422, false},
		},
		"createWalletAccount": {{`{`, `{"unknown":1,`, 400, true}, {`1004`, `9999999`, 422, false}},
		"createTransaction": {
			{`{`, `{"unknown":1,`, 400, true}, {`1.00`, `1e2`, 400, true}, {`1.00`, `1.001`, 400, false}, {`"USD"`, `"QQQ"`, 400, false},
			{`"payout_method"`, `"calculation_mode":"RECEIVER_AMOUNT","payout_method"`, 400, false}, {`"USD"`, `"GBP"`, 422, false},
			{w["funding_account_id"], servertest.Nowhere()["user_id"], 422, false}, {`1.00`, `900000`, 422, false},
		},
	}
	watch := servertest.NewWatch(s.Beside(t))
	for _, op := range servertest.Creations(t, s) {
		t.Run(op.ID, func(t *testing.T) {
			body := w.Body(t, op)
			first := w.Create(t, s, op, op.ID, body).First(t)
			refused := func(name string, status int, a servertest.Answer) {
				t.Helper()
				if e := servertest.Parse[api.Error](t, a.Body); a.Status != status || !settles(e) {
					t.Errorf("%s: answered %d %s, want %d that settles the outcome", name, a.Status, a.Body, status)
				}
			}
			watch.Unchanged(t, func() {
				for _, c := range all[op.ID] {
					if !bytes.Contains(body, []byte(c.old)) {
						t.Fatalf("%s has no %s", body, c.old)
					}
					other := bytes.Replace(body, []byte(c.old), []byte(c.next), 1)
					used := http.StatusConflict
					if c.schema {
						used = http.StatusBadRequest
					}
					refused(c.next+", unused key", c.status, w.Create(t, s, op, "unused", other))
					refused(c.next+", used key", used, w.Create(t, s, op, op.ID, other))
				}
				for _, name := range servertest.PathParameters(op) {
					nowhere := w.With(servertest.Nowhere(), name)
					refused("unknown "+name+", unused key", http.StatusNotFound, nowhere.Create(t, s, op, "unused", body))
					refused("unknown "+name+", used key", http.StatusConflict, nowhere.Create(t, s, op, op.ID, body))
				}
				if body != nil {
					refused("too large", http.StatusRequestEntityTooLarge, tooLarge(t, s, w, op))
				}
				w.Create(t, s, op, op.ID, body).Replays(t, first)
			})
		})
	}
}

// tooLarge announces a body of more than 20 MiB with a used key, and sends none of it.
func tooLarge(t testing.TB, s *servertest.Server, w servertest.World, op *contract.Operation) servertest.Answer {
	t.Helper()
	body, writer := io.Pipe()
	defer writer.Close()
	return servertest.Do(t, s, op.Method, w.Path(t, op), servertest.Headers(servertest.IdempotencyKey, op.ID), body, 20<<20+1)
}

// cut sends a request whose body ends before the announced length, and returns the answer.
func cut(t testing.TB, s *servertest.Server, path, key string, body []byte) servertest.Answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = servertest.Headers(servertest.IdempotencyKey, key)
	var text bytes.Buffer
	if err := r.Write(&text); err != nil {
		t.Fatal(err)
	}
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(text.Bytes()[:text.Len()-1]); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := bytes.Cut(answer, []byte("\r\n\r\n"))
	words := strings.Fields(string(head))
	if len(words) < 2 || words[1] != "400" {
		t.Fatalf("answered %s", answer)
	}
	return servertest.Answer{Status: http.StatusBadRequest, Body: rest}
}
