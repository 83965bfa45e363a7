package reference

import (
	"io"

	"github.com/crossborder-payouts/payouts/server/payout"
)

var bankColumns = []string{"id", "name", "country", "receiving_currency", "txn_supported_types", "branches"}

type branchElement struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// ReadBanks reads a CSV file with the columns id, name, country, receiving_currency, txn_supported_types and branches,
// in any order. Currencies and types are lists separated by spaces; branches is empty or a JSON array of
// {"id", "name"}.
//
// Ids of banks and ids of branches are unique in the file. If anything is wrong, no bank is returned and the error is
// LineErrors, or the error of in.
func ReadBanks(in io.Reader) ([]payout.Bank, error) {
	var banks []payout.Bank
	bankIDs, branchIDs := ids{}, ids{}
	err := readTable(in, bankColumns, func(r *row) {
		banks = append(banks, payout.Bank{
			ID:                r.id("id", bankIDs),
			Name:              r.text("name"),
			Country:           r.country("country"),
			Branches:          r.branches(branchIDs),
			TxnSupportedTypes: r.list("txn_supported_types", checkTransactionType),
			Currencies:        r.list("receiving_currency", checkCurrency),
		})
	})
	if err != nil {
		return nil, err
	}
	return banks, nil
}

func checkTransactionType(s string) string {
	switch s {
	case "C2C", "B2B", "B2C":
		return ""
	}
	return "must be one of C2C, B2B, B2C"
}

func (r *row) branches(seen ids) []payout.Branch {
	const column = "branches"
	var branches []payout.Branch
	for i, e := range elements[branchElement](r, column) {
		r.checkElement(column, i, "id", seen.check(e.ID, r.line))
		r.checkElement(column, i, "name", checkText(e.Name))
		branches = append(branches, payout.Branch(e))
	}
	return branches
}
