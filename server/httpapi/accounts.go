package httpapi

import (
	"context"

	"github.com/crossborder-payouts/payouts/gen/api"
	gen "github.com/crossborder-payouts/payouts/gen/server"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// CreateFundingAccount implements POST /users/{user_id}/funding-accounts.
func (h handlers) CreateFundingAccount(
	ctx context.Context, r gen.CreateFundingAccountRequestObject,
) (gen.CreateFundingAccountResponseObject, error) {
	a, replayed, err := h.service.CreateFundingAccount(ctx, clientOf(ctx), idempotency(ctx, r.Params.XIdempotencyKey), payout.FundingAccount{
		UserID: payout.UserID(r.UserID.String()), Type: r.Body.FundingSourceType, Label: text(r.Body.Label),
	})
	if err != nil {
		return nil, err
	}
	headers := gen.CreateFundingAccount200ResponseHeaders{IdempotentReplayed: optional(replayed)}
	return gen.CreateFundingAccount200JSONResponse{Body: fundingAccount(a), Headers: headers}, nil
}

// ListFundingAccounts implements GET /users/{user_id}/funding-accounts.
func (h handlers) ListFundingAccounts(
	ctx context.Context, r gen.ListFundingAccountsRequestObject,
) (gen.ListFundingAccountsResponseObject, error) {
	page, err := pageOf(r.Params.Limit, r.Params.Cursor)
	if err != nil {
		return nil, err
	}
	all, next, err := h.service.FundingAccounts(ctx, clientOf(ctx), payout.UserID(r.UserID.String()), page)
	if err != nil {
		return nil, err
	}
	headers := gen.ListFundingAccounts200ResponseHeaders{NextCursor: toCursor(next)}
	return gen.ListFundingAccounts200JSONResponse{Body: each(all, fundingAccount), Headers: headers}, nil
}

// SetFundingAccountStatus implements POST /sandbox/users/{user_id}/funding-accounts/{funding_account_id}/status.
func (h handlers) SetFundingAccountStatus(
	ctx context.Context, r gen.SetFundingAccountStatusRequestObject,
) (gen.SetFundingAccountStatusResponseObject, error) {
	a, err := h.service.SetFundingAccountStatus(ctx, clientOf(ctx), payout.UserID(r.UserID.String()), payout.FundingAccountID(r.FundingAccountID.String()),
		payout.FundingAccountStatus(r.Body.Status))
	if err != nil {
		return nil, err
	}
	return gen.SetFundingAccountStatus200JSONResponse{Body: fundingAccount(a)}, nil
}

// CreateReceiveUser implements POST /users/{user_id}/receive-users.
func (h handlers) CreateReceiveUser(
	ctx context.Context, r gen.CreateReceiveUserRequestObject,
) (gen.CreateReceiveUserResponseObject, error) {
	b := r.Body
	u, replayed, err := h.service.CreateReceiveUser(ctx, clientOf(ctx), idempotency(ctx, r.Params.XIdempotencyKey), payout.ReceiveUser{
		UserID: payout.UserID(r.UserID.String()), FirstName: b.FirstName, LastName: text(b.LastName), Email: text(b.Email),
		MobilePhone: text(b.MobilePhone), AddressLine1: text(b.AddressLine1), City: text(b.City),
		State: text(b.State), Zipcode: text(b.Zipcode), Country: b.Country, ClientReference: text(b.ClientReference),
	})
	if err != nil {
		return nil, err
	}
	headers := gen.CreateReceiveUser200ResponseHeaders{IdempotentReplayed: optional(replayed)}
	return gen.CreateReceiveUser200JSONResponse{Body: receiveUser(u), Headers: headers}, nil
}

// ListReceiveUsers implements GET /users/{user_id}/receive-users.
func (h handlers) ListReceiveUsers(
	ctx context.Context, r gen.ListReceiveUsersRequestObject,
) (gen.ListReceiveUsersResponseObject, error) {
	page, err := pageOf(r.Params.Limit, r.Params.Cursor)
	if err != nil {
		return nil, err
	}
	all, next, err := h.service.ReceiveUsers(ctx, clientOf(ctx), payout.UserID(r.UserID.String()), page)
	if err != nil {
		return nil, err
	}
	headers := gen.ListReceiveUsers200ResponseHeaders{NextCursor: toCursor(next)}
	return gen.ListReceiveUsers200JSONResponse{Body: each(all, receiveUser), Headers: headers}, nil
}

// CreateBankAccount implements POST /users/{user_id}/receive-users/{receive_user_id}/bank-accounts.
func (h handlers) CreateBankAccount(
	ctx context.Context, r gen.CreateBankAccountRequestObject,
) (gen.CreateBankAccountResponseObject, error) {
	a := payout.BankAccount{
		ReceiveUserID: payout.ReceiveUserID(r.ReceiveUserID.String()), BankID: r.Body.BankID, AccountNumber: r.Body.AccountNumber,
		Currency: r.Body.Currency,
	}
	if r.Body.BranchID != nil {
		a.BranchID = *r.Body.BranchID
	}
	a, replayed, err := h.service.CreateBankAccount(ctx, clientOf(ctx), idempotency(ctx, r.Params.XIdempotencyKey), payout.UserID(r.UserID.String()), a)
	if err != nil {
		return nil, err
	}
	headers := gen.CreateBankAccount200ResponseHeaders{IdempotentReplayed: optional(replayed)}
	return gen.CreateBankAccount200JSONResponse{Body: bankAccount(a), Headers: headers}, nil
}

// ListBankAccounts implements GET /users/{user_id}/receive-users/{receive_user_id}/bank-accounts.
func (h handlers) ListBankAccounts(
	ctx context.Context, r gen.ListBankAccountsRequestObject,
) (gen.ListBankAccountsResponseObject, error) {
	page, err := pageOf(r.Params.Limit, r.Params.Cursor)
	if err != nil {
		return nil, err
	}
	all, next, err := h.service.BankAccounts(ctx, clientOf(ctx), payout.UserID(r.UserID.String()), payout.ReceiveUserID(r.ReceiveUserID.String()), page)
	if err != nil {
		return nil, err
	}
	headers := gen.ListBankAccounts200ResponseHeaders{NextCursor: toCursor(next)}
	return gen.ListBankAccounts200JSONResponse{Body: each(all, bankAccount), Headers: headers}, nil
}

// CreateWalletAccount implements POST /users/{user_id}/receive-users/{receive_user_id}/wallet-accounts.
func (h handlers) CreateWalletAccount(
	ctx context.Context, r gen.CreateWalletAccountRequestObject,
) (gen.CreateWalletAccountResponseObject, error) {
	key := idempotency(ctx, r.Params.XIdempotencyKey)
	a, replayed, err := h.service.CreateWalletAccount(ctx, clientOf(ctx), key, payout.UserID(r.UserID.String()), payout.WalletAccount{
		ReceiveUserID: payout.ReceiveUserID(r.ReceiveUserID.String()), PayerID: r.Body.PayerID, WalletNumber: r.Body.WalletNumber,
		Currency: r.Body.Currency,
	})
	if err != nil {
		return nil, err
	}
	headers := gen.CreateWalletAccount200ResponseHeaders{IdempotentReplayed: optional(replayed)}
	return gen.CreateWalletAccount200JSONResponse{Body: walletAccount(a), Headers: headers}, nil
}

// ListWalletAccounts implements GET /users/{user_id}/receive-users/{receive_user_id}/wallet-accounts.
func (h handlers) ListWalletAccounts(
	ctx context.Context, r gen.ListWalletAccountsRequestObject,
) (gen.ListWalletAccountsResponseObject, error) {
	page, err := pageOf(r.Params.Limit, r.Params.Cursor)
	if err != nil {
		return nil, err
	}
	all, next, err := h.service.WalletAccounts(ctx, clientOf(ctx), payout.UserID(r.UserID.String()), payout.ReceiveUserID(r.ReceiveUserID.String()), page)
	if err != nil {
		return nil, err
	}
	headers := gen.ListWalletAccounts200ResponseHeaders{NextCursor: toCursor(next)}
	return gen.ListWalletAccounts200JSONResponse{Body: each(all, walletAccount), Headers: headers}, nil
}

func fundingAccount(a payout.FundingAccount) api.FundingAccount {
	return api.FundingAccount{
		ID: toID(a.ID), FundingSourceType: a.Type, Label: optional(a.Label),
		Status: api.FundingAccountStatus(a.Status), CreatedAt: timestamp(a.CreatedAt),
	}
}

func receiveUser(r payout.ReceiveUser) api.ReceiveUser {
	return api.ReceiveUser{
		ID: toID(r.ID), FirstName: r.FirstName, LastName: optional(r.LastName), Email: optional(r.Email),
		MobilePhone: optional(r.MobilePhone), AddressLine1: optional(r.AddressLine1), City: optional(r.City),
		State: optional(r.State), Zipcode: optional(r.Zipcode), Country: r.Country, CreatedAt: timestamp(r.CreatedAt),
		ClientReference: optional(r.ClientReference),
	}
}

func bankAccount(a payout.BankAccount) api.BankAccount {
	out := api.BankAccount{
		ID: toID(a.ID), BankID: a.BankID, AccountNumber: a.AccountNumber, Currency: a.Currency,
		CreatedAt: timestamp(a.CreatedAt),
	}
	if a.BranchID != 0 {
		out.BranchID = &a.BranchID
	}
	return out
}

func walletAccount(a payout.WalletAccount) api.WalletAccount {
	return api.WalletAccount{
		ID: toID(a.ID), PayerID: a.PayerID, WalletNumber: a.WalletNumber, Currency: a.Currency,
		CreatedAt: timestamp(a.CreatedAt),
	}
}
