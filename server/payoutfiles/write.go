package payoutfiles

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// Format is how a file is written.
type Format string

// The formats of files. CSV has a header; JSONLines has an object on each line, without the members that are empty.
const (
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
)

// columnBatch is the first column of an export: the id of the file itself.
const columnBatch = "batch_id"

// Writer writes an export.
type Writer struct {
	batch payout.FileID
	csv   *csv.Writer
	lines *bufio.Writer // JSON lines, if csv is nil
}

// NewWriter returns a writer, and writes the header of a CSV file.
func NewWriter(out io.Writer, format Format, batch payout.FileID) (*Writer, error) {
	if format == JSONLines {
		return &Writer{batch: batch, lines: bufio.NewWriter(out)}, nil
	}
	w := &Writer{batch: batch, csv: csv.NewWriter(out)}
	header := []string{columnBatch}
	for _, c := range columns {
		header = append(header, c.name)
	}
	return w, w.csv.Write(header)
}

// Write writes a transaction.
func (w *Writer) Write(p payout.Payable) error {
	if w.csv == nil {
		return w.writeJSON(p)
	}
	cells := make([]string, 0, 1+len(columns))
	cells = append(cells, string(w.batch))
	for _, c := range columns {
		cells = append(cells, escape(c.value(p)))
	}
	return w.csv.Write(cells)
}

// writeJSON writes the members in the order of the columns.
func (w *Writer) writeJSON(p payout.Payable) error {
	w.member('{', columnBatch, string(w.batch))
	for _, c := range columns {
		if value := c.value(p); value != "" {
			w.member(',', c.name, value)
		}
	}
	_, err := w.lines.WriteString("}\n") // an error of the writes before is repeated
	return err
}

func (w *Writer) member(before byte, name, value string) {
	text, _ := json.Marshal(value) // a string has no error
	_ = w.lines.WriteByte(before)
	_, _ = w.lines.WriteString(`"` + name + `":`)
	_, _ = w.lines.Write(text)
}

// Flush writes what is buffered.
func (w *Writer) Flush() error {
	if w.csv == nil {
		return w.lines.Flush()
	}
	w.csv.Flush()
	return w.csv.Error()
}
