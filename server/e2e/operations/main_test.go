package operations_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// TestMain prints a warning and runs nothing if PostgreSQL is required but missing; with CI=true it fails. It also fails if
// a status that the contract declares for an operation was never answered, unless the run is filtered.
func TestMain(m *testing.M) {
	if os.Getenv(servertest.EngineVariable) == "postgres" {
		if err := pgtest.Available(); err != nil {
			fmt.Fprintf(os.Stderr, "\n*** THE SERVICE IS NOT TESTED ON POSTGRESQL: install its server programs or set %s (%v) ***\n\n", pgtest.Variable, err)
			if os.Getenv("CI") == "true" {
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	code := m.Run()
	if code == 0 && isWholeRun() {
		missing, err := notReached()
		if err != nil {
			missing = append(missing, err.Error())
		}
		for _, pair := range missing {
			fmt.Fprintln(os.Stderr, "declared in the contract, answered in no test:", pair)
			code = 1
		}
	}
	os.Exit(code)
}

func isWholeRun() bool {
	for _, filter := range []string{"test.run", "test.skip", "test.list", "test.fuzz", "test.bench"} {
		if flag.Lookup(filter).Value.String() != "" {
			return false
		}
	}
	return true
}

// notReached lists the declared pairs of operation and status that no test has seen.
func notReached() ([]string, error) {
	rules, err := contract.Published()
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, op := range rules.Operations() {
		for _, status := range op.Statuses() {
			if !servertest.Reached(op.ID, status) {
				missing = append(missing, fmt.Sprintf("%s %d", op.ID, status))
			}
		}
	}
	return missing, nil
}
