package reference_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/reference"
)

const (
	payerHeader = "id,code,name,country,delivery_method,receiving_currency,network_limit,pickup_location\n"
	bankHeader  = "id,name,country,receiving_currency,txn_supported_types,branches\n"
	stateHeader = "id,country,code,name\n"
)

func TestReadPayers(t *testing.T) {
	t.Parallel()
	// A byte order mark, columns in another order, Windows line ends, an empty line and a record of two lines.
	file := "\uFEFFpickup_location,id,code,name,country,delivery_method,receiving_currency,network_limit\r\n" +
		`"[{""id"":7,""name"":""Counter"",` + "\r\n" + `""address_line1"":""1 Street"",""city"":""Tokyo""}]",` +
		`1,C-1,"Payer, ""one""",JP,CASH_PICKUP,JPY,"[{""currency"":""JPY"",""min_amount"":0,""max_amount"":1000.00}]"` + "\r\n" +
		"\r\n" +
		"[],2,C-2,Payer two,KW,WALLET,KWD,\r\n"
	want := []payout.Payer{
		{
			ID: 1, Code: "C-1", Name: `Payer, "one"`, Country: "JP", Method: payout.CashPickup, Currency: "JPY",
			NetworkLimits:   []payout.NetworkLimit{{Currency: "JPY", Min: 0, Max: 1000}},
			PickupLocations: []payout.PickupLocation{{ID: 7, Name: "Counter", AddressLine1: "1 Street", City: "Tokyo"}},
		},
		{ID: 2, Code: "C-2", Name: "Payer two", Country: "KW", Method: payout.Wallet, Currency: "KWD"},
	}
	got, err := reference.ReadPayers(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestReadPayersConvertsAmountsExactly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		currency, amount string
		want             int64
	}{
		{"JPY", "1", 1},
		{"JPY", "1.000", 1},
		{"USD", "0.1", 10},
		{"USD", "0.29", 29},
		{"USD", "900719925474.09", 90071992547409},
		{"USD", "1000000000000", 1e14}, // the bound of the contract
		{"KWD", "999999999999.999", 999999999999999},
		{"KWD", "0.001", 1},
		{"KWD", "2500.750", 2500750},
	} {
		line := payerLine(tt.currency, `[{"currency":"`+tt.currency+`","min_amount":`+tt.amount+`,"max_amount":`+tt.amount+`}]`, "")
		payers, err := reference.ReadPayers(strings.NewReader(payerHeader + line))
		if err != nil {
			t.Errorf("%s %s: %v", tt.amount, tt.currency, err)
			continue
		}
		if limit := payers[0].NetworkLimits[0]; limit.Min != tt.want || limit.Max != tt.want {
			t.Errorf("%s %s = %+v, want %d", tt.amount, tt.currency, limit, tt.want)
		}
	}
}

