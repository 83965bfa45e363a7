package client_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// exactWorld is a server without effective limits, with a sender and receive users in countries with 0, 2 and 3 decimals.
type exactWorld struct {
	client   *client.Client
	sender   servertest.Sender
	receiver map[string]uuid.UUID // by country
}

// exactPayers restrict no amounts.
var exactPayers = map[string]struct {
	payer    int64
	currency string
	decimals int
}{
	"JP": {servertest.CashPayerJapan, "JPY", 0},
	"NP": {servertest.CashPayer, "NPR", 2},
	"KW": {servertest.CashPayerKuwait, "KWD", 3},
}

func newExactWorld(t testing.TB) exactWorld {
	t.Helper()
	s := servertest.New(t)
	servertest.LiftLimits(t, s)
	w := exactWorld{connect(t, s.URL), servertest.NewSender(t, s.Client), map[string]uuid.UUID{}}
	for country := range exactPayers {
		w.receiver[country] = servertest.NewReceiveUser(t, s.Client, w.sender.ID, country)
	}
	return w
}

// exactCase has the amounts of a transaction as text. to is the expected receiving amount, with all decimals of its
// currency; it is sent in RECEIVER_AMOUNT mode.
type exactCase struct {
	country             string
	from, fee, rate, to string
	receiverAmount      bool
}

func (w exactWorld) send(t testing.TB, c exactCase) (*api.Transaction, error) {
	t.Helper()
	payer := exactPayers[c.country]
	request := api.TransactionRequest{
		FromAmount: client.MustAmount(c.from), ExchangeRate: client.MustAmount(c.rate), FeeAmount: new(client.MustAmount(c.fee)),
		FromCurrency: "USD", ToCurrency: payer.currency, FromFundID: w.sender.Fund,
		To: client.CashPickup(w.receiver[c.country], payer.payer),
	}
	if c.receiverAmount {
		request.ToAmount = new(client.MustAmount(c.to))
		request.To = client.CashPickup(w.receiver[c.country], payer.payer, client.ReceiverAmount)
	}
	return w.client.CreateTransaction(t.Context(), w.sender.ID, request)
}

// check compares digits: amounts have all decimals of their currencies, the rate those that were sent.
func (c exactCase) check(t testing.TB, got *api.Transaction) {
	t.Helper()
	for what, pair := range map[string][2]string{
		"from_amount":   {got.FromAmount.String(), exactDigits(c.from, 2)},
		"fee_amount":    {got.FeeAmount.String(), exactDigits(c.fee, 2)},
		"exchange_rate": {got.ExchangeRate.String(), c.rate},
		"to_amount":     {got.ToAmount.String(), c.to},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%+v: %s is %s, want %s", c, what, pair[0], pair[1])
		}
	}
}

// exactDigits pads a number with zeros to a number of decimals.
func exactDigits(text string, decimals int) string {
	whole, fraction, _ := strings.Cut(text, ".")
	if decimals == 0 {
		return whole
	}
	return whole + "." + fraction + strings.Repeat("0", decimals-len(fraction))
}

func TestAmountsAreExact(t *testing.T) {
	t.Parallel()
	w := newExactWorld(t)
	for _, c := range []exactCase{
		{country: "NP", from: "0.1", fee: "0", rate: "1", to: "0.10"},
		{country: "NP", from: "0.1", fee: "0.2", rate: "3", to: "0.30"}, // 0.1+0.2 and 0.1*3 are where floats show
		{country: "NP", from: "1.10", fee: "2.20", rate: "1.1", to: "1.21"},
		{country: "NP", from: "12345678901.23", fee: "12345678901.23", rate: "1.00", to: "12345678901.23"},
		{country: "NP", from: "450359962737.49", fee: "90071992547.41", rate: "0.1", to: "45035996273.75"},
		{country: "JP", from: "0.01", fee: "0.01", rate: "50", to: "1"},
		{country: "JP", from: "0.01", fee: "0.01", rate: "149.9999999999999999", to: "1"},
		{country: "JP", from: "123456789012.34", fee: "0", rate: "8.1", to: "999999991000"},
		{country: "KW", from: "0.01", fee: "0", rate: "0.1", to: "0.001"},
		{country: "KW", from: "0.01", fee: "0", rate: "0.1", to: "0.001", receiverAmount: true},
		{country: "KW", from: "12345678901.23", fee: "0", rate: "1", to: "12345678901.234", receiverAmount: true},
		{country: "KW", from: "999999999999.99", fee: "0", rate: "0.9999999999999999999", to: "999999999999.990"},
		// The bounds of D-42.
		{country: "JP", from: "1000000000000", fee: "1000000000000", rate: "1", to: "1000000000000"},
		{country: "KW", from: "1000000000000", fee: "1000000000000.00", rate: "1.000000000000", to: "1000000000000.000"},
		{country: "KW", from: "1000", fee: "0", rate: "1000000000", to: "1000000000000.000", receiverAmount: true},
		{country: "KW", from: "0.01", fee: "0", rate: "0.05", to: "0.001"}, // half up, or it would be nothing
		{country: "NP", from: "1000000000000", fee: "0", rate: "0.000000000000005", to: "0.01"},
	} {
		got, err := w.send(t, c)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		c.check(t, got)
		again, err := w.client.GetTransaction(t.Context(), w.sender.ID, got.ID)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		c.check(t, again)
	}
}

