package client

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// kind says whether an operation may be retried.
type kind int

const (
	reads   kind = iota // always
	creates             // with the same idempotency key
	sets                // never: the contract gives these operations no key
)

// operation is an operation of the contract.
type operation struct {
	id   string // operationId
	path string // the template
	kind kind
}

// matches reports whether a path, relative to the base URL, has the segments of the template. An empty parameter, or one
// with a dot or a slash, would reach another operation.
func (o *operation) matches(path string) bool {
	return strings.Count(path, "/") == strings.Count(o.path[1:], "/") && !strings.Contains("/"+path+"/", "//")
}

var (
	listPayers              = &operation{"listPayers", "/payers", reads}
	getPayer                = &operation{"getPayer", "/payers/{payerId}", reads}
	listBanks               = &operation{"listBanks", "/banks", reads}
	getBank                 = &operation{"getBank", "/banks/{bankId}", reads}
	listCountryStates       = &operation{"listCountryStates", "/countries/{countryCode}/states", reads}
	getCountryState         = &operation{"getCountryState", "/countries/{countryCode}/states/{stateCode}", reads}
	listStatesV2            = &operation{"listStatesV2", "/v2/states", reads}
	getStateV2              = &operation{"getStateV2", "/v2/states/{stateId}", reads}
	createUser              = &operation{"createUser", "/users", creates}
	listUsers               = &operation{"listUsers", "/users", reads}
	getUser                 = &operation{"getUser", "/users/{user_id}", reads}
	updateUser              = &operation{"updateUser", "/users/{user_id}", sets}
	createDocuments         = &operation{"createDocuments", "/users/{user_id}/documents", creates}
	getCipInfo              = &operation{"getCipInfo", "/users/{user_id}/cip-info", reads}
	getTransactionLimit     = &operation{"getTransactionLimit", "/users/{user_id}/transaction-limit", reads}
	createTransaction       = &operation{"createTransaction", "/users/{user_id}/transactions", creates}
	previewTransaction      = &operation{"previewTransaction", "/users/{user_id}/transactions/preview", reads}
	listClientTransactions  = &operation{"listClientTransactions", "/transactions", reads}
	listTransactions        = &operation{"listTransactions", "/users/{user_id}/transactions", reads}
	getTransaction          = &operation{"getTransaction", "/users/{user_id}/transactions/{transaction_id}", reads}
	cancelTransaction       = &operation{"cancelTransaction", "/users/{user_id}/transactions/{transaction_id}/cancel", sets}
	createFundingAccount    = &operation{"createFundingAccount", "/users/{user_id}/funding-accounts", creates}
	listFundingAccounts     = &operation{"listFundingAccounts", "/users/{user_id}/funding-accounts", reads}
	createReceiveUser       = &operation{"createReceiveUser", "/users/{user_id}/receive-users", creates}
	listReceiveUsers        = &operation{"listReceiveUsers", "/users/{user_id}/receive-users", reads}
	createBankAccount       = &operation{"createBankAccount", "/users/{user_id}/receive-users/{receive_user_id}/bank-accounts", creates}
	listBankAccounts        = &operation{"listBankAccounts", "/users/{user_id}/receive-users/{receive_user_id}/bank-accounts", reads}
	createWalletAccount     = &operation{"createWalletAccount", "/users/{user_id}/receive-users/{receive_user_id}/wallet-accounts", creates}
	listWalletAccounts      = &operation{"listWalletAccounts", "/users/{user_id}/receive-users/{receive_user_id}/wallet-accounts", reads}
	listEvents              = &operation{"listEvents", "/events", reads}
	getEvent                = &operation{"getEvent", "/events/{event_id}", reads}
	createWebhookEndpoint   = &operation{"createWebhookEndpoint", "/webhook-endpoints", creates}
	listWebhookEndpoints    = &operation{"listWebhookEndpoints", "/webhook-endpoints", reads}
	getWebhookEndpoint      = &operation{"getWebhookEndpoint", "/webhook-endpoints/{webhook_endpoint_id}", reads}
	updateWebhookEndpoint   = &operation{"updateWebhookEndpoint", "/webhook-endpoints/{webhook_endpoint_id}", sets}
	deleteWebhookEndpoint   = &operation{"deleteWebhookEndpoint", "/webhook-endpoints/{webhook_endpoint_id}", sets}
	rotateWebhookSecret     = &operation{"rotateWebhookSecret", "/webhook-endpoints/{webhook_endpoint_id}/secret", creates}
	listWebhookDeliveries   = &operation{"listWebhookDeliveries", "/webhook-endpoints/{webhook_endpoint_id}/deliveries", reads}
	retryWebhookDelivery    = &operation{"retryWebhookDelivery", "/webhook-endpoints/{webhook_endpoint_id}/deliveries/{event_id}/retry", sets}
	testWebhookEndpoint     = &operation{"testWebhookEndpoint", "/webhook-endpoints/{webhook_endpoint_id}/test", sets}
	setVerification         = &operation{"setVerification", "/sandbox/users/{user_id}/verification", sets}
	setFundingAccountStatus = &operation{"setFundingAccountStatus", "/sandbox/users/{user_id}/funding-accounts/{funding_account_id}/status", sets}
	setTransactionStatus    = &operation{"setTransactionStatus", "/sandbox/users/{user_id}/transactions/{transaction_id}/status", sets}
)

