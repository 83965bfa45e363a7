package server_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// The tags of the sandbox's tiers for an individual user.
var (
	limitMiddleTier = []string{"ID_DOC", "DATE_OF_BIRTH", "ADDRESS_LINE1"}
	limitTopTier    = []string{"ID_DOC", "DATE_OF_BIRTH", "ADDRESS_LINE1", "OCCUPATION"}
)

// limitVerify makes tags VERIFIED, the operator's part.
func limitVerify(t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID, tags ...string) {
	t.Helper()
	all := map[string]api.CipStatus{}
	for _, tag := range tags {
		all[tag] = api.CipStatusVerified
	}
	limitSetTags(t, c, user, all)
}

func limitSetTags(t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID, tags map[string]api.CipStatus) {
	t.Helper()
	r, err := c.SetVerificationWithResponse(t.Context(), user, api.VerificationRequest{CipInfo: tags})
	servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
}

// limitParse reads tags that are written as TAG=STATUS.
func limitParse(text string) map[string]api.CipStatus {
	tags := map[string]api.CipStatus{}
	for _, pair := range strings.Fields(text) {
		tag, status, _ := strings.Cut(pair, "=")
		tags[tag] = api.CipStatus(status)
	}
	return tags
}

// limitOf reads a limit as "tier: daily monthly annual".
func limitOf(t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID, destination string) string {
	t.Helper()
	r, err := c.GetTransactionLimitWithResponse(t.Context(), user, &api.GetTransactionLimitParams{Destination: destination})
	l := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
	if l.Country != destination || l.UserID != user {
		t.Errorf("limit of user %s for %s: %s", user, destination, r.Body)
	}
	return fmt.Sprintf("%d: %s %s %s", l.CurrentTier, l.RemainingLimit.DailyLimit, l.RemainingLimit.MonthlyLimit, l.RemainingLimit.AnnualLimit)
}

func limitIs(t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID, destination, want string) {
	t.Helper()
	if got := limitOf(t, c, user, destination); got != want {
		t.Errorf("limit for %s is %s, want %s", destination, got, want)
	}
}

// limitSend sends dollars to Nepal.
func limitSend(t testing.TB, w modeWorld, amount string) *api.CreateTransactionResponse {
	t.Helper()
	return servertest.Send(t, w.client, w.sender.ID, "", rulePickup(t, w.sender, w.users["NP"], servertest.CashPayer, amount, "1", "NPR"))
}

func limitTags(t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID) map[string]api.CipStatus {
	t.Helper()
	r, err := c.GetCipInfoWithResponse(t.Context(), user)
	return servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).CipInfo
}

// Section 2.8: what is left of a tier depends on the transactions of the UTC day, month and year (D-17).
func TestLimitPeriodsAreUTCDayMonthAndYear(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := modeNew(t, s, "US")
	at := func(text string) {
		now, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		s.Clock.Set(now)
	}
	for _, step := range []struct{ at, amount, want string }{
		{"2027-03-31T00:00:00Z", "100", "1: 900.00 2900.00 9900.00"},
		{"2027-03-31T23:59:59.999999Z", "0.01", "1: 899.99 2899.99 9899.99"},
		{"2027-03-31T23:59:59.999999999Z", "", "1: 899.99 2899.99 9899.99"}, // the store tells microseconds apart
		{"2027-04-01T00:00:00Z", "", "1: 1000.00 3000.00 9899.99"},
		{"2027-04-01T00:00:00Z", "200", "1: 800.00 2800.00 9699.99"},
		{"2027-04-02T00:00:00Z", "", "1: 1000.00 2800.00 9699.99"},
		{"2027-04-02T04:30:00+05:45", "", "1: 800.00 2800.00 9699.99"}, // in Nepal it is tomorrow already
		{"2027-04-02T04:30:00+05:45", "1", "1: 799.00 2799.00 9698.99"},
		{"2027-04-01T23:30:00-08:00", "1", "1: 999.00 2798.00 9697.99"}, // and in California still yesterday
		{"2027-04-01T12:00:00Z", "", "1: 799.00 2798.00 9697.99"},
		{"2027-12-31T23:59:59Z", "50", "1: 950.00 2950.00 9647.99"},
		{"2028-01-01T00:00:00Z", "", "1: 1000.00 3000.00 10000.00"},
		{"2028-02-28T12:00:00Z", "10", "1: 990.00 2990.00 9990.00"},
		{"2028-02-29T12:00:00Z", "20", "1: 980.00 2970.00 9970.00"}, // a leap day
		{"2028-03-01T00:00:00Z", "", "1: 1000.00 3000.00 9970.00"},
		{"2028-12-31T12:00:00Z", "5", "1: 995.00 2995.00 9965.00"}, // day 366
		{"2029-01-01T00:00:00Z", "", "1: 1000.00 3000.00 10000.00"},
		{"2029-12-31T23:59:59-01:00", "7", "1: 993.00 2993.00 9993.00"}, // 2030 in UTC
		{"2030-01-01T08:00:00Z", "", "1: 993.00 2993.00 9993.00"},
	} {
		at(step.at)
		if step.amount != "" {
			ruleCreated(t, limitSend(t, w, step.amount))
		}
		t.Run(step.at+" "+step.amount, func(t *testing.T) { limitIs(t, s.Client, w.sender.ID, "NP", step.want) })
	}
}

