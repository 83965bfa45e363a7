package contract_test

import (
	"net/http"
	"strings"
	"testing"
)

func BenchmarkCheckRequest(b *testing.B) {
	small := with(`"ref":"` + account + `","currency":"USD","mode":"FAST","note":"hello","day":"2026-01-31","tags":["a","b"]`)
	large := with(`"scan":"data:image/png;base64,` + strings.Repeat("QUJD", 1<<18) + `"`)
	op := shop(b).Operation(http.MethodPost, orders)
	params := map[string]string{"account_id": account}
	for _, bc := range []struct{ name, body string }{{"small", small}, {"scan of 1 MB", large}} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(bc.body)))
			for b.Loop() {
				if _, err := op.CheckRequest(post(bc.body), params, 2*limit); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(bc.name+" with fingerprint", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := op.CheckRequest(post(bc.body), params, 2*limit)
				if err != nil {
					b.Fatal(err)
				}
				r.Fingerprint()
			}
		})
	}
}
