package plans_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

const (
	growthTurns    = 7
	growthPayments = 640 // in each turn, by all callers together
	growthReads    = 100 // of a page in each turn
	growthPage     = 100 // entries
)

// ofClients is the shape of a service with so many transactions, a user for 10 of them, and a client for 100 users on average. As
// in life a few clients are big and most are small: among 1,000 clients the first sandbox client, the biggest, has a tenth of
// the users, the ten biggest have a fifth, and the smallest has some 30 users.
func ofClients(transactions int) shape {
	users, clients := transactions/10, transactions/1000
	client := fmt.Sprintf(`(cast(%d as bigint) * (V * V * V) / (cast(%[2]d as bigint) * %[2]d * %[2]d))`, clients, users)
	client = strings.ReplaceAll(client, "V", fmt.Sprintf(`(cast({user} as bigint) * %d %% %d)`, scatter, users))
	client = `(case ` + client + ` when 0 then 'sandbox' else 'client-' || ` + client + ` end)`
	return shape{transactions, users, clients, client, unmoved}
}

// unmoved are tables that payments and lists do not touch.
var unmoved = regexp.MustCompile(`^(webhook_(deliveries|attempts)|payout_file|audit_log)`)

// scatter has no divisor in common with a number of users, so that each user has another place among them.
const scatter = 7919

// clientOf returns what ofClients has in SQL.
func clientOf(user int, s shape) string {
	place := user * scatter % s.users
	if n := s.others * (place * place * place) / (s.users * s.users * s.users); n > 0 {
		return fmt.Sprintf("client-%d", n)
	}
	return server.SandboxClients[0].ID
}

// BenchmarkGrowth compares the time of a transaction in a database with many rows with that in one of 1,000 transactions, in
// turns, and that of the last page of a long list with that of the first.
func BenchmarkGrowth(b *testing.B) {
	transactions, _ := scale(b)
	urls := databases(b)
	small, large := newGrown(b, urls[0], ofClients(1000)), newGrown(b, urls[1], ofClients(transactions))

	s, biggest, second := large.server, server.SandboxClients[0], server.SandboxClients[1]
	compare(b, "last-page-of-transactions", newEnds(b, s, biggest.ID, biggest.Secret, "/users/"+rowID(0)+"/transactions", transactions/10))
	servertest.Exec(b, s.Beside(b), `insert into users (client_id, id, created_at, status, business, sending, country, profile, email,
			client_reference, request_id)
		select '`+second.ID+`', id, created_at, status, business, sending, country, profile, email, client_reference, request_id from users`,
		`analyze users`)
	compare(b, "last-page-of-users", newEnds(b, s, second.ID, second.Secret, "/users", transactions/10))

	large.meet(b)
	for _, callers := range []int{1, 32} {
		var ratios []float64
		for range growthTurns {
			before := small.pay(b, callers)
			ratios = append(ratios, float64(large.pay(b, callers))/float64(before))
		}
		report(b, fmt.Sprintf("transaction-of-%d-callers", callers), ratios)
	}
}

// databases returns the URLs of two databases on the engine of the tests. Those of PostgreSQL are in one server, which has all
// that is written in memory and makes no checkpoint meanwhile: else the first payment of a user would read pages from the disk,
// and write each as a whole. Neither waits for a disk, which would take most of the time in both.
func databases(b *testing.B) [2]string {
	b.Helper()
	if !servertest.OnPostgreSQL(b) {
		dir := b.TempDir()
		return [2]string{"sqlite:" + filepath.Join(dir, "small.db"), "sqlite:" + filepath.Join(dir, "large.db")}
	}
	cluster := pgtest.Private(b, "shared_buffers=4GB", "max_wal_size=16GB", "checkpoint_timeout=1h")
	servertest.Exec(b, servertest.Beside(b, cluster.URL), `create database small`)
	return [2]string{strings.Replace(cluster.URL, "/postgres?", "/small?", 1), cluster.URL}
}

// grown is a service with rows.
type grown struct {
	server *servertest.Server
	shape  shape
}