// Limits are of one user and one destination; the fee does not count (D-35), a refused transaction neither.
func TestLimitIsPerUserAndDestination(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w, other := modeNew(t, s, "US"), modeNew(t, s, "US")
	const untouched = "1: 1000.00 3000.00 10000.00"
	request := rulePickup(t, w.sender, w.users["NP"], servertest.CashPayer, "12.34", "1", "NPR")
	request.FeeAmount = servertest.Ptr(wire.MustAmount("500"))
	ruleCreated(t, servertest.Send(t, w.client, w.sender.ID, "", request))
	limitIs(t, s.Client, w.sender.ID, "NP", "1: 987.66 2987.66 9987.66")
	limitIs(t, s.Client, w.sender.ID, "JP", untouched)
	limitIs(t, s.Client, other.sender.ID, "NP", untouched)
	ruleCreated(t, servertest.Send(t, w.client, w.sender.ID, "",
		rulePickup(t, w.sender, w.users["JP"], servertest.CashPayerJapan, "0.66", "150", "JPY")))
	limitIs(t, s.Client, w.sender.ID, "JP", "1: 999.34 2999.34 9999.34")
	limitIs(t, s.Client, w.sender.ID, "NP", "1: 987.66 2987.66 9987.66")
	request.ToCurrency = "INR"
	ruleRefused(t, servertest.Send(t, w.client, w.sender.ID, "", request), api.ErrorCodeCurrencyNotSupported, "/to_currency")
	limitIs(t, s.Client, w.sender.ID, "NP", "1: 987.66 2987.66 9987.66")
	for _, destination := range []string{"DE", "US"} {
		r, err := s.Client.GetTransactionLimitWithResponse(t.Context(), w.sender.ID, &api.GetTransactionLimitParams{Destination: destination})
		if err != nil || r.StatusCode() != 404 {
			t.Errorf("limit for %s: status %d, error %v, want 404 (D-32)", destination, r.StatusCode(), err)
		}
	}
}