// ListPayers lists the payers of the enabled destination countries, filtered by params, ordered by id. It lists none for a
// country that is not enabled (decisions D-18 and D-38). params may be nil.
func (c *Client) ListPayers(
	ctx context.Context, params *api.ListPayersParams, options ...CallOption,
) ([]api.Payer, error) {
	r, err := api.NewListPayersRequest(c.base, params)
	return list[api.Payer](ctx, c, listPayers, r, err, options)
}

// GetPayer reads a payer with its code, receiving currency, network limits and pick-up locations (decision D-21).
// Errors: [NotFound].
func (c *Client) GetPayer(
	ctx context.Context, payerID api.ReferenceID, options ...CallOption,
) (*api.PayerDetail, error) {
	r, err := api.NewGetPayerRequest(c.base, payerID)
	return one[api.PayerDetail](ctx, c, getPayer, r, err, options)
}

// ListBanks lists banks and branches of the enabled destination countries, or of the one that params name, ordered by
// id. params may be nil.
func (c *Client) ListBanks(
	ctx context.Context, params *api.ListBanksParams, options ...CallOption,
) ([]api.Bank, error) {
	r, err := api.NewListBanksRequest(c.base, params)
	return list[api.Bank](ctx, c, listBanks, r, err, options)
}

// GetBank reads a bank with its branches and the currencies it receives. Errors: [NotFound].
func (c *Client) GetBank(ctx context.Context, bankID api.ReferenceID, options ...CallOption) (*api.BankDetail, error) {
	r, err := api.NewGetBankRequest(c.base, bankID)
	return one[api.BankDetail](ctx, c, getBank, r, err, options)
}

// ListCountryStates lists the states of an enabled country, an ISO 3166-1 alpha-2 code, ordered by code.
// Errors: [NotFound].
func (c *Client) ListCountryStates(
	ctx context.Context, country api.CountryCode, options ...CallOption,
) ([]api.State, error) {
	r, err := api.NewListCountryStatesRequest(c.base, country)
	return list[api.State](ctx, c, listCountryStates, r, err, options)
}

// GetCountryState reads a state of an enabled country (decision D-33 about codes). Errors: [NotFound].
func (c *Client) GetCountryState(
	ctx context.Context, country api.CountryCode, state api.StateCode, options ...CallOption,
) (*api.State, error) {
	r, err := api.NewGetCountryStateRequest(c.base, country, state)
	return one[api.State](ctx, c, getCountryState, r, err, options)
}

// ListStatesV2 lists states in their second form (decision D-03), of all enabled countries or of one, ordered by id.
// params may be nil.
func (c *Client) ListStatesV2(
	ctx context.Context, params *api.ListStatesV2Params, options ...CallOption,
) ([]api.StateV2, error) {
	r, err := api.NewListStatesV2Request(c.base, params)
	return list[api.StateV2](ctx, c, listStatesV2, r, err, options)
}

// GetStateV2 reads a state in its second form (decision D-03). Errors: [NotFound].
func (c *Client) GetStateV2(ctx context.Context, stateID api.ReferenceID, options ...CallOption) (*api.StateV2, error) {
	r, err := api.NewGetStateV2Request(c.base, stateID)
	return one[api.StateV2](ctx, c, getStateV2, r, err, options)
}

