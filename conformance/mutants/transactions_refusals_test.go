package mutants_test

import (
	"net/http"
	"slices"
	"sync"
)

// oversight creates a transaction that is to be refused with a code, where the attempt does: so that nothing else is wrong with it.
type oversight struct {
	name, check, code string
	when              func(r request, next ask, of known) bool
	try               attempt
}

// transactionSenderMutants break rules 1, 3a and 3b of section 1.
func transactionSenderMutants() []mutant {
	const noFund = "FUNDING_ACCOUNT_NOT_FOUND"
	oversights := []oversight{
		{"An unknown funding account stands for the active one", "funding-account.not-found", noFund, createdBy("", "from_fund_id"), activeFund},
		{"The funding account of any user funds a transaction", "funding-account.not-found", noFund, createdBy("createFundingAccount", "from_fund_id"), activeFund},
	}
	for status, check := range map[string]string{"UNVERIFIED": "sender.unverified", "IN PROGRESS": "sender.kyc", "SUSPENDED": "sender.kyc"} {
		oversights = append(oversights, oversight{
			"A sender that is " + status + " creates transactions", check, "KYC_NOT_ELIGIBLE",
			func(r request, next ask, _ known) bool { return r.status(next) == status }, asVerified,
		})
	}
	for _, status := range []string{"PENDING", "INACTIVE"} {
		oversights = append(oversights, oversight{
			"A funding account that is " + status + " funds transactions", "funding-account.not-active", "FUNDING_ACCOUNT_NOT_ACTIVE",
			func(r request, next ask, _ known) bool {
				return first(r.below(next, "/funding-accounts"), "id", r.text("from_fund_id"))["status"] == status
			}, activeFund,
		})
	}
	verified := func(r request, next ask) bool { return r.status(next) == "VERIFIED" }
	anybody := func(request, ask) bool { return true }
	return append(overlooked(oversights),
		broken("A user outside the corridors learns first that it may not send", "transactions.sender.corridor",
			miscalls("CORRIDOR_NOT_ENABLED", anybody, "SENDING_NOT_ENABLED")),
		broken("A verified user without sending capability is told to verify again", "transactions.sender.capability",
			miscalls("SENDING_NOT_ENABLED", verified, "KYC_NOT_ELIGIBLE")),
		broken("A business creates no transactions", "transactions.sender.verified", refusing("KYC_NOT_ELIGIBLE", isBusiness)),
		broken("A user that was suspended once never sends again", "transactions.sender.verified", func() fault {
			var suspended sync.Map
			return func(op string, r request, next ask) answer {
				a := next(r)
				if op == "setVerification" && r.text("kyc_status") == "SUSPENDED" {
					suspended.Store(r.segment(2), true)
				}
				if _, once := suspended.Load(r.user()); op == "createTransaction" && a.status == http.StatusOK && once {
					a = a.failure(http.StatusUnprocessableEntity, "KYC_NOT_ELIGIBLE")
				}
				return a
			}
		}),
		broken("Of the funding accounts of a user only the last that became ACTIVE is", "transactions.funding-account.each-active",
			answered("setFundingAccountStatus", func(r request, next ask, a answer) {
				for _, account := range r.below(next, "/funding-accounts") {
					if a.member("status") == "ACTIVE" && account["status"] == "ACTIVE" && account["id"] != a.member("id") {
						inner := r.to(http.MethodPost, "/sandbox/users/"+r.user()+"/funding-accounts/"+text(account["id"])+"/status")
						inner.body = encode(map[string]any{"status": "INACTIVE"})
						next(inner)
					}
				}
			})),
	)
}