// payerLine is a line that is right but for its JSON cells.
func payerLine(currency, limits, pickups string) string {
	quote := func(cell string) string { return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"` }
	return "1,C,N,NP,CASH_PICKUP," + currency + "," + quote(limits) + "," + quote(pickups) + "\n"
}

func TestReadPayersRefusesBadCells(t *testing.T) {
	t.Parallel()
	limit := func(members string) string { return payerLine("JPY", "[{"+members+"}]", "") }
	pickup := func(members string) string { return payerLine("JPY", "", "[{"+members+"}]") }
	amounts := func(lowest, highest string) string {
		return limit(`"currency":"JPY","min_amount":` + lowest + `,"max_amount":` + highest)
	}
	for name, tt := range map[string]struct{ line, column, reason string }{
		"no id":                     {",C,N,NP,WALLET,NPR,,", "id", "integer between 1 and"},
		"id zero":                   {"0,C,N,NP,WALLET,NPR,,", "id", "integer between 1 and"},
		"negative id":               {"-1,C,N,NP,WALLET,NPR,,", "id", "integer between 1 and"},
		"id with plus":              {"+1,C,N,NP,WALLET,NPR,,", "id", "integer between 1 and"},
		"id with zeros":             {"01,C,N,NP,WALLET,NPR,,", "id", "integer between 1 and"},
		"id not exact as a float":   {"9007199254740992,C,N,NP,WALLET,NPR,,", "id", "integer between 1 and"},
		"id too large":              {"9223372036854775808,C,N,NP,WALLET,NPR,,", "id", "integer between 1 and"},
		"empty code":                {"1,,N,NP,WALLET,NPR,,", "code", "empty"},
		"empty name":                {"1,C,,NP,WALLET,NPR,,", "name", "empty"},
		"blank name":                {"1,C, ,NP,WALLET,NPR,,", "name", "white space"},
		"hidden character":          {"1,C,a\u202eb,NP,WALLET,NPR,,", "name", "invisible"},
		"control character":         {"1,C,a\x01b,NP,WALLET,NPR,,", "name", "control"},
		"long name":                 {"1,C," + strings.Repeat("é", 256) + ",NP,WALLET,NPR,,", "name", "255"},
		"invalid UTF-8":             {"1,C,\xff,NP,WALLET,NPR,,", "name", "UTF-8"},
		"unknown country":           {"1,C,N,XX,WALLET,NPR,,", "country", "ISO 3166-1"},
		"alpha-3":                   {"1,C,N,NPL,WALLET,NPR,,", "country", "alpha-2"},
		"unknown method":            {"1,C,N,NP,PIGEON,NPR,,", "delivery_method", "one of"},
		"unknown currency":          {"1,C,N,NP,WALLET,QQQ,,", "receiving_currency", "ISO 4217"},
		"lower-case currency":       {"1,C,N,NP,WALLET,npr,,", "receiving_currency", "ISO 4217"},
		"numeric currency":          {"1,C,N,NP,WALLET,524,,", "receiving_currency", "ISO 4217"},
		"no currency":               {"1,C,N,NP,WALLET,XXX,,", "receiving_currency", "ISO 4217"},
		"test currency":             {"1,C,N,NP,WALLET,XTS,,", "receiving_currency", "ISO 4217"},
		"too few fields":            {"1,C,N,NP,WALLET,NPR,", "", "number of fields"},
		"too many fields":           {"1,C,N,NP,WALLET,NPR,,,", "", "number of fields"},
		"stray quote":               {`1,C,N"N,NP,WALLET,NPR,,`, "", "bare"},
		"open quote":                {`1,C,"N,NP,WALLET,NPR,,`, "", "quote"},
		"limit not JSON":            {payerLine("JPY", "100", ""), "network_limit", "array"},
		"limit cut off":             {payerLine("JPY", "[{", ""), "network_limit", "JSON array"},
		"limit null":                {payerLine("JPY", "null", ""), "network_limit", "JSON array"},
		"limit blank":               {payerLine("JPY", " ", ""), "network_limit", "JSON array"},
		"limit trailing":            {payerLine("JPY", "[] []", ""), "network_limit", "after"},
		"limit member":              {limit(`"currency":"JPY","cap":1`), "network_limit", "unknown field"},
		"limit member twice":        {limit(`"currency":"JPY","min_amount":1,"max_amount":2,"max_amount":3`), "network_limit", `element 1: has the member "max_amount" twice`},
		"limit member case":         {limit(`"Currency":"JPY","min_amount":1,"max_amount":2`), "network_limit", `element 1: has the unknown field "Currency"`},
		"limit both cases":          {limit(`"currency":"JPY","min_amount":1,"max_amount":2,"MAX_AMOUNT":3`), "network_limit", `unknown field "MAX_AMOUNT"`},
		"limit type":                {limit(`"currency":1`), "network_limit", "element 1: currency has the wrong JSON type"},
		"limit currency":            {limit(`"currency":"QQQ","min_amount":1,"max_amount":2`), "network_limit", "ISO 4217"},
		"limit other currency":      {limit(`"currency":"USD","min_amount":1,"max_amount":2`), "network_limit", "receiving_currency"},
		"limit without min":         {limit(`"currency":"JPY","max_amount":2`), "network_limit", "min_amount is missing"},
		"limit without max":         {limit(`"currency":"JPY","min_amount":2`), "network_limit", "max_amount is missing"},
		"limit as string":           {amounts(`"1"`, `2`), "network_limit", "plain decimal"},
		"limit exponent":            {amounts(`1`, `2e3`), "network_limit", "plain decimal"},
		"limit negative":            {amounts(`-1`, `2`), "network_limit", "plain decimal"},
		"limit null amount":         {amounts(`null`, `2`), "network_limit", "plain decimal"},
		"limit too precise":         {amounts(`0.5`, `2`), "network_limit", "min_amount must have no decimals in JPY"},
		"limit hidden digit":        {amounts(`1`, `2.0000000000000000000000001`), "network_limit", "no decimals"},
		"limit too large":           {amounts(`1`, `9223372036854775808`), "network_limit", "max_amount must be at most 1000000000000"},
		"limit above the contract":  {amounts(`1`, `1000000000001`), "network_limit", "max_amount must be at most 1000000000000"},
		"lowest above the contract": {amounts(`1000000000001`, `1`), "network_limit", "min_amount must be at most 1000000000000"},
		"limit far too large":       {amounts(`1`, strings.Repeat("9", 400)), "network_limit", "max_amount must be at most 1000000000000"},
		"limit inverted":            {amounts(`3`, `2`), "network_limit", "min_amount"},
		"limit of nothing":          {amounts(`0`, `0`), "network_limit", "above 0"},
		"two limits": {
			payerLine("JPY", `[{"currency":"JPY","min_amount":1,"max_amount":2},{"currency":"JPY","min_amount":1,"max_amount":3}]`, ""),
			"network_limit", "at most one",
		},
		"pickup without id":   {pickup(`"name":"N","address_line1":"A","city":"C"`), "pickup_location", "id must be"},
		"pickup without name": {pickup(`"id":1,"address_line1":"A","city":"C"`), "pickup_location", "name must not be empty"},
		"pickup no address":   {pickup(`"id":1,"name":"N","city":"C"`), "pickup_location", "address_line1 must not be empty"},
		"pickup without city": {pickup(`"id":1,"name":"N","address_line1":"A"`), "pickup_location", "city must not be empty"},
		"pickup fraction id":  {pickup(`"id":1.5`), "pickup_location", "JSON type"},
		"pickup member twice": {
			payerLine("JPY", "", `[{"id":1,"name":"N","address_line1":"A","city":"C"},{"id":2,"name":"N","name":"M","address_line1":"A","city":"C"}]`),
			"pickup_location", `element 2: has the member "name" twice`,
		},
		"too many pickups": {payerLine("JPY", "", "["+strings.Repeat("{},", 10_000)+"{}]"), "pickup_location", "at most 10000 elements"},
		"pickup elements":  {payerLine("JPY", "", "[1]"), "pickup_location", "objects"},
		"pickup of a wallet": {
			`1,C,N,NP,WALLET,NPR,,"[{""id"":1,""name"":""N"",""address_line1"":""A"",""city"":""C""}]"`,
			"pickup_location", "CASH_PICKUP",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			payers, err := reference.ReadPayers(strings.NewReader(payerHeader + "99,C,N,NP,WALLET,NPR,,\n" + tt.line))
			wantLineError(t, err, 3, tt.column, tt.reason)
			if payers != nil {
				t.Error("payers came with the error")
			}
		})
	}
}