// CreateUser registers an individual or, with Business, a business. Type SEND gives the capability to send, which needs
// an enabled originating corridor for the user's country. Errors: [CorridorNotEnabled].
func (c *Client) CreateUser(ctx context.Context, user api.UserRequest, options ...CallOption) (*api.User, error) {
	r, err := api.NewCreateUserRequest(c.base, nil, user)
	return one[api.User](ctx, c, createUser, r, encoded(user, err), options)
}

// ListUsers reads one page of the client's users that meet params, newest first; [Client.Users] goes through all. params may
// be nil (decision D-70).
func (c *Client) ListUsers(
	ctx context.Context, params *api.ListUsersParams, options ...CallOption,
) (*api.UserPage, error) {
	r, err := api.NewListUsersRequest(c.base, params)
	return one[api.UserPage](ctx, c, listUsers, r, err, options)
}

// GetUser reads a user. Errors: [NotFound].
func (c *Client) GetUser(ctx context.Context, userID uuid.UUID, options ...CallOption) (*api.User, error) {
	r, err := api.NewGetUserRequest(c.base, userID)
	return one[api.User](ctx, c, getUser, r, err, options)
}

// UpdateUser changes the members of a registration that are sent, and returns the user as it is now (decision D-72). A member
// that is VERIFIED keeps its value; sending that value is no error. It is never retried, but may be repeated.
// Errors: [NotFound], [InformationVerified].
func (c *Client) UpdateUser(
	ctx context.Context, userID uuid.UUID, update api.UserUpdateRequest, options ...CallOption,
) (*api.User, error) {
	r, err := api.NewUpdateUserRequest(c.base, userID, update)
	return one[api.User](ctx, c, updateUser, r, encoded(update, err), options)
}

// CreateDocuments adds documents to a user, and returns the user with all of them (decision D-72). [DataURI] makes the content
// of a copy. Errors: [NotFound], [InformationVerified], [TooManyDocuments].
func (c *Client) CreateDocuments(
	ctx context.Context, userID uuid.UUID, documents api.UserDocumentsRequest, options ...CallOption,
) (*api.User, error) {
	r, err := api.NewCreateDocumentsRequest(c.base, userID, nil, documents)
	return one[api.User](ctx, c, createDocuments, r, encoded(documents, err), options)
}

// GetCipInfo reads the verification of a user: the KYC status, and the status of each piece of information that was
// submitted or requested. Errors: [NotFound].
func (c *Client) GetCipInfo(ctx context.Context, userID uuid.UUID, options ...CallOption) (*api.CipInfo, error) {
	r, err := api.NewGetCipInfoRequest(c.base, userID)
	return one[api.CipInfo](ctx, c, getCipInfo, r, err, options)
}

// GetTransactionLimit reads what a user may still send to a destination country today, this month and this year (UTC),
// in the sending currency of the user's corridor (decisions D-17 and D-32). Errors: [NotFound].
func (c *Client) GetTransactionLimit(
	ctx context.Context, userID uuid.UUID, destination api.CountryCode, options ...CallOption,
) (*api.TransactionLimit, error) {
	params := api.GetTransactionLimitParams{Destination: destination}
	r, err := api.NewGetTransactionLimitRequest(c.base, userID, &params)
	return one[api.TransactionLimit](ctx, c, getTransactionLimit, r, err, options)
}

// CreateTransaction creates a money transfer to a receive user; [BankDeposit], [Wallet], [CashPickup] and
// [HomeDelivery] make its To. Amounts are exact and in the currency named beside them (decisions D-05, D-06, D-53).
//
// Errors: [NotFound]; [BadRequest], also if the amounts are not equivalent; and, in the order of the checks,
// [CorridorNotEnabled], [SendingNotEnabled], [KycNotEligible], [FundingAccountNotFound],
// [FundingAccountNotActive], [ReceiveUserNotFound], [ReceiveAccountNotFound], [PayerNotFound], [PickupLocationNotFound],
// [AddressRequired], [CurrencyNotSupported], [AmountNotAllowed], [LimitExceeded] (decision D-09).
func (c *Client) CreateTransaction(
	ctx context.Context, userID uuid.UUID, transaction api.TransactionRequest, options ...CallOption,
) (*api.Transaction, error) {
	r, err := api.NewCreateTransactionRequest(c.base, userID, nil, transaction)
	return one[api.Transaction](ctx, c, createTransaction, r, encoded(transaction, err), options)
}

