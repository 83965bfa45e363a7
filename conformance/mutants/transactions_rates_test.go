package mutants_test

import "math/big"

// rateMutants break the bounds of exchange rates (D-62).
func rateMutants() []mutant {
	const code, bounds, order = "EXCHANGE_RATE_NOT_ALLOWED", "transactions.exchange-rate.bounds", "transactions.exchange-rate.order"
	within := with(constant(10), "exchange_rate")
	near := func(r request, _ ask) bool {
		return r.amount("exchange_rate").Cmp(big.NewRat(499, 100)) > 0 && r.amount("exchange_rate").Cmp(big.NewRat(5001, 100)) < 0
	}
	isRate := func(rate int64) func(r request, next ask) bool {
		return func(r request, _ ask) bool {
			return r.text("to_currency") == "MXN" && r.amount("exchange_rate").Cmp(big.NewRat(rate, 1)) == 0
		}
	}
	return []mutant{
		broken("Any rate is accepted", bounds, overlooking(code, within)),
		broken("A rate is rounded before it is compared with its bounds", bounds, overlooking(code, where(near, within))),
		broken("A rate has a lower bound only", bounds, overlooking(code, where(func(r request, _ ask) bool { return r.amount("exchange_rate").Cmp(big.NewRat(5, 1)) > 0 }, within))),
		broken("A rate has an upper bound only", bounds, overlooking(code, where(func(r request, _ ask) bool { return r.amount("exchange_rate").Cmp(big.NewRat(5, 1)) < 0 }, within))),
		broken("The least rate is below its bound", bounds, refusing(code, isRate(5))),
		broken("The greatest rate is above its bound", bounds, refusing(code, isRate(50))),
		broken("The rate of RECEIVER_AMOUNT has no bounds", bounds, overlooking(code, where(func(r request, _ ask) bool {
			return r.text("to", "calculation_mode") == "RECEIVER_AMOUNT"
		}, func(r request, next ask) answer {
			return next(r.set(10, "exchange_rate").set("SENDER_AMOUNT", "to", "calculation_mode"))
		}))),
		broken("The bounds of one pair of currencies are those of all", bounds, refusing(code, func(r request, _ ask) bool {
			return r.amount("exchange_rate").Cmp(big.NewRat(50, 1)) > 0
		})),
		broken("A rate outside its bounds is answered before a wrong currency", order, hasty("CURRENCY_NOT_SUPPORTED", fromDollars, code)),
		broken("An amount that cannot be paid out is answered before its rate", order,
			miscalls(code, func(r request, _ ask) bool { return r.pays().Cmp(big.NewRat(5, 1000)) < 0 }, "AMOUNT_NOT_ALLOWED")),
	}
}