func TestReadBanksRefusesBadCells(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ line, column, reason string }{
		"empty name":       {"1,,NP,NPR,C2C,", "name", "empty"},
		"unknown country":  {"1,N,np,NPR,C2C,", "country", "ISO 3166-1"},
		"no currency":      {"1,N,NP,,C2C,", "receiving_currency", "empty"},
		"unknown currency": {"1,N,NP,NPR QQQ,C2C,", "receiving_currency", "ISO 4217"},
		"test currency":    {"1,N,NP,NPR XTS,C2C,", "receiving_currency", "ISO 4217"},
		"currency twice":   {"1,N,NP,NPR NPR,C2C,", "receiving_currency", "repeat"},
		"no type":          {"1,N,NP,NPR, ,", "txn_supported_types", "empty"},
		"unknown type":     {"1,N,NP,NPR,C2C C2B,", "txn_supported_types", "one of"},
		"type twice":       {"1,N,NP,NPR,C2C C2C,", "txn_supported_types", "repeat"},
		"bad branch id":    {`1,N,NP,NPR,C2C,"[{""id"":0,""name"":""N""}]"`, "branches", "element 1: id"},
		"branch id again":  {`1,N,NP,NPR,C2C,"[{""id"":5,""name"":""N""},{""id"":5,""name"":""N""}]"`, "branches", "element 2: id is already used in line 3"},
		"member twice":     {`1,N,NP,NPR,C2C,"[{""id"":5,""id"":6,""name"":""N""}]"`, "branches", "twice"},
		"member case":      {`1,N,NP,NPR,C2C,"[{""ID"":5,""name"":""N""}]"`, "branches", "unknown field"},
		"no branch name":   {`1,N,NP,NPR,C2C,"[{""id"":5}]"`, "branches", "element 1: name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := reference.ReadBanks(strings.NewReader(bankHeader + "99,N,NP,NPR,C2C,\n" + tt.line))
			wantLineError(t, err, 3, tt.column, tt.reason)
		})
	}
}

func TestReadStatesRefusesBadCells(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ line, column, reason string }{
		"id again":        {"99,NP,P2,N", "id", "already used in line 2"},
		"code again":      {"1,NP,P1,N", "code", "already used in line 2"},
		"prefixed code":   {"1,NP,NP-P2,N", "code", "ISO 3166-2"},
		"unknown country": {"1,XX,P2,N", "country", "ISO 3166-1"},
		"empty name":      {"1,NP,P2,", "name", "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := reference.ReadStates(strings.NewReader(stateHeader + "99,NP,P1,N\n" + tt.line))
			wantLineError(t, err, 3, tt.column, tt.reason)
		})
	}
}

