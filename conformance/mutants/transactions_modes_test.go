package mutants_test

import (
	"math"
	"math/big"
	"strconv"
)

// senderAmountMutants calculate the receiving amount in another way, or keep a rate in another form.
func senderAmountMutants() []mutant {
	const mode, calculated = "transactions.sender-amount.", "transactions.sender-amount.calculated"
	pays := func(name string, calculate func(x map[string]any, exact *big.Rat, digits int) *big.Rat) mutant {
		return broken(name, calculated, paying(calculate))
	}
	rounded := func(x *big.Rat, digits int) *big.Rat { return rational(number(x, digits)) }
	return []mutant{
		pays("A receiving amount of a thousand or more is cut to whole units", func(_ map[string]any, exact *big.Rat, digits int) *big.Rat {
			if exact.Cmp(big.NewRat(1000, 1)) >= 0 {
				return cut(exact, 0)
			}
			return rounded(exact, digits)
		}),
		pays("Half a minor unit is rounded to the even neighbour", func(_ map[string]any, exact *big.Rat, digits int) *big.Rat {
			return toEven(exact, digits)
		}),
		pays("Whole units are rounded up", func(_ map[string]any, exact *big.Rat, digits int) *big.Rat {
			if digits == 0 && !exact.IsInt() {
				return new(big.Rat).Add(cut(exact, 0), big.NewRat(1, 1))
			}
			return rounded(exact, digits)
		}),
		pays("Whole units are cut", func(_ map[string]any, exact *big.Rat, digits int) *big.Rat {
			if digits == 0 {
				return cut(exact, 0)
			}
			return rounded(exact, digits)
		}),
		pays("No currency has more than two decimals", func(_ map[string]any, exact *big.Rat, digits int) *big.Rat {
			return rounded(exact, min(digits, 2))
		}),
		pays("The receiving amount is calculated with binary floats", func(x map[string]any, _ *big.Rat, digits int) *big.Rat {
			from, _ := rational(x["from_amount"]).Float64()
			rate, _ := rational(x["exchange_rate"]).Float64()
			scale := math.Pow10(digits)
			return new(big.Rat).SetFloat64(math.Floor(from*rate*scale+0.5) / scale)
		}),
		pays("A rate is rounded to 16 decimals before it is used", func(x map[string]any, _ *big.Rat, digits int) *big.Rat {
			return rounded(new(big.Rat).Mul(rational(x["from_amount"]), rounded(rational(x["exchange_rate"]), 16)), digits)
		}),
		pays("The product is rounded to 19 digits before it is rounded to the minor unit", func(_ map[string]any, exact *big.Rat, digits int) *big.Rat {
			whole := len(cut(exact, 0).Num().String())
			if exact.Cmp(big.NewRat(1, 1)) < 0 {
				whole = 0
			}
			return rounded(rounded(exact, 19-whole), digits)
		}),
		pays("The fee is taken from what is paid out", func(x map[string]any, exact *big.Rat, digits int) *big.Rat {
			if left := new(big.Rat).Sub(rational(x["from_amount"]), rational(x["fee_amount"])); left.Sign() > 0 {
				exact = left.Mul(left, rational(x["exchange_rate"]))
			}
			return rounded(exact, digits)
		}),
		broken("A receiving amount that is sent is paid out with SENDER_AMOUNT too", calculated,
			transacting(func(r request, next ask) answer {
				return next(r).object(func(x map[string]any) {
					if to := r.member("to_amount"); to != nil && x["to_amount"] != nil {
						x["to_amount"] = to
					}
				})
			})),
		broken("A receiving amount that is ignored may be anything", mode+"to-amount-well-formed",
			overlooking("BAD_REQUEST", where(func(r request, _ ask) bool { return !r.receiverAmount() }, with(constant(nil), "to_amount")))),
		broken("A rate is kept as a binary float", mode+"rate-kept",
			shown(func(x map[string]any) { x["exchange_rate"], _ = rational(x["exchange_rate"]).Float64() })),
		broken("A receiving amount is cut to the minor unit", calculated,
			paying(func(_ map[string]any, exact *big.Rat, digits int) *big.Rat { return cut(exact, digits) })),
		broken("A receiving amount is rounded up", calculated, paying(func(_ map[string]any, exact *big.Rat, digits int) *big.Rat {
			down := cut(exact, digits)
			if down.Cmp(exact) < 0 {
				down.Add(down, new(big.Rat).Inv(power(digits)))
			}
			return down
		})),
	}
}

