package checks

import (
	"slices"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// transactionReceivers are rules 3c and 4 of section 1.
func transactionReceivers() []probe.Check {
	return slices.Concat(receiveUsers(), receiveAccounts(), anyAccounts(), cashPayers("cash-pickup", api.PayoutMethodCashPickup),
		cashPayers("home-delivery", api.PayoutMethodHomeDelivery), walletPayers(), pickupLocations(), deliveryAddresses())
}

func receiveUsers() []probe.Check {
	return append(refusals(
		refusedTransaction{
			id: "transactions.receive-user.unknown", title: "A receive user that does not exist receives nothing",
			clauses: []string{"1-rule-3c"}, method: api.PayoutMethodCashPickup, code: api.ErrorCodeReceiveUserNotFound,
			fix: "Answer RECEIVE_USER_NOT_FOUND where to.id names no receive user.",
			spoil: func(t *probe.T, _ probe.Sender, _ probe.Receiver, body *api.TransactionRequest) {
				body.To = withMember(t, body.To, "id", unknownID())
			},
		},
	), otherUsersReceivers())
}

// receiveAccounts are the rules about the account of a bank deposit, and the same of a wallet.
func receiveAccounts() []probe.Check {
	const deposit, wallet = api.PayoutMethodBankDeposit, api.PayoutMethodWallet
	var all []refusedTransaction
	for _, m := range []struct {
		method, other      api.PayoutMethod
		name, what, clause string
	}{
		{deposit, wallet, "bank-account", "bank account", "1-rule-4-bank-deposit"},
		{wallet, deposit, "wallet-account", "wallet account", "1-rule-4-wallet"},
	} {
		rule := func(id, title, fix string, needs probe.Need, fund func(*probe.T, probe.Sender, probe.Receiver) any) {
			all = append(all, refusedTransaction{
				id: "transactions." + m.name + "." + id, title: title, fix: fix, clauses: []string{m.clause}, needs: needs,
				method: m.method, code: api.ErrorCodeReceiveAccountNotFound,
				spoil: func(t *probe.T, s probe.Sender, r probe.Receiver, body *api.TransactionRequest) {
					body.To = withMember(t, body.To, "fund_id", fund(t, s, r))
				},
			})
		}
		rule("unknown", "A "+m.what+" that does not exist receives nothing",
			"Answer RECEIVE_ACCOUNT_NOT_FOUND where to.fund_id names no "+m.what+".", 0,
			func(*probe.T, probe.Sender, probe.Receiver) any { return unknownID() })
		rule("other-receive-user", "The "+m.what+" of another receive user receives nothing",
			"Look for to.fund_id among the accounts of to.id only.", probe.Extensions,
			func(t *probe.T, s probe.Sender, _ probe.Receiver) any {
				return probe.Object(t, t.Receiver(s, m.method).To)["fund_id"]
			})
		rule("other-kind", "A "+string(m.method)+" does not go to an account of the other kind",
			"Look for to.fund_id among the "+m.what+"s only.", probe.Extensions,
			func(t *probe.T, s probe.Sender, r probe.Receiver) any {
				if m.other == wallet {
					return t.NewWalletAccount(s.UserID, r.ID, t.AnyPayer(wallet))
				}
				return t.NewBankAccount(s.UserID, r.ID, t.Bank(t.Target().Facts.Destination))
			})
	}
	return refusals(all...)
}

// cashPayers are the rules about the payer of a method that is paid out in cash.
func cashPayers(name string, method api.PayoutMethod) []probe.Check {
	rule := func(id, title, fix string, payer func(*probe.T) int64) refusedTransaction {
		return refusedTransaction{
			id: "transactions." + name + "." + id, title: title, fix: fix, clauses: []string{"1-rule-4-" + name, "1-rule-5"},
			method: method, code: api.ErrorCodePayerNotFound,
			spoil: func(t *probe.T, _ probe.Sender, _ probe.Receiver, body *api.TransactionRequest) {
				body.To = withMember(t, body.To, "payer_id", payer(t))
			},
		}
	}
	return refusals(
		rule("payer-unknown", "A payer that does not exist carries out no "+string(method),
			"Answer PAYER_NOT_FOUND where to.payer_id names no enabled payer.", unknownPayer),
		rule("payer-other-method", "A payer of another method carries out no "+string(method),
			"Answer PAYER_NOT_FOUND unless the delivery_method of the payer is the payout_method.", func(t *probe.T) int64 {
				return t.Payer("of another method in the destination", func(p api.PayerDetail) bool {
					return p.Country == t.Target().Facts.Destination && p.DeliveryMethod != method
				}).ID
			}),
		rule("payer-other-country", "A payer of another country carries out no "+string(method),
			"Answer PAYER_NOT_FOUND unless the payer is of the country of the receive user.", func(t *probe.T) int64 {
				return t.Payer("of this method in another destination", func(p api.PayerDetail) bool {
					return p.Country != t.Target().Facts.Destination && p.DeliveryMethod == method
				}).ID
			}),
	)
}

func walletPayers() []probe.Check {
	return []probe.Check{
		refusedTransaction{
			id: "transactions.wallet.payer-other", title: "A wallet payout names no other payer than that of the wallet account",
			clauses: []string{"1-rule-4-wallet", "D-36"}, method: api.PayoutMethodWallet, code: api.ErrorCodePayerNotFound,
			fix: "Answer PAYER_NOT_FOUND where to.payer_id is not the payer of the wallet account.",
			spoil: func(t *probe.T, _ probe.Sender, _ probe.Receiver, body *api.TransactionRequest) {
				other := unknownPayer(t)
				if own := t.AnyPayer(api.PayoutMethodWallet).ID; t.Full() { // of the account in the fixtures the payer is not known
					other = t.Payer("beside that of the wallet account", func(p api.PayerDetail) bool {
						return p.ID != own && p.Country == t.Target().Facts.Destination
					}).ID
				}
				body.To = withMember(t, body.To, "payer_id", other)
			},
		}.check(),
		{
			ID: "transactions.wallet.payer-not-returned", Title: "The payer that a wallet payout names is not returned",
			Clauses: []string{"2.6-to-response", "D-36"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
			Fix: "Answer to.payer_id with CASH_PICKUP and HOME_DELIVERY only.",
			Run: func(t *probe.T) {
				s := t.Sender()
				body := t.Payout(s, t.Receiver(s, api.PayoutMethodWallet), "1.00")
				body.To = withMember(t, body.To, "payer_id", t.AnyPayer(api.PayoutMethodWallet).ID)
				r, err := t.Create(s.UserID, "", body)
				probe.OK(t, r, err)
				to, _ := members(t, r)["to"].(map[string]any)
				t.Expect(to["payer_id"] == nil, "answered to.payer_id")
			},
		},
		{
			ID: "transactions.wallet.payer-own", Title: "A wallet payout may name the payer of the wallet account",
			Clauses: []string{"2.6-to-request", "D-36"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
			Fix: "Accept to.payer_id with WALLET where it is the payer of the wallet account.",
			Run: func(t *probe.T) {
				s := t.Sender()
				body := t.Payout(s, t.Receiver(s, api.PayoutMethodWallet), "1.00")
				body.To = withMember(t, body.To, "payer_id", t.AnyPayer(api.PayoutMethodWallet).ID)
				createTransaction(t, s, body)
			},
		},
	}
}

// payerWithLocations gives a cash payer in the destination with pick-up locations.
func payerWithLocations(t *probe.T) api.PayerDetail {
	return t.PreferUnrestricted("of CASH_PICKUP with pick-up locations in the destination", func(p api.PayerDetail) bool {
		return p.DeliveryMethod == api.PayoutMethodCashPickup && p.Country == t.Target().Facts.Destination && len(p.PickupLocation) > 0
	})
}

func pickupLocations() []probe.Check {
	// location changes a request into a pickup at a payer with locations.
	location := func(id func(*probe.T, api.PayerDetail) int64) func(*probe.T, probe.Sender, probe.Receiver, *api.TransactionRequest) {
		return func(t *probe.T, _ probe.Sender, r probe.Receiver, body *api.TransactionRequest) {
			p := payerWithLocations(t)
			at := t.At(r.ID, p)
			body.To, body.ToCurrency, body.ExchangeRate = at.To, at.Currency, at.Rate
			if id != nil {
				body.To = withMember(t, body.To, "pickup_location", id(t, p))
			}
		}
	}
	taken := func(t *probe.T, id func(*probe.T, api.PayerDetail) int64) {
		s := t.Sender()
		receiver := t.Receiver(s, api.PayoutMethodCashPickup)
		body := t.Payout(s, receiver, "1.00")
		location(id)(t, s, receiver, &body)
		createTransaction(t, s, body)
	}
	create := []string{"createTransaction"}
	return append(refusals(
		refusedTransaction{
			id: "transactions.pickup-location.other-payer", title: "A pick-up location of another payer is refused",
			clauses: []string{"2.6-to-request", "D-21"}, method: api.PayoutMethodCashPickup, code: api.ErrorCodePickupLocationNotFound,
			fix: "Look for to.pickup_location among the locations of to.payer_id only.",
			spoil: location(func(t *probe.T, payer api.PayerDetail) int64 {
				return t.Payer("with pick-up locations beside the first", func(p api.PayerDetail) bool {
					return p.ID != payer.ID && len(p.PickupLocation) > 0
				}).PickupLocation[0].ID
			}),
		},
	),
		probe.Check{
			ID: "transactions.pickup-location.unknown", Title: "A pick-up location that does not exist is refused, also where the payer has none at all",
			Clauses: []string{"2.6-to-request", "D-09", "D-21"}, Operations: create,
			Fix: "Answer PICKUP_LOCATION_NOT_FOUND where to.pickup_location is none of the payer's.",
			Run: func(t *probe.T) {
				s := t.Sender()
				receiver := t.Receiver(s, api.PayoutMethodCashPickup)
				payers := []api.PayerDetail{payerWithLocations(t)}
				for _, p := range t.Payers() {
					if p.DeliveryMethod == api.PayoutMethodCashPickup && p.Country == payers[0].Country && len(p.PickupLocation) == 0 {
						payers = append(payers, p)
						break
					}
				}
				for _, p := range payers {
					body := t.Payout(s, t.At(receiver.ID, p), "1.00")
					body.To = withMember(t, body.To, "pickup_location", unknownLocation(t))
					r, err := t.Create(s.UserID, "", body)
					t.Refused(r, err, 422, api.ErrorCodePickupLocationNotFound)
				}
			},
		},
		probe.Check{
			ID: "transactions.pickup-location.own", Title: "Any pick-up location of the payer is accepted",
			Clauses: []string{"2.6-to-request", "1-rule-4-cash-pickup", "D-21"}, Operations: create,
			Fix: "Accept each id of the payer's pickup_location, the last one too.",
			Run: func(t *probe.T) {
				taken(t, func(_ *probe.T, p api.PayerDetail) int64 { return p.PickupLocation[len(p.PickupLocation)-1].ID })
			},
		},
		probe.Check{
			ID: "transactions.pickup-location.optional", Title: "A pick-up location may be left out, also where the payer has some",
			Clauses: []string{"1-rule-4-cash-pickup", "D-21"}, Operations: create,
			Fix: "Do not require to.pickup_location: rule 4 asks for the payer_id only.",
			Run: func(t *probe.T) { taken(t, nil) },
		},
	)
}

// unknownLocation is an identifier that no pick-up location has, as far as the client can see.
func unknownLocation(t *probe.T) int64 {
	id := int64(1)
	for _, p := range t.Payers() {
		for _, l := range p.PickupLocation {
			id = max(id, l.ID+1)
		}
	}
	return id
}

// deliveryAddresses are the rules about the address of a receive user, made without some of it.
func deliveryAddresses() []probe.Check {
	receiver := func(edit func(*api.ReceiveUserRequest)) func(*probe.T, probe.Sender, probe.Receiver, *api.TransactionRequest) {
		return func(t *probe.T, s probe.Sender, _ probe.Receiver, body *api.TransactionRequest) {
			body.To = withMember(t, body.To, "id", t.NewReceiveUser(s.UserID, t.Target().Facts.Destination, edit))
		}
	}
	homeless := receiver(func(r *api.ReceiveUserRequest) { r.AddressLine1, r.City = nil, nil })
	return append(refusals(
		refusedTransaction{
			id: "transactions.home-delivery.no-street", title: "Nothing is delivered to a receive user without address_line1",
			clauses: []string{"1-rule-4-home-delivery", "D-51"}, needs: probe.Extensions, method: api.PayoutMethodHomeDelivery,
			code: api.ErrorCodeAddressRequired, fix: "Answer ADDRESS_REQUIRED where the receive user has no address_line1.",
			spoil: receiver(func(r *api.ReceiveUserRequest) { r.AddressLine1 = nil }),
		},
		refusedTransaction{
			id: "transactions.home-delivery.no-city", title: "Nothing is delivered to a receive user without city",
			clauses: []string{"1-rule-4-home-delivery", "D-51"}, needs: probe.Extensions, method: api.PayoutMethodHomeDelivery,
			code: api.ErrorCodeAddressRequired, fix: "Answer ADDRESS_REQUIRED where the receive user has no city.",
			spoil: receiver(func(r *api.ReceiveUserRequest) { r.City = nil }),
		},
	),
		probe.Check{
			ID: "transactions.cash-pickup.no-address", Title: "A receive user without an address can collect cash",
			Clauses: []string{"1-rule-4-cash-pickup", "D-51"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
			Fix: "Ask for an address with HOME_DELIVERY only.",
			Run: func(t *probe.T) {
				s := t.NewSender()
				p := t.AnyPayer(api.PayoutMethodCashPickup)
				body := t.Payout(s, t.At(unknownID(), p), "1.00")
				homeless(t, s, probe.Receiver{}, &body)
				createTransaction(t, s, body)
			},
		},
	)
}
