package payout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"time"
)

// FileDirection is what a file of payouts is for.
type FileDirection string

// The directions of files.
const (
	FileExport  FileDirection = "export"  // written for the bank
	FileRelease FileDirection = "release" // names the transactions that the bank is to pay
	FileSettle  FileDirection = "settle"  // says what became of them
)

// File is a file of payouts that was exported or applied.
type File struct {
	ID        FileID
	Direction FileDirection
	SHA256    string // of its bytes, in hexadecimal digits
	Name      string
	Actor     string
	At        time.Time
	Lines     int
	Totals    Totals
}

// Totals are sums of receiving amounts in minor units, by currency. A sum may exceed an int64.
type Totals map[string]*big.Int

// Add adds an amount.
func (t Totals) Add(amount int64, currency string) {
	if t[currency] == nil {
		t[currency] = new(big.Int)
	}
	t[currency].Add(t[currency], big.NewInt(amount))
}

// FileLine is one line of a file. A line with a problem has only that and its number.
type FileLine struct {
	Number        int // from 1, including a header
	Problem       string
	ClientID      ClientID
	TransactionID TransactionID
	Move          Move
	Amount        *FileAmount // nil: the line has none
}

// FileAmount is a receiving amount of a line, in minor units, which must be that of the transaction.
type FileAmount struct {
	Minor    int64
	Currency string
}

// FileControl is what a file must have in all; zero values are not compared.
type FileControl struct {
	Lines  int
	Totals map[string]int64 // by currency, in minor units
}

// FileResult is what became of a file.
type FileResult struct {
	File               // as it is recorded
	Repeated bool      // it was applied before, and nothing changed
	Moved    int       // transactions that changed
	Settled  []Settled // transactions that had the status before
	More     int       // of those, how many Settled leaves out
}

// Settled is a line whose transaction had the status before.
type Settled struct {
	Line int
	By   FileUse // zero: no file
}

// FileUse is a line of a file that names a transaction.
type FileUse struct {
	File
	Line int
}

// String names the line and the file.
func (u FileUse) String() string {
	return fmt.Sprintf("line %d of %s, applied by %s at %s", u.Line, u.Name, u.Actor, u.At.UTC().Format(time.RFC3339))
}

// FileProblem is what is wrong with a line of a file, or, without a line, with the file.
type FileProblem struct {
	Line   int
	Reason string
}

// String returns one line.
func (p FileProblem) String() string {
	if p.Line == 0 {
		return p.Reason
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Reason)
}

// FileError rejects a file. Nothing was changed.
type FileError struct {
	Problems []FileProblem // the first of them
	Count    int
}

// Error counts the problems.
func (e *FileError) Error() string { return fmt.Sprintf("the file has %d problems", e.Count) }

func (e *FileError) add(line int, reason string) {
	if e.Count++; e.Count <= maxListed {
		e.Problems = append(e.Problems, FileProblem{line, reason})
	}
}

const (
	// maxListed bounds what is kept of a file with many bad lines.
	maxListed = 1000
	// fileChunk is the number of transactions that are read and locked at once.
	fileChunk = 200
)

// errDryRun rolls a dry run back.
var errDryRun = errors.New("dry run")

