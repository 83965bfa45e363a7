package reference

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// WritePayers writes payers as ReadPayers reads them, amounts with all decimals of their currency. It returns the first
// error of rows or of out.
func WritePayers(out io.Writer, rows iter.Seq2[payout.Payer, error]) error {
	return writeTable(out, payerColumns, rows, func(p payout.Payer) ([]string, error) {
		limits := make([]limitElement, 0, len(p.NetworkLimits))
		for _, l := range p.NetworkLimits {
			if reason := checkCurrency(l.Currency); reason != "" {
				return nil, fmt.Errorf("network limit of payer %d: its currency %s", p.ID, reason)
			}
			major := func(minor int64) plainNumber { return plainNumber(payout.Major(minor, l.Currency).String()) }
			limits = append(limits, limitElement{Currency: l.Currency, Min: major(l.Min), Max: major(l.Max)})
		}
		locations := make([]pickupElement, 0, len(p.PickupLocations))
		for _, l := range p.PickupLocations {
			locations = append(locations, pickupElement(l))
		}
		limitCell, err := jsonCell(limits)
		if err != nil {
			return nil, err
		}
		locationCell, err := jsonCell(locations)
		return []string{
			strconv.FormatInt(p.ID, 10), p.Code, p.Name, p.Country, string(p.Method), p.Currency, limitCell, locationCell,
		}, err
	})
}

// WriteBanks writes banks as ReadBanks reads them. It returns the first error of rows or of out.
func WriteBanks(out io.Writer, rows iter.Seq2[payout.Bank, error]) error {
	return writeTable(out, bankColumns, rows, func(b payout.Bank) ([]string, error) {
		branches := make([]branchElement, 0, len(b.Branches))
		for _, v := range b.Branches {
			branches = append(branches, branchElement(v))
		}
		cell, err := jsonCell(branches)
		return []string{
			strconv.FormatInt(b.ID, 10), b.Name, b.Country, strings.Join(b.Currencies, " "),
			strings.Join(b.TxnSupportedTypes, " "), cell,
		}, err
	})
}

// WriteStates writes states as ReadStates reads them. It returns the first error of rows or of out.
func WriteStates(out io.Writer, rows iter.Seq2[payout.State, error]) error {
	return writeTable(out, stateColumns, rows, func(s payout.State) ([]string, error) {
		return []string{strconv.FormatInt(s.ID, 10), s.Country, s.Code, s.Name}, nil
	})
}

func writeTable[T any](
	out io.Writer, columns []string, rows iter.Seq2[T, error], cells func(T) ([]string, error),
) error {
	w := csv.NewWriter(out)
	if err := w.Write(columns); err != nil {
		return err
	}
	for v, err := range rows {
		if err != nil {
			return err
		}
		line, err := cells(v)
		if err != nil {
			return err
		}
		if err := w.Write(line); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// jsonCell returns the elements as a JSON cell, which is empty if there are none.
func jsonCell[T any](elements []T) (string, error) {
	if len(elements) == 0 {
		return "", nil
	}
	text, err := json.Marshal(elements)
	return string(text), err
}
