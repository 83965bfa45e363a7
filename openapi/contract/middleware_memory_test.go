package contract_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// While one request holds what is allowed, another with a body is answered 503; afterwards it is accepted.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	h := published(t).Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Wait") != "" {
			entered <- struct{}{}
			<-leave
		}
		w.WriteHeader(http.StatusTeapot)
	}), contract.MemoryLimit(200))
	send := func(wait string, length int64, padding int) *httptest.ResponseRecorder {
		r := post(`{"first_name":"Asha","email":"asha@example.com","country":"US"}` + strings.Repeat(" ", padding))
		r.URL.Path, r.ContentLength = "/users", length
		r.Header.Set("X-Wait", wait)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	const size = 63
	done := make(chan int)
	go func() { done <- send("yes", size+100, 100).Code }()
	<-entered
	for name, length := range map[string]int64{"announced": size, "not announced": -1} {
		if w := send("", length, 0); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" ||
			!strings.Contains(w.Body.String(), `"SERVICE_UNAVAILABLE"`) {
			t.Errorf("%s: answered %d %v %s", name, w.Code, w.Header(), w.Body)
		}
	}
	close(leave)
	if code := <-done; code != http.StatusTeapot {
		t.Errorf("the first is answered %d", code)
	}
	for name, length := range map[string]int64{"announced": size, "not announced": -1} {
		if w := send("", length, 0); w.Code != http.StatusTeapot {
			t.Errorf("%s, afterwards: answered %d", name, w.Code)
		}
	}
	if w := send("", -1, 300); w.Code != http.StatusServiceUnavailable {
		t.Errorf("more than all: answered %d", w.Code)
	}
}

// A response for which there is no room is passed on and not judged.
func TestMemoryLimitOfResponses(t *testing.T) {
	t.Parallel()
	long := `{"id":1,"x":"` + strings.Repeat("a", 100) + `"}`
	h, found := watched(t, contract.Refuse, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := range len(long) {
			_, _ = io.WriteString(w, long[i:i+1])
		}
	}, contract.MemoryLimit(50))
	for range 2 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/items/1?shop=a", nil))
		if w.Code != 200 || w.Body.String() != long || found.NotJudged != "too many bodies are held in memory" {
			t.Errorf("answered %d %s, %+v", w.Code, w.Body, found)
		}
	}
}

// A body arrives whole whatever its length is said to be.
func TestBodiesOfAnyLength(t *testing.T) {
	t.Parallel()
	op := shop(t).Operation(http.MethodPost, "/notes")
	for _, size := range []int{20, 1 << 21, 1<<21 + 1, 5 << 20} {
		text := `{"text":"a"}` + strings.Repeat(" ", size-12)
		for _, length := range []int{-1, size} {
			r := post(text)
			r.ContentLength = int64(length)
			checked, err := op.CheckRequest(r, nil, 5<<20)
			wantAccepted(t, err)
			if err == nil && (string(checked.Body) != text || readAll(t, r.Body) != text || r.ContentLength != int64(size)) {
				t.Errorf("%d bytes, announced as %d: %d arrived", size, length, len(checked.Body))
			}
			r = post(text + " ")
			r.ContentLength = -1
			if size == 5<<20 {
				_, err = op.CheckRequest(r, nil, 5<<20)
				wantRefused(t, err, http.StatusRequestEntityTooLarge, "body : must have at most 5242880 bytes")
			}
		}
	}
}
