package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// transactions is `payoutd transactions`.
type transactions struct {
	List transactionsList `cmd:"" help:"List transactions of a client, newest first."`
	Show transactionsShow `cmd:"" help:"Print a transaction, and the files that name it: exports, releases and settlements."`

	Export  transactionsExport  `cmd:"" help:"Write transactions with everything that their payments need to a file, which has personal data."`
	Release transactionsRelease `cmd:"" help:"Release the transactions of a file: from then on they are PROCESSING. All of them, or none."`
	Settle  transactionsSettle  `cmd:"" help:"Record what became of the transactions of a file: COMPLETED, FAILED, RETURNED or READY_FOR_PICKUP. All of them, or none."`
}

// transactionJSON is a transaction without personal data; amounts are in major units.
type transactionJSON struct {
	ID                string                 `json:"id"`
	UserID            string                 `json:"user_id"`
	CreatedAt         time.Time              `json:"created_at"`
	UpdatedAt         time.Time              `json:"updated_at"`
	Status            string                 `json:"status"`
	DeliveryStatus    string                 `json:"delivery_status"`
	StatusReason      string                 `json:"status_reason,omitempty"`
	Required          []string               `json:"required_information"`
	FromAmount        json.Number            `json:"from_amount"`
	FromCurrency      string                 `json:"from_currency"`
	ToAmount          json.Number            `json:"to_amount"`
	ToCurrency        string                 `json:"to_currency"`
	FeeAmount         json.Number            `json:"fee_amount"`
	BonusAmount       json.Number            `json:"bonus_amount"`
	ExchangeRate      json.Number            `json:"exchange_rate"`
	FromFundID        string                 `json:"from_fund_id"`
	FundingType       string                 `json:"funding_source_type"`
	Destination       string                 `json:"destination"`
	ReceiveUserID     string                 `json:"receive_user_id"`
	Method            payout.PayoutMethod    `json:"payout_method"`
	Mode              payout.CalculationMode `json:"calculation_mode"`
	FundID            string                 `json:"fund_id,omitempty"`
	PayerID           int64                  `json:"payer_id,omitempty"`
	PickupLocation    int64                  `json:"pickup_location,omitempty"`
	RemittancePurpose string                 `json:"remittance_purpose,omitempty"`
	Reference         string                 `json:"client_reference,omitempty"`
	RequestID         string                 `json:"request_id,omitempty"`
	keyJSON
	Documents []transactionDocument `json:"documents"`
}

type transactionDocument struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

func newTransactionJSON(t payout.Transaction, key payout.Idempotency) transactionJSON {
	major := func(minor int64, currency string) json.Number {
		return json.Number(payout.Major(minor, currency).String())
	}
	documents := make([]transactionDocument, len(t.Documents))
	for i, d := range t.Documents {
		documents[i] = transactionDocument{string(d.ID), d.Type}
	}
	var purpose string
	if p := t.Notes.RemittancePurpose; p != nil {
		purpose = *p
	}
	return transactionJSON{
		ID: string(t.ID), UserID: string(t.UserID), CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, Status: string(t.Status),
		DeliveryStatus: string(t.DeliveryStatus), StatusReason: string(t.StatusReason), Required: append([]string{}, t.RequiredInformation...),
		FromAmount: major(t.FromAmount, t.FromCurrency), FromCurrency: t.FromCurrency,
		ToAmount: major(t.ToAmount, t.ToCurrency), ToCurrency: t.ToCurrency,
		FeeAmount: major(t.FeeAmount, t.FromCurrency), BonusAmount: major(t.BonusAmount, t.FromCurrency),
		ExchangeRate: json.Number(t.ExchangeRate.String()), FromFundID: string(t.FromFundID), FundingType: t.FundingType,
		Destination: t.Destination, ReceiveUserID: string(t.To.ReceiveUserID), Method: t.To.Method, Mode: t.To.Mode,
		FundID: string(t.To.FundID), PayerID: t.To.PayerID, PickupLocation: t.To.PickupLocation, RemittancePurpose: purpose, Reference: t.ClientReference, RequestID: t.RequestID,
		keyJSON: newKeyJSON(key), Documents: documents,
	}
}

type transactionsList struct {
	database
	clientOf
	listing
	pages
	User      string `help:"Only transactions of this user."`
	Status    string `help:"Only transactions with this status: INITIATED, PROCESSING, COMPLETED, FAILED, CANCELED or RETURNED."`
	Reference string `help:"Only transactions that the client created with this client_reference."`
	From      string `help:"First UTC day, such as 2026-03-01."`
	To        string `help:"Last UTC day, included."`
}