// PreviewTransaction returns what [Client.CreateTransaction] would return for the same transaction now, or its error, and
// creates nothing; it is retried as a read is (decision D-71).
func (c *Client) PreviewTransaction(
	ctx context.Context, userID uuid.UUID, transaction api.TransactionRequest, options ...CallOption,
) (*api.TransactionPreview, error) {
	r, err := api.NewPreviewTransactionRequest(c.base, userID, transaction)
	return one[api.TransactionPreview](ctx, c, previewTransaction, r, encoded(transaction, err), options)
}

// ListClientTransactions reads one page of the transactions of all the client's users that meet params, newest first;
// [Client.ClientTransactions] goes through all. params may be nil (decision D-70).
func (c *Client) ListClientTransactions(
	ctx context.Context, params *api.ListClientTransactionsParams, options ...CallOption,
) (*api.TransactionPage, error) {
	r, err := api.NewListClientTransactionsRequest(c.base, params)
	return one[api.TransactionPage](ctx, c, listClientTransactions, r, err, options)
}

// ListTransactions reads one page of a user's transactions, newest first; [Client.Transactions] goes through all.
// params may be nil. Errors: [NotFound].
func (c *Client) ListTransactions(
	ctx context.Context, userID uuid.UUID, params *api.ListTransactionsParams, options ...CallOption,
) (*api.TransactionPage, error) {
	r, err := api.NewListTransactionsRequest(c.base, userID, params)
	return one[api.TransactionPage](ctx, c, listTransactions, r, err, options)
}

// GetTransaction reads a transaction of a user. Errors: [NotFound].
func (c *Client) GetTransaction(
	ctx context.Context, userID, transactionID uuid.UUID, options ...CallOption,
) (*api.Transaction, error) {
	r, err := api.NewGetTransactionRequest(c.base, userID, transactionID)
	return one[api.Transaction](ctx, c, getTransaction, r, err, options)
}

// CancelTransaction cancels a transaction that is INITIATED, so that its amount no longer counts against the limits of the
// user, and returns it; one that is CANCELED already is returned as it is (decision D-66). It is never retried, but may be
// repeated. Errors: [NotFound], [TransactionNotCancelable].
func (c *Client) CancelTransaction(
	ctx context.Context, userID, transactionID uuid.UUID, options ...CallOption,
) (*api.Transaction, error) {
	r, err := api.NewCancelTransactionRequest(c.base, userID, transactionID)
	return one[api.Transaction](ctx, c, cancelTransaction, r, err, options)
}

// CreateFundingAccount links a funding account to a user, in status PENDING; the operator makes it ACTIVE, in a sandbox
// [Client.SetFundingAccountStatus] does (decision D-20). Errors: [NotFound].
func (c *Client) CreateFundingAccount(
	ctx context.Context, userID uuid.UUID, account api.FundingAccountRequest, options ...CallOption,
) (*api.FundingAccount, error) {
	r, err := api.NewCreateFundingAccountRequest(c.base, userID, nil, account)
	return one[api.FundingAccount](ctx, c, createFundingAccount, r, encoded(account, err), options)
}

// ListFundingAccounts lists all funding accounts of a user in one response, oldest first; [Client.FundingAccounts] goes through pages.
// Errors: [NotFound].
func (c *Client) ListFundingAccounts(
	ctx context.Context, userID uuid.UUID, options ...CallOption,
) ([]api.FundingAccount, error) {
	r, err := api.NewListFundingAccountsRequest(c.base, userID, nil)
	return list[api.FundingAccount](ctx, c, listFundingAccounts, r, err, options)
}

// CreateReceiveUser adds a receive user in an enabled destination country. Errors: [NotFound], [CorridorNotEnabled].
func (c *Client) CreateReceiveUser(
	ctx context.Context, userID uuid.UUID, receiveUser api.ReceiveUserRequest, options ...CallOption,
) (*api.ReceiveUser, error) {
	r, err := api.NewCreateReceiveUserRequest(c.base, userID, nil, receiveUser)
	return one[api.ReceiveUser](ctx, c, createReceiveUser, r, encoded(receiveUser, err), options)
}

