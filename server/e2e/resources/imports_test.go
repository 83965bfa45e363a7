package resources_test

import (
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server/reference"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store"
)

// What `payoutd reference import` accepts at its bounds is served within the contract: the client checks each response.
func TestImportedReferenceDataIsWithinTheContract(t *testing.T) {
	t.Parallel()
	const most, long = "9007199254740991", 255
	payers, err := reference.ReadPayers(strings.NewReader(
		"id,code,name,country,delivery_method,receiving_currency,network_limit,pickup_location\n" + most + "," +
			strings.Repeat("é", long) + "," + strings.Repeat("é", long) + `,KW,CASH_PICKUP,KWD,` +
			`"[{""currency"":""KWD"",""min_amount"":999999999999.999,""max_amount"":1000000000000}]",` +
			`"[{""id"":` + most + `,""name"":""N"",""address_line1"":""A"",""city"":""C""}]"` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	banks, err := reference.ReadBanks(strings.NewReader("id,name,country,receiving_currency,txn_supported_types,branches\n" +
		most + ",N,KW,KWD JPY,C2C B2B B2C," + `"[{""id"":` + most + `,""name"":""N""}]"` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.New(t)
	db, err := store.Open(t.Context(), s.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.PutReference(t.Context(), store.Reference{Payers: payers, Banks: banks}); err != nil {
		t.Fatal(err)
	}
	payer, err := s.Client.GetPayerWithResponse(t.Context(), payers[0].ID)
	limit := servertest.OK(t, payer.StatusCode(), payer.Body, payer.JSON200, err).NetworkLimit[0]
	if limit.MinAmount.String() != "999999999999.999" || limit.MaxAmount.String() != "1000000000000.000" {
		t.Errorf("the limit is %s to %s", limit.MinAmount, limit.MaxAmount)
	}
	bank, err := s.Client.GetBankWithResponse(t.Context(), banks[0].ID)
	servertest.OK(t, bank.StatusCode(), bank.Body, bank.JSON200, err)
	for _, path := range []string{"/payers?country=KW", "/banks?country=KW"} {
		servertest.Get(t, s, path)
	}
}
