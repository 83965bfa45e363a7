package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/reference"
	"github.com/crossborder-payouts/payouts/server/store"
)

// newHandler serves a database with one client, "acme" with the secret "secret", that may send to Nepal.
func newHandler(tb testing.TB, configure ...func(*Config)) http.Handler {
	tb.Helper()
	db, err := store.Open(tb.Context(), "sqlite:"+filepath.Join(tb.TempDir(), "payouts.db"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	client := payout.Client{ID: "acme", Destinations: []payout.Destination{{Country: "NP"}}}
	if err := db.PutClient(tb.Context(), client, payout.HashSecret("secret"), time.Now()); err != nil {
		tb.Fatal(err)
	}
	if err := db.PutReference(tb.Context(), store.Reference{Payers: reference.SamplePayers()}); err != nil {
		tb.Fatal(err)
	}
	rules, err := contract.Published()
	if err != nil {
		tb.Fatal(err)
	}
	c := Config{
		Service:  payout.NewService(payout.Config{Store: db, Country: reference.Country, Now: time.Now, NewID: func() string { return "" }, EventData: EventData}),
		Contract: rules, Logger: slog.New(slog.DiscardHandler), Ready: func(context.Context) error { return nil },
		NewID: func() string { return "request-1" }, Now: time.Now, Timeout: time.Minute,
	}
	for _, set := range configure {
		set(&c)
	}
	return New(c)
}
