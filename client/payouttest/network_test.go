package payouttest_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// A lost request or response looks like a failure of the network, and is one failed attempt, also of a call that reads.
func TestLossLooksLikeAFailureOfTheNetwork(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		set  func(payouttest.Calls) *payouttest.Fault
		want error
	}{
		"LoseRequest":        {payouttest.Calls.LoseRequest, io.EOF},
		"LoseResponse":       {payouttest.Calls.LoseResponse, io.EOF},
		"CutResponse":        {payouttest.Calls.CutResponse, io.ErrUnexpectedEOF},
		"Reset LoseRequest":  {func(c payouttest.Calls) *payouttest.Fault { return c.Reset().LoseRequest() }, errReset},
		"Reset LoseResponse": {func(c payouttest.Calls) *payouttest.Fault { return c.Reset().LoseResponse() }, errReset},
		"Reset CutResponse":  {func(c payouttest.Calls) *payouttest.Fault { return c.Reset().CutResponse() }, errReset},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReady(t)
			calls := map[string]func(...client.CallOption) error{
				"getPayer": func(o ...client.CallOption) error {
					_, err := r.once.GetPayer(t.Context(), servertest.CashPayer, o...)
					return err
				},
				"listBanks": func(o ...client.CallOption) error {
					_, err := r.once.ListBanks(t.Context(), nil, o...)
					return err
				},
				creation: func(o ...client.CallOption) error {
					_, err := r.once.CreateTransaction(t.Context(), r.sender.ID, r.payout, o...)
					return err
				},
			}
			for operation, call := range calls {
				if err := call(); err != nil { // so that a connection could be one that was used before
					t.Fatal(err)
				}
				row.set(r.Next(operation))
				var info client.Info
				if err := call(client.CaptureInfo(&info)); !errors.Is(err, row.want) {
					t.Errorf("%s ended with %v, want %v", operation, err, row.want)
				}
				if n := len(r.Requests(operation)); info.Attempts != 1 || n != 2 {
					t.Errorf("%s: %d attempts, %d requests, want 1 and 2", operation, info.Attempts, n)
				}
			}
		})
	}
}

// The transport of net/http, without the SDK, repeats nothing by itself either, though it knows the key.
func TestLossIsOneRequestOfNetHTTP(t *testing.T) {
	t.Parallel()
	s := payouttest.New(t)
	web := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(web.CloseIdleConnections)
	call := func() error {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/users", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Idempotency-Key", "key")
		resp, err := web.Do(r)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		return err
	}
	if err := call(); err != nil {
		t.Fatal(err)
	}
	s.Next("createUser").LoseRequest()
	s.Next("createUser").Reset().LoseResponse()
	for _, want := range []error{io.EOF, errReset} {
		if err := call(); !errors.Is(err, want) {
			t.Errorf("ended with %v, want %v", err, want)
		}
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}
