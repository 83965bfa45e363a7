package payout_test

import (
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// remaining checks what the sender may still send to Nepal; want is tier, day, month and year.
func (s *sender) remaining(t *testing.T, want ...int64) {
	t.Helper()
	l, err := s.w.Limits(t.Context(), s.w.acme, s.user.ID, "NP")
	ok(t, l, err)
	if got := []int64{int64(l.CurrentTier), l.Daily, l.Monthly, l.Annual}; !slices.Equal(got, want) || l.UserID != s.user.ID || l.Destination != "NP" {
		t.Errorf("tier and remaining limits %v, want %v", got, want)
	}
}

func tags(status payout.CIPStatus, names ...string) payout.Verification {
	v := payout.Verification{Tags: map[string]payout.CIPStatus{}}
	for _, name := range names {
		v.Tags[name] = status
	}
	return v
}

// D-17: the highest tier whose tags are all VERIFIED, up and down; what was used counts in every tier.
func TestTheTierFollowsTheTags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	s.remaining(t, 1, 100_00, 200_00, 300_00)
	s.sent(t, s.deposit("30.01"))
	s.remaining(t, 1, 69_99, 169_99, 269_99)

	w.verify(t, s.user, tags(payout.CIPVerified, "ID_DOC"))
	s.remaining(t, 1, 69_99, 169_99, 269_99)
	w.verify(t, s.user, tags(payout.CIPVerified, "OCCUPATION"))
	s.remaining(t, 2, 219_99, 469_99, 869_99)
	w.verify(t, s.user, tags(payout.CIPVerified, "MIDDLE_NAME"))
	s.remaining(t, 3, 569_99, 969_99, 1_469_99)
	s.sent(t, s.deposit("350"))
	s.remaining(t, 3, 219_99, 619_99, 1_119_99)
	for _, status := range []payout.CIPStatus{payout.CIPSubmit, payout.CIPReviewing, payout.CIPFailed, payout.CIPRequested} {
		w.verify(t, s.user, tags(status, "MIDDLE_NAME"))
		s.remaining(t, 2, 0, 119_99, 519_99) // never below 0
	}
	w.verify(t, s.user, tags(payout.CIPFailed, "ID_DOC"))
	s.remaining(t, 1, 0, 0, 0)
}

// Businesses have tags of their own.
func TestTheTierOfABusiness(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, business("US"))
	s.remaining(t, 1, 100_00, 200_00, 300_00)
	w.verify(t, s.user, tags(payout.CIPVerified, "EIN_DOC"))
	s.remaining(t, 2, 250_00, 500_00, 900_00)
	s.sent(t, s.deposit("250.01"))
	info, err := w.CIPInfo(t.Context(), w.acme, s.user.ID)
	if ok(t, info, err); info.Tags["SOURCE_OF_FUND"] != payout.CIPRequested || info.Tags["MIDDLE_NAME"] != "" {
		t.Errorf("tags %v", info.Tags)
	}
}

// Day, month and year are those of the clock in UTC, whatever its zone.
func TestLimitsRollOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kathmandu := time.FixedZone("", 5*3600+45*60)
	s := w.newSender(t, individual("US"))
	at := func(year int, month time.Month, day, hour, minute, second int) {
		w.clock.set(time.Date(year, month, day, hour, minute, second, 999_999_999, time.UTC).In(kathmandu))
	}
	at(2026, time.November, 29, 0, 0, 0)
	s.sent(t, s.deposit("10"))
	s.remaining(t, 1, 90_00, 190_00, 290_00)
	at(2026, time.November, 29, 23, 59, 59)
	s.remaining(t, 1, 90_00, 190_00, 290_00)
	at(2026, time.November, 30, 0, 0, 0)
	s.remaining(t, 1, 100_00, 190_00, 290_00)
	s.sent(t, s.deposit("20"))
	s.remaining(t, 1, 80_00, 170_00, 270_00)
	at(2026, time.November, 30, 23, 59, 59)
	s.remaining(t, 1, 80_00, 170_00, 270_00)
	at(2026, time.December, 1, 0, 0, 0)
	s.remaining(t, 1, 100_00, 200_00, 270_00)
	at(2026, time.December, 31, 23, 59, 59)
	s.sent(t, s.deposit("40"))
	s.remaining(t, 1, 60_00, 160_00, 230_00)
	at(2027, time.January, 1, 0, 0, 0)
	s.remaining(t, 1, 100_00, 200_00, 300_00)
	at(2026, time.November, 30, 12, 0, 0)
	s.remaining(t, 1, 80_00, 170_00, 230_00)
}

