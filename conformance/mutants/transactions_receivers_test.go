package mutants_test

import (
	"net/http"
	"slices"
)

// transactionReceiverMutants break rule 3c of section 1, and what rule 4 says of accounts and addresses.
func transactionReceiverMutants() []mutant {
	cash := func(try attempt) attempt {
		return where(func(r request, _ func(request) answer) bool { return r.method() == "CASH_PICKUP" }, try)
	}
	return slices.Concat([]mutant{
		{
			name: "Cash for an unknown receive user is for the first one", by: "transactions.receive-user.not-found",
			fault: knowing(func(of known) func() fault {
				return overlooking("RECEIVE_USER_NOT_FOUND", cash(where(of.by("", "to", "id"), anyReceiver)))
			}),
		},
		{
			name: "Cash may be for the receive user of another user", by: "transactions.receive-user.not-found",
			fault: knowing(func(of known) func() fault {
				return overlooking("RECEIVE_USER_NOT_FOUND", cash(where(of.by("createReceiveUser", "to", "id"), anyReceiver)))
			}),
		},
		{
			name: "Cash is handed out only to receive users with a city", by: "transactions.home-delivery.address",
			fault: refusing("ADDRESS_REQUIRED", func(r request, next func(request) answer) bool {
				return r.method() == "CASH_PICKUP" && r.receiver(next)["city"] == nil
			}),
		},
		homeWithout("address_line1"), homeWithout("city"),
	},
		receiveAccountMutants("BANK_DEPOSIT", "createBankAccount", "createWalletAccount"),
		receiveAccountMutants("WALLET", "createWalletAccount", "createBankAccount"))
}

func homeWithout(member string) mutant {
	return mutant{
		name: "A home delivery needs no " + member, by: "transactions.home-delivery.address",
		fault: overlooking("ADDRESS_REQUIRED", where(func(r request, next func(request) answer) bool {
			return r.receiver(next)[member] == nil
		}, withAddress)),
	}
}

// receiveAccountMutants break the rules about the account of a payout method.
func receiveAccountMutants(method, own, other string) []mutant {
	account := func(title, by string, try func(of known) attempt) mutant {
		return mutant{
			name: "A " + method + " " + title, by: "transactions.receive-account.not-found",
			fault: knowing(func(of known) func() fault {
				return overlooking("RECEIVE_ACCOUNT_NOT_FOUND", where(func(r request, next func(request) answer) bool {
					return r.method() == method && of.by(by, "to", "fund_id")(r, next)
				}, try(of)))
			}),
		}
	}
	toFirst := func(known) attempt { return firstAccount }
	toOwner := func(of known) attempt {
		return with(func(r request, _ func(request) answer) any { return of(r.text("to", "fund_id")).receiver }, "to", "id")
	}
	return []mutant{
		account("to an unknown account goes to the first one of the receive user", "", toFirst),
		account("to the account of another receive user of the sender goes there", own, toOwner),
		account("to an account of the other kind is created", other, toFirst),
	}
}

// anyReceiver tries a transaction with the first receive user of the sender.
var anyReceiver = with(func(r request, next func(request) answer) any {
	for _, u := range r.below(next, "/receive-users") {
		return u["id"]
	}
	return nil
}, "to", "id")

// firstAccount tries a transaction with the first account of the receive user.
var firstAccount = with(func(r request, next func(request) answer) any {
	for _, a := range r.accounts(next) {
		return a["id"]
	}
	return nil
}, "to", "fund_id")

// withAddress tries a transaction with a receive user that has an address.
var withAddress = with(func(r request, next func(request) answer) any {
	inner := r.to(http.MethodPost, "/users/"+r.user()+"/receive-users")
	inner.body = encode(map[string]any{
		"first_name": "Bina", "country": r.receiver(next)["country"], "address_line1": "3 Sample Road", "city": "Sample City",
	})
	return next(inner).member("id")
}, "to", "id")

