package transactions_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// SENDER_AMOUNT: the receiving amount is sending amount times rate, exactly, rounded half up to the minor unit of the
// receiving currency (section 2.6, D-06), and returned with all its decimals.
func TestSenderAmount(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	servertest.LiftLimits(t, s)
	w := servertest.NewCashSender(t, s, "US")
	yen, rupees, dinars := servertest.CashCorridors[0], servertest.CashCorridors[1], servertest.CashCorridors[2]
	for _, row := range []struct {
		corridor         servertest.CashCorridor
		from, rate, want string
	}{
		{yen, "100", "149.5", "14950"},
		{yen, "0.01", "149.5", "1"},    // 1.495
		{yen, "0.01", "150", "2"},      // 1.5
		{yen, "1.01", "148.51", "150"}, // 149.9951
		{yen, "0.1", "5", "1"},         // 0.5
		{yen, "0.3", "5", "2"},         // 1.5, and not 1 to the even digit but up: 2
		{yen, "0.5", "5", "3"},         // 2.5, half up and not to even
		{yen, "3", "0.499999999999999999", "1"},
		{rupees, "100", "132.25", "13225.00"},
		{rupees, "0.05", "0.1", "0.01"}, // 0.005
		{rupees, "0.05", "0.3", "0.02"}, // 0.015
		{rupees, "0.05", "0.5", "0.03"}, // 0.025
		{rupees, "1.15", "1.1", "1.27"}, // 1.265, which is 1.2649999... in binary
		{rupees, "1.01", "1.5", "1.52"}, // 1.515
		{rupees, "2.35", "1.3", "3.06"}, // 3.055
		{rupees, "1.1", "1.1", "1.21"},  // not 1.2100000000000002
		{rupees, "1", "1.004999999999999999", "1.00"},
		{rupees, "1", "1.005", "1.01"}, // in binary 1.00499999999999989...
		{rupees, "1", "8.345", "8.35"}, // in binary 8.3450000000000006...
		{rupees, "10", "0.1234567890123456789", "1.23"},
		{rupees, "12345678901.23", "1", "12345678901.23"},
		{rupees, "12345678901.23", "3.3333333333333", "41152263004.10"}, // 41152263004.0995884...
		{rupees, "999999999999.99", "1", "999999999999.99"},
		{dinars, "100", "0.3075", "30.750"},
		{dinars, "0.01", "0.05", "0.001"}, // 0.0005
		{dinars, "0.01", "0.15", "0.002"}, // 0.0015
		{dinars, "0.01", "0.25", "0.003"}, // 0.0025
		{dinars, "1", "0.3074999999999", "0.307"},
		{dinars, "1", "0.3075", "0.308"},
		{dinars, "1234567.89", "0.30712345", "379164.750"}, // 379164.74963...
	} {
		t.Run(row.from+" at "+row.rate+" in "+row.corridor.Currency, func(t *testing.T) {
			t.Parallel()
			for _, ignored := range []string{"", "1", "0.0001"} { // a to_amount that is sent is ignored
				request := w.Request(t, row.corridor, api.CalculationModeSenderAmount, row.from, row.rate, ignored)
				created := servertest.Created(t, servertest.Send(t, w.Client, w.Sender.ID, "", request))
				if got := created.ToAmount.String(); got != row.want {
					t.Errorf("to_amount %s, want %s", got, row.want)
				}
				if !created.FromAmount.Equal(wire.MustAmount(row.from)) || created.ExchangeRate.String() != row.rate {
					t.Errorf("from_amount %s, exchange_rate %s, want %s and %s", created.FromAmount, created.ExchangeRate, row.from, row.rate)
				}
			}
		})
	}
}

