package plans_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

const (
	growthTurns   = 7
	growthCallers = 8
	growthEach    = 100 // transactions of each caller in each turn
)

// BenchmarkGrowth compares the time of a transaction in a database with many rows with that in an empty one, in turns, and that
// of the last page of a user's transactions with that of the first.
func BenchmarkGrowth(b *testing.B) {
	servertest.NeedPostgreSQL(b)
	// PostgreSQL with memory for its rows, as in production.
	cluster := pgtest.Private(b, "shared_buffers=1GB", "max_wal_size=8GB", "checkpoint_timeout=1h")
	db := servertest.Beside(b, cluster.URL)
	serve := func(database string) *servertest.Server {
		return servertest.New(b, func(c *server.Config) { c.Database, c.ClientsFor, c.WebhooksOff = database, 10*time.Second, true })
	}
	servertest.Exec(b, db, `create database "empty"`) // in the same cluster, with its settings
	small, large := serve(strings.Replace(cluster.URL, "/postgres?", "/empty?", 1)), serve(cluster.URL)
	servertest.Exec(b, db, `set session_replication_role = replica`, `set work_mem = '256MB'`) // foreign keys are not checked
	fill(b, db)
	servertest.Exec(b, db, `vacuum analyze`, `checkpoint`)
	empty, full := newGrowing(b, small), newGrowing(b, large)
	var ratios []float64
	for range growthTurns {
		alone := empty.pay(b)
		ratios = append(ratios, float64(full.pay(b))/float64(alone))
	}
	report(b, "transaction", ratios)
	first, last := pages(b, full.server)
	ratios = nil
	for range growthTurns {
		start := read(b, full.server, first)
		ratios = append(ratios, float64(read(b, full.server, last))/float64(start))
	}
	report(b, "last-page", ratios)
}

func report(b *testing.B, name string, ratios []float64) {
	b.Helper()
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], name+"-ratio")
	b.Logf("%s: %.2f (%.2f to %.2f)", name, ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
}

// growing is a service with senders who pay.
type growing struct {
	server *servertest.Server
	paths  []string
	bodies [][]byte
}

func newGrowing(b *testing.B, s *servertest.Server) growing {
	b.Helper()
	servertest.LiftLimits(b, s)
	g := growing{server: s}
	for range growthCallers {
		sender := servertest.NewSender(b, s.Client)
		receiver := servertest.NewReceiver(b, s.Client, sender.ID)
		body, err := json.Marshal(servertest.Deposit(b, sender, receiver, "10"))
		if err != nil {
			b.Fatal(err)
		}
		g.paths, g.bodies = append(g.paths, servertest.TransactionsPath(sender)), append(g.bodies, body)
	}
	return g
}

// pay creates transactions of all senders at the same time.
func (g growing) pay(b *testing.B) time.Duration {
	b.Helper()
	began := time.Now()
	var all sync.WaitGroup
	for i, path := range g.paths {
		all.Go(func() {
			for range growthEach {
				if a := servertest.Call(b, g.server, http.MethodPost, path, g.bodies[i]); a.Status != http.StatusOK {
					b.Errorf("status %d: %s", a.Status, a.Body)
				}
			}
		})
	}
	all.Wait()
	return time.Since(began)
}

// read reads a page some times.
func read(b *testing.B, s *servertest.Server, path string) time.Duration {
	b.Helper()
	began := time.Now()
	for range growthEach {
		servertest.Get(b, s, path)
	}
	return time.Since(began)
}

// pages returns the paths of the first and of the last page of the user with most transactions.
func pages(b *testing.B, s *servertest.Server) (first, last string) {
	b.Helper()
	path := "/users/" + rowID(0) + "/transactions?limit=100"
	first, last = path, path
	for {
		var page api.TransactionPage
		if err := json.Unmarshal(servertest.Get(b, s, last), &page); err != nil {
			b.Fatal(err)
		}
		if page.NextCursor == nil || len(page.Items) < 100 {
			return first, last
		}
		next := fmt.Sprintf("%s&cursor=%s", path, *page.NextCursor)
		more := servertest.Get(b, s, next)
		if err := json.Unmarshal(more, &page); err != nil {
			b.Fatal(err)
		}
		if len(page.Items) < 100 { // the last full one is compared
			return first, last
		}
		last = next
	}
}
