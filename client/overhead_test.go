package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// BenchmarkOverhead compares the SDK with handwritten calls with net/http and encoding/json, in alternating batches against
// the same server. time-ratio and allocs-ratio are SDK to handwritten, including the server; they should be at most 1.25.
// The server is the service, or one that repeats a recorded response and so adds little to the comparison.
func BenchmarkOverhead(b *testing.B) {
	s := servertest.New(b)
	sender := servertest.NewSender(b, s.Client)
	payout := servertest.Deposit(b, sender, servertest.NewReceiver(b, s.Client, sender.ID), "0.01")
	for _, call := range []struct {
		name string
		sdk  func(context.Context, *client.Client) error
		hand func(context.Context, handwritten) error
	}{
		{
			"GetPayer",
			func(ctx context.Context, c *client.Client) error {
				_, err := c.GetPayer(ctx, servertest.CashPayer)
				return err
			},
			func(ctx context.Context, h handwritten) error {
				return h.do(ctx, http.MethodGet, fmt.Sprintf("/payers/%d", servertest.CashPayer), nil, new(api.PayerDetail))
			},
		},
		{
			"CreateTransaction",
			func(ctx context.Context, c *client.Client) error {
				_, err := c.CreateTransaction(ctx, sender.ID, payout)
				return err
			},
			func(ctx context.Context, h handwritten) error {
				return h.do(ctx, http.MethodPost, "/users/"+sender.ID.String()+"/transactions", payout, new(api.Transaction))
			},
		},
	} {
		b.Run(call.name+"/service", func(b *testing.B) { overhead(b, s.URL, call.sdk, call.hand) })
		b.Run(call.name+"/recorded", func(b *testing.B) {
			overhead(b, overheadRecord(b, s.URL, call.hand), call.sdk, call.hand)
		})
	}
}

// handwritten is a client without the SDK.
type handwritten struct {
	url  string
	http *http.Client
}

func (h handwritten) do(ctx context.Context, method, path string, body, into any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, h.url+path, content)
	if err != nil {
		return err
	}
	r.Header.Set("X-Client-Id", server.SandboxClients[0].ID)
	r.Header.Set("X-Client-Secret", server.SandboxClients[0].Secret)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Idempotency-Key", uuid.NewString())
	}
	resp, err := h.http.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d: %s", resp.StatusCode, text)
	}
	return json.Unmarshal(text, into)
}

// overheadRecord returns the address of a server that repeats the response of the service to a call.
func overheadRecord(b *testing.B, url string, call func(context.Context, handwritten) error) string {
	b.Helper()
	tap := &overheadTap{next: &http.Transport{}}
	defer tap.next.CloseIdleConnections()
	if err := call(b.Context(), handwritten{url, &http.Client{Transport: tap}}); err != nil {
		b.Fatal(err)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for name, values := range tap.header {
			w.Header()[name] = values
		}
		_, _ = w.Write(tap.body)
	}))
	b.Cleanup(web.Close)
	return web.URL
}

// overheadTap records the response.
type overheadTap struct {
	next   *http.Transport
	header http.Header
	body   []byte
}

func (t *overheadTap) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	t.header = resp.Header
	t.body, err = io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(t.body))
	return resp, err
}

func overhead(
	b *testing.B, url string, sdk func(context.Context, *client.Client) error, hand func(context.Context, handwritten) error,
) {
	b.Helper()
	const batch = 20
	ctx, c := b.Context(), connect(b, url)
	h := handwritten{url, &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone(), Timeout: client.DefaultTimeout}}
	b.Cleanup(h.http.CloseIdleConnections)
	calls := [2]func() error{
		func() error { return sdk(ctx, c) },
		func() error { return hand(ctx, h) },
	}
	var took [2]time.Duration
	var allocated [2]uint64
	measure := func(kind int) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		for range batch {
			if err := calls[kind](); err != nil {
				b.Fatal(err)
			}
		}
		took[kind] += time.Since(start)
		runtime.ReadMemStats(&after)
		allocated[kind] += after.Mallocs - before.Mallocs
	}
	batches := 0
	for b.Loop() {
		measure(batches % 2)
		measure(1 - batches%2)
		batches++
	}
	made := float64(batches * batch)
	b.ReportMetric(0, "ns/op") // of two batches, which is not of interest
	b.ReportMetric(float64(took[0].Nanoseconds())/made, "sdk-ns/call")
	b.ReportMetric(float64(allocated[0])/made, "sdk-allocs/call")
	b.ReportMetric(float64(took[0])/float64(took[1]), "time-ratio")
	b.ReportMetric(float64(allocated[0])/float64(allocated[1]), "allocs-ratio")
}