// paying calculates what a transaction in SENDER_AMOUNT mode pays out in another way.
func paying(calculate func(x map[string]any, exact *big.Rat, digits int) *big.Rat) func() fault {
	return shown(func(x map[string]any) {
		if digits := decimals(x["to_currency"]); member(x, "to", "calculation_mode") == "SENDER_AMOUNT" {
			exact := new(big.Rat).Mul(rational(x["from_amount"]), rational(x["exchange_rate"]))
			x["to_amount"] = number(calculate(x, exact, digits), digits)
		}
	})
}

// receiverAmountMutants compare a sending amount in another way with the receiving amount that is given, or keep others.
func receiverAmountMutants() []mutant {
	const compared, kept = "transactions.receiver-amount.compared", "transactions.receiver-amount.kept"
	cent, five := big.NewRat(1, 100), big.NewRat(5, 1)
	// less is by how much the sending amount is below the calculated one.
	less := func(from, calculated *big.Rat) *big.Rat { return new(big.Rat).Sub(calculated, from) }
	refuses := func(name string, fits func(r request, from, exact *big.Rat) bool) mutant {
		return broken(name, compared, refusing("AMOUNT_NOT_ALLOWED", func(r request, _ ask) bool {
			return r.receiverAmount() && fits(r, r.amount("from_amount"), r.calculated())
		}))
	}
	accepting := func(fits func(from, exact *big.Rat) bool) func() fault {
		return overlooking("BAD_REQUEST", where(func(r request, _ ask) bool {
			return r.receiverAmount() && fits(r.amount("from_amount"), r.calculated())
		}, asCalculated))
	}
	accepts := func(name string, fits func(from, exact *big.Rat) bool) mutant {
		return broken(name, compared, accepting(fits))
	}
	// within reports whether a difference is above 0 and at most this part of an amount, or at most a cent.
	within := func(difference, amount *big.Rat, thousandths int64) bool {
		return difference.Sign() > 0 && difference.Cmp(new(big.Rat).Mul(amount, big.NewRat(thousandths, 1000))) <= 0
	}
	keeps := func(name string, edit func(x, to map[string]any)) mutant {
		return broken(name, kept, shown(func(x map[string]any) {
			if to, ok := x["to"].(map[string]any); ok && to["calculation_mode"] == "RECEIVER_AMOUNT" {
				edit(x, to)
			}
		}))
	}
	return []mutant{
		refuses("A sending amount that fits exactly is refused", func(_ request, from, exact *big.Rat) bool { return from.Cmp(exact) == 0 }),
		refuses("A sending amount of exactly a cent less is refused", func(_ request, from, exact *big.Rat) bool {
			return less(from, exact).Cmp(cent) == 0
		}),
		refuses("A CASH_PICKUP of 5.00 or more, and of exactly a cent more, is refused", func(r request, from, exact *big.Rat) bool {
			return less(exact, from).Cmp(cent) == 0 && r.method() == "CASH_PICKUP" && from.Cmp(five) >= 0
		}),
		refuses("For a currency of cents the calculated amount is compared before it is rounded", func(r request, from, exact *big.Rat) bool {
			return less(exact, from).Cmp(cent) > 0 && decimals(r.text("to_currency")) == 2
		}),
		accepts("A sending amount may be less by 0.2%", func(from, exact *big.Rat) bool { return within(less(from, exact), exact, 2) }),
		accepts("A sending amount may be more by 0.2%", func(from, exact *big.Rat) bool { return within(less(exact, from), exact, 2) }),
		accepts("A calculated amount without end is cut to cents", func(from, exact *big.Rat) bool {
			_, ends := exact.FloatPrec()
			return !ends && less(from, cut(exact, 2)).Cmp(cent) == 0
		}),
		accepts("Half a cent is rounded to the even neighbour", func(from, exact *big.Rat) bool { return less(from, toEven(exact, 2)).Cmp(cent) == 0 }),
		refuses("The calculated amount is rounded to the decimals of a receiving currency that has none", func(r request, from, exact *big.Rat) bool {
			return decimals(r.text("to_currency")) == 0 && new(big.Rat).Abs(less(from, rational(number(exact, 0)))).Cmp(cent) > 0
		}),
		broken("The calculated amount fits in whole units too where the receiving currency has no decimals", compared,
			overlooking("BAD_REQUEST", where(func(r request, _ ask) bool {
				return r.receiverAmount() && decimals(r.text("to_currency")) == 0 && less(r.amount("from_amount"), rational(number(r.calculated(), 0))).Sign() == 0
			}, asCalculated))),
		refuses("The calculated amount is rounded to the decimals of a receiving currency that has 3", func(r request, from, exact *big.Rat) bool {
			return decimals(r.text("to_currency")) == 3 && new(big.Rat).Abs(less(from, rational(number(exact, 3)))).Cmp(cent) > 0
		}),
		broken("A sending amount may differ by two cents", compared, accepting(func(from, exact *big.Rat) bool {
			return new(big.Rat).Abs(less(from, rational(number(exact, 2)))).Cmp(big.NewRat(2, 100)) <= 0
		})),
		broken("A sending amount must be the calculated one", compared, refusing("AMOUNT_NOT_ALLOWED", func(r request, _ ask) bool {
			return r.receiverAmount() && number(r.amount("from_amount"), 2) != number(r.calculated(), 2)
		})),
		keeps("A transaction in RECEIVER_AMOUNT mode says SENDER_AMOUNT", func(_, to map[string]any) { to["calculation_mode"] = "SENDER_AMOUNT" }),
		keeps("The calculated sending amount is kept, not the given one", func(x, _ map[string]any) {
			x["from_amount"] = number(new(big.Rat).Quo(rational(x["to_amount"]), rational(x["exchange_rate"])), 2)
		}),
		keeps("For 5.00 or more a calculated receiving amount is paid out, not the given one", func(x, _ map[string]any) {
			if rational(x["from_amount"]).Cmp(five) < 0 {
				return
			}
			x["to_amount"] = number(new(big.Rat).Mul(rational(x["from_amount"]), rational(x["exchange_rate"])), decimals(x["to_currency"]))
		}),
		broken("Without a receiving amount RECEIVER_AMOUNT is SENDER_AMOUNT", "transactions.receiver-amount.to-amount-needed",
			overlooking("BAD_REQUEST", where(func(r request, _ ask) bool {
				return r.receiverAmount() && r.member("to_amount") == nil
			},
				with(constant("SENDER_AMOUNT"), "to", "calculation_mode")))),
	}
}

