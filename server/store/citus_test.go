package store_test

import (
	"testing"

	"github.com/crossborder-payouts/payouts/server/store"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
	"github.com/crossborder-payouts/payouts/server/store/storetest"
)

// distributed returns the URL of an empty database that is distributed.
func distributed(t *testing.T) string {
	t.Helper()
	url := pgtest.Citus(t)
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Distribute(t.Context()); err != nil {
		t.Fatal(err)
	}
	return url
}

func TestCitusIsAStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Database {
		t.Helper()
		s, beside := openPostgres(t, distributed(t))
		return storetest.Database{Store: s, SQL: beside, Nodes: true}
	})
}
