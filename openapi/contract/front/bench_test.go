package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// BenchmarkFront sends requests through the front and through a plain ReverseProxy by turns, so that the load of the machine
// is the same for both, over real connections to a service that does nothing, and reports the ratio of their times. No
// response breaks the contract.
func BenchmarkFront(b *testing.B) {
	payers := "[" + strings.Repeat(`{"country":"NP","delivery_method":"WALLET","id":1004,"name":"Sample Delta Wallet Nepal","pickup_location":[]},`, 9) +
		`{"country":"NP","delivery_method":"WALLET","id":1005,"name":"Sample","pickup_location":[]}]`
	created := `{"id":"` + userID + `","first_name":"Asha","email":"asha@example.com","country":"US","business":false,"status":"UNVERIFIED",` +
		`"created_at":"2026-03-14T15:09:26.535897"}`
	document := strings.Replace(user, "{", `{"physical_documents":[{"document_type":"STATE_ID","document_value":"data:image/png;base64,`+
		strings.Repeat("QUJD", 1<<18)+`"}],`, 1)
	url := service(b, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // as much as a service must do
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", uuid.NewString())
		if r.Method == http.MethodPost {
			_, _ = io.WriteString(w, created)
			return
		}
		_, _ = io.WriteString(w, payers)
	})
	f := before(b, url, logOnly)
	base := f.base
	plain := httptest.NewServer(&httputil.ReverseProxy{
		Transport: f.transport, BufferPool: buffers{},
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(base); r.SetXForwarded() },
	})
	b.Cleanup(plain.Close)
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	b.Cleanup(client.CloseIdleConnections)

	for _, bc := range []struct {
		name, method, target, body string
		status                     int
	}{
		{"list of 10 payers", "GET", "/payers?country=NP", "", 200},
		{"user", "POST", "/users", user, 200},
		{"user with a document of 1 MB", "POST", "/users", document, 200},
		{"refused user", "POST", "/users?x=1", user, 400},
	} {
		b.Run(bc.name, func(b *testing.B) {
			var spent [2]time.Duration
			for b.Loop() {
				for i, address := range []string{plain.URL, f.URL} {
					want := bc.status
					if i == 0 {
						want = 200
					}
					start := time.Now()
					for range 20 {
						roundTripBench(b, client, bc.method, address+bc.target, bc.body, want)
					}
					spent[i] += time.Since(start)
				}
			}
			requests := float64(20 * b.N)
			b.ReportMetric(float64(spent[0].Nanoseconds())/requests, "ns/plain")
			b.ReportMetric(float64(spent[1].Nanoseconds())/requests, "ns/front")
			b.ReportMetric(float64(spent[1])/float64(spent[0]), "ratio")
		})
	}
}

func roundTripBench(b *testing.B, client *http.Client, method, url, body string, want int) {
	r, err := http.NewRequestWithContext(b.Context(), method, url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != want {
		b.Fatal(fmt.Errorf("answered %d %s: %w", res.StatusCode, text, err))
	}
	_ = res.Body.Close() // it was read
}