// RECEIVER_AMOUNT: the receiving amount divided by the rate, rounded half up to cents, may differ from the given sending
// amount by 0.01 (sections 2.6, 7 and 8, D-37). What is stored is what was given.
func TestReceiverAmount(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	servertest.LiftLimits(t, s)
	yen, rupees, dinars := servertest.CashCorridors[0], servertest.CashCorridors[1], servertest.CashCorridors[2]
	for _, country := range []string{"US", "GB"} {
		w := servertest.NewCashSender(t, s, country)
		for _, row := range []struct {
			corridor       servertest.CashCorridor
			to, rate, from string
			accepted       bool
		}{
			{rupees, "21.719", "1", "21.72", false}, // NPR has no such amount
			{dinars, "21.719", "1", "21.72", true},  // the example of section 8
			{dinars, "21.719", "1", "21.71", true},  // 0.01 less than 21.72
			{dinars, "21.719", "1", "21.73", true},  // 0.01 more
			{dinars, "21.719", "1", "21.70", false},
			{dinars, "21.719", "1", "21.74", false},
			{dinars, "21.714", "1", "21.72", true},     // 21.71
			{dinars, "21.714", "1", "21.70", true},     // 0.014 less, but cents are compared
			{dinars, "21.714", "1", "21.73", false},    // 0.016 more
			{dinars, "21.715", "1", "21.73", true},     // 21.72: half up, 0.015 more
			{dinars, "21.715", "1", "21.70", false},    // 0.015 less
			{rupees, "3000", "138.125", "21.72", true}, // 21.7194...
			{rupees, "3000", "138.125", "21.73", true},
			{rupees, "3000", "138.125", "21.71", true},
			{rupees, "3000", "138.125", "21.70", false},
			{rupees, "3000", "138.125", "21.74", false},
			{rupees, "100", "3", "33.33", true}, // 33.3333...
			{rupees, "100", "3", "33.34", true},
			{rupees, "100", "3", "33.32", true},
			{rupees, "100", "3", "33.31", false},
			{rupees, "100", "3", "33.35", false},
			{rupees, "200", "3", "66.68", true}, // 66.67
			{rupees, "200", "3", "66.65", false},
			{rupees, "12345678901.23", "1", "12345678901.23", true},
			{rupees, "12345678901.23", "1", "12345678901.24", true},
			{rupees, "12345678901.23", "1", "12345678901.25", false},
			{rupees, "1000000000000", "0.9999999999999999999", "1000000000000", true},
			{rupees, "999999999999.99", "1.000000000000000001", "999999999999.99", true},
			{rupees, "13225", "132.2500000000000001", "100", true},
			{yen, "15000", "149.5", "100.33", true}, // 100.3344...
			{yen, "15000", "149.5", "100.32", true},
			{yen, "15000", "149.5", "100.31", false},
			{yen, "1", "1000", "0.01", true}, // 0.001, which is 0.00
			{yen, "1", "1000", "0.02", false},
			{yen, "1", "200", "0.02", true}, // 0.005, which is 0.01
		} {
			t.Run(fmt.Sprintf("%s: %s %s at %s from %s", country, row.to, row.corridor.Currency, row.rate, row.from), func(t *testing.T) {
				t.Parallel()
				request := w.Request(t, row.corridor, api.CalculationModeReceiverAmount, row.from, row.rate, row.to)
				if country == "GB" {
					request.FromCurrency = "GBP"
				}
				r := servertest.Send(t, w.Client, w.Sender.ID, "", request)
				if !row.accepted {
					refusedByMode(t, r, row.to == "21.719" && row.corridor == rupees)
					return
				}
				created := servertest.Created(t, r)
				if !created.FromAmount.Equal(wire.MustAmount(row.from)) || !created.ToAmount.Equal(wire.MustAmount(row.to)) {
					t.Errorf("from_amount %s, to_amount %s", created.FromAmount, created.ToAmount)
				}
				if created.FromCurrency != request.FromCurrency || created.To.CalculationMode != api.CalculationModeReceiverAmount {
					t.Errorf("from_currency %s, mode %s", created.FromCurrency, created.To.CalculationMode)
				}
			})
		}
	}
}

// refusedByMode fails the test unless the response is the error of section 7, or that of too many decimals.
func refusedByMode(t testing.TB, r *api.CreateTransactionResponse, decimals bool) {
	t.Helper()
	if r.StatusCode() != 400 {
		t.Fatalf("status %d, want 400: %s", r.StatusCode(), r.Body)
	}
	e := servertest.Refusal(t, r.Body, api.ErrorCodeBadRequest)
	field := "/from_amount"
	if decimals {
		field = "/to_amount"
	} else if !strings.Contains(e.Message, "from amount is not equivalent with the to amount") || e.Status != 400 {
		t.Errorf("status %d, message %q", e.Status, e.Message)
	}
	servertest.WantDetail(t, e, field)
}