// ListReceiveUsers lists all receive users of a user in one response, oldest first; [Client.ReceiveUsers] goes through pages.
// Errors: [NotFound].
func (c *Client) ListReceiveUsers(
	ctx context.Context, userID uuid.UUID, options ...CallOption,
) ([]api.ReceiveUser, error) {
	r, err := api.NewListReceiveUsersRequest(c.base, userID, nil)
	return list[api.ReceiveUser](ctx, c, listReceiveUsers, r, err, options)
}

// CreateBankAccount adds a bank account, the target of [BankDeposit], to a receive user.
// Errors: [NotFound], [CurrencyNotSupported].
func (c *Client) CreateBankAccount(
	ctx context.Context, userID, receiveUserID uuid.UUID, account api.BankAccountRequest, options ...CallOption,
) (*api.BankAccount, error) {
	r, err := api.NewCreateBankAccountRequest(c.base, userID, receiveUserID, nil, account)
	return one[api.BankAccount](ctx, c, createBankAccount, r, encoded(account, err), options)
}

// ListBankAccounts lists all bank accounts of a receive user in one response, oldest first; [Client.BankAccounts] goes through pages.
// Errors: [NotFound].
func (c *Client) ListBankAccounts(
	ctx context.Context, userID, receiveUserID uuid.UUID, options ...CallOption,
) ([]api.BankAccount, error) {
	r, err := api.NewListBankAccountsRequest(c.base, userID, receiveUserID, nil)
	return list[api.BankAccount](ctx, c, listBankAccounts, r, err, options)
}

// CreateWalletAccount adds a wallet account, the target of [Wallet], to a receive user.
// Errors: [NotFound], [PayerNotFound], [CurrencyNotSupported].
func (c *Client) CreateWalletAccount(
	ctx context.Context, userID, receiveUserID uuid.UUID, account api.WalletAccountRequest, options ...CallOption,
) (*api.WalletAccount, error) {
	r, err := api.NewCreateWalletAccountRequest(c.base, userID, receiveUserID, nil, account)
	return one[api.WalletAccount](ctx, c, createWalletAccount, r, encoded(account, err), options)
}

// ListWalletAccounts lists all wallet accounts of a receive user in one response, oldest first; [Client.WalletAccounts] goes through pages.
// Errors: [NotFound].
func (c *Client) ListWalletAccounts(
	ctx context.Context, userID, receiveUserID uuid.UUID, options ...CallOption,
) ([]api.WalletAccount, error) {
	r, err := api.NewListWalletAccountsRequest(c.base, userID, receiveUserID, nil)
	return list[api.WalletAccount](ctx, c, listWalletAccounts, r, err, options)
}

// SetVerification sets the verification of a user, only in a sandbox; elsewhere it is [NotFound]. It is never retried.
func (c *Client) SetVerification(
	ctx context.Context, userID uuid.UUID, verification api.VerificationRequest, options ...CallOption,
) (*api.CipInfo, error) {
	r, err := api.NewSetVerificationRequest(c.base, userID, verification)
	return one[api.CipInfo](ctx, c, setVerification, r, encoded(verification, err), options)
}

// SetFundingAccountStatus sets the status of a funding account, only in a sandbox; elsewhere it is [NotFound]. It is
// never retried.
func (c *Client) SetFundingAccountStatus(
	ctx context.Context, userID, fundingAccountID uuid.UUID, status api.FundingAccountStatus, options ...CallOption,
) (*api.FundingAccount, error) {
	r, err := api.NewSetFundingAccountStatusRequest(
		c.base, userID, fundingAccountID, api.FundingAccountStatusRequest{Status: status})
	return one[api.FundingAccount](ctx, c, setFundingAccountStatus, r, encoded(status, err), options)
}

// SetTransactionStatus moves a transaction along the table of decision D-66, only in a sandbox; elsewhere it is [NotFound]. It
// is never retried, but may be repeated: a status that the transaction has changes nothing.
// Errors: [NotFound], [BadRequest], [TransitionNotAllowed], and for PROCESSING [InformationRequired] and those of the sender
// in [Client.CreateTransaction].
func (c *Client) SetTransactionStatus(
	ctx context.Context, userID, transactionID uuid.UUID, move api.TransactionMoveRequest, options ...CallOption,
) (*api.Transaction, error) {
	r, err := api.NewSetTransactionStatusRequest(c.base, userID, transactionID, move)
	return one[api.Transaction](ctx, c, setTransactionStatus, r, encoded(move, err), options)
}
