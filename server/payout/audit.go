package payout

// Change is what a command of an operator changed, for the audit log. Before and After are encoded as JSON; nil is what did not
// exist. They contain ids, statuses and profiles of clients, never personal data or secrets.
type Change struct {
	ClientID ClientID // empty: it concerns no single client
	Object   string   // client, user, funding_account, transaction, payout_file, or reference
	ID       string   // of the object; of reference, the name of the table
	Before   any
	After    any
}

// verificationState is the state of a user in the audit log: its KYC status, and those of its tags that a change names.
type verificationState struct {
	Status KYCStatus            `json:"kyc_status"`
	Tags   map[string]CIPStatus `json:"cip_info,omitempty"`
}

func newVerificationState(status KYCStatus, tags, named map[string]CIPStatus) verificationState {
	state := verificationState{status, map[string]CIPStatus{}}
	for tag := range named {
		if status, ok := tags[tag]; ok {
			state.Tags[tag] = status
		}
	}
	return state
}

// statusState is the state of an object in the audit log that has only a status.
type statusState struct {
	Status string `json:"status"`
}

// transactionState is the state of a transaction in the audit log.
type transactionState struct {
	Status         TransactionStatus `json:"status"`
	DeliveryStatus DeliveryStatus    `json:"delivery_status"`
	StatusReason   StatusReason      `json:"status_reason,omitempty"`
}

func newTransactionState(t Transaction) transactionState {
	return transactionState{t.Status, t.DeliveryStatus, t.StatusReason}
}
