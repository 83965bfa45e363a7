package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// load runs a sandbox on the database, in which two clients send from several goroutines on three days: with and without
// keys, with repeats, and above the limits of the lowest and the highest tier. It returns the number of transactions.
func load(t *testing.T, url string) (transactions int) {
	t.Helper()
	s := servertest.New(t, func(c *server.Config) { c.Database = url })
	defer s.Stop()
	var mu sync.Mutex
	ids := map[string]bool{}
	for _, client := range []*api.ClientWithResponses{s.Client, s.Other} {
		sender := servertest.NewSender(t, client)
		receiver := servertest.NewReceiver(t, client, sender.ID)
		for day := range 3 {
			s.Clock.Set(s.Clock.Now().AddDate(0, 0, 9))
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() {
					body := servertest.Deposit(t, sender, receiver, "300.25")
					if i%4 == 1 {
						body = servertest.Pickup(t, sender, receiver.ID, servertest.CashPayer, "300.25")
					}
					key := ""
					if i > 1 {
						key = fmt.Sprintf("key-%d-%d", day, i/4)
						body = servertest.Deposit(t, sender, receiver, fmt.Sprintf("10%d", i/4))
					}
					r := servertest.Send(t, client, sender.ID, key, body)
					created := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, nil)
					mu.Lock()
					defer mu.Unlock()
					ids[created.ID.String()] = true
				})
			}
			all.Wait()
		}
		tags := map[string]api.CipStatus{}
		for _, tag := range []string{"ID_DOC", "DATE_OF_BIRTH", "ADDRESS_LINE1", "OCCUPATION"} {
			tags[tag] = api.CipStatusVerified
		}
		r, err := client.SetVerificationWithResponse(t.Context(), sender.ID, api.VerificationRequest{CipInfo: tags})
		servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
		if r := servertest.Send(t, client, sender.ID, "refused", servertest.Deposit(t, sender, receiver, "25000")); r.StatusCode() != http.StatusUnprocessableEntity {
			t.Errorf("above the highest limit: %d", r.StatusCode())
		}
	}
	return len(ids)
}

// A real load leaves no differences; damage is reported line by line, or as JSON.
func TestCheck(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		if out := o.done(t, "check"); !strings.HasPrefix(out, "no differences: 0 clients, 0 users, ") {
			t.Error(out)
		}
		transactions := load(t, o.url)
		want := fmt.Sprintf("no differences: 2 clients, 2 users, 6 accounts, %d transactions, 0 documents, 12 keys, 12 counters and ", transactions)
		if out := o.done(t, "check"); !strings.HasPrefix(out, want) || strings.Count(out, "\n") != 1 {
			t.Errorf("printed %q, want %q", out, want)
		}
		if got := checkJSON(t, o.done(t, "check", "--json")); len(got.Differences) != 0 || got.Checked["transactions"] != transactions {
			t.Errorf("%+v", got)
		}

		o.damaged(t, `update limit_usage set used = used + 1 where period = '2026'`)
		o.damaged(t, `delete from payers where id = 1001`)
		code, out, errs := o.run(t, "check")
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		payers := strings.Count(out, ": its payer does not exist")
		if code != exitFailure || errs != fmt.Sprintf("payoutd: %d differences\n", len(lines)-1) || payers != 6 || len(lines) != 2+payers+1 ||
			!strings.HasPrefix(lines[len(lines)-1], fmt.Sprintf("%d differences: 2 clients, ", len(lines)-1)) {
			t.Errorf("code %d, said %q, printed\n%s", code, errs, out)
		}
		for _, line := range lines {
			for _, personal := range []string{"Asha", "Bina", "example.com", "Sample Road", "9779800000000", "0001234567"} {
				if strings.Contains(line, personal) {
					t.Errorf("%q holds personal data", line)
				}
			}
		}
		code, out, errs = o.run(t, "check", "--json")
		if got := checkJSON(t, out); code != exitFailure || len(got.Differences) != len(lines)-1 ||
			got.Checked["differences"] != len(lines)-1 || got.Differences[0]["client_id"] != "sandbox" ||
			got.Differences[0]["table"] != "transactions" || got.Differences[0]["problem"] != "its payer does not exist" {
			t.Errorf("code %d, said %q, %+v", code, errs, got)
		}
	})
}

// damaged changes the database directly.
func (o operator) damaged(t *testing.T, statement string) {
	t.Helper()
	driver, name := "pgx", o.url
	if file, ok := strings.CutPrefix(o.url, "sqlite:"); ok {
		driver, name = "sqlite", file
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), statement)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

type checkReport struct {
	Differences []map[string]string
	Checked     map[string]int
}

func checkJSON(t *testing.T, text string) checkReport {
	t.Helper()
	var report checkReport
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return report
}

func TestCheckNeedsTheNewestMigration(t *testing.T) {
	t.Parallel()
	o := withoutTables(t)
	o.refused(t, exitFailure, "migrations are pending; run payoutd migrate up", "check")
	o.refused(t, exitUsage, "unexpected argument all", "check", "all")
}
