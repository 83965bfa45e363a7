package payout

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/govalues/decimal"
)

// MaxRate bounds every exchange rate (D-42).
const MaxRate = 1_000_000_000

// rates reads the bounds of exchange rates.
func (v *profileCheck) rates(all []ProfileRateBounds) []RateBounds {
	var bounds []RateBounds
	seen := map[string]bool{}
	for i, r := range all {
		at := fmt.Sprintf("exchange_rates[%d]", i)
		v.isCurrency(at+".from", r.From)
		v.isCurrency(at+".to", r.To)
		v.once(seen, at, r.From+" to "+r.To)
		lowest, read := v.rate(at+".min", r.Min)
		highest, readToo := v.rate(at+".max", r.Max)
		if read && readToo && lowest.Cmp(highest) > 0 {
			v.found(at+".max", "must not be below min")
		}
		bounds = append(bounds, RateBounds{r.From, r.To, lowest, highest})
	}
	return bounds
}

// rate reads an exchange rate as the contract writes it, and reports whether it is one.
func (v *profileCheck) rate(path string, text json.Number) (decimal.Decimal, bool) {
	switch {
	case text == "":
		v.found(path, errMissing.Error())
		return decimal.Decimal{}, false
	case !plainAmount.MatchString(string(text)):
		v.found(path, "must be a plain rate, such as 132.25")
		return decimal.Decimal{}, false
	}
	_, fraction, _ := strings.Cut(string(text), ".")
	rate, err := decimal.Parse(string(text))
	if err != nil || rate.Scale() < len(fraction) { // it was rounded
		v.found(path, "must have at most 19 significant digits")
		return decimal.Decimal{}, false
	}
	if !rate.IsPos() || rate.Cmp(decimal.MustNew(MaxRate, 0)) > 0 {
		v.found(path, fmt.Sprintf("must be above 0 and at most %d", int64(MaxRate)))
		return decimal.Decimal{}, false
	}
	return rate.Trim(0), true
}
