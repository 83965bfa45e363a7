package transactions_test

import (
	"testing"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Receive users and their accounts have their own rules (D-18, D-20).
func TestReceiveUsersAndTheirAccounts(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	nepal := servertest.NewReceiveUser(t, s.Client, sender.ID, "NP")
	for _, country := range []string{"DE", "US", "GB"} {
		r, err := s.Client.CreateReceiveUserWithResponse(t.Context(), sender.ID, nil, api.ReceiveUserRequest{FirstName: "B", Country: country})
		refusedWith(t, r.StatusCode(), r.Body, err, 422, api.ErrorCodeCorridorNotEnabled, "/country")
	}
	for name, row := range map[string]struct {
		request api.BankAccountRequest
		status  int
		code    api.ErrorCode
		field   string
	}{
		"unknown bank":            {api.BankAccountRequest{BankID: 999999, Currency: "NPR"}, 400, api.ErrorCodeBadRequest, "/bank_id"},
		"bank of another country": {api.BankAccountRequest{BankID: 2010, Currency: "INR"}, 400, api.ErrorCodeBadRequest, "/bank_id"},
		"branch of another bank": {
			api.BankAccountRequest{BankID: 2001, BranchID: servertest.Ptr[int64](20020), Currency: "NPR"}, 400, api.ErrorCodeBadRequest, "/branch_id",
		},
		"currency the bank does not receive": {api.BankAccountRequest{BankID: 2001, Currency: "USD"}, 422, api.ErrorCodeCurrencyNotSupported, "/currency"},
	} {
		t.Run(name, func(t *testing.T) {
			row.request.AccountNumber = "0001"
			r, err := s.Client.CreateBankAccountWithResponse(t.Context(), sender.ID, nepal, nil, row.request)
			refusedWith(t, r.StatusCode(), r.Body, err, row.status, row.code, row.field)
		})
	}
	for name, row := range map[string]struct {
		payer    int64
		currency string
		code     api.ErrorCode
		field    string
	}{
		"unknown payer":            {999999, "NPR", api.ErrorCodePayerNotFound, "/payer_id"},
		"payer of another method":  {1001, "NPR", api.ErrorCodePayerNotFound, "/payer_id"},
		"payer of another country": {1013, "INR", api.ErrorCodePayerNotFound, "/payer_id"},
		"another currency":         {1004, "INR", api.ErrorCodeCurrencyNotSupported, "/currency"},
	} {
		t.Run(name, func(t *testing.T) {
			request := api.WalletAccountRequest{PayerID: row.payer, WalletNumber: "1", Currency: row.currency}
			r, err := s.Client.CreateWalletAccountWithResponse(t.Context(), sender.ID, nepal, nil, request)
			refusedWith(t, r.StatusCode(), r.Body, err, 422, row.code, row.field)
		})
	}
	hasNoAccounts(t, s.Client, sender.ID, nepal)
}

func refusedWith(t testing.TB, status int, body []byte, err error, want int, code api.ErrorCode, field string) {
	t.Helper()
	if err != nil || status != want {
		t.Fatalf("status %d, error %v, want %d: %s", status, err, want, body)
	}
	servertest.WantDetail(t, servertest.Refusal(t, body, code), field)
}

func hasNoAccounts(t testing.TB, c *api.ClientWithResponses, user, receiver openapi_types.UUID) {
	t.Helper()
	banks, err := c.ListBankAccountsWithResponse(t.Context(), user, receiver, nil)
	wallets, err2 := c.ListWalletAccountsWithResponse(t.Context(), user, receiver, nil)
	if all := servertest.OK(t, banks.StatusCode(), banks.Body, banks.JSON200, err); len(all) != 0 {
		t.Errorf("refused bank accounts are listed: %v", all)
	}
	if all := servertest.OK(t, wallets.StatusCode(), wallets.Body, wallets.JSON200, err2); len(all) != 0 {
		t.Errorf("refused wallet accounts are listed: %v", all)
	}
}
