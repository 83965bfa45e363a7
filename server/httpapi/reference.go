package httpapi

import (
	"context"

	"github.com/crossborder-payouts/payouts/gen/api"
	gen "github.com/crossborder-payouts/payouts/gen/server"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// ListPayers implements GET /payers.
func (h handlers) ListPayers(ctx context.Context, r gen.ListPayersRequestObject) (gen.ListPayersResponseObject, error) {
	payers, err := h.service.Payers(ctx, clientOf(ctx), payout.PayerFilter{
		Country:        text(r.Params.Country),
		PayoutMethod:   payout.PayoutMethod(text(r.Params.PayoutMethod)),
		DeliveryMethod: payout.PayoutMethod(text(r.Params.DeliveryMethod)),
	})
	if err != nil {
		return nil, err
	}
	return gen.ListPayers200JSONResponse{Body: each(payers, payer)}, nil
}

// GetPayer implements GET /payers/{payerId}.
func (h handlers) GetPayer(ctx context.Context, r gen.GetPayerRequestObject) (gen.GetPayerResponseObject, error) {
	p, err := h.service.Payer(ctx, clientOf(ctx), r.PayerID)
	if err != nil {
		return nil, err
	}
	return gen.GetPayer200JSONResponse{Body: payerDetail(p)}, nil
}

// ListBanks implements GET /banks.
func (h handlers) ListBanks(ctx context.Context, r gen.ListBanksRequestObject) (gen.ListBanksResponseObject, error) {
	banks, err := h.service.Banks(ctx, clientOf(ctx), text(r.Params.Country))
	if err != nil {
		return nil, err
	}
	return gen.ListBanks200JSONResponse{Body: each(banks, bank)}, nil
}

// GetBank implements GET /banks/{bankId}.
func (h handlers) GetBank(ctx context.Context, r gen.GetBankRequestObject) (gen.GetBankResponseObject, error) {
	b, err := h.service.Bank(ctx, clientOf(ctx), r.BankID)
	if err != nil {
		return nil, err
	}
	return gen.GetBank200JSONResponse{Body: api.BankDetail{
		ID: b.ID, Name: b.Name, Country: b.Country, Branches: each(b.Branches, branch),
		TxnSupportedTypes: b.TxnSupportedTypes, ReceivingCurrency: b.Currencies,
	}}, nil
}

// ListCountryStates implements GET /countries/{countryCode}/states.
func (h handlers) ListCountryStates(
	ctx context.Context, r gen.ListCountryStatesRequestObject,
) (gen.ListCountryStatesResponseObject, error) {
	states, err := h.service.CountryStates(ctx, clientOf(ctx), r.CountryCode)
	if err != nil {
		return nil, err
	}
	return gen.ListCountryStates200JSONResponse{Body: each(states, state)}, nil
}

// GetCountryState implements GET /countries/{countryCode}/states/{stateCode}.
func (h handlers) GetCountryState(
	ctx context.Context, r gen.GetCountryStateRequestObject,
) (gen.GetCountryStateResponseObject, error) {
	s, err := h.service.State(ctx, clientOf(ctx), r.CountryCode, r.StateCode)
	if err != nil {
		return nil, err
	}
	return gen.GetCountryState200JSONResponse{Body: state(s)}, nil
}

// ListStatesV2 implements GET /v2/states.
func (h handlers) ListStatesV2(ctx context.Context, r gen.ListStatesV2RequestObject) (gen.ListStatesV2ResponseObject, error) {
	states, err := h.service.States(ctx, clientOf(ctx), text(r.Params.CountryCode))
	if err != nil {
		return nil, err
	}
	return gen.ListStatesV2200JSONResponse{Body: each(states, h.stateV2)}, nil
}

// GetStateV2 implements GET /v2/states/{stateId}.
func (h handlers) GetStateV2(ctx context.Context, r gen.GetStateV2RequestObject) (gen.GetStateV2ResponseObject, error) {
	s, err := h.service.StateByID(ctx, clientOf(ctx), r.StateID)
	if err != nil {
		return nil, err
	}
	return gen.GetStateV2200JSONResponse{Body: h.stateV2(s)}, nil
}

func payer(p payout.Payer) api.Payer {
	return api.Payer{
		Country: p.Country, DeliveryMethod: api.PayoutMethod(p.Method), ID: p.ID, Name: p.Name,
		PickupLocation: each(p.PickupLocations, pickupLocation),
	}
}

func payerDetail(p payout.Payer) api.PayerDetail {
	return api.PayerDetail{
		Country: p.Country, DeliveryMethod: api.PayoutMethod(p.Method), ID: p.ID, Name: p.Name,
		PickupLocation: each(p.PickupLocations, pickupLocation), Code: p.Code,
		NetworkLimit: each(p.NetworkLimits, networkLimit), ReceivingCurrency: p.Currency,
	}
}

func pickupLocation(l payout.PickupLocation) api.PickupLocation {
	return api.PickupLocation{ID: l.ID, Name: l.Name, AddressLine1: l.AddressLine1, City: l.City}
}

func networkLimit(l payout.NetworkLimit) api.NetworkLimit {
	return api.NetworkLimit{
		Currency: l.Currency, MinAmount: major(l.Min, l.Currency), MaxAmount: major(l.Max, l.Currency),
	}
}

func bank(b payout.Bank) api.Bank {
	return api.Bank{
		ID: b.ID, Name: b.Name, Country: b.Country, Branches: each(b.Branches, branch),
		TxnSupportedTypes: b.TxnSupportedTypes,
	}
}

func branch(b payout.Branch) api.Branch { return api.Branch{ID: b.ID, Name: b.Name} }

func state(s payout.State) api.State {
	return api.State{Code: s.Code, Country: s.Country, Name: s.Name}
}

func (h handlers) stateV2(s payout.State) api.StateV2 {
	return api.StateV2{ID: s.ID, Name: s.Name, Code: s.Code, CountryID: h.service.CountryID(s.Country)}
}
