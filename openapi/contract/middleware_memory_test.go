package contract_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
)

// While one request holds the memory, another waits for it: it is answered 503 when its patience ends, and accepted if the
// first one ends before.
func TestBodiesWaitForMemory(t *testing.T) {
	t.Parallel()
	c := published(t)
	const size = 200 << 10
	synctest.Test(t, func(t *testing.T) {
		leave := make(chan struct{})
		h := c.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Wait") != "" {
				<-leave
			}
			w.WriteHeader(http.StatusTeapot)
		}), contract.Memory(bodies.NewMemory(0, size, time.Minute)))
		answered := make(chan *httptest.ResponseRecorder, 3)
		send := func(wait string) {
			r := post(`{"first_name":"Asha","email":"asha@example.com","country":"US"}` + strings.Repeat(" ", size-63))
			r.URL.Path, r.ContentLength = "/users", size
			r.Header.Set("X-Wait", wait)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			answered <- w
		}
		go send("yes")
		synctest.Wait()
		began := time.Now()
		go send("")
		w := <-answered
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), `"SERVICE_UNAVAILABLE"`) {
			t.Errorf("answered %d %v %s", w.Code, w.Header(), w.Body)
		}
		if waited := time.Since(began); waited != time.Minute {
			t.Errorf("answered after %s", waited)
		}
		go send("")
		synctest.Wait()
		close(leave)
		for range 2 {
			if w := <-answered; w.Code != http.StatusTeapot {
				t.Errorf("answered %d %s", w.Code, w.Body)
			}
		}
	})
}

// A response for which there is no room is passed on and not judged.
func TestMemoryOfResponses(t *testing.T) {
	t.Parallel()
	long := `{"id":1,"x":"` + strings.Repeat("a", 100) + `"}`
	h, found := watched(t, contract.Refuse, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := range len(long) {
			_, _ = io.WriteString(w, long[i:i+1])
		}
	}, contract.Memory(bodies.NewMemory(64<<10+50, 0, 0)))
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
	for _, size := range []int{20, 4 << 10, 4<<10 + 1, 1 << 21, 1<<21 + 1, 5 << 20} {
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
