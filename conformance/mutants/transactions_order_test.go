package mutants_test

import (
	"math/big"
)

// transactionOrderMutants look at two rules of section 1 in the wrong order.
func transactionOrderMutants() []mutant {
	all := []mutant{broken("The KYC status is looked at before the capability", "transactions.order.users",
		miscalls("SENDING_NOT_ENABLED", func(r request, next ask) bool { return r.status(next) == "UNVERIFIED" },
			"KYC_NOT_ELIGIBLE"))}
	for _, pair := range []struct {
		check, first string
		try          attempt
		second       string
	}{
		{"users", "KYC_NOT_ELIGIBLE", asVerified, "FUNDING_ACCOUNT_NOT_FOUND"},
		{"receivers", "FUNDING_ACCOUNT_NOT_FOUND", activeFund, "RECEIVE_USER_NOT_FOUND"},
		{"receivers", "FUNDING_ACCOUNT_NOT_ACTIVE", activeFund, "RECEIVE_USER_NOT_FOUND"},
		{"receivers", "RECEIVE_USER_NOT_FOUND", where(receiverHasAccount, anyReceiver), "RECEIVE_ACCOUNT_NOT_FOUND"},
		{"receivers", "RECEIVE_ACCOUNT_NOT_FOUND", firstAccount, "CURRENCY_NOT_SUPPORTED"},
		{"receivers", "RECEIVE_ACCOUNT_NOT_FOUND", firstAccount, "PAYER_NOT_FOUND"},
		{"receivers", "PAYER_NOT_FOUND", where(func(r request, _ ask) bool { return r.method() == "WALLET" }, leavingOut("to", "payer_id")), "CURRENCY_NOT_SUPPORTED"},
		{"receivers", "PAYER_NOT_FOUND", anyPayer, "PICKUP_LOCATION_NOT_FOUND"},
		{"receivers", "PICKUP_LOCATION_NOT_FOUND", leavingOut("to", "pickup_location"), "CURRENCY_NOT_SUPPORTED"},
		{"receivers", "PAYER_NOT_FOUND", anyPayer, "ADDRESS_REQUIRED"},
		{"receivers", "ADDRESS_REQUIRED", withAddress, "CURRENCY_NOT_SUPPORTED"},
		{"limits", "CURRENCY_NOT_SUPPORTED", fromDollars, "AMOUNT_NOT_ALLOWED"},
		{"limits", "AMOUNT_NOT_ALLOWED", where(aboveLimit, with(constant(1), "exchange_rate")), "LIMIT_EXCEEDED"},
	} {
		all = append(all, broken(pair.second+" is answered before "+pair.first, "transactions.order."+pair.check,
			hasty(pair.first, pair.try, pair.second)))
	}
	return all
}

// receiverHasAccount reports whether the first receive user of the sender has an account of the payout method.
func receiverHasAccount(r request, next ask) bool {
	receivers := r.below(next, "/receive-users")
	return len(receivers) > 0 && len(r.set(receivers[0]["id"], "to", "id").accounts(next)) > 0
}

// aboveLimit reports whether a sending amount is above the daily limit that remains in the highest tier: in a lower one trying
// would request tags.
func aboveLimit(r request, next ask) bool {
	country, _ := r.receiver(next)["country"].(string)
	limits := r.read(next, "/users/"+r.user()+"/transaction-limit?destination="+country)
	left := rational(member(limits, "remaining_limit", "daily_limit"))
	return rational(member(limits, "current_tier")).Cmp(big.NewRat(3, 1)) == 0 && new(big.Rat).Sub(r.amount("from_amount"), left).Sign() > 0
}
