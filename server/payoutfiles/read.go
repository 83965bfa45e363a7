package payoutfiles

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// byteOrderMark starts the UTF-8 files of some spreadsheets; it carries no meaning.
const byteOrderMark = "\uFEFF"

// maxLine is the length of the longest line of JSON, in bytes.
const maxLine = 1 << 20

// Why a file is rejected as a whole.
var (
	ErrHeader = errors.New("the header") // a CSV file without a usable one
	ErrForm   = errors.New("the file")   // neither CSV with commas in UTF-8 nor JSON lines
)

// remedy is what a spreadsheet does about a file that is rejected with ErrForm.
const remedy = "save it as CSV with commas (UTF-8)"

// Lines yields the lines of a release or a settlement as they are read. Lines that are malformed have a problem; the last element
// may be an error: of reading, ErrForm or ErrHeader. Columns that have no meaning here are ignored, so that an export can be
// released as it is. A file whose first character is { has JSON lines; any other is CSV.
//
// The client is that of lines that name none; empty if each must.
func Lines(in io.Reader, direction payout.FileDirection, client payout.ClientID) iter.Seq2[payout.FileLine, error] {
	return func(yield func(payout.FileLine, error) bool) {
		buffered := bufio.NewReader(in)
		if start, _ := buffered.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
			_, _ = buffered.Discard(len(byteOrderMark))
		}
		if err := checkForm(buffered); err != nil {
			yield(payout.FileLine{}, err)
			return
		}
		rows := csvRows
		if start, _ := buffered.Peek(1); string(start) == "{" {
			rows = jsonRows
		}
		for r, err := range rows(buffered) {
			if err != nil {
				yield(payout.FileLine{}, err)
				return
			}
			if !yield(r.line(direction, client), nil) {
				return
			}
		}
	}
}

// checkForm rejects what spreadsheets save instead of CSV with commas in UTF-8.
func checkForm(in *bufio.Reader) error {
	start, _ := in.Peek(in.Size()) // an error comes again when it is read
	if bytes.HasPrefix(start, []byte("\xFF\xFE")) || bytes.HasPrefix(start, []byte("\xFE\xFF")) || bytes.IndexByte(start[:min(2, len(start))], 0) >= 0 {
		return fmt.Errorf("%w is in UTF-16; %s", ErrForm, remedy)
	}
	first, _, _ := bytes.Cut(bytes.TrimLeft(start, "\r\n"), []byte("\n"))
	separates := func(comma rune) bool {
		header := csv.NewReader(bytes.NewReader(first))
		header.Comma = comma
		names, err := header.Read()
		return err == nil && len(names) > 1 && slices.Contains(names, columnTransaction)
	}
	switch {
	case separates(','):
		return nil
	case separates(';'):
		return fmt.Errorf("%w is separated by semicolons; %s", ErrForm, remedy)
	case separates('\t'):
		return fmt.Errorf("%w is separated by tabs; %s", ErrForm, remedy)
	}
	return nil
}

// row is a line before its cells are checked. A row with a problem has no cells.
type row struct {
	number  int
	problem string
	cells   map[string]string
}

// csvRows yields the rows of a CSV file, but those of empty cells alone, which spreadsheets write after the last one. The cells
// are valid only until the next row is read.
func csvRows(in *bufio.Reader) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		records := csv.NewReader(in)
		records.ReuseRecord = true
		header, err := records.Read()
		if err == nil {
			header, err = slices.Clone(header), checkHeader(header)
		} else if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w is missing", ErrHeader)
		} else if malformed, ok := errors.AsType[*csv.ParseError](err); ok {
			err = fmt.Errorf("%w: %w", ErrHeader, malformed.Err)
		}
		if err != nil {
			yield(row{}, err)
			return
		}
		r := row{cells: map[string]string{}}
		for {
			cells, err := records.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if len(cells) > 0 && strings.Join(cells, "") == "" {
				continue
			}
			r.problem = ""
			if malformed, ok := errors.AsType[*csv.ParseError](err); ok {
				r.number, r.problem = malformed.StartLine, malformed.Err.Error()
			} else if err != nil {
				yield(row{}, err)
				return
			} else {
				r.number, _ = records.FieldPos(0)
				for i, name := range header {
					r.cells[name] = unescape(cells[i])
				}
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

func checkHeader(header []string) error {
	for i, name := range header {
		if slices.Contains(header[:i], name) {
			return fmt.Errorf("%w has %q twice", ErrHeader, name)
		}
	}
	if !slices.Contains(header, columnTransaction) {
		return fmt.Errorf("%w has no column %s", ErrHeader, columnTransaction)
	}
	return nil
}

// jsonRows yields the rows of JSON lines; empty lines are skipped.
func jsonRows(in *bufio.Reader) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxLine)
		for n := 1; lines.Scan(); n++ {
			text := bytes.TrimSpace(lines.Bytes())
			if len(text) > 0 && !yield(jsonRow(n, text), nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(row{}, err)
		}
	}
}