// Run lists transactions.
func (l transactionsList) Run(ctx context.Context, std streams) error {
	if l.User != "" {
		if err := checkIDs(named{"user", &l.User}); err != nil {
			return err
		}
	}
	if l.Status != "" {
		if err := checkOneOf("status", l.Status, payout.TransactionStatuses()...); err != nil {
			return err
		}
	}
	if err := l.check(); err != nil {
		return err
	}
	filter := payout.TransactionFilter{UserID: payout.UserID(l.User), Status: payout.TransactionStatus(l.Status), ClientReference: l.Reference}
	var err error
	if filter.From, err = day("from", l.From); err != nil {
		return err
	}
	if filter.To, err = day("to", l.To); err != nil {
		return err
	}
	if !filter.To.IsZero() {
		if filter.To.Before(filter.From) {
			return usageError{"to", errors.New("must not be before --from")}
		}
		filter.To = filter.To.AddDate(0, 0, 1)
	}
	return l.within(ctx, l.database, func(o operation) error {
		if l.User != "" {
			if _, err := o.service.User(ctx, o.client, payout.UserID(l.User)); err != nil {
				return err
			}
		}
		at, err := l.begin("transaction", func(id string) (time.Time, bool, error) {
			t, ok, err := o.db.ClientTransaction(ctx, o.client.ID, payout.TransactionID(id))
			return t.CreatedAt, ok, err
		})
		if err != nil {
			return err
		}
		all, next, err := rowsOf(std, l.pages, at, func(p payout.Page) ([]payout.Transaction, payout.Position, error) {
			return o.service.ClientTransactions(ctx, o.client, filter, p)
		})
		if err != nil {
			return err
		}
		ids := make([]string, len(all))
		for i, t := range all {
			ids[i] = string(t.ID)
		}
		keys, err := o.db.ResourceKeys(ctx, o.client.ID, ids)
		if err != nil {
			return err
		}
		rows := make([]transactionJSON, len(all))
		cells := make([][]string, len(all))
		for i, t := range all {
			rows[i] = newTransactionJSON(t, keys[string(t.ID)])
			cells[i] = []string{
				string(t.ID), utc(t.CreatedAt), string(t.UserID), rows[i].Status, rows[i].from(), rows[i].to(), t.Destination, string(t.To.Method), printable(t.ClientReference),
			}
		}
		return l.print(std.out, pageJSON[transactionJSON]{rows, next}, []string{"ID", "CREATED", "USER", "STATUS", "FROM", "TO", "COUNTRY", "METHOD", "REFERENCE"}, cells)
	})
}

// day parses a date; "" is the zero time.
func day(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || t.Year() < 1970 {
		return time.Time{}, usageError{flag, errors.New("must be a date YYYY-MM-DD")}
	}
	return t, nil
}

func (t transactionJSON) from() string { return t.FromAmount.String() + " " + t.FromCurrency }

func (t transactionJSON) to() string { return t.ToAmount.String() + " " + t.ToCurrency }

type transactionsShow struct {
	database
	clientOfID
	listing
	TransactionID string `arg:"" help:"Id of the transaction."`
}

// Run prints a transaction.
func (s transactionsShow) Run(ctx context.Context, std streams) error {
	if err := checkIDs(named{"<transaction-id>", &s.TransactionID}); err != nil {
		return err
	}
	return s.within(ctx, s.database, store.KindTransaction, s.TransactionID, func(o operation) error {
		t, ok, err := o.db.ClientTransaction(ctx, o.client.ID, payout.TransactionID(s.TransactionID))
		if err != nil {
			return err
		}
		if !ok {
			return payout.NotFound("transaction")
		}
		keys, err := o.db.ResourceKeys(ctx, o.client.ID, []string{string(t.ID)})
		if err != nil {
			return err
		}
		uses, err := o.db.TransactionFiles(ctx, o.client.ID, t.ID)
		if err != nil {
			return err
		}
		shown := shownTransaction{newTransactionJSON(t, keys[string(t.ID)]), make([]transactionFile, len(uses))}
		fields := shown.fields()
		for i, u := range uses {
			shown.Files[i] = newTransactionFile(u)
			fields = append(fields, shown.Files[i].field())
		}
		return s.printFields(std.out, shown, fields)
	})
}

// shownTransaction is a transaction with the files that name it, oldest first.
type shownTransaction struct {
	transactionJSON
	Files []transactionFile `json:"files"`
}

type transactionFile struct {
	ID        string    `json:"file_id"`
	Direction string    `json:"direction"`
	Name      string    `json:"name"`
	Line      int       `json:"line"`
	Actor     string    `json:"actor"`
	At        time.Time `json:"at"`
}

func newTransactionFile(u payout.FileUse) transactionFile {
	return transactionFile{string(u.ID), string(u.Direction), u.Name, u.Line, u.Actor, u.At}
}

func (f transactionFile) field() [2]string {
	return [2]string{strings.ToUpper(f.Direction), printable(fmt.Sprintf("line %d of %s, by %s at %s (%s)", f.Line, f.Name, f.Actor, utc(f.At), f.ID))}
}

func (t transactionJSON) fields() [][2]string {
	number := func(n int64) string { return strings.TrimPrefix(strconv.FormatInt(n, 10), "0") }
	fields := [][2]string{
		{"ID", t.ID},
		{"CREATED", utc(t.CreatedAt)},
		{"UPDATED", utc(t.UpdatedAt)},
		{"USER", t.UserID},
		{"STATUS", t.Status},
		{"DELIVERY STATUS", t.DeliveryStatus},
		{"STATUS REASON", t.StatusReason},
		{"REQUIRED", strings.Join(t.Required, " ")},
		{"FROM", t.from()},
		{"TO", t.to()},
		{"FEE", t.FeeAmount.String() + " " + t.FromCurrency},
		{"BONUS", t.BonusAmount.String() + " " + t.FromCurrency},
		{"EXCHANGE RATE", t.ExchangeRate.String()},
		{"CALCULATION MODE", string(t.Mode)},
		{"FUNDING ACCOUNT", t.FromFundID},
		{"FUNDING TYPE", printable(t.FundingType)},
		{"RECEIVE USER", t.ReceiveUserID},
		{"COUNTRY", t.Destination},
		{"METHOD", string(t.Method)},
		{"RECEIVE ACCOUNT", t.FundID},
		{"PAYER", number(t.PayerID)},
		{"PICKUP LOCATION", number(t.PickupLocation)},
		{"PURPOSE", printable(t.RemittancePurpose)},
		{"REFERENCE", printable(t.Reference)},
	}
	fields = append(append(fields, t.keyJSON.fields()...), [2]string{"REQUEST", printable(t.RequestID)})
	for _, d := range t.Documents {
		fields = append(fields, [2]string{"DOCUMENT", printable(d.Type) + " " + d.ID})
	}
	return fields
}
