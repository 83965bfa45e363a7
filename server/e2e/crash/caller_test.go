//go:build linux

package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

const (
	// callers is how many move payouts at the same time, and senders whose payouts they are.
	callers, senders = 12, 3
	// fileLines is how many payouts a file of the operator has.
	fileLines = 5
	// forget is the part of the calls without a known outcome that are not repeated: one of this many.
	forget = 2
)

// story is what callers were told of one resource: its states, as describe returns them.
type story struct {
	user   uuid.UUID
	key    string // of the creation of a payout, whose note it is too; empty: of another resource
	body   api.TransactionRequest
	id     uuid.UUID // zero: the creation has no known outcome
	states []string
	doubt  string // the next state, if the call that makes it has no known outcome
}

// history records what callers do.
type history struct {
	mu       sync.Mutex
	stories  []*story
	moves    int // acknowledged changes of a status
	failed   map[string]int
	wrong    []string
	files    int // that an operator has applied
	commands int // of an operator, repeats included
}

func (h *history) tell(s *story) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stories = append(h.stories, s)
}

func (h *history) problem(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wrong = append(h.wrong, fmt.Sprintf(format, args...))
}

// moved notes an acknowledged change.
func (h *history) moved(s *story, state string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.states, s.doubt = append(s.states, state), ""
	h.moves++
}

func (h *history) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.moves
}

