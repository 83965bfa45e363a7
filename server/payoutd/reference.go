package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/crossborder-payouts/payouts/server/reference"
	"github.com/crossborder-payouts/payouts/server/store"
)

// referenceData is `payoutd reference`.
type referenceData struct {
	Import referenceImport `cmd:"" help:"Import payers, banks or states from a CSV file, all or nothing."`
	Export referenceExport `cmd:"" help:"Export payers, banks or states to a CSV file that import reads."`
}

// standard is the name of standard input and output.
const standard = "-"

type referenceImport struct {
	changing
	What    string `arg:"" enum:"payers,banks,states" help:"payers, banks or states."`
	File    string `arg:"" help:"CSV file with a header, or - for standard input."`
	Replace bool   `help:"Also remove what is not in the file. Rejected if accounts or transactions refer to it."`
	DryRun  bool   `help:"Run the import and roll it back."`
}

// Run imports the file in one database transaction, and prints what changed.
func (r referenceImport) Run(ctx context.Context, std streams) error {
	return r.with(ctx, func(db *store.Store) error {
		bar := progress(std.errs)
		done, err := r.rows(ctx, db, bar)
		bar.clear()
		if err != nil {
			return told(err, std.errs, r.File)
		}
		took := ""
		if r.DryRun {
			took = "Dry run: nothing was changed. "
		}
		_, err = fmt.Fprintf(std.out, "%s%s: %d new, %d changed, %d unchanged, %d removed\n", took, r.What, done.New,
			done.Changed, done.Unchanged, done.Removed)
		return err
	})
}

func (r referenceImport) rows(ctx context.Context, db *store.Store, bar *bar) (store.Imported, error) {
	in := io.ReadCloser(os.Stdin)
	if r.File != standard {
		file, err := os.Open(r.File)
		if err != nil {
			return store.Imported{}, err
		}
		in = file
	}
	defer in.Close() //nolint:errcheck // it was only read
	how := store.Import{Replace: r.Replace, DryRun: r.DryRun, Progress: bar.add}
	switch r.What {
	case "payers":
		return readAndWrite(ctx, in, reference.ReadPayers, db.ImportPayers, how, bar)
	case "banks":
		return readAndWrite(ctx, in, reference.ReadBanks, db.ImportBanks, how, bar)
	default: // kong allows nothing else
		return readAndWrite(ctx, in, reference.ReadStates, db.ImportStates, how, bar)
	}
}

func readAndWrite[T any](
	ctx context.Context, in io.Reader, read func(io.Reader) ([]T, error),
	write func(context.Context, []T, store.Import) (store.Imported, error), how store.Import, bar *bar,
) (store.Imported, error) {
	rows, err := read(in)
	if err != nil {
		return store.Imported{}, err
	}
	bar.start(len(rows))
	return write(ctx, rows, how)
}

// told prints every reason why an import was rejected, a line each, and returns the error that ends the program.
func told(err error, errs io.Writer, file string) error {
	if lines, ok := errors.AsType[reference.LineErrors](err); ok {
		for _, line := range lines {
			fmt.Fprintln(errs, line)
		}
		return fmt.Errorf("%s is rejected with %d %s; nothing was changed", file, len(lines), plural(len(lines), "error"))
	}
	if refused, ok := errors.AsType[*store.ImportError](err); ok {
		for _, reason := range refused.Reasons {
			fmt.Fprintln(errs, reason)
		}
		return fmt.Errorf("%s is rejected with %d %s; nothing was changed", file, len(refused.Reasons), plural(len(refused.Reasons), "error"))
	}
	return err
}

// bar is a progress bar; a nil bar shows nothing.
type bar struct {
	out io.Writer
	bar *progressbar.ProgressBar
}

// progress returns a bar if out is a terminal.
func progress(out io.Writer) *bar {
	if !isTerminal(out) {
		return nil
	}
	return &bar{out: out}
}

func (b *bar) start(rows int) {
	if b != nil && rows > 0 {
		b.bar = progressbar.NewOptions(rows, progressbar.OptionSetWriter(b.out), progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
	}
}

func (b *bar) add(rows int) {
	if b != nil && b.bar != nil {
		_ = b.bar.Add(rows) // drawing may fail
	}
}

func (b *bar) clear() {
	if b != nil && b.bar != nil {
		_ = b.bar.Clear()
	}
}

type referenceExport struct {
	database
	What string `arg:"" enum:"payers,banks,states" help:"payers, banks or states."`
	File string `arg:"" optional:"" default:"-" help:"CSV file to write, or - for standard output, which is the default."`
}

// Run writes the table in the order of the ids.
func (r referenceExport) Run(ctx context.Context, std streams) error {
	return r.with(ctx, func(db *store.Store) error {
		write := func(out io.Writer) error {
			switch r.What {
			case "payers":
				return writeRows(ctx, out, db.AllPayers, reference.WritePayers)
			case "banks":
				return writeRows(ctx, out, db.AllBanks, reference.WriteBanks)
			default: // kong allows nothing else
				return writeRows(ctx, out, db.AllStates, reference.WriteStates)
			}
		}
		if r.File == standard {
			return write(std.out)
		}
		return replaceFile(r.File, false, write)
	})
}

func writeRows[T any](
	ctx context.Context, out io.Writer, rows func(context.Context) iter.Seq2[T, error],
	write func(io.Writer, iter.Seq2[T, error]) error,
) error {
	return write(out, rows(ctx))
}

// replaceFile writes a file next to the old one and renames it when it is complete: half a table, imported with --replace,
// would remove the other half. Anything but a regular file, such as a pipe, is written directly. Only its owner may read a
// private file.
func replaceFile(name string, private bool, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		file, err := os.OpenFile(name, os.O_WRONLY, 0) //nolint:gosec // the operator names it
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	part := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".part")
	mode := os.FileMode(0o666)
	if private {
		mode = 0o600
		if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) { // it may have another mode
			return err
		}
	}
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode) //nolint:gosec // the operator names it
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if err := errors.Join(write(file), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}
