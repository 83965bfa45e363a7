//go:build linux

package failover

import (
	"context"
	"database/sql"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// files are the configuration of server/FAILOVER.md, of three hosts 10.0.0.11 to 13, replicas of payoutd on 10.0.1.1 and 2,
// and a load balancer on 10.0.2.1.
//
//go:embed config
var files embed.FS

// hosts are the names and the last bytes of the addresses of the database hosts.
var hosts = []host{{"pg1", "11"}, {"pg2", "12"}, {"pg3", "13"}}

type host struct{ name, last string }

// cluster is the cluster of the document, on addresses of the loopback network that no other run uses.
type cluster struct {
	*workshop
	programs map[string]string
	network  string // the first two bytes of all addresses
	subnet   int    // the third byte of the database hosts
	async    bool   // without synchronous replication
}

// startCluster returns when all three members run and one of them is the primary.
func startCluster(t *testing.T, w *workshop, programs map[string]string, async bool) *cluster {
	t.Helper()
	c := &cluster{
		workshop: w, programs: programs, network: fmt.Sprintf("127.%d", 1+rand.IntN(254)), subnet: 8 * rand.IntN(30), async: async,
	}
	for _, h := range hosts {
		c.startEtcd(t, h)
	}
	for _, h := range hosts {
		c.startPatroni(t, h)
	}
	c.settle(t, time.Minute)
	return c
}

// addresses replaces the networks of the document by those of a route.
func (c *cluster) addresses(text string, route int) string {
	at := func(offset int) string { return fmt.Sprintf("%s.%d.", c.network, c.subnet+offset) }
	return strings.NewReplacer("10.0.0.", at(0), "10.0.1.", at(1+2*route), "10.0.2.", at(2+2*route)).Replace(text)
}

// config returns a file of the document with the addresses and folders of this run.
func (c *cluster) config(t *testing.T, name string, route int) string {
	t.Helper()
	text, err := fs.ReadFile(files, "config/"+name)
	if err != nil {
		t.Fatal(err)
	}
	return c.addresses(string(text), route)
}

// environment returns the variables of a file, as systemd reads it.
func environment(text string) (variables []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			variables = append(variables, line)
		}
	}
	return variables
}

// of returns the variables of a file for the first host, for another one.
func (h host) of(variables []string) []string {
	for i, v := range variables {
		if !strings.HasPrefix(v, "ETCD_INITIAL_CLUSTER=") {
			variables[i] = strings.NewReplacer("=pg1", "="+h.name, ".11:", "."+h.last+":").Replace(v)
		}
	}
	return variables
}

// dir is the folder in which all programs of a host run.
func (c *cluster) dir(h host) string { return filepath.Join(c.workshop.dir, h.name) }

func (c *cluster) startEtcd(t *testing.T, h host) {
	t.Helper()
	dir := c.folder(t, h.name, "etcd")
	c.start(t, dir, h.name+"-etcd", append(h.of(environment(c.config(t, "etcd.env", 0))), "ETCD_DATA_DIR="+dir), c.programs["etcd"])
}