// A transaction above the limits of a tier is created, and exactly those tags become REQUESTED that the next tier requires
// and the user lacks: absent or FAILED (D-17, D-25). Within the limits nothing is requested.
func TestLimitAboveATierRequestsWhatTheNextOneNeeds(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for name, row := range map[string]struct{ before, after, within string }{
		"all absent": {"", "ID_DOC=REQUESTED DATE_OF_BIRTH=REQUESTED ADDRESS_LINE1=REQUESTED", "1000"},
		"some on their way": {
			"ID_DOC=REVIEWING DATE_OF_BIRTH=SUBMIT",
			"ID_DOC=REVIEWING DATE_OF_BIRTH=SUBMIT ADDRESS_LINE1=REQUESTED", "1000",
		},
		"one failed": {
			"ID_DOC=FAILED DATE_OF_BIRTH=VERIFIED",
			"ID_DOC=REQUESTED DATE_OF_BIRTH=VERIFIED ADDRESS_LINE1=REQUESTED", "1000",
		},
		"requested before": {
			"ID_DOC=REQUESTED", "ID_DOC=REQUESTED DATE_OF_BIRTH=REQUESTED ADDRESS_LINE1=REQUESTED", "1000",
		},
		"others that failed": {
			"GENDER=FAILED OCCUPATION=FAILED",
			"GENDER=FAILED OCCUPATION=FAILED ID_DOC=REQUESTED DATE_OF_BIRTH=REQUESTED ADDRESS_LINE1=REQUESTED", "1000",
		},
		"in the middle tier": {
			"ID_DOC=VERIFIED DATE_OF_BIRTH=VERIFIED ADDRESS_LINE1=VERIFIED",
			"ID_DOC=VERIFIED DATE_OF_BIRTH=VERIFIED ADDRESS_LINE1=VERIFIED OCCUPATION=REQUESTED", "5000",
		},
		"under review for the top": {
			"ID_DOC=VERIFIED DATE_OF_BIRTH=VERIFIED ADDRESS_LINE1=VERIFIED OCCUPATION=REVIEWING",
			"ID_DOC=VERIFIED DATE_OF_BIRTH=VERIFIED ADDRESS_LINE1=VERIFIED OCCUPATION=REVIEWING", "5000",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := modeNew(t, s, "US")
			limitSetTags(t, s.Client, w.sender.ID, limitParse(row.before))
			const submitted = "FIRST_NAME=SUBMIT EMAIL=SUBMIT COUNTRY=SUBMIT "
			before, after := limitParse(submitted+row.before), limitParse(submitted+row.after)
			ruleCreated(t, limitSend(t, w, row.within)) // exactly what is left
			if got := limitTags(t, s.Client, w.sender.ID); !maps.Equal(got, before) {
				t.Errorf("within the limit, tags are %v, want %v", got, before)
			}
			ruleCreated(t, limitSend(t, w, "0.01"))
			if got := limitTags(t, s.Client, w.sender.ID); !maps.Equal(got, after) {
				t.Errorf("above the limit, tags are %v, want %v", got, after)
			}
			if used := limitOf(t, s.Client, w.sender.ID, "NP"); used != "1: 0.00 1999.99 8999.99" && used != "2: 0.00 9999.99 54999.99" {
				t.Errorf("above the limit, it is %s", used) // daily never below 0
			}
		})
	}
}

// A user is in the highest tier whose tags are all VERIFIED; businesses have tags of their own. What was used stays used.
func TestLimitTierRisesWithVerifiedTags(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for name, row := range map[string]struct {
		business bool
		tags     [2][]string // of the second and of the third tier
	}{
		"individual": {false, [2][]string{limitMiddleTier, {"OCCUPATION"}}},
		"business":   {true, [2][]string{{"EIN_DOC", "EIN_NUMBER", "COMPANY_TYPE"}, {"CERTIFICATE_OF_INCORPORATION", "SOURCE_OF_FUND"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := s.Client.CreateUserWithResponse(t.Context(), nil, api.UserRequest{
				FirstName: "A", Email: "a@example.com", Country: "US", Type: servertest.Ptr(api.UserTypeSend), Business: &row.business,
			})
			user := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).ID
			servertest.Verify(t, s.Client, user, api.KycStatusVerified)
			fund := servertest.NewFundingAccount(t, s.Client, user, api.FundingAccountStatusActive)
			w := modeWorld{s.Client, servertest.Sender{ID: user, Fund: fund}, map[string]openapi_types.UUID{
				"NP": servertest.NewReceiveUser(t, s.Client, user, "NP"),
			}}
			ruleCreated(t, limitSend(t, w, "4000")) // above the first tier
			limitIs(t, s.Client, user, "NP", "1: 0.00 0.00 6000.00")
			for tier, left := range []string{"2: 1000.00 11000.00 56000.00", "3: 16000.00 56000.00 246000.00"} {
				for _, tag := range row.tags[tier] {
					if got := limitOf(t, s.Client, user, "NP"); got[0] != byte('1'+tier) {
						t.Errorf("without %s the limit is %s", tag, got)
					}
					limitVerify(t, s.Client, user, tag)
				}
				limitIs(t, s.Client, user, "NP", left)
			}
			limitIs(t, s.Client, user, "KW", "3: 20000.00 60000.00 250000.00") // tags are of the user, use is of a destination
			limitSetTags(t, s.Client, user, map[string]api.CipStatus{row.tags[0][0]: api.CipStatusFailed})
			limitIs(t, s.Client, user, "NP", "1: 0.00 0.00 6000.00")
		})
	}
}

