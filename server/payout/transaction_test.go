package payout

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/govalues/decimal"
	"pgregory.net/rapid"
)

// asked is a request for the amounts of a transaction.
type asked struct {
	mode                 CalculationMode
	from, rate, fee, to  string // to: empty is not sent
	fromCurrency, toCurr string
}

func (a asked) transaction() NewTransaction {
	n := NewTransaction{
		FromAmount: decimal.MustParse(a.from), ExchangeRate: decimal.MustParse(a.rate), FeeAmount: decimal.MustParse(a.fee),
		FromCurrency: a.fromCurrency, ToCurrency: a.toCurr, To: ReceiveSide{Mode: a.mode},
	}
	if a.to != "" {
		to := decimal.MustParse(a.to)
		n.ToAmount = &to
	}
	return n
}

func TestAmountsInMinorUnits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asked asked
		want  amounts
	}{
		"sender amount":                    {asked{SenderAmount, "100.5", "132.25", "1.99", "", "USD", "NPR"}, amounts{10050, 1329113, 199}},
		"a to_amount is ignored (D-06)":    {asked{SenderAmount, "100", "132.25", "0", "7.777777", "USD", "NPR"}, amounts{10000, 1322500, 0}},
		"to a currency without decimals":   {asked{SenderAmount, "10.01", "151.5", "0", "", "USD", "JPY"}, amounts{1001, 1517, 0}},
		"to a currency of three decimals":  {asked{SenderAmount, "10", "0.30755", "0.00", "", "USD", "KWD"}, amounts{1000, 3076, 0}},
		"from a currency without decimals": {asked{SenderAmount, "1000.00", "0.0066", "1", "", "JPY", "USD"}, amounts{1000, 660, 1}},
		"nothing is left to receive":       {asked{SenderAmount, "0.01", "0.01", "0", "", "USD", "NPR"}, amounts{1, 0, 0}},
		"too much to receive (D-42)":       {asked{SenderAmount, "1000000000000", "2", "0", "", "USD", "NPR"}, amounts{1e14, 0, 0}},
		"receiver amount":                  {asked{ReceiverAmount, "100", "132.25", "2", "13225.00", "USD", "NPR"}, amounts{10000, 1322500, 200}},
		"receiver amount, 21.719 (D-37)":   {asked{ReceiverAmount, "21.72", "100", "0", "2171.9", "USD", "NPR"}, amounts{2172, 217190, 0}},
		"receiver amount, the tolerance":   {asked{ReceiverAmount, "21.71", "100", "0", "2171.9", "USD", "NPR"}, amounts{2171, 217190, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := c.asked.transaction().amounts(); err != nil || got != c.want {
				t.Errorf("%+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

func TestAmountsThatAreRefusedNameTheirFields(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asked asked
		want  []string
	}{
		"both currencies":                {asked{SenderAmount, "1", "1", "0", "", "XXX", "usd"}, []string{"/from_currency", "/to_currency"}},
		"currencies before decimals":     {asked{SenderAmount, "1.001", "1", "0.001", "", "USD", "ZZZ"}, []string{"/to_currency"}},
		"decimals of both":               {asked{SenderAmount, "1.001", "1", "0.001", "", "USD", "NPR"}, []string{"/from_amount", "/fee_amount"}},
		"decimals of a currency without": {asked{SenderAmount, "1.5", "1", "0", "", "JPY", "NPR"}, []string{"/from_amount"}},
		"no to_amount":                   {asked{ReceiverAmount, "1", "1", "0", "", "USD", "NPR"}, []string{"/to_amount"}},
		"decimals of to_amount":          {asked{ReceiverAmount, "1", "1", "0", "1.001", "USD", "NPR"}, []string{"/to_amount"}},
		"three decimals and a fourth":    {asked{ReceiverAmount, "1.00", "1", "0.5", "1.0001", "USD", "KWD"}, []string{"/to_amount"}},
		"all three":                      {asked{ReceiverAmount, "1.001", "1", "0.001", "1.001", "USD", "NPR"}, []string{"/from_amount", "/fee_amount", "/to_amount"}},
		"21.719 as from_amount (D-37)":   {asked{ReceiverAmount, "21.719", "100", "0", "2171.9", "USD", "NPR"}, []string{"/from_amount"}},
		"not equivalent":                 {asked{ReceiverAmount, "21.70", "100", "0", "2171.9", "USD", "NPR"}, []string{"/from_amount"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.asked.transaction().amounts()
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Code != CodeBadRequest || got != (amounts{}) {
				t.Fatalf("%+v, %v", got, err)
			}
			var fields []string
			for _, d := range e.Details {
				if fields = append(fields, d.Field); d.In != "body" || d.Reason == "" {
					t.Errorf("violation %+v", d)
				}
			}
			if !slices.Equal(fields, c.want) {
				t.Errorf("names %q, want %q", fields, c.want)
			}
		})
	}
}

// Section 7 documents the meaning of this one message.
func TestAmountsThatAreNotEquivalentSaySo(t *testing.T) {
	t.Parallel()
	_, err := asked{ReceiverAmount, "21.74", "100", "0", "2171.9", "USD", "NPR"}.transaction().amounts()
	if e, ok := errors.AsType[*Error](err); !ok || !strings.HasPrefix(e.Message, "The from amount is not equivalent with the to amount. ") {
		t.Errorf("%v", err)
	}
}

func TestTheReasonForDecimalsCountsThem(t *testing.T) {
	t.Parallel()
	for digits, want := range map[int]string{
		0: "must have no decimals in XYZ", 1: "must have at most 1 decimal in XYZ", 2: "must have at most 2 decimals in XYZ",
		3: "must have at most 3 decimals in XYZ",
	} {
		if got := decimalsReason(digits, "XYZ"); got != want {
			t.Errorf("%d: %q", digits, got)
		}
	}
}

// What SENDER_AMOUNT computes is equivalent in RECEIVER_AMOUNT wherever a minor unit of the receiving currency is worth
// at most a cent, so that a caller may send back what it received.
func TestAComputedReceivingAmountIsEquivalent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		currency := oneOf(t, "currency", "NPR", "KWD")
		n := NewTransaction{
			FromAmount:   decimal.MustNew(rapid.Int64Range(1, 1e9).Draw(t, "cents"), 2),
			ExchangeRate: decimal.MustNew(rapid.Int64Range(1e4, 1e9).Draw(t, "rate"), 4),
			FromCurrency: "USD", ToCurrency: currency, To: ReceiveSide{Mode: SenderAmount},
		}
		first, err := n.amounts()
		if err != nil {
			t.Fatal(err)
		}
		to := Major(first.to, currency)
		n.ToAmount, n.To.Mode = &to, ReceiverAmount
		if second, err := n.amounts(); err != nil || second != first {
			t.Fatalf("%+v, then %+v, %v", first, second, err)
		}
	})
}