// transactionReceiverMutants break rule 3c of section 1, and what rule 4 says of accounts, addresses, payers and pick-up locations.
func transactionReceiverMutants() []mutant {
	const noReceiver, noAccount, noPayer, noPlace = "RECEIVE_USER_NOT_FOUND", "RECEIVE_ACCOUNT_NOT_FOUND", "PAYER_NOT_FOUND", "PICKUP_LOCATION_NOT_FOUND"
	is := func(method string, and func(r request, next ask, of known) bool) func(r request, next ask, of known) bool {
		return func(r request, next ask, of known) bool { return r.method() == method && and(r, next, of) }
	}
	lacks := func(name string) func(r request, next ask, _ known) bool {
		return func(r request, next ask, _ known) bool { return r.receiver(next)[name] == nil }
	}
	always := func(request, ask, known) bool { return true }
	ofPayer := func(fits func(r request, next ask, payer map[string]any) bool) func(r request, next ask, of known) bool {
		return func(r request, next ask, _ known) bool { return fits(r, next, r.payer(next)) }
	}
	ofAny := func(r request, next ask, _ known) bool { return r.locationOfAny(next) }
	ofNone := func(r request, next ask, _ known) bool { return !r.locationOfAny(next) }
	exists := ofPayer(func(_ request, _ ask, p map[string]any) bool { return p != nil })
	noWalletPayer, noLocation := leavingOut("to", "payer_id"), leavingOut("to", "pickup_location")
	oversights := []oversight{
		{"Cash for an unknown receive user is for the first one", "receive-user.not-found", noReceiver, is("CASH_PICKUP", createdBy("", "to", "id")), anyReceiver},
		{"Cash may be for the receive user of another user", "receive-user.not-found", noReceiver, is("CASH_PICKUP", createdBy("createReceiveUser", "to", "id")), anyReceiver},
		{"A home delivery needs no street", "home-delivery.address", "ADDRESS_REQUIRED", lacks("address_line1"), withAddress},
		{"A home delivery needs no city", "home-delivery.address", "ADDRESS_REQUIRED", lacks("city"), withAddress},
		{"A wallet payout may name any payer", "payer.not-found", noPayer, is("WALLET", always), noWalletPayer},
		{"A wallet payout may name any payer that exists", "payer.not-found", noPayer, is("WALLET", exists), noWalletPayer},
		{"An unknown pick-up location is ignored", "pickup-location.not-found", noPlace, ofNone, noLocation},
		{"Any pick-up location is accepted where the payer has none", "pickup-location.not-found", noPlace, ofPayer(func(_ request, _ ask, p map[string]any) bool {
			return len(objects(p["pickup_location"])) == 0
		}), noLocation},
		{"Pick-up locations of other payers are accepted", "pickup-location.not-found", noPlace, ofAny, noLocation},
	}
	for _, of := range [][3]string{
		{"BANK_DEPOSIT", "createBankAccount", "createWalletAccount"}, {"WALLET", "createWalletAccount", "createBankAccount"},
	} {
		method, own, other := of[0], of[1], of[2]
		account := func(by string) func(r request, next ask, of known) bool {
			return is(method, createdBy(by, "to", "fund_id"))
		}
		oversights = append(oversights,
			oversight{"A " + method + " to an unknown account goes to the first one of the receive user", "receive-account.not-found", noAccount, account(""), firstAccount},
			oversight{"A " + method + " to an account of the other kind is created", "receive-account.not-found", noAccount, account(other), firstAccount},
			oversight{"A " + method + " may go to the account of another receive user of the sender", "receive-account.not-found", noAccount, account(own), firstAccount},
		)
	}
	for _, method := range []string{"CASH_PICKUP", "HOME_DELIVERY"} {
		payer := func(title string, fits func(r request, next ask, payer map[string]any) bool) {
			oversights = append(oversights, oversight{
				"A " + method + " by a payer that is " + title + " is created", "payer.not-found", noPayer, is(method, ofPayer(fits)), anyPayer,
			})
		}
		payer("unknown", func(_ request, _ ask, p map[string]any) bool { return p == nil })
		payer("of another method", func(_ request, _ ask, p map[string]any) bool { return p != nil && p["delivery_method"] != method })
		payer("of another country", func(r request, next ask, p map[string]any) bool {
			return p != nil && p["country"] != r.receiver(next)["country"]
		})
	}
	for _, method := range []string{"BANK_DEPOSIT", "WALLET", "HOME_DELIVERY"} {
		oversights = append(oversights, oversight{
			"A " + method + " may go to the receive user of another user", "receive-user.not-found", noReceiver,
			is(method, createdBy("createReceiveUser", "to", "id")), nil,
		})
	}
	refuses := func(name, check, code string, when func(r request, next ask) bool) mutant {
		return broken(name, "transactions."+check, refusing(code, when))
	}
	return append(overlooked(oversights),
		refuses("Cash is handed out only to receive users with a city", "home-delivery.address", "ADDRESS_REQUIRED", func(r request, next ask) bool {
			return r.method() == "CASH_PICKUP" && r.receiver(next)["city"] == nil
		}),
		refuses("A wallet payout may name no payer", "wallet.payer-own", noPayer, func(r request, _ ask) bool {
			return r.method() == "WALLET" && r.member("to", "payer_id") != nil
		}),
		refuses("Of the pick-up locations of a payer only the first is accepted", "pickup-location.own", noPlace, func(r request, next ask) bool {
			locations := objects(r.payer(next)["pickup_location"])
			return len(locations) > 0 && r.member("to", "pickup_location") != nil && r.member("to", "pickup_location") != locations[0]["id"]
		}),
		refuses("A pick-up location is needed where the payer has more than two", "pickup-location.own", noPlace, func(r request, next ask) bool {
			return r.member("to", "pickup_location") == nil && len(objects(r.payer(next)["pickup_location"])) > 2
		}),
		refuses("A bank deposit goes to banks that support C2C only", "receive-account.each", noAccount, func(r request, next ask) bool {
			types := each(r.bank(next)["txn_supported_types"])
			return r.method() == "BANK_DEPOSIT" && !slices.Contains(types, "C2C")
		}),
		broken("A wallet payout returns the payer that it names", "transactions.creation.not-returned",
			transacting(func(r request, next ask) answer {
				return next(r).object(func(x map[string]any) {
					if to, ok := x["to"].(map[string]any); ok && r.method() == "WALLET" && r.member("to", "payer_id") != nil {
						to["payer_id"] = r.member("to", "payer_id")
					}
				})
			})),
	)
}