// In the highest tier exactly the remainder is accepted and one cent more refused, for the day, the month and the year.
func TestLimitHoldsInTheHighestTier(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := modeNew(t, s, "US")
	limitVerify(t, s.Client, w.sender.ID, limitTopTier...)
	day := time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC)
	use := func(month time.Month, date int, left string) {
		s.Clock.Set(time.Date(2027, month, date, 12, 0, 0, 0, time.UTC))
		above := wire.MustAmount(left).Decimal()
		cent := wire.MustAmount("0.01").Decimal()
		more, err := above.Add(cent)
		if err != nil {
			t.Fatal(err)
		}
		before := ruleState(t, s.Client, w.sender.ID)
		ruleRefused(t, limitSend(t, w, more.String()), api.ErrorCodeLimitExceeded, "/from_amount")
		if after := ruleState(t, s.Client, w.sender.ID); after != before {
			t.Errorf("the refusal changed\n%s\nto\n%s", before, after)
		}
		ruleCreated(t, limitSend(t, w, left))
		ruleRefused(t, limitSend(t, w, "0.01"), api.ErrorCodeLimitExceeded, "/from_amount")
	}
	s.Clock.Set(day)
	ruleCreated(t, limitSend(t, w, "7654.32"))
	use(1, 1, "12345.68") // the rest of the day
	limitIs(t, s.Client, w.sender.ID, "NP", "3: 0.00 40000.00 230000.00")
	use(1, 2, "20000")
	use(1, 3, "20000") // the rest of the month as well
	limitIs(t, s.Client, w.sender.ID, "NP", "3: 0.00 0.00 190000.00")
	s.Clock.Set(time.Date(2027, 1, 4, 12, 0, 0, 0, time.UTC))
	limitIs(t, s.Client, w.sender.ID, "NP", "3: 20000.00 0.00 190000.00")
	ruleRefused(t, limitSend(t, w, "0.01"), api.ErrorCodeLimitExceeded, "/from_amount")
	for month := time.February; month <= time.April; month++ {
		for date := 1; date <= 3; date++ {
			use(month, date, "20000")
		}
	}
	limitIs(t, s.Client, w.sender.ID, "NP", "3: 0.00 0.00 10000.00")
	use(5, 1, "10000") // the rest of the year
	limitIs(t, s.Client, w.sender.ID, "NP", "3: 10000.00 50000.00 0.00")
}

// A user below every tier is in tier 0 with nothing left (D-32), and what goes beyond it asks for the first tier.
func TestLimitOfAUserBelowEveryTier(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := modeNew(t, s, "US")
	tier := payout.Tier{
		Limits:       []payout.TierLimit{{Currency: "USD", Daily: 10_00, Monthly: 20_00, Annual: 30_00}},
		RequiredTags: payout.RequiredTags{Individual: []string{"OCCUPATION"}},
	}
	ruleProfile(t, s, []payout.Corridor{{Country: "US", Currency: "USD"}},
		payout.Destination{Country: "NP", Tiers: []payout.Tier{tier}})
	limitIs(t, s.Client, w.sender.ID, "NP", "0: 0.00 0.00 0.00")
	ruleCreated(t, limitSend(t, w, "4"))
	if got := limitTags(t, s.Client, w.sender.ID)["OCCUPATION"]; got != api.CipStatusRequested {
		t.Errorf("OCCUPATION is %q, want REQUESTED", got)
	}
	limitIs(t, s.Client, w.sender.ID, "NP", "0: 0.00 0.00 0.00")
	limitVerify(t, s.Client, w.sender.ID, "OCCUPATION")
	limitIs(t, s.Client, w.sender.ID, "NP", "1: 6.00 16.00 26.00")
	ruleRefused(t, limitSend(t, w, "6.01"), api.ErrorCodeLimitExceeded, "/from_amount")
}