// Each destination, each sending currency, each user and each client has limits of its own; a fee does not count (D-35).
func TestWhatCountsTowardsALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, neighbour := w.newSender(t, individual("US")), w.newSender(t, individual("US"))
	n := s.deposit("10")
	n.FeeAmount = amount("1000")
	s.sent(t, n)
	s.remaining(t, 1, 90_00, 190_00, 290_00)
	neighbour.remaining(t, 1, 100_00, 200_00, 300_00)

	japan := w.receive(t, s.user, receiver("JP"))
	n = s.request(payout.ReceiveSide{Method: payout.CashPickup, PayerID: cashJP, ReceiveUserID: japan.ID})
	n.FromAmount, n.ExchangeRate, n.ToCurrency = amount("1000"), amount("100"), "JPY"
	s.sent(t, n)
	s.remaining(t, 1, 90_00, 190_00, 290_00)

	w.acme.Corridors = []payout.Corridor{{Country: "US", Currency: "KWD"}}
	s.remaining(t, 1, 100_00, 200_00, 300_00) // 10.000 KWD: the bounds of each currency are its own
	s.sent(t, s.deposit("1"))
	s.remaining(t, 1, 90_00, 190_00, 290_00)
	w.acme.Corridors = []payout.Corridor{{Country: "US", Currency: "USD"}}
	s.remaining(t, 1, 90_00, 190_00, 290_00)
}

// D-32: a user who cannot send is in no tier; a destination that is not enabled does not exist.
func TestLimitsOfAUserWhoCannotSend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mute := individual("US")
	mute.Sending = false
	for name, u := range map[string]payout.User{"without capability": w.register(t, mute), "sender": w.register(t, individual("KW"))} {
		if name == "sender" {
			w.acme.Corridors = w.acme.Corridors[:2]
		}
		l, err := w.Limits(t.Context(), w.acme, u.ID, "NP")
		if ok(t, l, err); l != (payout.Limits{UserID: u.ID, Destination: "NP"}) {
			t.Errorf("%s: %+v", name, l)
		}
	}
	s := w.newSender(t, individual("US"))
	for _, destination := range []string{"DE", "US", "XX", ""} {
		_, err := w.Limits(t.Context(), w.acme, s.user.ID, destination)
		refused(t, err, payout.CodeNotFound, "")
	}
	_, err := w.Limits(t.Context(), w.acme, "nobody", "NP")
	refused(t, err, payout.CodeNotFound, "")

	strict := tiers("USD")[1:] // below every tier
	w.acme.Destinations = []payout.Destination{{Country: "NP", Tiers: strict}}
	s.remaining(t, 0, 0, 0, 0)
	s.sent(t, s.deposit("1"))
	info, err := w.CIPInfo(t.Context(), w.acme, s.user.ID)
	if ok(t, info, err); info.Tags["ID_DOC"] != payout.CIPRequested || info.Tags["OCCUPATION"] != payout.CIPRequested || info.Tags["MIDDLE_NAME"] != "" {
		t.Errorf("tags %v", info.Tags)
	}
	s.sent(t, s.deposit("599"))
	_, err = s.send(t, s.deposit("0.01"))
	refused(t, err, payout.CodeLimitExceeded, "/from_amount")
}

// D-25: a transaction above the current tier is created, and requests the tags of the next tier that are absent or FAILED.
func TestATransactionAboveTheTierRequestsTags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for status, want := range map[payout.CIPStatus]payout.CIPStatus{
		"": payout.CIPRequested, payout.CIPFailed: payout.CIPRequested, payout.CIPSubmit: payout.CIPSubmit,
		payout.CIPReviewing: payout.CIPReviewing, payout.CIPVerified: payout.CIPVerified, payout.CIPRequested: payout.CIPRequested,
	} {
		s := w.newSender(t, individual("US"))
		before := map[string]payout.CIPStatus{}
		if status != "" {
			before = w.verify(t, s.user, tags(status, "ID_DOC")).Tags
		}
		s.sent(t, s.deposit("100"))
		info, err := w.CIPInfo(t.Context(), w.acme, s.user.ID)
		if ok(t, info, err); status != "" && !maps.Equal(info.Tags, before) {
			t.Errorf("within the limit %v became %v", before, info.Tags)
		}
		s.sent(t, s.deposit("0.01"))
		info, err = w.CIPInfo(t.Context(), w.acme, s.user.ID)
		if ok(t, info, err); info.Tags["ID_DOC"] != want || info.Tags["OCCUPATION"] != payout.CIPRequested ||
			info.Tags["MIDDLE_NAME"] != "" || info.Tags["EMAIL"] != payout.CIPSubmit || info.Status != payout.KYCVerified {
			t.Errorf("ID_DOC %q became %+v", status, info)
		}
		s.remaining(t, 1, 0, 99_99, 199_99)
	}
}

