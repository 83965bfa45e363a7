package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/payoutfiles"
	"github.com/crossborder-payouts/payouts/server/store"
)

type transactionsExport struct {
	changing
	File   string `arg:"" optional:"" default:"-" help:"File to write, which must not exist, or - for standard output, which is the default."`
	Client string `help:"Only transactions of this client."`
	Status string `help:"Status of the transactions." default:"INITIATED"`
	Ready  bool   `help:"Only transactions that may be released: no information is required, and the sender may still send. With INITIATED."`
	Format string `help:"csv or jsonl (JSON lines). By default what the name of the file ends in, otherwise csv."`
}

// Run writes the transactions with everything that their payments need, and records the file. It has personal data: only its
// owner may read it.
func (e transactionsExport) Run(ctx context.Context, std streams) error {
	if err := checkOneOf("status", e.Status, payout.TransactionStatuses()...); err != nil {
		return err
	}
	if e.Ready && e.Status != string(payout.StatusInitiated) {
		return usageError{"ready", errors.New("needs --status INITIATED")}
	}
	if e.Format == "" {
		e.Format = string(payoutfiles.CSV)
		if strings.HasSuffix(e.File, ".jsonl") {
			e.Format = string(payoutfiles.JSONLines)
		}
	}
	if err := checkOneOf("format", e.Format, payoutfiles.CSV, payoutfiles.JSONLines); err != nil {
		return err
	}
	return e.with(ctx, func(db *store.Store) error {
		clients, err := clientsOf(ctx, db, e.Client)
		if err != nil {
			return err
		}
		file := payout.File{
			ID: payout.FileID(newID()), Name: nameOf(e.File), Actor: e.actor(), Totals: payout.Totals{},
		}
		write := func(out io.Writer) error {
			lines, err := e.write(ctx, db, out, clients, &file)
			if err != nil || file.Lines == 0 {
				return err // a file without lines is no batch
			}
			return newService(db).RecordExport(ctx, file, lines.all(payoutfiles.Format(e.Format)))
		}
		summary := std.out
		if e.File == standard {
			summary, err = std.errs, write(std.out)
		} else {
			err = newFile(e.File, write)
		}
		if err != nil {
			return err
		}
		if file.Lines == 0 {
			_, err = fmt.Fprintln(summary, "No batch: there are no such transactions.")
			return err
		}
		_, err = fmt.Fprintf(summary, "Batch %s: %s\n", file.ID, summed(file.Lines, file.Totals))
		return err
	})
}

// newFile writes a new file that only its owner may read, and leaves none behind if it fails. It replaces none: that may be a
// batch which was released already. Its name is taken first, so that one of two commands is refused before it exports anything.
func newFile(name string, write func(io.Writer) error) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() { // such as a pipe
		return replaceFile(name, true, write)
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator names it
	if errors.Is(err, fs.ErrExist) {
		return usageError{"<file>", fmt.Errorf("%s exists already, and is not overwritten", printable(name))}
	}
	if err != nil {
		return err
	}
	if err := errors.Join(file.Close(), replaceFile(name, true, write)); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// write writes the file, counts it, and returns its lines.
func (e transactionsExport) write(
	ctx context.Context, db *store.Store, out io.Writer, clients map[payout.ClientID]payout.Client, file *payout.File,
) (lines exportedLines, err error) {
	hash := sha256.New()
	w, err := payoutfiles.NewWriter(io.MultiWriter(out, hash), payoutfiles.Format(e.Format), file.ID)
	if err != nil {
		return nil, err
	}
	err = db.Payables(ctx, slices.Sorted(maps.Keys(clients)), payout.TransactionStatus(e.Status), func(p payout.Payable) error {
		if e.Ready && !p.Ready(clients[p.ClientID]) {
			return nil
		}
		file.Lines++
		file.Totals.Add(p.ToAmount, p.ToCurrency)
		if err := lines.add(p.ClientID, p.ID); err != nil {
			return err
		}
		return w.Write(p)
	})
	if err == nil {
		err = w.Flush()
	}
	file.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return lines, err
}

// exportedLines are the transactions of a file in its order, in little memory: those of one client after the other.
type exportedLines []clientLines

type clientLines struct {
	client       payout.ClientID
	transactions []uuid.UUID
}

func (l *exportedLines) add(client payout.ClientID, transaction payout.TransactionID) error {
	id, err := uuid.Parse(string(transaction))
	if err != nil {
		return fmt.Errorf("transaction %s: %w", transaction, err)
	}
	if n := len(*l); n == 0 || (*l)[n-1].client != client {
		*l = append(*l, clientLines{client: client})
	}
	last := &(*l)[len(*l)-1]
	last.transactions = append(last.transactions, id)
	return nil
}

// all returns the lines with their numbers in a file of a format: a CSV file begins with a header.
func (l exportedLines) all(format payoutfiles.Format) iter.Seq[payout.FileLine] {
	return func(yield func(payout.FileLine) bool) {
		number := 0
		if format == payoutfiles.CSV {
			number = 1
		}
		for _, of := range l {
			for _, id := range of.transactions {
				number++
				if !yield(payout.FileLine{Number: number, ClientID: of.client, TransactionID: payout.TransactionID(id.String())}) {
					return
				}
			}
		}
	}
}

// clientsOf returns one client, or all if the id is empty.
func clientsOf(ctx context.Context, db *store.Store, id string) (map[payout.ClientID]payout.Client, error) {
	clients := map[payout.ClientID]payout.Client{}
	if id == "" {
		all, err := db.Clients(ctx)
		for _, c := range all {
			clients[c.ID] = c.Client
		}
		return clients, err
	}
	row, err := clientNamed(ctx, db, id)
	clients[row.ID] = row.Client
	return clients, err
}

// clientNamed returns the client of --client; it must exist, and may be disabled.
func clientNamed(ctx context.Context, db *store.Store, id string) (store.ClientRow, error) {
	if reason := payout.ClientIDReason(payout.ClientID(id)); reason != "" {
		return store.ClientRow{}, usageError{"client", errors.New(reason)}
	}
	row, ok, err := db.ClientRow(ctx, payout.ClientID(id))
	if err == nil && !ok {
		err = store.ErrNoClient
	}
	return row, err
}

// nameOf returns the name of a file without its folders.
func nameOf(file string) string {
	if file == standard {
		return standard
	}
	return filepath.Base(file)
}

// summed prints a number of transactions and their totals: "2 transactions, 45000.00 NPR, 10.000 KWD".
func summed(lines int, totals payout.Totals) string {
	parts := []string{fmt.Sprintf("%d %s", lines, plural(lines, "transaction"))}
	for _, currency := range slices.Sorted(maps.Keys(totals)) {
		parts = append(parts, payout.MajorTotal(totals[currency], currency)+" "+currency)
	}
	return strings.Join(parts, ", ")
}
