package probe

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// maxWebhook is the maximum size of a webhook in bytes.
const maxWebhook = 1 << 20

// Webhook is a request that arrived at an [Inbox].
type Webhook struct {
	Method string
	Header http.Header
	Body   []byte
}

// Inbox is an address of the suite that a webhook endpoint may have.
type Inbox struct {
	URL    string
	about  []byte
	answer func(w http.ResponseWriter, number int)

	mu      sync.Mutex
	hooks   []Webhook     // that are about what the check waits for
	arrived chan struct{} // closed and replaced with each of them
}

// webhookServer listens for webhooks during a run.
type webhookServer struct {
	url    string // of the listener, as the server under test sees it
	server *http.Server

	mu      sync.Mutex
	inboxes map[string]*Inbox // by path
}

// listen starts to receive webhooks on an address. The URL is where the server reaches it; empty for http and the address.
func listen(address, url string) (*webhookServer, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("receive webhooks: %w", err)
	}
	if url == "" {
		url = "http://" + l.Addr().String()
	}
	r := &webhookServer{url: strings.TrimSuffix(url, "/"), inboxes: map[string]*Inbox{}}
	r.server = &http.Server{Handler: r, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second}
	go func() { _ = r.server.Serve(l) }() // it ends with close
	return r, nil
}

func (r *webhookServer) close() { _ = r.server.Close() }

// ServeHTTP implements [http.Handler]. The last segment of the path is the inbox, whatever a proxy has before it.
func (r *webhookServer) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	inbox := r.inboxes[q.URL.Path[strings.LastIndex(q.URL.Path, "/")+1:]]
	r.mu.Unlock()
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, maxWebhook))
	if inbox == nil || err != nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	hook := Webhook{q.Method, q.Header.Clone(), body}
	inbox.mu.Lock()
	defer inbox.mu.Unlock()
	if !bytes.Contains(body, inbox.about) { // another check has caused it
		w.WriteHeader(http.StatusNoContent)
		return
	}
	inbox.hooks = append(inbox.hooks, hook)
	close(inbox.arrived)
	inbox.arrived = make(chan struct{})
	inbox.answer(w, len(inbox.hooks))
}

// Inbox returns a new address for webhooks that contain a text. It answers each of them with answer, which gets its number,
// from 1; nil answers 204, as any other webhook is answered. A run that receives no webhooks skips the check.
func (t *T) Inbox(about string, answer func(w http.ResponseWriter, number int)) *Inbox {
	r := t.session.receiver
	if r == nil {
		t.Skipf("no address that receives webhooks is given")
	}
	if answer == nil {
		answer = func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusNoContent) }
	}
	name := uuid.NewString()
	i := &Inbox{URL: r.url + "/" + name, about: []byte(about), answer: answer, arrived: make(chan struct{})}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inboxes[name] = i
	return i
}

// Webhooks returns what has arrived so far.
func (i *Inbox) Webhooks() []Webhook {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.hooks)
}

// Await waits until n webhooks have arrived, and returns what has; fewer after the time.
func (t *T) Await(i *Inbox, n int, within time.Duration) []Webhook {
	late := time.NewTimer(within)
	defer late.Stop()
	for {
		i.mu.Lock()
		arrived, found := i.arrived, slices.Clone(i.hooks)
		i.mu.Unlock()
		if len(found) >= n {
			return found
		}
		select {
		case <-arrived:
		case <-late.C:
			return found
		case <-t.ctx.Done():
			return found
		}
	}
}
