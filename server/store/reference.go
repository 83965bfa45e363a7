package store

import (
	"context"

	"github.com/crossborder-payouts/payouts/server/payout"
)

const (
	payerColumns = `id, code, name, country, method, currency, network_limits, pickup_locations`
	bankColumns  = `id, name, country, branches, txn_supported_types, currencies`
	stateColumns = `id, country, code, name`
)

func scanPayer(s scanner, p *payout.Payer) error {
	return s.Scan(&p.ID, &p.Code, &p.Name, &p.Country, &p.Method, &p.Currency,
		networkLimitsOf(&p.NetworkLimits), pickupLocationsOf(&p.PickupLocations))
}

func scanBank(s scanner, b *payout.Bank) error {
	return s.Scan(&b.ID, &b.Name, &b.Country, branchesOf(&b.Branches), textsColumn(&b.TxnSupportedTypes),
		textsColumn(&b.Currencies))
}

func scanState(s scanner, v *payout.State) error { return s.Scan(&v.ID, &v.Country, &v.Code, &v.Name) }

// Payers lists the payers of the countries by id; an empty method is any method.
func (r reads) Payers(ctx context.Context, countries []string, method payout.PayoutMethod) ([]payout.Payer, error) {
	in, args := inList(countries, string(method))
	return list(ctx, r, scanPayer, `select `+payerColumns+` from payers
		where country in `+in+` and (method = $1 or $1 = '') order by id`, args...)
}

// Payer reads one payer.
func (r reads) Payer(ctx context.Context, id int64) (payout.Payer, bool, error) {
	return r.payer(ctx, id)()
}

func (r reads) payer(ctx context.Context, id int64) func() (payout.Payer, bool, error) {
	return askOne(ctx, r, scanPayer, `select `+payerColumns+` from payers where id = $1`, id)
}

// Banks lists the banks of the countries by id.
func (r reads) Banks(ctx context.Context, countries []string) ([]payout.Bank, error) {
	in, args := inList(countries)
	return list(ctx, r, scanBank, `select `+bankColumns+` from banks where country in `+in+` order by id`, args...)
}

// Bank reads one bank.
func (r reads) Bank(ctx context.Context, id int64) (payout.Bank, bool, error) {
	return one(ctx, r, scanBank, `select `+bankColumns+` from banks where id = $1`, id)
}

// States lists the states of the countries by id.
func (r reads) States(ctx context.Context, countries []string) ([]payout.State, error) {
	in, args := inList(countries)
	return list(ctx, r, scanState, `select `+stateColumns+` from states where country in `+in+` order by id`, args...)
}

// State reads a state by its code.
func (r reads) State(ctx context.Context, country, code string) (payout.State, bool, error) {
	return one(ctx, r, scanState, `select `+stateColumns+` from states where country = $1 and code = $2`, country, code)
}

// StateByID reads a state by its id.
func (r reads) StateByID(ctx context.Context, id int64) (payout.State, bool, error) {
	return one(ctx, r, scanState, `select `+stateColumns+` from states where id = $1`, id)
}

// Reference is reference data to write.
type Reference struct {
	States []payout.State
	Payers []payout.Payer
	Banks  []payout.Bank
}

// PutReference writes new and changed reference data, all or nothing, and leaves all other rows.
func (s *Store) PutReference(ctx context.Context, ref Reference) error {
	return s.write(ctx, func(t tx) error {
		if _, err := upsert(ctx, t, stateTable, ref.States, nil); err != nil {
			return err
		}
		if _, err := upsert(ctx, t, payerTable, ref.Payers, nil); err != nil {
			return err
		}
		_, err := upsert(ctx, t, bankTable, ref.Banks, nil)
		return err
	})
}