// calculated is the receiving amount that is given divided by the rate, before it is rounded.
func (r request) calculated() *big.Rat {
	rate := r.amount("exchange_rate")
	if rate.Sign() == 0 {
		return rate
	}
	return new(big.Rat).Quo(r.amount("to_amount"), rate)
}

// decimalsMutants accept amounts with more decimals than their currencies have, or refuse amounts with as many (D-05).
func decimalsMutants() []mutant {
	const rule = "transactions.decimals"
	rounds := func(name string, digits int) attempt {
		return func(r request, next ask) answer {
			return next(r.set(number(r.amount(name), digits), name))
		}
	}
	all := []mutant{
		broken("A sending amount of thousandths is rounded", rule,
			overlooking("BAD_REQUEST", where(func(r request, _ ask) bool { return !r.receiverAmount() }, rounds("from_amount", 2)))),
		broken("A sending amount of thousandths is rounded with RECEIVER_AMOUNT", rule,
			overlooking("BAD_REQUEST", where(func(r request, _ ask) bool {
				return r.receiverAmount() && cut(r.amount("from_amount"), 2).Cmp(r.amount("from_amount")) != 0
			}, rounds("from_amount", 2)))),
		broken("A fee of thousandths is rounded", rule, overlooking("BAD_REQUEST", rounds("fee_amount", 2))),
		broken("A given receiving amount has no more than two decimals", rule,
			refusing("AMOUNT_NOT_ALLOWED", func(r request, _ ask) bool {
				return r.receiverAmount() && cut(r.amount("to_amount"), 2).Cmp(r.amount("to_amount")) != 0
			})),
	}
	for digits, name := range []string{"none", "", "amount", "three"} {
		if name == "" {
			continue
		}
		all = append(all, broken("A given receiving amount with more than "+strconv.Itoa(digits)+" decimals is cut", rule,
			overlooking("BAD_REQUEST", where(
				func(r request, _ ask) bool {
					return r.receiverAmount() && decimals(r.text("to_currency")) == digits
				},
				func(r request, next ask) answer {
					to := number(cut(r.amount("to_amount"), digits), digits)
					return next(r.set(to, "to_amount").set(to, "exchange_rate"))
				}))))
	}
	return all
}