// payerMutants break what rule 4 of section 1 says of payers and pick-up locations.
func payerMutants() []mutant {
	all := []mutant{
		{
			name: "A wallet payout may name any payer", by: "transactions.payer.not-found",
			fault: overlooking("PAYER_NOT_FOUND", where(isWallet, with(constant(nil), "to", "payer_id"))),
		},
		{
			name: "A wallet payout may name any payer that exists", by: "transactions.payer.not-found",
			fault: overlooking("PAYER_NOT_FOUND", where(func(r request, next func(request) answer) bool {
				return r.method() == "WALLET" && r.payer(next) != nil
			}, with(constant(nil), "to", "payer_id"))),
		},
		{
			name: "A wallet payout answers the payer that it names", by: "transactions.creation.not-returned",
			fault: transacting(func(r request, next func(request) answer) answer {
				return next(r).object(func(x map[string]any) {
					if to, ok := x["to"].(map[string]any); ok && r.method() == "WALLET" && r.member("to", "payer_id") != nil {
						to["payer_id"] = r.member("to", "payer_id")
					}
				})
			}),
		},
		{
			name: "A wallet payout may name no payer", by: "transactions.wallet.payer-own",
			fault: refusing("PAYER_NOT_FOUND", func(r request, _ func(request) answer) bool {
				return r.method() == "WALLET" && r.member("to", "payer_id") != nil
			}),
		},
		{
			name: "An unknown pick-up location is ignored", by: "transactions.pickup-location.not-found",
			fault: overlooking("PICKUP_LOCATION_NOT_FOUND", where(func(r request, next func(request) answer) bool { return !r.locationOfAny(next) }, noLocation)),
		},
		{
			name: "Any pick-up location is accepted where the payer has none", by: "transactions.pickup-location.not-found",
			fault: overlooking("PICKUP_LOCATION_NOT_FOUND", where(func(r request, next func(request) answer) bool {
				return len(objects(r.payer(next)["pickup_location"])) == 0
			}, noLocation)),
		},
		{
			name: "Pick-up locations of other payers are accepted", by: "transactions.pickup-location.not-found",
			fault: overlooking("PICKUP_LOCATION_NOT_FOUND", where(request.locationOfAny, noLocation)),
		},
		{
			name: "Of the pick-up locations of a payer only the first is accepted", by: "transactions.pickup-location.own",
			fault: refusing("PICKUP_LOCATION_NOT_FOUND", func(r request, next func(request) answer) bool {
				locations := objects(r.payer(next)["pickup_location"])
				return len(locations) > 0 && r.member("to", "pickup_location") != nil && r.member("to", "pickup_location") != locations[0]["id"]
			}),
		},
		{
			name: "A pick-up location is needed where the payer has more than two", by: "transactions.pickup-location.own",
			fault: refusing("PICKUP_LOCATION_NOT_FOUND", func(r request, next func(request) answer) bool {
				return r.member("to", "pickup_location") == nil && len(objects(r.payer(next)["pickup_location"])) > 2
			}),
		},
	}
	for _, method := range []string{"CASH_PICKUP", "HOME_DELIVERY"} {
		payer := func(title string, fits func(r request, next func(request) answer, payer map[string]any) bool) mutant {
			return mutant{
				name: "A " + method + " " + title, by: "transactions.payer.not-found",
				fault: overlooking("PAYER_NOT_FOUND", where(func(r request, next func(request) answer) bool {
					return r.method() == method && fits(r, next, r.payer(next))
				}, anyPayer)),
			}
		}
		all = append(all,
			payer("by an unknown payer is created", func(_ request, _ func(request) answer, p map[string]any) bool { return p == nil }),
			payer("by a payer of another method is created", func(_ request, _ func(request) answer, p map[string]any) bool {
				return p != nil && p["delivery_method"] != method
			}),
			payer("by a payer of another country is created", func(r request, next func(request) answer, p map[string]any) bool {
				return p != nil && p["country"] != r.receiver(next)["country"]
			}),
		)
	}
	return all
}

func isWallet(r request, _ func(request) answer) bool { return r.method() == "WALLET" }

// noLocation tries a transaction without pick-up location.
var noLocation = with(constant(nil), "to", "pickup_location")

// anyPayer tries a transaction with the first payer of its method in the country of the receive user.
var anyPayer = with(func(r request, next func(request) answer) any {
	for _, p := range r.payers(next) {
		return p["id"]
	}
	return nil
}, "to", "payer_id")

// payers gives the payers of the method of a transaction in the country of its receive user.
func (r request) payers(next func(request) answer) []map[string]any {
	country, _ := r.receiver(next)["country"].(string)
	return objects(r.read(next, "/payers?country="+country+"&payout_method="+r.method()))
}

// locationOfAny tells whether the pick-up location of a transaction is that of any payer in the country.
func (r request) locationOfAny(next func(request) answer) bool {
	for _, p := range r.payers(next) {
		if first(objects(p["pickup_location"]), "id", r.member("to", "pickup_location")) != nil {
			return true
		}
	}
	return false
}