// sdk returns a client of a replica that counts failed attempts.
func sdk(t *testing.T, url string, h *history) *client.Client {
	t.Helper()
	c, err := client.New(url, server.SandboxClients[0].ID, server.SandboxClients[0].Secret,
		client.WithBackoff(20*time.Millisecond, 300*time.Millisecond),
		client.WithHooks(client.Hooks{Response: func(_ context.Context, a client.Attempt) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if a.Err != nil {
				h.failed[strings.TrimSpace(fmt.Sprint(a.Status, " ", a.Code))]++
			}
		}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// caller makes payouts and moves them along.
type caller struct {
	*history
	replicas []*client.Client
	sender   servertest.Sender
	receiver servertest.Receiver
	name     string
	random   *rand.Rand
	loyal    bool // repeats every call
	payouts  int
}

// any returns a client of one of the replicas.
func (c *caller) any() *client.Client { return c.replicas[c.random.IntN(len(c.replicas))] }

// until repeats a call until its outcome is known. It returns false if the call failed, or if its outcome is to stay unknown.
func (c *caller) until(ctx context.Context, what string, call func(context.Context, *client.Client) error) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		err := call(ctx, c.any())
		if err == nil {
			return true
		}
		e, ok := errors.AsType[*client.Error](err)
		if !ok || ctx.Err() != nil || !e.OutcomeUnknown() && !e.Temporary() {
			c.problem("%s: %s: %v", c.name, what, err)
			return false
		}
		if e.OutcomeUnknown() && !c.loyal && c.random.IntN(forget) == 0 {
			return false
		}
		<-time.After(100 * time.Millisecond)
	}
}

// create makes a payout, and returns nil if its outcome is unknown.
func (c *caller) create(ctx context.Context, cash bool) *story {
	c.payouts++
	s := &story{user: c.sender.ID, key: fmt.Sprintf("%s-%d", c.name, c.payouts)}
	s.body = api.TransactionRequest{
		FromAmount: client.MustAmount(servertest.Dollars(int64(1 + c.random.IntN(150)))), FromCurrency: servertest.SenderCurrency,
		FromFundID: c.sender.Fund, ToCurrency: servertest.DestinationCurrency, ExchangeRate: client.MustAmount("132.25"),
		To: client.BankDeposit(c.receiver.ID, c.receiver.Bank), Note: new(s.key),
	}
	if cash {
		s.body.To = client.CashPickup(c.receiver.ID, servertest.CashPayer)
	}
	c.tell(s)
	var created *api.Transaction
	if !c.until(ctx, "create", func(ctx context.Context, r *client.Client) (err error) {
		created, err = r.CreateTransaction(ctx, s.user, s.body, client.IdempotencyKey(s.key))
		return err
	}) {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s.id, s.states = created.ID, []string{describe(*created)}
	return s
}

// describe returns the state of a transaction.
func describe(x api.Transaction) string {
	state := string(x.Status) + " " + string(x.DeliveryStatus)
	if x.StatusReason != nil {
		state += " " + string(*x.StatusReason)
	}
	return state
}

// ways are the ways of a payout after INITIATED. Those with READY_FOR_PICKUP are of cash.
var ways = [][]string{
	{"CANCELED NONE"},
	{"PROCESSING PENDING", "COMPLETED DELIVERED"},
	{"PROCESSING PENDING", "FAILED FAILED ACCOUNT_INVALID"},                            //nolint:dupword // two statuses
	{"PROCESSING PENDING", "COMPLETED DELIVERED", "RETURNED RETURNED PAYOUT_RETURNED"}, //nolint:dupword // two statuses
	{"PROCESSING PENDING", "PROCESSING READY_FOR_PICKUP", "COMPLETED DELIVERED"},
	{"PROCESSING PENDING", "PROCESSING READY_FOR_PICKUP", "FAILED FAILED NOT_COLLECTED"}, //nolint:dupword // two statuses
}

// work pays until enough changes were acknowledged.
func (c *caller) work(ctx context.Context, enough int) {
	for c.count() < enough && ctx.Err() == nil {
		way := ways[c.random.IntN(len(ways))]
		s := c.create(ctx, len(way) == 3 && strings.Contains(way[1], "READY"))
		if s == nil {
			continue
		}
		for _, state := range way {
			if !c.move(ctx, s, state) {
				break
			}
		}
	}
}

// move makes a payout what state says, and reports whether it is known to be.
func (c *caller) move(ctx context.Context, s *story, state string) bool {
	s.doubt = state
	parts := strings.Fields(state)
	request := api.TransactionMoveRequest{Status: api.TransactionStatus(parts[0]), DeliveryStatus: new(api.DeliveryStatus(parts[1]))}
	if len(parts) > 2 {
		request.StatusReason = new(api.StatusReason(parts[2]))
	}
	cancel := parts[0] == "CANCELED" && c.random.IntN(2) == 0
	var now *api.Transaction
	if !c.until(ctx, "move to "+state, func(ctx context.Context, r *client.Client) (err error) {
		if cancel {
			now, err = r.CancelTransaction(ctx, s.user, s.id)
			return err
		}
		now, err = r.SetTransactionStatus(ctx, s.user, s.id, request)
		return err
	}) {
		return false
	}
	if got := describe(*now); got != state {
		c.problem("%s: moved to %q, it is %q", c.name, state, got)
	}
	c.moved(s, state)
	return true
}

// switching changes the status of a funding account and of a user, each back and forth, while others work.
func (c *caller) switching(ctx context.Context, enough int) {
	account := &story{user: c.sender.ID, id: c.sender.Fund, states: []string{"ACTIVE"}}
	user := &story{user: c.sender.ID, id: c.sender.ID, states: []string{"VERIFIED"}}
	c.tell(account)
	c.tell(user)
	toggle := func(s *story, states [2]string, set func(context.Context, *client.Client, string) error) {
		next := states[len(s.states)%2]
		s.doubt = next
		if c.until(ctx, "set "+next, func(ctx context.Context, r *client.Client) error { return set(ctx, r, next) }) {
			c.moved(s, next)
		}
	}
	for c.count() < enough && ctx.Err() == nil {
		toggle(account, [2]string{"ACTIVE", "INACTIVE"}, func(ctx context.Context, r *client.Client, next string) error {
			_, err := r.SetFundingAccountStatus(ctx, c.sender.ID, c.sender.Fund, api.FundingAccountStatus(next))
			return err
		})
		toggle(user, [2]string{"VERIFIED", "SUSPENDED"}, func(ctx context.Context, r *client.Client, next string) error {
			_, err := r.SetVerification(ctx, c.sender.ID, api.VerificationRequest{KycStatus: new(api.KycStatus(next))})
			return err
		})
	}
}

// operate releases and settles payouts by files, with commands of which some are killed and all are run until they succeed.
func (c *caller) operate(ctx context.Context, t *testing.T, p program, enough int) {
	t.Helper()
	dir := t.TempDir()
	settled := []string{"COMPLETED DELIVERED", "FAILED FAILED OTHER", "PROCESSING READY_FOR_PICKUP"} //nolint:dupword // two statuses
	for n := 0; c.count() < enough && ctx.Err() == nil; n++ {
		var all []*story
		release, settle := []string{"client_id,transaction_id,status,status_reason"}, []string{"client_id,transaction_id,status,status_reason"}
		var states []string
		for i := range fileLines {
			s := c.create(ctx, i%3 == 2)
			if s == nil {
				continue
			}
			state := settled[i%3]
			parts := append(strings.Fields(state), "")
			if parts[1] == "READY_FOR_PICKUP" {
				parts[0] = parts[1]
			}
			line := server.SandboxClients[0].ID + "," + s.id.String() + ","
			all, states = append(all, s), append(states, state)
			release, settle = append(release, line+","), append(settle, line+parts[0]+","+parts[2])
		}
		if !c.apply(t, p, "release", filepath.Join(dir, fmt.Sprint(n, "r.csv")), release, all, func(int) string { return "PROCESSING PENDING" }) ||
			!c.apply(t, p, "settle", filepath.Join(dir, fmt.Sprint(n, "s.csv")), settle, all, func(i int) string { return states[i] }) {
			return
		}
	}
}

// apply applies a file, and notes the states that it makes.
func (c *caller) apply(t *testing.T, p program, direction, file string, lines []string, all []*story, state func(int) string) bool {
	t.Helper()
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Error(err)
		return false
	}
	c.mu.Lock()
	for i, s := range all {
		s.doubt = state(i)
	}
	c.mu.Unlock()
	for end := time.Now().Add(2 * time.Minute); ; {
		cmd := p.command("transactions", direction, file)
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Error(err)
			return false
		}
		killed := c.random.IntN(3) == 0
		if killed {
			kill := time.AfterFunc(time.Duration(c.random.IntN(300))*time.Millisecond, func() { _ = cmd.Process.Kill() })
			defer kill.Stop()
		}
		err := cmd.Wait()
		c.mu.Lock()
		c.commands++
		c.mu.Unlock()
		if err == nil {
			break
		}
		if code := cmd.ProcessState.ExitCode(); code != 1 && !killed || time.Now().After(end) {
			c.problem("%s: exit code %d: %s", direction, code, out.String())
			return false
		}
	}
	for i, s := range all {
		c.moved(s, state(i))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files++
	return true
}