// What RECEIVER_AMOUNT requires, and decimals and codes of currencies; all violations are reported at once (D-05, D-06,
// D-08, D-37, D-53).
func TestAmountsThatDoNotFit(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewCashSender(t, s, "US")
	yen, rupees, dinars := servertest.CashCorridors[0], servertest.CashCorridors[1], servertest.CashCorridors[2]
	const sending, receiving = api.CalculationModeSenderAmount, api.CalculationModeReceiverAmount
	with := func(fee, from, to string, request api.TransactionRequest) api.TransactionRequest {
		request.FeeAmount, request.FromCurrency, request.ToCurrency = servertest.Ptr(wire.MustAmount(fee)), from, to
		return request
	}
	for name, row := range map[string]struct {
		request api.TransactionRequest
		fields  string
	}{
		"no to_amount":             {w.Request(t, rupees, receiving, "1", "1", ""), "/to_amount"},
		"from_amount in mills":     {w.Request(t, dinars, receiving, "21.719", "1", "21.719"), "/from_amount"},
		"from_amount by default":   {w.Request(t, rupees, sending, "21.719", "1", ""), "/from_amount"},
		"decimals of yen":          {w.Request(t, yen, receiving, "1", "1", "1.5"), "/to_amount"},
		"3 decimals of rupees":     {w.Request(t, rupees, receiving, "1", "1", "1.001"), "/to_amount"},
		"4 decimals of dinars":     {w.Request(t, dinars, receiving, "1", "1", "1.0001"), "/to_amount"},
		"a fee in mills":           {with("0.001", "USD", "NPR", w.Request(t, rupees, sending, "1", "1", "")), "/fee_amount"},
		"all three":                {with("0.001", "USD", "JPY", w.Request(t, yen, receiving, "1.001", "1", "1.1")), "/fee_amount /from_amount /to_amount"},
		"no such currency":         {with("0", "QQQ", "NPR", w.Request(t, rupees, sending, "1", "1", "")), "/from_currency"},
		"no such currencies":       {with("0", "XXX", "XTS", w.Request(t, rupees, sending, "1", "1", "")), "/from_currency /to_currency"},
		"zeros are no decimals":    {with("0.0000", "USD", "JPY", w.Request(t, yen, receiving, "1.0000", "1", "1.000")), ""},
		"3 decimals of dinars":     {w.Request(t, dinars, receiving, "1", "1", "1.001"), ""},
		"zeros of a from_amount":   {w.Request(t, rupees, sending, "21.71000", "1", ""), ""},
		"ignored to_amount of 1.5": {w.Request(t, yen, sending, "1", "1", "1.5"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := servertest.Send(t, w.Client, w.Sender.ID, "", row.request)
			if row.fields == "" {
				servertest.Created(t, r)
				return
			}
			if r.StatusCode() != 400 {
				t.Fatalf("status %d, want 400: %s", r.StatusCode(), r.Body)
			}
			e, fields := servertest.Refusal(t, r.Body, api.ErrorCodeBadRequest), strings.Fields(row.fields)
			for _, field := range fields {
				if !servertest.Names(e, api.ErrorDetailInBody, field) || len(e.Details) != len(fields) {
					t.Errorf("details %v, want %s", e.Details, row.fields)
				}
			}
		})
	}
}

// A GB user sends pounds, and the fee is not part of the amount (D-35).
func TestOtherCorridor(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewCashSender(t, s, "GB")
	request := w.Request(t, servertest.CashCorridors[1], api.CalculationModeSenderAmount, "100.05", "171.301", "")
	request.FromCurrency, request.FeeAmount = "GBP", servertest.Ptr(wire.MustAmount("1.5"))
	created := servertest.Created(t, servertest.Send(t, w.Client, w.Sender.ID, "", request))
	if created.ToAmount.String() != "17138.67" || created.FeeAmount.String() != "1.50" || created.FromCurrency != "GBP" { // 17138.66505
		t.Errorf("created %+v", created)
	}
	servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "1: 899.95 2899.95 9899.95")
	request.FromCurrency = "USD"
	servertest.WantRefused(t, servertest.Send(t, w.Client, w.Sender.ID, "", request), api.ErrorCodeCurrencyNotSupported, "/from_currency")
}

