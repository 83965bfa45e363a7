package servertest

import (
	"database/sql"
	"fmt"
	"maps"
	"testing"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// Dollars returns an amount in USD, with decimals.
func Dollars(cents int64) string { return payout.Major(cents, "USD").String() }

// The tags of the sandbox's tiers for an individual user.
var (
	MiddleTier = []string{"ID_DOC", "DATE_OF_BIRTH", "ADDRESS_LINE1"}
	TopTier    = []string{"ID_DOC", "DATE_OF_BIRTH", "ADDRESS_LINE1", "OCCUPATION"}
)

// VerifyTags sets tags to VERIFIED.
func VerifyTags(t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID, tags ...string) {
	t.Helper()
	all := map[string]api.CipStatus{}
	for _, tag := range tags {
		all[tag] = api.CipStatusVerified
	}
	SetTags(t, c, user, all)
}

// SetTags sets the statuses of CIP tags.
func SetTags(t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID, tags map[string]api.CipStatus) {
	t.Helper()
	r, err := c.SetVerificationWithResponse(t.Context(), user, api.VerificationRequest{CipInfo: tags})
	OK(t, r.StatusCode(), r.Body, r.JSON200, err)
}

// Limit returns the remaining limit for a destination as "tier: daily monthly annual".
func Limit(t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID, destination string) string {
	t.Helper()
	r, err := c.GetTransactionLimitWithResponse(t.Context(), user, &api.GetTransactionLimitParams{Destination: destination})
	l := OK(t, r.StatusCode(), r.Body, r.JSON200, err)
	if l.Country != destination || l.UserID != user {
		t.Errorf("limit of user %s for %s: %s", user, destination, r.Body)
	}
	return fmt.Sprintf("%d: %s %s %s", l.CurrentTier, l.RemainingLimit.DailyLimit, l.RemainingLimit.MonthlyLimit, l.RemainingLimit.AnnualLimit)
}

// WantLimit fails the test unless Limit returns want.
func WantLimit(t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID, destination, want string) {
	t.Helper()
	if got := Limit(t, c, user, destination); got != want {
		t.Errorf("limit for %s is %s, want %s", destination, got, want)
	}
}

// Tags returns the CIP tags of a user.
func Tags(t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID) map[string]api.CipStatus {
	t.Helper()
	r, err := c.GetCipInfoWithResponse(t.Context(), user)
	return OK(t, r.StatusCode(), r.Body, r.JSON200, err).CipInfo
}

// WantExactUsage fails the test unless every counter of a limit is the sum of the transactions that count: all but those that
// are CANCELED, FAILED or RETURNED.
func WantExactUsage(t testing.TB, db *sql.DB) {
	t.Helper()
	type counter struct{ client, user, destination, currency, period string }
	sums, counters := map[counter]int64{}, map[counter]int64{}
	Rows(t, db, `select client_id, user_id, destination, from_currency, created_at,
		case when status in ('CANCELED', 'FAILED', 'RETURNED') then 0 else from_amount end from transactions`, func(rows *sql.Rows) error {
		var c counter
		var at, amount int64
		err := rows.Scan(&c.client, &c.user, &c.destination, &c.currency, &at, &amount)
		day, month, year := payout.UsageKey{At: time.UnixMicro(at)}.Periods()
		for _, c.period = range []string{day, month, year} {
			sums[c] += amount
		}
		return err
	})
	Rows(t, db, `select client_id, user_id, destination, currency, period, used from limit_usage`, func(rows *sql.Rows) error {
		var c counter
		var used int64
		err := rows.Scan(&c.client, &c.user, &c.destination, &c.currency, &c.period, &used)
		counters[c] = used
		return err
	})
	if !maps.Equal(sums, counters) {
		t.Errorf("the transactions sum up to %v\nand the counters are %v", sums, counters)
	}
}

// State is everything that a transaction changes for a reader: limits, tags and transactions.
func State(t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID) string {
	t.Helper()
	limit, err := c.GetTransactionLimitWithResponse(t.Context(), user, &api.GetTransactionLimitParams{Destination: "NP"})
	OK(t, limit.StatusCode(), limit.Body, limit.JSON200, err)
	tags, err := c.GetCipInfoWithResponse(t.Context(), user)
	OK(t, tags.StatusCode(), tags.Body, tags.JSON200, err)
	list, err := c.ListTransactionsWithResponse(t.Context(), user, &api.ListTransactionsParams{})
	OK(t, list.StatusCode(), list.Body, list.JSON200, err)
	return string(limit.Body) + string(tags.Body) + string(list.Body)
}
