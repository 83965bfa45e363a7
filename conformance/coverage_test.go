package conformance_test

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/conformance/coverage"
	"github.com/crossborder-payouts/payouts/openapi"
)

// checksOf names the file of conformance/checks in which the members of operations are sent and looked at.
var checksOf = map[string]string{
	"reference_payers.go":      "listPayers getPayer",
	"reference_banks.go":       "listBanks getBank",
	"reference_states.go":      "listCountryStates getCountryState listStatesV2 getStateV2",
	"users.go":                 "createUser getUser",
	"information.go":           "updateUser createDocuments",
	"verification.go":          "getCipInfo setVerification",
	"limits.go":                "getTransactionLimit",
	"lists.go":                 "listUsers listClientTransactions",
	"accounts.go":              "createFundingAccount listFundingAccounts setFundingAccountStatus",
	"accounts_receiving.go":    "createReceiveUser listReceiveUsers createBankAccount listBankAccounts createWalletAccount listWalletAccounts",
	"transactions_creation.go": "createTransaction",
	"transactions_reading.go":  "listTransactions getTransaction",
	"preview.go":               "previewTransaction",
	"lifecycle.go":             "cancelTransaction setTransactionStatus",
	"events.go":                "listEvents getEvent",
	"webhooks.go": "createWebhookEndpoint listWebhookEndpoints getWebhookEndpoint updateWebhookEndpoint deleteWebhookEndpoint " +
		"rotateWebhookSecret",
	"webhooks_deliveries.go": "listWebhookDeliveries retryWebhookDelivery testWebhookEndpoint",
}

// fileOf returns the file to edit for a member of an operation; "" is that of requests that match none.
func fileOf(operation string) string {
	for file, operations := range checksOf {
		if slices.Contains(strings.Fields(operations), operation) {
			return "conformance/checks/" + file
		}
	}
	return "conformance/checks/errors.go"
}

// The runs in all conditions together exercise everything that the contract declares: each operation with each of its
// statuses and codes, each parameter and request member with valid and invalid values, each response member.
func TestTheSuiteCoversTheContract(t *testing.T) {
	t.Parallel()
	var all []coverage.Report
	for _, run := range []*sharedRun{fullRun, documentRun, rateLimitedRun, unavailableRun, brokenRun} {
		all = append(all, run.get(t).Coverage)
	}
	for _, operation := range coverage.Merge(all...).Operations {
		for _, item := range operation.Missing {
			t.Errorf("%s: %s never seen; send or read it in %s", cmp.Or(operation.ID, "no operation"), item, fileOf(operation.ID))
		}
	}
}

func TestEveryOperationHasAFileOfChecks(t *testing.T) {
	t.Parallel()
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range document.Paths.Map() {
		for _, op := range item.Operations() {
			if fileOf(op.OperationID) == fileOf("") {
				t.Errorf("%s is in no file of checks: write one, and add it to checksOf", op.OperationID)
			}
		}
	}
	for file := range checksOf {
		if _, err := os.Stat("checks/" + file); err != nil {
			t.Error(err)
		}
	}
}
