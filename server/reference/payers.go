package reference

import (
	"io"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/server/payout"
)

var payerColumns = []string{
	"id", "code", "name", "country", "delivery_method", "receiving_currency", "network_limit", "pickup_location",
}

type limitElement struct {
	Currency string      `json:"currency"`
	Min      plainNumber `json:"min_amount"`
	Max      plainNumber `json:"max_amount"`
}

type pickupElement struct {
	ID           int64  `json:"id"`
	Name         string `json:"name"`
	AddressLine1 string `json:"address_line1"`
	City         string `json:"city"`
}

// ReadPayers reads a CSV file with the columns id, code, name, country, delivery_method, receiving_currency,
// network_limit and pickup_location, in any order. The last two are empty or JSON arrays of
// {"currency", "min_amount", "max_amount"}, plain numbers in major units, and {"id", "name", "address_line1", "city"}.
//
// Ids of payers and ids of pickup locations are unique in the file. A payer has at most one limit, in its receiving
// currency, and pickup locations only if it hands out cash. If anything is wrong, no payer is returned and the error is
// LineErrors, or the error of in.
func ReadPayers(in io.Reader) ([]payout.Payer, error) {
	var payers []payout.Payer
	payerIDs, pickupIDs := ids{}, ids{}
	err := readTable(in, payerColumns, func(r *row) {
		payer := payout.Payer{
			ID:       r.id("id", payerIDs),
			Code:     r.text("code"),
			Name:     r.text("name"),
			Country:  r.country("country"),
			Method:   payout.PayoutMethod(r.cell("delivery_method")),
			Currency: r.cell("receiving_currency"),
		}
		r.check("delivery_method", checkMethod(payer.Method))
		r.check("receiving_currency", checkCurrency(payer.Currency))
		payer.NetworkLimits = r.networkLimits(payer.Currency)
		payer.PickupLocations = r.pickupLocations(pickupIDs)
		if len(payer.PickupLocations) > 0 && payer.Method != payout.CashPickup {
			r.check("pickup_location", "must be empty unless the delivery_method is CASH_PICKUP")
		}
		payers = append(payers, payer)
	})
	if err != nil {
		return nil, err
	}
	return payers, nil
}

func checkMethod(method payout.PayoutMethod) string {
	all := payout.PayoutMethods()
	if slices.Contains(all, method) {
		return ""
	}
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = string(m)
	}
	return "must be one of " + strings.Join(names, ", ")
}

// networkLimits reads at most one limit, in the receiving currency: another would never apply, or contradict the first.
func (r *row) networkLimits(receiving string) []payout.NetworkLimit {
	const column = "network_limit"
	found := elements[limitElement](r, column)
	if len(found) > 1 {
		r.check(column, "must hold at most one limit")
	}
	var limits []payout.NetworkLimit
	for i, e := range found {
		if reason := checkCurrency(e.Currency); reason != "" {
			r.checkElement(column, i, "currency", reason)
			continue // how many decimals the amounts may have is unknown
		}
		if e.Currency != receiving {
			r.checkElement(column, i, "currency", "must be the receiving_currency")
		}
		lowest, lowestOK := r.limitAmount(i, "min_amount", e.Min, e.Currency)
		highest, highestOK := r.limitAmount(i, "max_amount", e.Max, e.Currency)
		if lowestOK && highestOK && (highest == 0 || lowest > highest) {
			r.checkElement(column, i, "max_amount", "must be above 0 and not below min_amount")
		}
		limits = append(limits, payout.NetworkLimit{Currency: e.Currency, Min: lowest, Max: highest})
	}
	return limits
}

// limitAmount converts one bound of a limit to minor units, and reports whether it is valid.
func (r *row) limitAmount(i int, member string, n plainNumber, currency string) (minor int64, ok bool) {
	minor, err := payout.MinorUnits(string(n), currency)
	if err != nil {
		r.checkElement("network_limit", i, member, err.Error())
	}
	return minor, err == nil
}

func (r *row) pickupLocations(seen ids) []payout.PickupLocation {
	const column = "pickup_location"
	var locations []payout.PickupLocation
	for i, e := range elements[pickupElement](r, column) {
		r.checkElement(column, i, "id", seen.check(e.ID, r.line))
		r.checkElement(column, i, "name", checkText(e.Name))
		r.checkElement(column, i, "address_line1", checkText(e.AddressLine1))
		r.checkElement(column, i, "city", checkText(e.City))
		locations = append(locations, payout.PickupLocation(e))
	}
	return locations
}
