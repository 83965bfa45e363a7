//go:build linux

package failover

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// route is one of the two ways of the document from payoutd to the primary: two replicas behind a load balancer of their
// own, and the database that they are given.
type route struct {
	*cluster
	name     string
	number   int
	database string
}

// startRoutes starts the replicas and load balancers of both ways.
func startRoutes(t *testing.T, c *cluster) []*route {
	t.Helper()
	var routes []*route
	for number, name := range []string{"haproxy", "hosts"} {
		r := &route{cluster: c, name: name, number: number}
		r.database = environment(c.config(t, "payoutd.env", number))[number]
		r.startBalancer(t)
		if number == 0 {
			await(t, 10*time.Second, func() string { return "HAProxy does not listen" }, func() bool {
				return listening(c.addresses("10.0.2.1:5432", number))
			})
		}
		for replica := 1; replica <= 2; replica++ {
			r.startReplica(t, replica)
		}
		await(t, 30*time.Second, func() string { return "payoutd is not ready: " + r.printed() }, func() bool {
			return ready(r.address(1)) && ready(r.address(2))
		})
		await(t, 10*time.Second, func() string { return "HAProxy finds no replica" }, func() bool {
			return ready(c.addresses("10.0.2.1:8080", number))
		})
		routes = append(routes, r)
	}
	return routes
}

func (r *route) startBalancer(t *testing.T) {
	t.Helper()
	dir := r.folder(t, "balancer-"+r.name)
	file := filepath.Join(dir, "haproxy.cfg")
	if err := os.WriteFile(file, []byte(r.config(t, "haproxy.cfg", r.number)), 0o644); err != nil {
		t.Fatal(err)
	}
	r.start(t, dir, "haproxy-"+r.name, nil, r.programs["haproxy"], "-db", "-f", file)
}

// replica is the folder in which a replica runs.
func (r *route) replica(number int) string {
	return filepath.Join(r.workshop.dir, fmt.Sprintf("payoutd-%s-%d", r.name, number))
}

func (r *route) address(replica int) string {
	return r.addresses(fmt.Sprintf("10.0.1.%d:8080", replica), r.number)
}

func (r *route) startReplica(t *testing.T, replica int) {
	t.Helper()
	dir := r.folder(t, filepath.Base(r.replica(replica)))
	// As payoutd.service: a new HAProxy takes every server for the primary until it has checked it, and payoutd ends then.
	r.start(t, dir, filepath.Base(dir), []string{r.database}, "sh", "-c", `while :; do "$@"; sleep 1; done`, "sh",
		r.programs["payoutd"], "serve", "--sandbox", "--listen="+r.address(replica), "--rate-limit=0")
}

// printed is what the replicas have printed.
func (r *route) printed() string {
	var all []byte
	for replica := 1; replica <= 2; replica++ {
		text, _ := os.ReadFile(filepath.Join(r.logs, filepath.Base(r.replica(replica))+".log"))
		all = append(all, text...)
	}
	return string(all)
}

// ready reports whether what listens at an address is.
func ready(address string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// url is where clients send their requests: the load balancer.
func (r *route) url() string { return "http://" + r.addresses("10.0.2.1:8080", r.number) }

// plain is a client that repeats nothing, for what is set up before the faults.
func (r *route) plain(t *testing.T) *api.ClientWithResponses {
	t.Helper()
	c, err := api.NewClientWithResponses(r.url(), api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-Client-Id", server.SandboxClients[0].ID)
		request.Header.Set("X-Client-Secret", server.SandboxClients[0].Secret)
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sdk is a client as a caller has it, but for its patience and shorter waits between its attempts.
func sdk(t *testing.T, url string, patience time.Duration, hooks client.Hooks) *client.Client {
	t.Helper()
	c, err := client.New(url, server.SandboxClients[0].ID, server.SandboxClients[0].Secret,
		client.WithTimeout(patience), client.WithBackoff(100*time.Millisecond, 500*time.Millisecond), client.WithHooks(hooks))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// newSender creates a sender with its own limits, and its receiver.
func (r *route) newSender(t *testing.T) (servertest.Sender, servertest.Receiver) {
	t.Helper()
	plain := r.plain(t)
	sender := servertest.NewSender(t, plain)
	return sender, servertest.NewReceiver(t, plain, sender.ID)
}