func TestAmountsOutOfBoundsAreRejected(t *testing.T) {
	t.Parallel()
	w := newExactWorld(t)
	for name, c := range map[string]struct {
		exactCase
		code client.Code
	}{
		"a sending amount of 0":            {exactCase{"NP", "0", "0", "1", "", false}, client.BadRequest},
		"half a cent":                      {exactCase{"NP", "0.005", "0", "1", "", false}, client.BadRequest},
		"a cent above the bound":           {exactCase{"NP", "1000000000000.01", "0", "1", "", false}, client.BadRequest},
		"a fee above the bound":            {exactCase{"NP", "1", "1000000000000.01", "1", "", false}, client.BadRequest},
		"a rate above the bound":           {exactCase{"NP", "1", "0", "1000000000.000000001", "", false}, client.BadRequest},
		"half a yen":                       {exactCase{"JP", "1", "0", "0.5", "0.5", true}, client.BadRequest},
		"a tenth of a fils":                {exactCase{"KW", "1", "0", "1", "1.0001", true}, client.BadRequest},
		"a receiving amount of nothing":    {exactCase{"KW", "0.01", "0", "0.0499999", "", false}, client.AmountNotAllowed},
		"a receiving amount out of bounds": {exactCase{"JP", "1000000000000", "0", "1.0000000000005", "", false}, client.AmountNotAllowed},
	} {
		if _, err := w.send(t, c.exactCase); !errors.Is(err, c.code) {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
}

// Random amounts, four in each transaction, are returned unchanged, by the creation and by the list.
func TestRandomAmountsAreExact(t *testing.T) {
	t.Parallel()
	const workers = 4
	transactions := times(2_500)
	w := newExactWorld(t)
	random := rand.New(rand.NewPCG(20260314, 42))
	var mu sync.Mutex
	sent := map[uuid.UUID]exactCase{}
	concurrently(workers, transactions, func() {
		mu.Lock()
		c := exactRandom(random)
		mu.Unlock()
		got, err := w.send(t, c)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			return
		}
		c.check(t, got)
		mu.Lock()
		sent[got.ID] = c
		mu.Unlock()
	})
	listed := 0
	for got, err := range w.client.Transactions(t.Context(), w.sender.ID, nil) {
		if err != nil {
			t.Fatal(err)
		}
		c, ok := sent[got.ID]
		if !ok {
			t.Fatalf("listed %s, which was not sent", got.ID)
		}
		c.check(t, &got)
		listed++
	}
	if listed != transactions || len(sent) != transactions {
		t.Errorf("%d sent, %d listed, want %d", len(sent), listed, transactions)
	}
}

// exactRandom returns a random valid transaction, with amounts calculated as fractions.
func exactRandom(random *rand.Rand) exactCase {
	for {
		country := []string{"JP", "NP", "KW"}[random.IntN(3)]
		decimals := exactPayers[country].decimals
		c := exactCase{country: country, fee: exactNumber(random, 14, 2), rate: exactNumber(random, 19, random.IntN(19))}
		if random.IntN(3) == 0 {
			c.receiverAmount = true
			c.to = exactNumber(random, 16, decimals)
			quotient, ok := new(big.Rat).SetString(c.to)
			if ok && exactRat(c.rate).Sign() > 0 {
				c.from = exactRound(quotient.Quo(quotient, exactRat(c.rate)), 2)
			}
		} else {
			c.from = exactNumber(random, 15, 2)
			c.to = exactRound(new(big.Rat).Mul(exactRat(c.from), exactRat(c.rate)), decimals)
		}
		if exactWithin(c.from, "1000000000000") && exactWithin(c.rate, "1000000000") && exactWithin(c.to, "1000000000000") {
			return c
		}
	}
}

// exactNumber returns a number of 1 to digits digits, with decimals of them after the point.
func exactNumber(random *rand.Rand, digits, decimals int) string {
	n := make([]byte, 1+random.IntN(digits))
	for i := range n {
		n[i] = byte('0' + random.IntN(10))
	}
	text := strings.Repeat("0", max(0, decimals+1-len(n))) + string(n)
	point := len(text) - decimals
	whole := strings.TrimLeft(text[:point], "0")
	if whole == "" {
		whole = "0"
	}
	if decimals == 0 {
		return whole
	}
	return whole + "." + text[point:]
}

func exactRat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return r
}

// exactRound rounds half up, which is what FloatString does with numbers above 0.
func exactRound(r *big.Rat, decimals int) string { return r.FloatString(decimals) }

func exactWithin(text, most string) bool {
	return text != "" && exactRat(text).Sign() > 0 && exactRat(text).Cmp(exactRat(most)) <= 0
}
