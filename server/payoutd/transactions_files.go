package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/payoutfiles"
	"github.com/crossborder-payouts/payouts/server/store"
)

// fileFlags are those of every command that applies a file.
type fileFlags struct {
	changing
	listing
	File   string            `arg:"" help:"File, CSV with a header or JSON lines, or - for standard input."`
	Client string            `help:"Client of the lines that name none in client_id; lines of other clients are rejected."`
	DryRun bool              `help:"Check every line, and change nothing."`
	Lines  int               `help:"Control figure: how many lines the file must have."`
	Total  map[string]string `help:"Control figure: the sum of the receiving amounts in a currency, such as NPR=45000.00; may be repeated." mapsep:"," placeholder:"CURRENCY=AMOUNT"`
}

type transactionsRelease struct{ fileFlags }

// Run releases the transactions of a file.
func (r transactionsRelease) Run(ctx context.Context, std streams) error {
	return r.apply(ctx, std, payout.FileRelease)
}

type transactionsSettle struct{ fileFlags }

// Run settles the transactions of a file.
func (s transactionsSettle) Run(ctx context.Context, std streams) error {
	return s.apply(ctx, std, payout.FileSettle)
}

// done is what a direction has done to a transaction.
var done = map[payout.FileDirection]string{payout.FileRelease: "released", payout.FileSettle: "settled"}

func (f fileFlags) apply(ctx context.Context, std streams, direction payout.FileDirection) error {
	control, err := f.control()
	if err != nil {
		return err
	}
	source, err := openSource(f.File)
	if err != nil {
		return usageError{"<file>", err}
	}
	defer source.close()
	return f.with(ctx, func(db *store.Store) error {
		if f.Client != "" {
			if _, err := clientNamed(ctx, db, f.Client); err != nil {
				return err
			}
		}
		bar := progress(std.errs)
		bar.start(source.newlines)
		file := payout.File{Direction: direction, SHA256: source.sha256, Name: nameOf(f.File), Actor: f.actor()}
		result, err := newService(db).ApplyFile(ctx, file, source.lines(direction, payout.ClientID(f.Client)), control, f.DryRun, bar.add)
		bar.clear()
		if err != nil {
			return f.rejected(ctx, std, err)
		}
		if f.JSON {
			return printJSON(std.out, f.resultJSON(result))
		}
		return f.print(std, result)
	})
}

func (f fileFlags) control() (payout.FileControl, error) {
	control := payout.FileControl{Lines: f.Lines, Totals: map[string]int64{}}
	if f.Lines < 0 {
		return control, usageError{"lines", errors.New("must not be negative")}
	}
	for _, currency := range slices.Sorted(maps.Keys(f.Total)) {
		if _, ok := payout.MinorDigits(currency); !ok {
			return control, usageError{"total", fmt.Errorf("%s is not a currency of ISO 4217", printable(currency))}
		}
		minor, err := payout.MinorUnits(f.Total[currency], currency)
		if err != nil {
			return control, usageError{"total", fmt.Errorf("%s %w", currency, err)}
		}
		control.Totals[currency] = minor
	}
	return control, nil
}

// rejected prints every problem of a file, a line each, and returns the error that ends the program.
func (f fileFlags) rejected(ctx context.Context, std streams, err error) error {
	if refused, ok := errors.AsType[*payout.FileError](err); ok {
		for _, p := range refused.Problems {
			fmt.Fprintln(std.errs, p)
		}
		if more := refused.Count - len(refused.Problems); more > 0 {
			fmt.Fprintf(std.errs, "and %d more\n", more)
		}
		return usageError{"<file>", fmt.Errorf("%s is rejected with %d %s; nothing was changed", f.File, refused.Count, plural(refused.Count, "problem"))}
	}
	if errors.Is(err, payoutfiles.ErrHeader) || errors.Is(err, payoutfiles.ErrForm) || errors.Is(err, errChanged) {
		return usageError{"<file>", fmt.Errorf("%s is rejected: %w; nothing was changed", f.File, err)}
	}
	if ctx.Err() != nil {
		return errors.New("interrupted: run the command again; it applies the whole file, unless that is done already")
	}
	return err
}