// wantLineError wants exactly one error in the file.
func wantLineError(t *testing.T, err error, line int, column, reason string) {
	t.Helper()
	lines, ok := errors.AsType[reference.LineErrors](err)
	if !ok || len(lines) != 1 {
		t.Fatalf("error %v, want one line error", err)
	}
	if got := lines[0]; got.Line != line || got.Column != column || !strings.Contains(got.Reason, reason) {
		t.Errorf("error %+v, want line %d, column %q, ... %s ...", got, line, column, reason)
	}
}

func TestReadReportsAllLinesAtOnce(t *testing.T) {
	t.Parallel()
	file := payerHeader +
		"1,C,,XX,PIGEON,QQQ,,\n" + // line 2: four errors
		"1,C,N,NP,WALLET,NPR,,\n" + // line 3: the id again
		"2,C,N\n" + // line 4: too short
		`3,C,N,NP,CASH_PICKUP,JPY,"[{""currency"":""JPY"",` + "\n" + `""min_amount"":0.5,""max_amount"":0.7}]",` + "\n" + // lines 5 and 6
		`4,C,"N"N,NP,WALLET,NPR,,` + "\n" + // line 7: a quote
		"5,C,\xff,NP,WALLET,NPR,,\n" // line 8
	_, err := reference.ReadPayers(strings.NewReader(file))
	lines, ok := errors.AsType[reference.LineErrors](fmt.Errorf("import: %w", err))
	if !ok {
		t.Fatalf("error %v", err)
	}
	var got []string
	for _, e := range lines {
		got = append(got, fmt.Sprint(e.Line, " ", e.Column))
	}
	want := []string{
		"2 name", "2 country", "2 delivery_method", "2 receiving_currency",
		"3 id", "4 ", "5 network_limit", "5 network_limit", "7 ", "8 name",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q\n%v", got, want, err)
	}
}

func TestReadRefusesBadHeaders(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		header string
		want   []string
	}{
		"nothing":     {"", []string{": the header is missing"}},
		"only a mark": {"\uFEFF", []string{": the header is missing"}},
		"open quote":  {`"id`, []string{": extraneous or missing \" in quoted-field"}},
		"missing":     {"id,country,name\n", []string{"code: is missing in the header"}},
		"unknown":     {"id,country,code,name,Name\n", []string{"Name: is an unknown column"}},
		"twice":       {"id,country,code,name,id\n", []string{"id: is in the header twice"}},
		"several wrong": {"id,code,x,id\n1,1,1\n", []string{
			"x: is an unknown column", "id: is in the header twice",
			"country: is missing in the header", "name: is missing in the header",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := reference.ReadStates(strings.NewReader(tt.header))
			lines, _ := errors.AsType[reference.LineErrors](err)
			var got []string
			for _, e := range lines {
				if e.Line != 1 {
					t.Errorf("error in line %d", e.Line)
				}
				got = append(got, e.Column+": "+e.Reason)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReadPassesOnReadErrors(t *testing.T) {
	t.Parallel()
	for _, start := range []string{"", stateHeader + "bad\n"} {
		in := io.MultiReader(strings.NewReader(start), iotest.ErrReader(io.ErrClosedPipe))
		if _, err := reference.ReadStates(in); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("after %q: error %v", start, err)
		}
	}
}

func TestLineErrorsPrintsOnlyTheFirst(t *testing.T) {
	t.Parallel()
	_, err := reference.ReadStates(strings.NewReader(stateHeader + strings.Repeat("short\n", 1000)))
	text := err.Error()
	if lines := strings.Split(text, "\n"); len(lines) != 22 || lines[1] != "line 2: wrong number of fields" || lines[21] != "and 980 more" {
		t.Errorf("printed %s", text)
	}
	if got := (reference.LineError{Line: 3, Column: "id", Reason: "is wrong"}).Error(); got != `line 3, column "id": is wrong` {
		t.Errorf("printed %s", got)
	}
}

func TestReadPayersReadsAnOperatorsImport(t *testing.T) {
	t.Parallel()
	const rows = 100_000
	var file strings.Builder
	file.WriteString(payerHeader)
	for i := range rows {
		fmt.Fprintf(&file, "%d,C-%d,Payer %d,KW,CASH_PICKUP,KWD,", i+1, i, i)
		file.WriteString(`"[{""currency"":""KWD"",""min_amount"":0.001,""max_amount"":12.500}]",`)
		fmt.Fprintf(&file, `"[{""id"":%d,""name"":""N"",""address_line1"":""A"",""city"":""C""}]"`+"\n", i+1)
	}
	payers, err := reference.ReadPayers(strings.NewReader(file.String()))
	if err != nil || len(payers) != rows {
		t.Fatalf("%d payers, error %v", len(payers), err)
	}
	last := payers[rows-1]
	if last.ID != rows || last.NetworkLimits[0].Max != 12500 || last.PickupLocations[0].ID != rows {
		t.Errorf("last payer %+v", last)
	}
}
