package payouttest_test

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Calls that meet a fault are marked x.
func TestSelection(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		calls func(*payouttest.Sandbox) payouttest.Calls
		want  string
	}{
		"Next":              {func(s *payouttest.Sandbox) payouttest.Calls { return s.Next("getPayer") }, "x......."},
		"Times":             {func(s *payouttest.Sandbox) payouttest.Calls { return s.Next("getPayer").Times(3) }, "xxx....."},
		"After":             {func(s *payouttest.Sandbox) payouttest.Calls { return s.Next("getPayer").After(2) }, "..x....."},
		"After and Times":   {func(s *payouttest.Sandbox) payouttest.Calls { return s.Next().After(2).Times(2) }, "..xx...."},
		"Every":             {func(s *payouttest.Sandbox) payouttest.Calls { return s.Next("getPayer").Every(3) }, "..x....."},
		"Every and Times":   {func(s *payouttest.Sandbox) payouttest.Calls { return s.Next("getPayer").Times(2).Every(3) }, "..x..x.."},
		"All":               {func(s *payouttest.Sandbox) payouttest.Calls { return s.All("getPayer") }, "xxxxxxxx"},
		"All and After":     {func(s *payouttest.Sandbox) payouttest.Calls { return s.All("getPayer").After(5) }, ".....xxx"},
		"All and Every":     {func(s *payouttest.Sandbox) payouttest.Calls { return s.All().Every(2) }, ".x.x.x.x"},
		"After and Every":   {func(s *payouttest.Sandbox) payouttest.Calls { return s.All("getPayer").After(3).Every(2) }, "....x.x."},
		"Where":             {func(s *payouttest.Sandbox) payouttest.Calls { return s.All("getPayer").Where(isPayer(2)) }, ".x.x.x.x"},
		"Where and After":   {func(s *payouttest.Sandbox) payouttest.Calls { return s.Next().After(2).Where(isPayer(2)) }, ".....x.."},
		"Where twice":       {func(s *payouttest.Sandbox) payouttest.Calls { return s.All().Where(isRead).Where(isPayer(1)) }, "x.x.x.x."},
		"another operation": {func(s *payouttest.Sandbox) payouttest.Calls { return s.All("listBanks", "getUser") }, "........"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := payouttest.New(t, payouttest.Lenient())
			once := s.NewClient(client.WithRetries(0))
			row.calls(s).LoseRequest()
			var met strings.Builder
			for i := range len(row.want) {
				if _, err := once.GetPayer(t.Context(), int64(1+i%2)); err == nil || errors.Is(err, client.NotFound) {
					met.WriteByte('.')
				} else {
					met.WriteByte('x')
				}
			}
			if met.String() != row.want {
				t.Errorf("the calls met %s, want %s", met.String(), row.want)
			}
		})
	}
}

func isPayer(id int) func(payouttest.Request) bool {
	return func(r payouttest.Request) bool { return strings.HasSuffix(r.Path, "/"+strconv.Itoa(id)) }
}

func isRead(r payouttest.Request) bool { return r.Method == http.MethodGet }

// After counts calls even if they meet another fault, so that it does not matter which was set first.
func TestAfterCountsCallsThatMeetOtherFaults(t *testing.T) {
	t.Parallel()
	r := newReady(t)
	r.Next("getPayer").LoseRequest()
	r.Next("getPayer").After(1).LoseResponse()
	for range 3 {
		_, _ = r.once.GetPayer(t.Context(), servertest.CashPayer)
	}
	r.wantFaults(t, "LoseRequest", "LoseResponse", "")
}

func TestRemovedFaultIsOver(t *testing.T) {
	t.Parallel()
	r := newReady(t)
	outage := r.All("getPayer").LoseRequest()
	held := r.Next("getPayer").Times(5).After(2).Hold()
	for range 2 {
		_, _ = r.once.GetPayer(t.Context(), servertest.CashPayer)
	}
	outage.Remove()
	held.Release()
	_, _ = r.once.GetPayer(t.Context(), servertest.CashPayer)
	held.Remove()
	_, _ = r.once.GetPayer(t.Context(), servertest.CashPayer)
	r.wantFaults(t, "LoseRequest", "LoseRequest", "Hold", "")
}

// The function of Where may use the sandbox.
func TestWhereMayAskWhatHappened(t *testing.T) {
	t.Parallel()
	r := newReady(t)
	r.Next("getPayer").Where(func(payouttest.Request) bool { return len(r.Requests("listBanks")) > 0 }).LoseRequest()
	_, _ = r.once.GetPayer(t.Context(), servertest.CashPayer)
	_, _ = r.once.ListBanks(t.Context(), nil)
	_, _ = r.once.GetPayer(t.Context(), servertest.CashPayer)
	r.wantFaults(t, "", "", "LoseRequest")
}

// wantFaults fails the test unless the recorded requests met these faults.
func (r ready) wantFaults(t testing.TB, want ...string) {
	t.Helper()
	var got []string
	for _, seen := range r.Requests() {
		got = append(got, seen.Fault)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the calls met %q, want %q", got, want)
	}
}

func TestFaultsApplyInOrder(t *testing.T) {
	t.Parallel()
	r := newReady(t)
	r.Next("getUser", creation).Times(2).LoseRequest()
	r.Next("getPayer").LoseResponse()
	r.Next().CutResponse()
	ctx := t.Context()
	_, _ = r.once.ListBanks(ctx, nil)
	_, _ = r.once.GetPayer(ctx, servertest.CashPayer)
	_, _ = r.once.GetUser(ctx, r.sender.ID)
	_, _ = r.once.GetPayer(ctx, servertest.CashPayer)
	_, _ = r.once.CreateTransaction(ctx, r.sender.ID, r.payout)
	_, _ = r.once.GetUser(ctx, r.sender.ID)
	var faults []string
	for _, seen := range r.Requests() {
		faults = append(faults, seen.Operation+" "+seen.Fault)
	}
	if want := []string{
		"listBanks CutResponse", "getPayer LoseResponse", "getUser LoseRequest", "getPayer ", creation + " LoseRequest", "getUser ",
	}; !slices.Equal(faults, want) {
		t.Errorf("the calls met %q, want %q", faults, want)
	}
}

// Of concurrent calls exactly as many meet the fault as it was set for.
func TestFaultsUnderConcurrency(t *testing.T) {
	t.Parallel()
	const callers, faults = 40, 17
	r := newReady(t)
	r.Next("getPayer").Times(faults).Fail(client.InternalError)
	failed := make(chan error, callers)
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			if _, err := r.once.GetPayer(t.Context(), servertest.CashPayer); err != nil {
				failed <- err
			}
		})
	}
	all.Wait()
	if len(failed) != faults {
		t.Errorf("%d of %d calls failed, want %d", len(failed), callers, faults)
	}
	for range len(failed) {
		if err := <-failed; !errors.Is(err, client.InternalError) {
			t.Error(err)
		}
	}
}