// drawAmount draws a number above 0, at most most, with a scale.
func drawAmount(t *rapid.T, label string, most *big.Int, scale int) string {
	top := new(big.Int).Mul(most, power(scale))
	if digits := new(big.Int).Sub(power(19), big.NewInt(1)); top.Cmp(digits) > 0 {
		top = digits // at most 19 significant digits (D-05)
	}
	text := fmt.Sprintf("%0*d", scale+1, rapid.Uint64Range(1, top.Uint64()).Draw(t, label))
	if scale == 0 {
		return text
	}
	return text[:len(text)-scale] + "." + text[len(text)-scale:]
}

func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// rounded rounds half up to a number of decimals.
func rounded(exact *big.Rat, digits int) *big.Rat {
	scaled := new(big.Rat).Mul(exact, new(big.Rat).SetInt(power(digits)))
	scaled.Add(scaled, big.NewRat(1, 2))
	whole := new(big.Int).Quo(scaled.Num(), scaled.Denom())
	return new(big.Rat).SetFrac(whole, power(digits))
}

func rational(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("not a number: " + text)
	}
	return r
}

// All amounts are those of exact arithmetic. Each of the 100 checks sends six requests.
func TestEveryAmountIsExact(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	servertest.LiftLimits(t, s)
	w := servertest.NewCashSender(t, s, "US")
	most, highest := power(12), power(9)
	rapid.Check(t, func(rt *rapid.T) {
		for _, c := range servertest.CashCorridors {
			from := drawAmount(rt, "from_amount", rapid.SampledFrom([]*big.Int{big.NewInt(1), power(4), most}).Draw(rt, "size"), 2)
			rate := drawAmount(rt, "exchange_rate", rapid.SampledFrom([]*big.Int{big.NewInt(1), power(3), highest}).Draw(rt, "rate size"),
				rapid.IntRange(0, 18).Draw(rt, "rate digits"))
			r := servertest.Send(t, w.Client, w.Sender.ID, "", w.Request(t, c, api.CalculationModeSenderAmount, from, rate, ""))
			want := rounded(new(big.Rat).Mul(rational(from), rational(rate)), c.Digits)
			switch payable := want.Sign() > 0 && want.Cmp(new(big.Rat).SetInt(most)) <= 0; {
			case payable != (r.StatusCode() == 200) || !payable && !strings.Contains(string(r.Body), string(api.ErrorCodeAmountNotAllowed)):
				rt.Fatalf("%s USD at %s, which is %s %s: %s", from, rate, want.FloatString(c.Digits), c.Currency, r.Body)
			case payable && r.JSON200.ToAmount.String() != want.FloatString(c.Digits):
				rt.Fatalf("%s USD at %s is %s %s, want %s", from, rate, r.JSON200.ToAmount, c.Currency, want.FloatString(c.Digits))
			}

			to := drawAmount(rt, "to_amount", power(6), c.Digits)
			cents := rounded(new(big.Rat).Quo(rational(to), rational(rate)), 2)
			off := rapid.Int64Range(-2, 2).Draw(rt, "cents off")
			given := new(big.Rat).Add(cents, big.NewRat(off, 100))
			if given.Sign() <= 0 || given.Cmp(new(big.Rat).SetInt(most)) > 0 {
				continue
			}
			r = servertest.Send(t, w.Client, w.Sender.ID, "",
				w.Request(t, c, api.CalculationModeReceiverAmount, given.FloatString(2), rate, to))
			if accepted := off >= -1 && off <= 1; accepted != (r.StatusCode() == 200) {
				rt.Fatalf("%s %s at %s from %s USD: status %d, accepted %t: %s", to, c.Currency, rate, given.FloatString(2), r.StatusCode(), accepted, r.Body)
			}
		}
	})
}