// newGrown starts a service and fills its database. All clients may send any amount, and have the secret of the first.
func newGrown(b *testing.B, url string, rows shape) grown {
	b.Helper()
	began := time.Now()
	s := servertest.New(b, func(c *server.Config) {
		start := c.Now()
		c.Database, c.ClientsFor, c.WebhooksOff = url, 5*time.Second, true
		c.Now = func() time.Time { return start.Add(time.Since(began)) } // clients are forgotten, as in production
	})
	s.HTTP = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}} // without the checks of the contract
	servertest.LiftLimits(b, s)
	db := servertest.Beside(b, url)
	settle := `analyze`
	if servertest.OnPostgreSQL(b) {
		servertest.Exec(b, db, `set session_replication_role = replica`, `set work_mem = '256MB'`) // foreign keys are not checked
		settle = `vacuum analyze`
	} else {
		servertest.Exec(b, db, `pragma synchronous = off`, `pragma cache_size = -1000000`)
	}
	fill(b, db, rows)
	servertest.Exec(b, db, `update clients set profile = (select profile from clients where id = 'sandbox') where id like 'client-%'`,
		`update client_secrets set hash = '`+payout.HashSecret(server.SandboxClients[0].Secret)+`' where client_id like 'client-%'`)
	servertest.Exec(b, db, settle)
	b.Logf("filled %d transactions in %s", rows.transactions, time.Since(began).Round(time.Second))
	return grown{s, rows}
}

// meet sends a request of each client, after which the service knows them all, as it does after its first minute.
func (g grown) meet(b *testing.B) {
	b.Helper()
	met := map[string]bool{}
	for user := range g.shape.users {
		id := clientOf(user, g.shape)
		if met[id] {
			continue
		}
		met[id] = true
		if a := servertest.Call(b, g.server, http.MethodGet, "/users?limit=1", nil, "X-Client-Id", id); a.Status != http.StatusOK {
			b.Fatalf("status %d: %s", a.Status, a.Body)
		}
	}
	b.Logf("%d clients", len(met))
}

// pay creates transactions of random users, and returns how long one takes: the median. No two callers pay as the same user,
// because they would wait for each other.
func (g grown) pay(b *testing.B, callers int) time.Duration {
	b.Helper()
	took := make([]time.Duration, growthPayments/callers*callers)
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for n := range growthPayments / callers {
				user := rand.IntN(g.shape.users/callers)*callers + caller
				id := rowID(user)
				body := fmt.Appendf(nil, `{"from_amount":10,"from_currency":"USD","exchange_rate":132.25,"to_currency":"NPR","from_fund_id":%q,
					"to":{"payout_method":"BANK_DEPOSIT","id":%[1]q,"fund_id":%[1]q}}`, id)
				began := time.Now()
				a := servertest.Call(b, g.server, http.MethodPost, "/users/"+id+"/transactions", body,
					"X-Client-Id", clientOf(user, g.shape), servertest.IdempotencyKey, uuid.NewString())
				took[n*callers+caller] = time.Since(began)
				if a.Status != http.StatusOK {
					b.Errorf("status %d: %s", a.Status, a.Body)
					return
				}
			}
		})
	}
	all.Wait()
	return median(took)
}

// ends are the first page of a list and the last, as the client of the list reads them.
type ends struct {
	read        func(path string) []byte
	first, last string
}

// newEnds reads all pages of a list, whose last is full.
func newEnds(b *testing.B, s *servertest.Server, client, secret, path string, entries int) ends {
	b.Helper()
	path = fmt.Sprintf("%s?limit=%d", path, growthPage)
	e := ends{first: path, last: path, read: func(path string) []byte {
		return servertest.OKBody(b, servertest.Call(b, s, http.MethodGet, path, nil, "X-Client-Id", client, "X-Client-Secret", secret))
	}}
	for n := growthPage; ; n += growthPage {
		var page struct {
			Items []json.RawMessage `json:"items"`
			Next  string            `json:"next_cursor"`
		}
		if err := json.Unmarshal(e.read(e.last), &page); err != nil {
			b.Fatal(err)
		}
		if len(page.Items) != growthPage || (page.Next == "") != (n == entries) {
			b.Fatalf("%d entries end at %d, next %q, want %d", len(page.Items), n, page.Next, entries)
		}
		if n == entries {
			return e
		}
		e.last = path + "&cursor=" + page.Next
	}
}

// compare reads the first page and the last in turns.
func compare(b *testing.B, name string, e ends) {
	b.Helper()
	var ratios []float64
	for range growthTurns {
		var first, last []time.Duration
		for range growthReads {
			began := time.Now()
			e.read(e.first)
			read := time.Now()
			e.read(e.last)
			first, last = append(first, read.Sub(began)), append(last, time.Since(read))
		}
		ratios = append(ratios, float64(median(last))/float64(median(first)))
	}
	report(b, name, ratios)
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

func report(b *testing.B, name string, ratios []float64) {
	b.Helper()
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], name+"-ratio")
	b.Logf("%s: %.2f (%.2f to %.2f)", name, ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
}
