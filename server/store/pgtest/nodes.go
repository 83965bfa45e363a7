package pgtest

import (
	"fmt"
	"os"
	"testing"
)

// CitusProgramsVariable names the folder of the programs of a PostgreSQL that has Citus: tests that halt nodes start their own.
const CitusProgramsVariable = "PAYOUTD_TEST_CITUS_PROGRAMS"

// Nodes starts a Citus cluster for one test, which may halt its nodes: the coordinator and two workers, whose database postgres has
// the extension. Settings are those of Start, for each node. Without CitusProgramsVariable the test is skipped with a warning.
func Nodes(t testing.TB, settings ...string) (coordinator *Cluster, workers [2]*Cluster) {
	t.Helper()
	bin := os.Getenv(CitusProgramsVariable)
	if bin == "" {
		skip(t, fmt.Sprintf("THIS TEST NEEDS CITUS: set %s to the folder of its PostgreSQL programs", CitusProgramsVariable))
	}
	node := func() *Cluster {
		c, err := startWith(bin, os.TempDir(), append([]string{
			"shared_preload_libraries=citus", "max_prepared_transactions=300", "citus.shard_count=4", "citus.enable_statistics_collection=off",
		}, settings...)...)
		if err != nil {
			t.Fatal(err)
		}
		stopAtEnd(t, c)
		execute(t, connected(t, c.URL), `create extension citus`)
		return c
	}
	coordinator, workers = node(), [2]*Cluster{node(), node()}
	add := []string{fmt.Sprintf(`select citus_set_coordinator_host('%s', %s)`, coordinator.Dir, coordinator.port)} // by their sockets
	for _, w := range workers {
		add = append(add, fmt.Sprintf(`select citus_add_node('%s', %s)`, w.Dir, w.port))
	}
	execute(t, connected(t, coordinator.URL), add...)
	return coordinator, workers
}