// overlooked makes mutants of oversights. Without an attempt the transaction is created by the user who has added its receive user.
func overlooked(oversights []oversight) (all []mutant) {
	for _, o := range oversights {
		all = append(all, broken(o.name, "transactions."+o.check, knowing(func(of known) func() fault {
			try := o.try
			if try == nil {
				try = asItsOwner(of)
			}
			return overlooking(o.code, where(func(r request, next ask) bool { return o.when(r, next, of) }, try))
		})))
	}
	return all
}

// createdBy reports whether what a member names was created by an operation, "" for none.
func createdBy(operation string, names ...string) func(r request, next ask, of known) bool {
	return func(r request, _ ask, of known) bool { return of(r.text(names...)).by == operation }
}

// leavingOut tries a transaction without a member.
func leavingOut(names ...string) attempt { return with(constant(nil), names...) }

// anyReceiver tries a transaction with the first receive user of the sender.
var anyReceiver = with(func(r request, next ask) any {
	for _, u := range r.below(next, "/receive-users") {
		return u["id"]
	}
	return nil
}, "to", "id")

// firstAccount tries a transaction with the first account of the receive user.
var firstAccount = with(func(r request, next ask) any {
	for _, a := range r.accounts(next) {
		return a["id"]
	}
	return nil
}, "to", "fund_id")

// withAddress tries a transaction with a receive user that has an address.
var withAddress = with(func(r request, next ask) any {
	inner := r.to(http.MethodPost, "/users/"+r.user()+"/receive-users")
	inner.body = encode(map[string]any{
		"first_name": "Bina", "country": r.receiver(next)["country"], "address_line1": "3 Sample Road", "city": "Sample City",
	})
	return next(inner).member("id")
}, "to", "id")

// anyPayer tries a transaction with the first payer of its method in the country of the receive user.
var anyPayer = with(func(r request, next ask) any {
	for _, p := range r.payers(next) {
		return p["id"]
	}
	return nil
}, "to", "payer_id")

// payers returns the payers of the method of a transaction in the country of its receive user.
func (r request) payers(next ask) []map[string]any {
	country, _ := r.receiver(next)["country"].(string)
	return objects(r.read(next, "/payers?country="+country+"&payout_method="+r.method()))
}

// locationOfAny reports whether the pick-up location of a transaction is that of any payer in the country.
func (r request) locationOfAny(next ask) bool {
	for _, p := range r.payers(next) {
		if first(objects(p["pickup_location"]), "id", r.member("to", "pickup_location")) != nil {
			return true
		}
	}
	return false
}

// isBusiness reports whether the user in the path is one.
func isBusiness(r request, next ask) bool {
	return member(r.read(next, "/users/"+r.user()), "business") == true
}

// status returns the KYC status of the user in the path.
func (r request) status(next ask) any {
	return member(r.read(next, "/users/"+r.user()), "status")
}

// asVerified tries a transaction while its sender is VERIFIED.
func asVerified(r request, next ask) answer {
	was := r.status(next)
	verify := func(status any) {
		inner := r.to(http.MethodPost, "/sandbox/users/"+r.user()+"/verification")
		inner.body = encode(map[string]any{"kyc_status": status})
		next(inner)
	}
	verify("VERIFIED")
	defer verify(was)
	return next(r)
}

// activeFund tries a transaction with the funding account of the sender that is active.
var activeFund = with(func(r request, next ask) any {
	return first(r.below(next, "/funding-accounts"), "status", "ACTIVE")["id"]
}, "from_fund_id")

// asItsOwner tries a transaction as the user who has added its receive user.
func asItsOwner(of known) attempt {
	return func(r request, next ask) answer {
		inner := r.to(http.MethodPost, "/users/"+of(r.text("to", "id")).user+"/transactions")
		inner.body = r.body
		return activeFund(inner, next)
	}
}