func (c *cluster) startPatroni(t *testing.T, h host) {
	t.Helper()
	dir := c.folder(t, h.name, "patroni")
	bin, err := pgtest.Programs()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(
		"/usr/lib/postgresql/15/bin", bin,
		"/var/lib/postgresql/15/payouts", filepath.Join(dir, "data"),
		"/var/lib/postgresql/payouts.pgpass", filepath.Join(dir, "pgpass"),
		"/var/run/postgresql", dir,
	).Replace(c.config(t, "patroni.yml", 0))
	if c.async {
		text = strings.NewReplacer("synchronous_mode: true", "synchronous_mode: false",
			"synchronous_mode_strict: true", "synchronous_mode_strict: false").Replace(text)
	}
	file := filepath.Join(dir, "config.yml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c.start(t, dir, h.name+"-patroni", h.of(environment(c.config(t, "patroni.env", 0))), c.programs["patroni"], file)
}

// patronictl runs a command of the document, on the first host.
func (c *cluster) patronictl(t *testing.T, command string) string {
	t.Helper()
	dir := filepath.Join(c.dir(hosts[0]), "patroni")
	out, err := c.run(t, dir, nil, c.programs["patronictl"], append([]string{"-c", filepath.Join(dir, "config.yml")}, strings.Fields(command)...)...)
	if err != nil {
		t.Fatalf("patronictl %s: %v: %s", command, err, out)
	}
	return out
}

// member is how Patroni describes one.
type member struct {
	Name  string `json:"name"`
	Role  string `json:"role"`
	State string `json:"state"`
	Lag   any    `json:"lag"`
}

// members asks any Patroni; nil if none responds.
func (c *cluster) members() []member {
	for _, h := range hosts {
		var answer struct{ Members []member }
		if c.ask(h, "/cluster", &answer) == http.StatusOK {
			return answer.Members
		}
	}
	return nil
}

// ask returns the status with which the Patroni of a host responds; 0 if it does not.
func (c *cluster) ask(h host, path string, into any) int {
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.addresses("http://10.0.0."+h.last+":8008"+path, 0), nil)
	if err != nil {
		return 0
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	if into != nil {
		if err := json.NewDecoder(response.Body).Decode(into); err != nil {
			return 0
		}
	}
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// primary returns the host that is the primary now.
func (c *cluster) primary() (host, bool) {
	for _, h := range hosts {
		if c.ask(h, "/primary", nil) == http.StatusOK {
			return h, true
		}
	}
	return host{}, false
}

// receivers are the processes that receive changes from a primary, of all hosts but one.
func (c *cluster) receivers(but host) (found []int) {
	for _, h := range hosts {
		for _, p := range processes(c.dir(h)) {
			if h != but && strings.Contains(p.command, "walreceiver") {
				found = append(found, p.id)
			}
		}
	}
	return found
}

// wholesome reports whether all members run, and one is the primary and, unless replication is asynchronous, one its
// synchronous standby, and all standbys receive changes.
func (c *cluster) wholesome() bool {
	if len(c.receivers(host{})) != len(hosts)-1 {
		return false
	}
	roles := map[string]int{}
	for _, m := range c.members() {
		if m.State == "running" || m.State == "streaming" {
			roles[m.Role]++
		}
	}
	if c.async {
		return roles["leader"] == 1 && roles["replica"] == len(hosts)-1
	}
	return roles["leader"] == 1 && roles["sync_standby"] >= 1 && roles["sync_standby"]+roles["replica"] == len(hosts)-1
}

// settle waits until the cluster is whole again, and returns its primary.
func (c *cluster) settle(t *testing.T, patience time.Duration) host {
	t.Helper()
	await(t, patience, func() string { return fmt.Sprintf("the cluster is not whole: %+v", c.members()) }, c.wholesome)
	h, ok := c.primary()
	if !ok {
		t.Fatal("there is no primary")
	}
	return h
}

// promoted waits until another host than this one is the primary, and returns it.
func (c *cluster) promoted(t *testing.T, before host) host {
	t.Helper()
	var after host
	await(t, time.Minute, func() string { return "no standby is promoted" }, func() bool {
		for _, h := range hosts {
			if h != before && c.ask(h, "/primary", nil) == http.StatusOK {
				after = h
				return true
			}
		}
		return false
	})
	return after
}

// await is servertest.Await with a slower pace and a late message.
func await(t *testing.T, patience time.Duration, otherwise func() string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); {
		if time.Now().After(end) {
			t.Fatalf("%s after %s", otherwise(), patience)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// open connects directly to the server of a host, as the superuser or as payoutd.
func (c *cluster) open(t *testing.T, h host, user, database string) *sql.DB {
	t.Helper()
	url := fmt.Sprintf("postgres://%s:secret-of-%[1]s@10.0.0.%s:5432/%s?connect_timeout=2", user, h.last, database)
	return servertest.Beside(t, c.addresses(url, 0))
}

// setUp runs the statements of the document on the primary.
func (c *cluster) setUp(t *testing.T, primary host) {
	t.Helper()
	db := c.open(t, primary, "postgres", "postgres")
	for statement := range strings.SplitSeq(c.config(t, "setup.sql", 0), ";\n") {
		if strings.TrimSpace(statement) != "" {
			servertest.Exec(t, db, statement)
		}
	}
}

// listening reports whether something accepts connections at an address.
func listening(address string) bool {
	connection, err := (&net.Dialer{Timeout: time.Second}).Dial("tcp", address)
	if err != nil {
		return false
	}
	return connection.Close() == nil
}
