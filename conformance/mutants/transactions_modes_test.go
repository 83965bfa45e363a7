package mutants_test

import (
	"math"
	"math/big"
	"strconv"
)

// senderAmountMutants calculate the receiving amount in another way, or keep a rate in another form.
func senderAmountMutants() []mutant {
	const mode = "transactions.sender-amount."
	pays := func(name, check string, calculate func(x map[string]any, exact *big.Rat, digits int) *big.Rat) mutant {
		return mutant{name: name, by: mode + check, fault: paying(calculate)}
	}
	rounded := func(x *big.Rat, digits int) *big.Rat { return rational(number(x, digits)) }
	return []mutant{
		pays("A receiving amount of a thousand or more is cut to whole units", "product", func(_ map[string]any, exact *big.Rat, digits int) *big.Rat {
			if exact.Cmp(big.NewRat(1000, 1)) >= 0 {
				return cut(exact, 0)
			}
			return rounded(exact, digits)
		}),
		pays("Half a minor unit is rounded to the even neighbour", "half-up", func(_ map[string]any, exact *big.Rat, digits int) *big.Rat {
			return toEven(exact, digits)
		}),
		pays("Whole units are rounded up", "below-half", func(_ map[string]any, exact *big.Rat, digits int) *big.Rat {
			if digits == 0 && !exact.IsInt() {
				return new(big.Rat).Add(cut(exact, 0), big.NewRat(1, 1))
			}
			return rounded(exact, digits)
		}),
		pays("Whole units are cut", "no-decimals", func(_ map[string]any, exact *big.Rat, digits int) *big.Rat {
			if digits == 0 {
				return cut(exact, 0)
			}
			return rounded(exact, digits)
		}),
		pays("No currency has more than two decimals", "three-decimals", func(_ map[string]any, exact *big.Rat, digits int) *big.Rat {
			return rounded(exact, min(digits, 2))
		}),
		pays("The receiving amount is calculated with binary floats", "exact", func(x map[string]any, _ *big.Rat, digits int) *big.Rat {
			from, _ := rational(x["from_amount"]).Float64()
			rate, _ := rational(x["exchange_rate"]).Float64()
			scale := math.Pow10(digits)
			return new(big.Rat).SetFloat64(math.Floor(from*rate*scale+0.5) / scale)
		}),
		pays("A rate is rounded to 16 decimals before it is used", "many-digits", func(x map[string]any, _ *big.Rat, digits int) *big.Rat {
			return rounded(new(big.Rat).Mul(rational(x["from_amount"]), rounded(rational(x["exchange_rate"]), 16)), digits)
		}),
		pays("The product is rounded to 19 digits before it is rounded to the minor unit", "once", func(_ map[string]any, exact *big.Rat, digits int) *big.Rat {
			whole := len(cut(exact, 0).Num().String())
			if exact.Cmp(big.NewRat(1, 1)) < 0 {
				whole = 0
			}
			return rounded(rounded(exact, 19-whole), digits)
		}),
		pays("The fee is taken from what is paid out", "fee-beside", func(x map[string]any, exact *big.Rat, digits int) *big.Rat {
			if left := new(big.Rat).Sub(rational(x["from_amount"]), rational(x["fee_amount"])); left.Sign() > 0 {
				exact = left.Mul(left, rational(x["exchange_rate"]))
			}
			return rounded(exact, digits)
		}),
		{
			name: "A receiving amount that is sent is paid out with SENDER_AMOUNT too", by: mode + "to-amount-ignored",
			fault: transacting(func(r request, next ask) answer {
				return next(r).object(func(x map[string]any) {
					if to := r.member("to_amount"); to != nil && x["to_amount"] != nil {
						x["to_amount"] = to
					}
				})
			}),
		},
		{
			name: "A receiving amount that is ignored may be anything", by: mode + "to-amount-well-formed",
			fault: overlooking("BAD_REQUEST", where(func(r request, _ ask) bool { return !r.receiverAmount() }, with(constant(nil), "to_amount"))),
		},
		{
			name: "A rate is kept as a binary float", by: mode + "rate-kept",
			fault: shown(func(x map[string]any) { x["exchange_rate"], _ = rational(x["exchange_rate"]).Float64() }),
		},
		{
			name: "A receiving amount is cut to the minor unit", by: mode + "half-up",
			fault: paying(func(_ map[string]any, exact *big.Rat, digits int) *big.Rat { return cut(exact, digits) }),
		},
		{
			name: "A receiving amount is rounded up", by: mode + "below-half",
			fault: paying(func(_ map[string]any, exact *big.Rat, digits int) *big.Rat {
				down := cut(exact, digits)
				if down.Cmp(exact) < 0 {
					down.Add(down, new(big.Rat).Inv(power(digits)))
				}
				return down
			}),
		},
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
	const mode = "transactions.receiver-amount."
	cent, five := big.NewRat(1, 100), big.NewRat(5, 1)
	// less is by how much the sending amount is below the calculated one.
	less := func(from, calculated *big.Rat) *big.Rat { return new(big.Rat).Sub(calculated, from) }
	refuses := func(name, check string, fits func(r request, from, exact *big.Rat) bool) mutant {
		return mutant{name: name, by: mode + check, fault: refusing("AMOUNT_NOT_ALLOWED", func(r request, _ ask) bool {
			return r.receiverAmount() && fits(r, r.amount("from_amount"), r.calculated())
		})}
	}
	accepting := func(fits func(from, exact *big.Rat) bool) func() fault {
		return overlooking("BAD_REQUEST", where(func(r request, _ ask) bool {
			return r.receiverAmount() && fits(r.amount("from_amount"), r.calculated())
		}, asCalculated))
	}
	accepts := func(name, check string, fits func(from, exact *big.Rat) bool) mutant {
		return mutant{name: name, by: mode + check, fault: accepting(fits)}
	}
	// within tells whether a difference is above 0 and at most this part of an amount, or at most a cent.
	within := func(difference, amount *big.Rat, thousandths int64) bool {
		return difference.Sign() > 0 && difference.Cmp(new(big.Rat).Mul(amount, big.NewRat(thousandths, 1000))) <= 0
	}
	keeps := func(name, check string, edit func(x, to map[string]any)) mutant {
		return mutant{name: name, by: mode + check, fault: shown(func(x map[string]any) {
			if to, ok := x["to"].(map[string]any); ok && to["calculation_mode"] == "RECEIVER_AMOUNT" {
				edit(x, to)
			}
		})}
	}
	return []mutant{
		refuses("A sending amount that fits exactly is refused", "equal", func(_ request, from, exact *big.Rat) bool { return from.Cmp(exact) == 0 }),
		refuses("A sending amount of exactly a cent less is refused", "cent-below", func(_ request, from, exact *big.Rat) bool {
			return less(from, exact).Cmp(cent) == 0
		}),
		refuses("A CASH_PICKUP of 5.00 or more, and of exactly a cent more, is refused", "cent-above", func(r request, from, exact *big.Rat) bool {
			return less(exact, from).Cmp(cent) == 0 && r.method() == "CASH_PICKUP" && from.Cmp(five) >= 0
		}),
		refuses("For a currency of cents the calculated amount is compared before it is rounded", "rounded-first", func(r request, from, exact *big.Rat) bool {
			return less(exact, from).Cmp(cent) > 0 && decimals(r.text("to_currency")) == 2
		}),
		accepts("A sending amount may be less by 0.2%", "two-cents-below", func(from, exact *big.Rat) bool { return within(less(from, exact), exact, 2) }),
		accepts("A sending amount may be more by 0.2%", "two-cents-above", func(from, exact *big.Rat) bool { return within(less(exact, from), exact, 2) }),
		accepts("A calculated amount without end is cut to cents", "not-cut", func(from, exact *big.Rat) bool {
			_, ends := exact.FloatPrec()
			return !ends && less(from, cut(exact, 2)).Cmp(cent) == 0
		}),
		accepts("Half a cent is rounded to the even neighbour", "half-up", func(from, exact *big.Rat) bool { return less(from, toEven(exact, 2)).Cmp(cent) == 0 }),
		refuses("The calculated amount is rounded to the decimals of a receiving currency that has none", "no-decimals",
			func(r request, from, exact *big.Rat) bool {
				return decimals(r.text("to_currency")) == 0 && new(big.Rat).Abs(less(from, rational(number(exact, 0)))).Cmp(cent) > 0
			}),
		{
			name: "The calculated amount fits in whole units too where the receiving currency has no decimals", by: mode + "no-decimals-exact",
			fault: overlooking("BAD_REQUEST", where(func(r request, _ ask) bool {
				return r.receiverAmount() && decimals(r.text("to_currency")) == 0 && less(r.amount("from_amount"), rational(number(r.calculated(), 0))).Sign() == 0
			}, asCalculated)),
		},
		refuses("The calculated amount is rounded to the decimals of a receiving currency that has 3", "three-decimals",
			func(r request, from, exact *big.Rat) bool {
				return decimals(r.text("to_currency")) == 3 && new(big.Rat).Abs(less(from, rational(number(exact, 3)))).Cmp(cent) > 0
			}),
		{
			name: "A sending amount may differ by two cents", by: mode + "two-cents-below",
			fault: accepting(func(from, exact *big.Rat) bool {
				return new(big.Rat).Abs(less(from, rational(number(exact, 2)))).Cmp(big.NewRat(2, 100)) <= 0
			}),
		},
		{
			name: "A sending amount must be the calculated one", by: mode + "cent-below",
			fault: refusing("AMOUNT_NOT_ALLOWED", func(r request, _ ask) bool {
				return r.receiverAmount() && number(r.amount("from_amount"), 2) != number(r.calculated(), 2)
			}),
		},
		keeps("A transaction in RECEIVER_AMOUNT mode says SENDER_AMOUNT", "mode", func(_, to map[string]any) { to["calculation_mode"] = "SENDER_AMOUNT" }),
		keeps("The calculated sending amount is kept, not the given one", "from-amount-kept", func(x, _ map[string]any) {
			x["from_amount"] = number(new(big.Rat).Quo(rational(x["to_amount"]), rational(x["exchange_rate"])), 2)
		}),
		keeps("For 5.00 or more a calculated receiving amount is paid out, not the given one", "to-amount-kept", func(x, _ map[string]any) {
			if rational(x["from_amount"]).Cmp(five) < 0 {
				return
			}
			x["to_amount"] = number(new(big.Rat).Mul(rational(x["from_amount"]), rational(x["exchange_rate"])), decimals(x["to_currency"]))
		}),
		{
			name: "Without a receiving amount RECEIVER_AMOUNT is SENDER_AMOUNT", by: mode + "to-amount-needed",
			fault: overlooking("BAD_REQUEST", where(func(r request, _ ask) bool {
				return r.receiverAmount() && r.member("to_amount") == nil
			},
				with(constant("SENDER_AMOUNT"), "to", "calculation_mode"))),
		},
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
	const rule = "transactions.decimals."
	rounds := func(name string, digits int) attempt {
		return func(r request, next ask) answer {
			return next(r.set(number(r.amount(name), digits), name))
		}
	}
	all := []mutant{
		{
			name: "A sending amount of thousandths is rounded", by: rule + "sending-amount",
			fault: overlooking("BAD_REQUEST", where(func(r request, _ ask) bool { return !r.receiverAmount() }, rounds("from_amount", 2))),
		},
		{
			name: "A sending amount of thousandths is rounded with RECEIVER_AMOUNT", by: rule + "sending-amount-given",
			fault: overlooking("BAD_REQUEST", where(func(r request, _ ask) bool {
				return r.receiverAmount() && cut(r.amount("from_amount"), 2).Cmp(r.amount("from_amount")) != 0
			}, rounds("from_amount", 2))),
		},
		{
			name: "A fee of thousandths is rounded", by: rule + "fee", fault: overlooking("BAD_REQUEST", rounds("fee_amount", 2)),
		},
		{
			name: "A given receiving amount has no more than two decimals", by: rule + "receiving-three-accepted",
			fault: refusing("AMOUNT_NOT_ALLOWED", func(r request, _ ask) bool {
				return r.receiverAmount() && cut(r.amount("to_amount"), 2).Cmp(r.amount("to_amount")) != 0
			}),
		},
	}
	for digits, name := range []string{"none", "", "amount", "three"} {
		if name == "" {
			continue
		}
		all = append(all, mutant{
			name: "A given receiving amount with more than " + strconv.Itoa(digits) + " decimals is cut", by: rule + "receiving-" + name,
			fault: overlooking("BAD_REQUEST", where(
				func(r request, _ ask) bool {
					return r.receiverAmount() && decimals(r.text("to_currency")) == digits
				},
				func(r request, next ask) answer {
					to := number(cut(r.amount("to_amount"), digits), digits)
					return next(r.set(to, "to_amount").set(to, "exchange_rate"))
				})),
		})
	}
	return all
}
