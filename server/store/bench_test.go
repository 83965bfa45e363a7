package store

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// BenchmarkSQLiteWrites compares writes that are committed together with those that each wait for the disk.
func BenchmarkSQLiteWrites(b *testing.B) {
	db, err := Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "payouts.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if err := db.PutClient(b.Context(), payout.Client{ID: "a", Name: "a"}, payout.HashSecret("a"), time.Now()); err != nil {
		b.Fatal(err)
	}
	var n atomic.Int64
	insert := func(ctx context.Context, tx payout.Tx) error {
		key := fmt.Sprint(n.Add(1))
		_, err := tx.InsertIdempotencyKey(ctx, "a", payout.Idempotency{Key: key, Fingerprint: "f"}, key)()
		return err
	}
	for _, how := range []struct {
		name  string
		write func(context.Context, func(payout.Tx) error) error
	}{
		{"together", db.Write},
		{"each", func(ctx context.Context, fn func(payout.Tx) error) error {
			return db.write(ctx, func(t tx) error { return fn(t) })
		}},
	} {
		for _, callers := range []int{1, 32} {
			b.Run(fmt.Sprintf("callers=%d/%s", callers, how.name), func(b *testing.B) {
				b.SetParallelism((callers + 1) / 2) // of two processors
				one := func() {
					if err := how.write(b.Context(), func(tx payout.Tx) error { return insert(b.Context(), tx) }); err != nil {
						b.Error(err)
					}
				}
				if callers == 1 {
					for b.Loop() {
						one()
					}
					return
				}
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						one()
					}
				})
			})
		}
	}
}
