package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/reference"
	"github.com/crossborder-payouts/payouts/server/store"
)

// BenchmarkRequest answers the cheapest page and a list with and without metrics, in turns, so that the machine is the same
// for both, and tells the time of the one as a multiple of the other.
func BenchmarkRequest(b *testing.B) {
	for _, path := range []string{"/healthz", "/payers?country=NP"} {
		b.Run(path, func(b *testing.B) {
			handlers := [2]http.Handler{benchHandler(b, nil), benchHandler(b, NewMetrics())}
			var spent [2]time.Duration
			const turn = 50
			for b.Loop() {
				for i, h := range handlers {
					start := time.Now()
					for range turn {
						benchRequest(b, h, path)
					}
					spent[i] += time.Since(start)
				}
			}
			requests := float64(turn * b.N)
			b.ReportMetric(float64(spent[0].Nanoseconds())/requests, "ns/without")
			b.ReportMetric(float64(spent[1].Nanoseconds())/requests, "ns/with")
			b.ReportMetric(float64(spent[1])/float64(spent[0]), "ratio")
		})
	}
}

func benchRequest(b *testing.B, h http.Handler, path string) {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("X-Client-Id", "bench")
	r.Header.Set("X-Client-Secret", "secret")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusOK {
		b.Fatalf("%s answers %d: %s", path, w.Code, w.Body)
	}
}

func benchHandler(b *testing.B, metrics *Metrics) http.Handler {
	b.Helper()
	db, err := store.Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "payouts.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	client := payout.Client{ID: "bench", Destinations: []payout.Destination{{Country: "NP"}}}
	if err := db.PutClient(b.Context(), client, payout.HashSecret("secret"), time.Now()); err != nil {
		b.Fatal(err)
	}
	if err := db.PutReference(b.Context(), store.Reference{Payers: reference.SamplePayers()}); err != nil {
		b.Fatal(err)
	}
	rules, err := contract.Published()
	if err != nil {
		b.Fatal(err)
	}
	return New(Config{
		Service:  payout.NewService(payout.Config{Store: db, Country: reference.Country, Now: time.Now, NewID: func() string { return "" }}),
		Contract: rules, Logger: slog.New(slog.DiscardHandler), Ready: func(context.Context) error { return nil },
		NewID: func() string { return "id" }, Timeout: time.Minute, Metrics: metrics,
	})
}