// Each of the three limits is one that a transaction may be above; the limit itself requests nothing.
func TestEachPeriodHasALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct {
		before int // transactions of 100.00
		step   func(time.Time) time.Time
	}{
		"day":   {0, nil},
		"month": {1, func(at time.Time) time.Time { return at.AddDate(0, 0, 1) }},
		"year":  {2, func(at time.Time) time.Time { return at.AddDate(0, 1, 0) }},
	} {
		w.clock.set(startOfTests)
		s := w.newSender(t, individual("US"))
		requested := func() bool {
			info, err := w.CIPInfo(t.Context(), w.acme, s.user.ID)
			return ok(t, info, err).Tags["ID_DOC"] == payout.CIPRequested
		}
		for range c.before {
			s.sent(t, s.deposit("100"))
			w.clock.set(c.step(w.clock.Now()))
		}
		s.sent(t, s.deposit("100"))
		if requested() {
			t.Errorf("%s: the limit itself requests tags", name)
		}
		if c.step != nil {
			w.clock.set(c.step(w.clock.Now()))
		}
		s.sent(t, s.deposit("0.01"))
		if !requested() {
			t.Errorf("%s: 0.01 above the limit requests no tags", name)
		}
	}
}

// D-17: an amount above the remaining limits of the highest tier is refused in every tier and leaves no trace; the limit
// itself is allowed.
func TestAboveTheHighestTierIsRefusedInEveryTier(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for tier, verified := range [][]string{nil, {"ID_DOC", "OCCUPATION"}, {"ID_DOC", "OCCUPATION", "MIDDLE_NAME"}} {
		s := w.newSender(t, individual("US"))
		w.verify(t, s.user, tags(payout.CIPVerified, verified...))
		beyond := func(amount string) {
			t.Helper()
			before := s.state(t)
			_, err := s.send(t, s.deposit(amount))
			refused(t, err, payout.CodeLimitExceeded, "/from_amount")
			if after := s.state(t); after != before {
				t.Errorf("tier %d: a refused transaction changed\n%s\nto\n%s", tier+1, before, after)
			}
		}
		w.clock.set(startOfTests)
		beyond("600.01") // the day
		s.sent(t, s.deposit("0.01"))
		beyond("600")
		s.sent(t, s.deposit("599.99"))
		beyond("0.01")
		w.clock.set(startOfTests.AddDate(0, 0, 1))
		beyond("400.01") // the month has 1,000.00
		s.sent(t, s.deposit("400"))
		beyond("0.01")
		w.clock.set(startOfTests.AddDate(0, 1, 0))
		beyond("500.01") // the year has 1,500.00
		s.sent(t, s.deposit("500"))
		w.clock.set(startOfTests.AddDate(0, 2, 0))
		beyond("0.01")
		w.clock.set(startOfTests.AddDate(1, 0, 0))
		s.sent(t, s.deposit("600"))
	}
	w.clock.set(startOfTests)
}

// Concurrent transactions never exceed the highest tier together, and as many are created as fit.
func TestConcurrentTransactionsDoNotExceedTheHighestTier(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	const tries, fit = 10, 6
	errs := make([]error, tries)
	var all sync.WaitGroup
	for i := range tries {
		all.Go(func() { _, errs[i] = s.create(t, s.deposit("100")) })
	}
	all.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
		} else {
			refused(t, err, payout.CodeLimitExceeded, "/from_amount")
		}
	}
	if done != fit {
		t.Errorf("%d of %d were created, want %d", done, tries, fit)
	}
	s.remaining(t, 1, 0, 0, 0)
	w.verify(t, s.user, tags(payout.CIPVerified, "ID_DOC", "OCCUPATION", "MIDDLE_NAME"))
	s.remaining(t, 3, 0, 400_00, 900_00)
	w.count(t)
}