// ApplyFile moves the transactions of a file in one write, or none of them; nothing if it is a dry run. It ranges over the lines
// more than once, which must be the same each time; an error of theirs ends it. A file that was applied before changes nothing.
// It returns FileError with every line that is malformed or that MoveTransaction would refuse.
//
// A transaction is released once: one that is PROCESSING already is a problem, because the bank would pay it twice. One that
// has the status that a settlement gives it is none.
func (s *Service) ApplyFile(
	ctx context.Context, f File, lines iter.Seq2[FileLine, error], control FileControl, dryRun bool, progress func(lines int),
) (FileResult, error) {
	var result FileResult
	err := s.store.Write(ctx, func(tx Tx) error {
		f.ID, f.At = FileID(s.newID()), s.now()
		a := applying{
			Service: s, tx: tx, clients: map[ClientID]Client{}, result: FileResult{File: f}, progress: progress,
		}
		a.result.Totals = Totals{}
		err := a.apply(ctx, lines, control)
		result = a.result
		if err == nil && dryRun {
			err = errDryRun
		}
		return err
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return result, err
}

// applying is one attempt to apply a file.
type applying struct {
	*Service
	tx       Tx
	clients  map[ClientID]Client
	result   FileResult
	problems FileError
	progress func(lines int)
	returned map[counters]int64 // amounts of the chunk that are given back to the limits
}

// counters identifies the counters of limits in which transactions of a day are counted.
type counters struct {
	clientID ClientID
	UsageKey
}

func (a *applying) apply(ctx context.Context, lines iter.Seq2[FileLine, error], control FileControl) error {
	if err := a.tx.TakeFileTurn(ctx); err != nil {
		return err
	}
	known, ok, err := a.tx.File(ctx, a.result.Direction, a.result.SHA256)
	if err != nil {
		return err
	}
	if ok {
		a.result = FileResult{File: known, Repeated: true}
		return nil
	}
	if err := a.tx.InsertFile(ctx, a.result.File); err != nil {
		return err
	}
	// All transactions are locked before the first counter, as in any other write, which therefore cannot wait for this one while
	// this one waits for it.
	for chunk, err := range chunked(lines) {
		if err != nil {
			return err
		}
		if _, err := a.lock(ctx, chunk); err != nil {
			return err
		}
	}
	for chunk, err := range chunked(lines) {
		if err != nil {
			return err
		}
		if err := a.chunk(ctx, chunk); err != nil {
			return err
		}
		a.progress(len(chunk))
	}
	a.compare(control)
	if a.problems.Count > 0 {
		return &a.problems
	}
	if err := a.tx.SetFileTotals(ctx, a.result.File); err != nil {
		return err
	}
	return a.tx.Audit(ctx, newFileChange(a.result.File))
}

// chunked yields the lines in groups.
func chunked(lines iter.Seq2[FileLine, error]) iter.Seq2[[]FileLine, error] {
	return func(yield func([]FileLine, error) bool) {
		chunk := make([]FileLine, 0, fileChunk)
		for line, err := range lines {
			if err != nil {
				yield(nil, err)
				return
			}
			if chunk = append(chunk, line); len(chunk) == fileChunk {
				if !yield(chunk, nil) {
					return
				}
				chunk = chunk[:0]
			}
		}
		if len(chunk) > 0 {
			yield(chunk, nil)
		}
	}
}

// place identifies a transaction.
type place struct {
	clientID ClientID
	id       TransactionID
}

// lock reads and locks the transactions of lines.
func (a *applying) lock(ctx context.Context, lines []FileLine) (map[place]Transaction, error) {
	ids := map[ClientID][]TransactionID{}
	for _, l := range lines {
		if l.Problem == "" {
			ids[l.ClientID] = append(ids[l.ClientID], l.TransactionID)
		}
	}
	found := make(map[place]Transaction, len(lines))
	for _, clientID := range slices.Sorted(maps.Keys(ids)) {
		all, err := a.tx.LockTransactions(ctx, clientID, ids[clientID])
		if err != nil {
			return nil, err
		}
		for _, t := range all {
			found[place{clientID, t.ID}] = t
		}
	}
	return found, nil
}

func (a *applying) chunk(ctx context.Context, lines []FileLine) error {
	found, err := a.lock(ctx, lines)
	if err != nil {
		return err
	}
	a.returned = map[counters]int64{}
	for _, l := range lines {
		a.result.Lines++
		problem := l.Problem
		if problem == "" {
			t, ok := found[place{l.ClientID, l.TransactionID}]
			if !ok {
				problem = "there is no such transaction of client " + string(l.ClientID)
			} else if problem, err = a.line(ctx, l, t); err != nil {
				return err
			}
		}
		if problem != "" {
			a.problems.add(l.Number, problem)
		}
	}
	return a.giveBack(ctx)
}

// giveBack changes each counter once for a chunk: PostgreSQL keeps every version of a row that one transaction has written, and
// goes through them all at the next change.
func (a *applying) giveBack(ctx context.Context) error {
	order := func(x, y counters) int {
		return cmp.Or(cmp.Compare(x.clientID, y.clientID), cmp.Compare(x.UserID, y.UserID), cmp.Compare(x.Destination, y.Destination),
			cmp.Compare(x.Currency, y.Currency), x.At.Compare(y.At))
	}
	for _, key := range slices.SortedFunc(maps.Keys(a.returned), order) {
		if _, err := a.tx.AddUsage(ctx, key.clientID, key.UsageKey, -a.returned[key]); err != nil {
			return err
		}
	}
	return nil
}

// line moves a transaction. It returns a problem of the line, or an error that ends the write.
func (a *applying) line(ctx context.Context, l FileLine, before Transaction) (problem string, err error) {
	a.result.Totals.Add(before.ToAmount, before.ToCurrency)
	if is := (FileAmount{before.ToAmount, before.ToCurrency}); l.Amount != nil && *l.Amount != is {
		return fmt.Sprintf("the amount is %s, and that of the transaction is %s", l.Amount, is), nil
	}
	switch inserted, err := a.tx.InsertFileLine(ctx, l.ClientID, l.TransactionID, a.result.ID, l.Number); {
	case err != nil:
		return "", err
	case !inserted:
		return "the transaction is in the file twice", nil
	}
	c, err := a.client(ctx, l.ClientID)
	if err != nil {
		return "", err
	}
	if a.result.Direction == FileRelease && before.Status == l.Move.Status {
		return a.released(ctx, l, before)
	}
	after, givesBack, err := a.moveLocked(ctx, a.tx, c, before, l.Move)
	if err != nil {
		return lineProblem(err)
	}
	if givesBack {
		key := after.usageKey()
		key.At = key.At.UTC().Truncate(24 * time.Hour)
		a.returned[counters{l.ClientID, key}] += after.FromAmount
	}
	if after.Status == before.Status && after.DeliveryStatus == before.DeliveryStatus {
		return "", a.settled(ctx, l)
	}
	a.result.Moved++
	return "", nil
}

// client returns a client, which exists because it has a transaction.
func (a *applying) client(ctx context.Context, id ClientID) (Client, error) {
	c, ok := a.clients[id]
	if ok {
		return c, nil
	}
	c, _, _, err := a.tx.Client(ctx, id, a.result.At)
	a.clients[id] = c
	return c, err
}

// released says who released a transaction before.
func (a *applying) released(ctx context.Context, l FileLine, t Transaction) (string, error) {
	problem := "the transaction is " + string(t.Status) + " already"
	use, ok, err := a.tx.FileUse(ctx, l.ClientID, l.TransactionID, FileRelease, a.result.ID)
	if ok {
		problem += ": " + use.String()
	}
	return problem, err
}

// settled notes a line whose transaction had the status before.
func (a *applying) settled(ctx context.Context, l FileLine) error {
	if len(a.result.Settled) == maxListed {
		a.result.More++
		return nil
	}
	use, _, err := a.tx.FileUse(ctx, l.ClientID, l.TransactionID, FileSettle, a.result.ID)
	a.result.Settled = append(a.result.Settled, Settled{l.Number, use})
	return err
}

// lineProblem returns what a refusal says; other errors remain errors.
func lineProblem(err error) (string, error) {
	var e *Error
	if !errors.As(err, &e) || e.Code == CodeServiceUnavailable || e.Code == CodeInternalError {
		return "", err
	}
	return string(e.Code) + ": " + e.Message, nil
}

// compare adds a problem for each control figure that the file does not have.
func (a *applying) compare(control FileControl) {
	if a.result.Lines == 0 {
		a.problems.add(0, "the file has no lines")
	}
	if control.Lines != 0 && control.Lines != a.result.Lines {
		a.problems.add(0, fmt.Sprintf("the file has %d lines, not %d", a.result.Lines, control.Lines))
	}
	for _, currency := range slices.Sorted(maps.Keys(control.Totals)) {
		want, got := big.NewInt(control.Totals[currency]), a.result.Totals[currency]
		if got == nil {
			got = new(big.Int)
		}
		if got.Cmp(want) != 0 {
			a.problems.add(0, fmt.Sprintf("the total is %s %s, not %s", MajorTotal(got, currency), currency, MajorTotal(want, currency)))
		}
	}
}

// RecordExport records a file that was exported, with its lines, of which number, client and transaction are needed.
func (s *Service) RecordExport(ctx context.Context, f File, lines iter.Seq[FileLine]) error {
	return s.store.Write(ctx, func(tx Tx) error {
		f.Direction, f.At = FileExport, s.now()
		if err := tx.InsertFile(ctx, f); err != nil {
			return err
		}
		for l := range lines {
			if _, err := tx.InsertFileLine(ctx, l.ClientID, l.TransactionID, f.ID, l.Number); err != nil {
				return err
			}
		}
		if err := tx.SetFileTotals(ctx, f); err != nil {
			return err
		}
		return tx.Audit(ctx, newFileChange(f))
	})
}

// newFileChange is a file in the audit log.
func newFileChange(f File) Change {
	return Change{Object: "payout_file", ID: string(f.ID), After: struct {
		Direction FileDirection `json:"direction"`
		Name      string        `json:"name"`
		SHA256    string        `json:"sha256"`
		Lines     int           `json:"lines"`
	}{f.Direction, f.Name, f.SHA256, f.Lines}}
}

// String returns the amount in major units and the currency.
func (a FileAmount) String() string { return Major(a.Minor, a.Currency).String() + " " + a.Currency }

// MajorTotal returns a sum of minor units in major units, with the decimals of the currency.
func MajorTotal(minor *big.Int, currency string) string {
	digits, _ := MinorDigits(currency)
	text := fmt.Sprintf("%0*d", digits+1, minor)
	if digits == 0 {
		return text
	}
	return text[:len(text)-digits] + "." + text[len(text)-digits:]
}
