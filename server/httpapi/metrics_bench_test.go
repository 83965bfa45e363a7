package httpapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// BenchmarkRequest sends requests for the cheapest page and for a list, with and without metrics by turns, so that the load
// of the machine is the same for both, and reports the ratio of their times.
func BenchmarkRequest(b *testing.B) {
	for _, path := range []string{"/healthz", "/payers?country=NP"} {
		b.Run(path, func(b *testing.B) {
			handlers := [2]http.Handler{newHandler(b), newHandler(b, func(c *Config) { c.Metrics = NewMetrics() })}
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
	r.Header.Set("X-Client-Id", "acme")
	r.Header.Set("X-Client-Secret", "secret")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusOK {
		b.Fatalf("%s answers %d: %s", path, w.Code, w.Body)
	}
}
