package reference

import (
	"fmt"
	"io"
	"regexp"

	"github.com/crossborder-payouts/payouts/server/payout"
)

var stateColumns = []string{"id", "country", "code", "name"}

var stateCode = regexp.MustCompile(`^[A-Z0-9]{1,3}$`)

// ReadStates reads a CSV file with the columns id, country, code and name, in any order. Ids are unique in the file,
// codes in their country. If anything is wrong, no state is returned and the error is LineErrors, or the error of in.
func ReadStates(in io.Reader) ([]payout.State, error) {
	var states []payout.State
	stateIDs := ids{}
	type key struct{ country, code string }
	lines := map[key]int{}
	err := readTable(in, stateColumns, func(r *row) {
		state := payout.State{
			ID:      r.id("id", stateIDs),
			Country: r.country("country"),
			Code:    r.cell("code"),
			Name:    r.text("name"),
		}
		if !stateCode.MatchString(state.Code) {
			r.check("code", "must be an ISO 3166-2 code without the country")
		}
		if first, ok := lines[key{state.Country, state.Code}]; ok {
			r.check("code", fmt.Sprintf("is already used in line %d", first))
		} else {
			lines[key{state.Country, state.Code}] = r.line
		}
		states = append(states, state)
	})
	if err != nil {
		return nil, err
	}
	return states, nil
}
