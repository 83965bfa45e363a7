package transactions_test

import (
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

// parseTags parses tags written as TAG=STATUS.
func parseTags(text string) map[string]api.CipStatus {
	tags := map[string]api.CipStatus{}
	for _, pair := range strings.Fields(text) {
		tag, status, _ := strings.Cut(pair, "=")
		tags[tag] = api.CipStatus(status)
	}
	return tags
}

// Section 2.8: the remaining limit depends on the transactions of the UTC day, month and year (D-17).
func TestLimitPeriodsAreUTCDayMonthAndYear(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewCashSender(t, s, "US")
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
		{"2027-03-31T23:59:59.999999999Z", "", "1: 899.99 2899.99 9899.99"}, // the store has microseconds
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
			servertest.Created(t, servertest.SendToNepal(t, w, step.amount))
		}
		t.Run(step.at+" "+step.amount, func(t *testing.T) { servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", step.want) })
	}
}

// Limits are per user and destination; neither fees (D-35) nor rejected transactions count.
func TestLimitIsPerUserAndDestination(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w, other := servertest.NewCashSender(t, s, "US"), servertest.NewCashSender(t, s, "US")
	const untouched = "1: 1000.00 3000.00 10000.00"
	request := servertest.PickupAt(t, w.Sender, w.Users["NP"], servertest.CashPayer, "12.34", "1", "NPR")
	request.FeeAmount = servertest.Ptr(wire.MustAmount("500"))
	servertest.Created(t, servertest.Send(t, w.Client, w.Sender.ID, "", request))
	servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "1: 987.66 2987.66 9987.66")
	servertest.WantLimit(t, s.Client, w.Sender.ID, "JP", untouched)
	servertest.WantLimit(t, s.Client, other.Sender.ID, "NP", untouched)
	servertest.Created(t, servertest.Send(t, w.Client, w.Sender.ID, "",
		servertest.PickupAt(t, w.Sender, w.Users["JP"], servertest.CashPayerJapan, "0.66", "150", "JPY")))
	servertest.WantLimit(t, s.Client, w.Sender.ID, "JP", "1: 999.34 2999.34 9999.34")
	servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "1: 987.66 2987.66 9987.66")
	request.ToCurrency = "INR"
	servertest.WantRefused(t, servertest.Send(t, w.Client, w.Sender.ID, "", request), api.ErrorCodeCurrencyNotSupported, "/to_currency")
	servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "1: 987.66 2987.66 9987.66")
	for _, destination := range []string{"DE", "US"} {
		r, err := s.Client.GetTransactionLimitWithResponse(t.Context(), w.Sender.ID, &api.GetTransactionLimitParams{Destination: destination})
		if err != nil || r.StatusCode() != 404 {
			t.Errorf("limit for %s: status %d, error %v, want 404 (D-32)", destination, r.StatusCode(), err)
		}
	}
}

// A transaction above the limits of a tier is created, and exactly the tags that the next tier requires and that are absent
// or FAILED become REQUESTED (D-17, D-25). Within the limits nothing is requested.
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
			w := servertest.NewCashSender(t, s, "US")
			servertest.SetTags(t, s.Client, w.Sender.ID, parseTags(row.before))
			const submitted = "FIRST_NAME=SUBMIT EMAIL=SUBMIT COUNTRY=SUBMIT "
			before, after := parseTags(submitted+row.before), parseTags(submitted+row.after)
			servertest.Created(t, servertest.SendToNepal(t, w, row.within)) // exactly what is left
			if got := servertest.Tags(t, s.Client, w.Sender.ID); !maps.Equal(got, before) {
				t.Errorf("within the limit, tags are %v, want %v", got, before)
			}
			servertest.Created(t, servertest.SendToNepal(t, w, "0.01"))
			if got := servertest.Tags(t, s.Client, w.Sender.ID); !maps.Equal(got, after) {
				t.Errorf("above the limit, tags are %v, want %v", got, after)
			}
			if used := servertest.Limit(t, s.Client, w.Sender.ID, "NP"); used != "1: 0.00 1999.99 8999.99" && used != "2: 0.00 9999.99 54999.99" {
				t.Errorf("above the limit, it is %s", used) // daily never below 0
			}
		})
	}
}

