package memory_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// parallel documents take 1.9 GB together. -short sends fewer, which are still more than the limit.
	parallel   = 100
	mib        = 1 << 20
	documentOf = 19 * mib
)

// 100 documents of 19 MiB at a time are all accepted in less than 1 GiB, with idempotency keys, as are their repeats.
func TestParallelDocuments(t *testing.T) { //nolint:paralleltest // it measures
	p, n := start(t), parallel
	if testing.Short() {
		n = 40
	}
	body := registration(documentOf)
	key := func(i int) string { return "X-Idempotency-Key: document-" + strconv.Itoa(i) + "\r\n" }
	for _, part := range []struct {
		what  string
		count int
	}{{"documents", n}, {"repeats", 10}} {
		what, count, began := part.what, part.count, time.Now()
		if statuses := p.upload(t, count, body, key); statuses[http.StatusOK] != count {
			t.Errorf("%d %s were answered %v", count, what, statuses)
		}
		peak := p.memory(t, "VmHWM")
		if peak >= 1024 {
			t.Errorf("%d MiB were resident", peak)
		}
		t.Logf("%d %s in %s, at a peak of %d MiB", count, what, seconds(began), peak)
	}
}

// In a container of 512 MiB, whose limit is GOMEMLIMIT here, the default fits.
func TestSmallContainer(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "460MiB")
	p := start(t)
	if statuses := p.upload(t, 20, registration(documentOf), none); statuses[http.StatusOK] != 20 {
		t.Errorf("answered %v", statuses)
	}
	peak := p.memory(t, "VmHWM")
	if peak >= 512 {
		t.Errorf("%d MiB were resident", peak)
	}
	t.Logf("a peak of %d MiB", peak)
}

// What is announced takes no memory before it arrives, with or without credentials, and small requests do not wait for it.
func TestAnnouncedBodies(t *testing.T) { //nolint:paralleltest // it measures
	p := start(t)
	before := p.memory(t, "VmRSS")
	announced := header("/users", 20*mib, "")
	for i := range 300 {
		text := announced + "{"
		if i%3 == 0 { // the beginning of a body that is large enough to wait for room
			text = announced + "{" + strings.Repeat(" ", 100<<10)
		}
		if _, err := io.WriteString(p.dial(t), text); err != nil {
			t.Fatal(err)
		}
	}
	// One after the other, so that what came before has been read.
	for range 50 {
		if statuses := p.upload(t, 1, registration(60<<10), none); statuses[http.StatusOK] != 1 {
			t.Errorf("a small body is answered %v", statuses)
		}
	}
	after := p.memory(t, "VmHWM")
	if after > before+150 {
		t.Errorf("%d MiB are resident, %d before", after, before)
	}
	t.Logf("%d MiB before, a peak of %d MiB with 300 announced bodies", before, after)
}

// Larger bodies are rejected, announced or not, and take no more.
func TestTooLargeBodies(t *testing.T) { //nolint:paralleltest // it measures
	p := start(t)
	body := registration(20*mib + 1)
	if statuses := p.upload(t, 20, body, none); statuses[http.StatusRequestEntityTooLarge] != 20 {
		t.Errorf("announced: answered %v", statuses)
	}
	if peak := p.memory(t, "VmHWM"); peak > 150 {
		t.Errorf("announced: %d MiB were resident", peak)
	}
	if statuses := p.chunked(t, 20, body); statuses[http.StatusRequestEntityTooLarge] != 20 {
		t.Errorf("chunked: answered %v", statuses)
	}
	if peak := p.memory(t, "VmHWM"); peak >= 1024 {
		t.Errorf("chunked: %d MiB were resident", peak)
	}
}