func jsonRow(n int, text []byte) row {
	var members struct {
		ClientID      string      `json:"client_id"`
		TransactionID string      `json:"transaction_id"`
		Status        string      `json:"status"`
		StatusReason  string      `json:"status_reason"`
		ToAmount      json.Number `json:"to_amount"`
		ToCurrency    string      `json:"to_currency"`
	}
	if err := json.Unmarshal(text, &members); err != nil {
		// The error could quote the line.
		return row{number: n, problem: "is not a JSON object with texts as members"}
	}
	return row{n, "", map[string]string{
		columnClient: members.ClientID, columnTransaction: members.TransactionID, columnStatus: members.Status,
		columnReason: members.StatusReason, columnToAmount: members.ToAmount.String(), columnToCurrency: members.ToCurrency,
	}}
}

// line checks the cells of a row.
func (r row) line(direction payout.FileDirection, client payout.ClientID) payout.FileLine {
	line := payout.FileLine{Number: r.number, Problem: r.problem}
	if line.Problem != "" {
		return line
	}
	problem := func(column, reason string) payout.FileLine {
		return payout.FileLine{Number: r.number, Problem: column + " " + reason}
	}
	id, err := uuid.Parse(r.cells[columnTransaction])
	if err != nil || len(r.cells[columnTransaction]) != len(id.String()) {
		return problem(columnTransaction, "must be a UUID")
	}
	line.TransactionID, line.ClientID = payout.TransactionID(id.String()), payout.ClientID(r.cells[columnClient])
	switch {
	case line.ClientID == "" && client == "":
		return problem(columnClient, "is missing; name the client there or in --client")
	case line.ClientID == "":
		line.ClientID = client
	case client != "" && line.ClientID != client:
		return problem(columnClient, "is not the client of --client")
	}
	if reason := payout.ClientIDReason(line.ClientID); reason != "" {
		return problem(columnClient, reason)
	}
	if line.Move, err = r.move(direction); err != nil {
		return payout.FileLine{Number: r.number, Problem: err.Error()}
	}
	amount, currency := r.cells[columnToAmount], r.cells[columnToCurrency]
	switch {
	case amount == "" && currency == "":
		return line
	case amount == "" || currency == "":
		return problem(columnToAmount, "and "+columnToCurrency+" must both be there, or neither")
	}
	if _, ok := payout.MinorDigits(currency); !ok {
		return problem(columnToCurrency, "must be a currency of ISO 4217")
	}
	minor, err := payout.MinorUnits(amount, currency)
	if err != nil {
		return problem(columnToAmount, err.Error())
	}
	line.Amount = &payout.FileAmount{Minor: minor, Currency: currency}
	return line
}

// settlements are the statuses that a settlement may have. READY_FOR_PICKUP is one of the delivery.
var settlements = map[string]payout.Move{
	string(payout.StatusCompleted):        {Status: payout.StatusCompleted, By: payout.ActorOperator},
	string(payout.StatusFailed):           {Status: payout.StatusFailed, By: payout.ActorOperator},
	string(payout.StatusReturned):         {Status: payout.StatusReturned, By: payout.ActorOperator},
	string(payout.DeliveryReadyForPickup): {Status: payout.StatusProcessing, Delivery: payout.DeliveryReadyForPickup, By: payout.ActorOperator},
}

func (r row) move(direction payout.FileDirection) (payout.Move, error) {
	if direction == payout.FileRelease {
		return payout.Move{Status: payout.StatusProcessing, By: payout.ActorOperator}, nil
	}
	move, ok := settlements[r.cells[columnStatus]]
	if !ok {
		return payout.Move{}, errors.New(columnStatus + " must be COMPLETED, FAILED, RETURNED or READY_FOR_PICKUP")
	}
	move.Reason = payout.StatusReason(r.cells[columnReason])
	if move.Reason != "" && !slices.Contains(payout.StatusReasons(), move.Reason) {
		return payout.Move{}, errors.New(columnReason + " must be one of " + joined(payout.StatusReasons()))
	}
	if found := move.Check(); len(found) > 0 {
		// The field is a JSON pointer.
		return payout.Move{}, errors.New(strings.TrimLeftFunc(found[0].Field, unicode.IsPunct) + " " + found[0].Reason)
	}
	return move, nil
}

func joined[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}