// A user is in the highest tier whose tags are all VERIFIED; businesses have other tags. Used amounts stay used.
func TestLimitTierRisesWithVerifiedTags(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for name, row := range map[string]struct {
		business bool
		tags     [2][]string // of the second and of the third tier
	}{
		"individual": {false, [2][]string{servertest.MiddleTier, {"OCCUPATION"}}},
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
			w := servertest.CashSender{Client: s.Client, Sender: servertest.Sender{ID: user, Fund: fund}, Users: map[string]openapi_types.UUID{
				"NP": servertest.NewReceiveUser(t, s.Client, user, "NP"),
			}}
			servertest.Created(t, servertest.SendToNepal(t, w, "4000")) // above the first tier
			servertest.WantLimit(t, s.Client, user, "NP", "1: 0.00 0.00 6000.00")
			for tier, left := range []string{"2: 1000.00 11000.00 56000.00", "3: 16000.00 56000.00 246000.00"} {
				for _, tag := range row.tags[tier] {
					if got := servertest.Limit(t, s.Client, user, "NP"); got[0] != byte('1'+tier) {
						t.Errorf("without %s the limit is %s", tag, got)
					}
					servertest.VerifyTags(t, s.Client, user, tag)
				}
				servertest.WantLimit(t, s.Client, user, "NP", left)
			}
			servertest.WantLimit(t, s.Client, user, "KW", "3: 20000.00 60000.00 250000.00") // tags are per user, used amounts per destination
			servertest.SetTags(t, s.Client, user, map[string]api.CipStatus{row.tags[0][0]: api.CipStatusFailed})
			servertest.WantLimit(t, s.Client, user, "NP", "1: 0.00 0.00 6000.00")
		})
	}
}

// In the highest tier exactly the remaining limit is accepted and one cent more rejected, for day, month and year.
func TestLimitHoldsInTheHighestTier(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewCashSender(t, s, "US")
	servertest.VerifyTags(t, s.Client, w.Sender.ID, servertest.TopTier...)
	day := time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC)
	use := func(month time.Month, date int, left string) {
		s.Clock.Set(time.Date(2027, month, date, 12, 0, 0, 0, time.UTC))
		above := wire.MustAmount(left).Decimal()
		cent := wire.MustAmount("0.01").Decimal()
		more, err := above.Add(cent)
		if err != nil {
			t.Fatal(err)
		}
		before := servertest.State(t, s.Client, w.Sender.ID)
		servertest.WantRefused(t, servertest.SendToNepal(t, w, more.String()), api.ErrorCodeLimitExceeded, "/from_amount")
		if after := servertest.State(t, s.Client, w.Sender.ID); after != before {
			t.Errorf("the refusal changed\n%s\nto\n%s", before, after)
		}
		servertest.Created(t, servertest.SendToNepal(t, w, left))
		servertest.WantRefused(t, servertest.SendToNepal(t, w, "0.01"), api.ErrorCodeLimitExceeded, "/from_amount")
	}
	s.Clock.Set(day)
	servertest.Created(t, servertest.SendToNepal(t, w, "7654.32"))
	use(1, 1, "12345.68") // the rest of the day
	servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "3: 0.00 40000.00 230000.00")
	use(1, 2, "20000")
	use(1, 3, "20000") // the rest of the month as well
	servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "3: 0.00 0.00 190000.00")
	s.Clock.Set(time.Date(2027, 1, 4, 12, 0, 0, 0, time.UTC))
	servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "3: 20000.00 0.00 190000.00")
	servertest.WantRefused(t, servertest.SendToNepal(t, w, "0.01"), api.ErrorCodeLimitExceeded, "/from_amount")
	for month := time.February; month <= time.April; month++ {
		for date := 1; date <= 3; date++ {
			use(month, date, "20000")
		}
	}
	servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "3: 0.00 0.00 10000.00")
	use(5, 1, "10000") // the rest of the year
	servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "3: 10000.00 50000.00 0.00")
}

// A user below every tier is in tier 0 without limits (D-32); a transaction requests the tags of the first tier.
func TestLimitOfAUserBelowEveryTier(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewCashSender(t, s, "US")
	tier := payout.Tier{
		Limits:       []payout.TierLimit{{Currency: "USD", Daily: 10_00, Monthly: 20_00, Annual: 30_00}},
		RequiredTags: payout.RequiredTags{Individual: []string{"OCCUPATION"}},
	}
	servertest.SetProfile(t, s, []payout.Corridor{{Country: "US", Currency: "USD"}},
		payout.Destination{Country: "NP", Tiers: []payout.Tier{tier}})
	servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "0: 0.00 0.00 0.00")
	servertest.Created(t, servertest.SendToNepal(t, w, "4"))
	if got := servertest.Tags(t, s.Client, w.Sender.ID)["OCCUPATION"]; got != api.CipStatusRequested {
		t.Errorf("OCCUPATION is %q, want REQUESTED", got)
	}
	servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "0: 0.00 0.00 0.00")
	servertest.VerifyTags(t, s.Client, w.Sender.ID, "OCCUPATION")
	servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "1: 6.00 16.00 26.00")
	servertest.WantRefused(t, servertest.SendToNepal(t, w, "6.01"), api.ErrorCodeLimitExceeded, "/from_amount")
}
