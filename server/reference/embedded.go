package reference

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/crossborder-payouts/payouts/server/payout"
)

//go:embed data/*.csv
var data embed.FS

var (
	countries = sync.OnceValue(func() []payout.Country { return mustRead("countries", readCountries) })
	states    = sync.OnceValue(func() []payout.State { return mustRead("states", ReadStates) })

	countriesByCode = sync.OnceValue(func() map[string]payout.Country {
		byCode := map[string]payout.Country{}
		for _, country := range countries() {
			byCode[country.Alpha2] = country
			byCode[country.Alpha3] = country
		}
		return byCode
	})
)

// Countries returns all countries of ISO 3166-1 in the order of their alpha-2 codes.
func Countries() []payout.Country { return slices.Clone(countries()) }

// Country returns a country by its alpha-2 or alpha-3 code in upper case.
func Country(code string) (payout.Country, bool) {
	country, ok := countriesByCode()[code]
	return country, ok
}

// States returns the first-level subdivisions of the countries that the sandbox knows, in the order of country and code.
func States() []payout.State { return slices.Clone(states()) }

// SamplePayers returns the payers of the sandbox: invented ones, by every method in every sample destination.
func SamplePayers() []payout.Payer { return mustRead("sample_payers", ReadPayers) }

// SampleBanks returns the banks of the sandbox: invented ones, in every sample destination.
func SampleBanks() []payout.Bank { return mustRead("sample_banks", ReadBanks) }

func readCountries(in io.Reader) ([]payout.Country, error) {
	var countries []payout.Country
	err := readTable(in, []string{"alpha2", "alpha3", "numeric", "name"}, func(r *row) {
		countries = append(countries, payout.Country{
			Alpha2:  r.text("alpha2"),
			Alpha3:  r.text("alpha3"),
			Numeric: r.text("numeric"),
			Name:    r.text("name"),
		})
	})
	return countries, err
}

// mustRead panics on an invalid embedded file, which the tests rule out.
func mustRead[T any](name string, read func(io.Reader) ([]T, error)) []T {
	file, err := data.Open("data/" + name + ".csv")
	if err != nil {
		panic(err)
	}
	defer file.Close() //nolint:errcheck // an embedded file
	items, err := read(file)
	if err != nil {
		panic(fmt.Sprintf("embedded %s: %v", name, err))
	}
	return items
}
