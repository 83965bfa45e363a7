package operations_test

import (
	"net/http"
	"testing"

	"github.com/crossborder-payouts/payouts/server/servertest"
)

// No answer about a client may be kept by a cache or taken for another type, whatever the outcome; reference data may be kept
// for that client alone (D-75). Pages have tests of their own.
func TestAnswersAreNotStored(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	statuses := map[int]bool{}
	check := func(what string, a servertest.Answer) {
		t.Helper()
		statuses[a.Status] = true
		caching := "no-store"
		if a.Header.Get("ETag") != "" {
			caching = "private, no-cache"
		}
		if a.Header.Get("Cache-Control") != caching || a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s answers %d with %v", what, a.Status, a.Header)
		}
	}
	for _, op := range s.Contract.Operations() {
		whole := w.Send(t, s, op)
		check(op.ID, whole)
		if tag := whole.Header.Get("ETag"); (tag != "") != op.TakesHeader("If-None-Match") {
			t.Errorf("%s has the tag %s", op.ID, tag)
		} else if tag != "" {
			check(op.ID+" with what the caller has", w.Send(t, s, op, "If-None-Match", tag))
		}
		check(op.ID+" of nothing", servertest.Nowhere().Send(t, s, op))
		check(op.ID+" with a wrong secret", w.Send(t, s, op, "X-Client-Secret", "wrong"))
		check(op.ID+" with a wrong query", servertest.Call(t, s, op.Method, w.Path(t, op)+"?wrong=1", w.Body(t, op)))
	}
	check("another path", servertest.Call(t, s, http.MethodGet, "/nowhere", nil))
	check("another method", servertest.Call(t, s, http.MethodDelete, "/payers", nil))
	check("OPTIONS", servertest.Call(t, s, http.MethodOptions, "/payers", nil))
	check("HEAD", servertest.Call(t, s, http.MethodHead, "/payers", nil))
	check("/healthz", servertest.Call(t, s, http.MethodGet, "/healthz", nil))
	check("/readyz", servertest.Call(t, s, http.MethodGet, "/readyz", nil))
	servertest.Lose(t, s, "clients")
	for _, op := range s.Contract.Operations() {
		check(op.ID+" during a fault", w.Send(t, s, op))
	}
	for _, status := range []int{200, 204, 304, 400, 401, 404, 405, 500} {
		if !statuses[status] {
			t.Errorf("no answer had the status %d", status)
		}
	}
}