// print prints what became of the file.
func (f fileFlags) print(std streams, r payout.FileResult) error {
	if r.Repeated {
		_, err := fmt.Fprintf(std.out, "No change: this file was %s already by %s at %s, as %s (%s).\n",
			done[r.Direction], printable(r.Actor), utc(r.At), printable(r.Name), r.ID)
		return err
	}
	for _, s := range r.Settled {
		by := "which no file did"
		if s.By.Line != 0 {
			by = printable(s.By.String())
		}
		fmt.Fprintf(std.errs, "line %d: no change: the transaction has this status already (%s)\n", s.Line, by)
	}
	if r.More > 0 {
		fmt.Fprintf(std.errs, "and %d more lines without a change\n", r.More)
	}
	unchanged := ""
	if n := len(r.Settled) + r.More; n > 0 {
		unchanged = fmt.Sprintf(" (%d without a change)", n)
	}
	if f.DryRun {
		_, err := fmt.Fprintf(std.out, "Dry run: nothing was changed. The file would be %s: %s%s\n", done[r.Direction], summed(r.Lines, r.Totals), unchanged)
		return err
	}
	_, err := fmt.Fprintf(std.out, "File %s: %s %s%s\n", r.ID, summed(r.Lines, r.Totals), done[r.Direction], unchanged)
	return err
}

// fileResultJSON is what became of a file; totals are in major units.
type fileResultJSON struct {
	FileID    string            `json:"file_id,omitempty"` // absent, as applied_at is, if a dry run would apply the file
	Direction string            `json:"direction"`
	SHA256    string            `json:"sha256"`
	Name      string            `json:"name"`
	Actor     string            `json:"actor"`
	AppliedAt time.Time         `json:"applied_at,omitzero"`
	Lines     int               `json:"lines"`
	Totals    map[string]string `json:"totals"`
	Changed   int               `json:"changed"`
	Unchanged int               `json:"unchanged"`
	Repeated  bool              `json:"repeated"`
	DryRun    bool              `json:"dry_run"`
}

func (f fileFlags) resultJSON(r payout.FileResult) fileResultJSON {
	totals := map[string]string{}
	for currency, total := range r.Totals {
		totals[currency] = payout.MajorTotal(total, currency)
	}
	unchanged := len(r.Settled) + r.More
	if r.Repeated {
		unchanged = r.Lines
	}
	if f.DryRun && !r.Repeated {
		r.ID, r.At = "", time.Time{}
	}
	return fileResultJSON{
		string(r.ID), string(r.Direction), r.SHA256, r.Name, r.Actor, r.At, r.Lines, totals, r.Moved, unchanged, r.Repeated, f.DryRun,
	}
}

// source is a file that can be read several times, because a database may ask for another attempt.
type source struct {
	file     *os.File
	sha256   string
	newlines int
	close    func()
}

// errChanged rejects a file that another program writes meanwhile.
var errChanged = errors.New("it changed while it was read")

// openSource opens a file. Standard input, or a pipe, is copied to a file that only this user may read.
func openSource(name string) (*source, error) {
	in := os.Stdin
	if name != standard {
		file, err := os.Open(name) //nolint:gosec // the operator names it
		if err != nil {
			return nil, err
		}
		in = file
	}
	s := &source{file: in, close: func() { _ = in.Close() }} // it is only read
	info, err := in.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a directory", name)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if !info.Mode().IsRegular() {
		spool, err := os.CreateTemp("", "payoutd-*")
		if err != nil {
			return nil, errors.Join(err, in.Close())
		}
		s.file, s.close = spool, func() { _, _, _ = in.Close(), spool.Close(), os.Remove(spool.Name()) }
		if _, err := io.Copy(spool, in); err != nil {
			s.close()
			return nil, err
		}
	}
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(hash, (*newlines)(&s.newlines)), io.NewSectionReader(s.file, 0, 1<<62)); err != nil {
		s.close()
		return nil, err
	}
	s.sha256 = hex.EncodeToString(hash.Sum(nil))
	return s, nil
}

// newlines counts the ends of lines that are written to it.
type newlines int

// Write implements io.Writer.
func (n *newlines) Write(text []byte) (int, error) {
	*n += newlines(bytes.Count(text, []byte("\n")))
	return len(text), nil
}

// lines reads the file each time, and ends with an error if it is not the same any more.
func (s *source) lines(direction payout.FileDirection, client payout.ClientID) iter.Seq2[payout.FileLine, error] {
	return func(yield func(payout.FileLine, error) bool) {
		hash := sha256.New()
		in := io.TeeReader(io.NewSectionReader(s.file, 0, 1<<62), hash)
		for line, err := range payoutfiles.Lines(in, direction, client) {
			if !yield(line, err) || err != nil {
				return
			}
		}
		if hex.EncodeToString(hash.Sum(nil)) != s.sha256 {
			yield(payout.FileLine{}, errChanged)
		}
	}
}
