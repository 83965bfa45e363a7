package mutants_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"slices"
)

// currencyMutants break the rules about currencies (D-53).
func currencyMutants() []mutant {
	all := []mutant{
		broken("The sending currency is not looked at", "transactions.currency.not-supported", overlooking("CURRENCY_NOT_SUPPORTED", fromDollars)),
		broken("A bank deposit is in any currency that the bank receives", "transactions.currency.not-supported",
			overlooking("CURRENCY_NOT_SUPPORTED", where(bankReceives, ownCurrency))),
		broken("The receiving currency of a BANK_DEPOSIT is not looked at where anything is exchanged", "transactions.currency.not-supported",
			overlooking("CURRENCY_NOT_SUPPORTED", where(func(r request, next ask) bool {
				return r.method() == "BANK_DEPOSIT" && !bankReceives(r, next) && r.amount("exchange_rate").Cmp(big.NewRat(1, 1)) != 0
			}, ownCurrency))),
		broken("A bank deposit is in the first currency of the bank", "transactions.receive-account.each",
			refusing("CURRENCY_NOT_SUPPORTED", func(r request, next ask) bool {
				currencies := r.bankCurrencies(next)
				return len(currencies) > 0 && currencies[0] != r.member("to_currency")
			})),
	}
	for _, method := range []string{"WALLET", "CASH_PICKUP", "HOME_DELIVERY"} {
		all = append(all, broken("The receiving currency of a "+method+" is not looked at", "transactions.currency.not-supported",
			overlooking("CURRENCY_NOT_SUPPORTED",
				where(func(r request, _ ask) bool { return r.method() == method }, ownCurrency))))
	}
	for _, side := range []string{"from", "to"} {
		all = append(all, broken("A "+side+"_currency that does not exist is one that is not supported", "transactions.currency.unknown",
			miscalls("BAD_REQUEST", func(r request, _ ask) bool {
				return regexp.MustCompile("^[A-Z]{3}$").MatchString(r.text(side+"_currency")) && decimals(r.text(side+"_currency")) < 0
			}, "CURRENCY_NOT_SUPPORTED")))
	}
	return all
}

// fromDollars tries a transaction in the currency of the corridor, which is that of most users.
var fromDollars = with(constant("USD"), "from_currency")

// ownCurrency tries a transaction in the currency of its account or payer.
var ownCurrency = with(func(r request, next ask) any {
	if account := first(r.accounts(next), "id", r.member("to", "fund_id")); account != nil {
		return account["currency"]
	}
	return r.payer(next)["receiving_currency"]
}, "to_currency")

// bank returns the bank of a bank deposit.
func (r request) bank(next ask) map[string]any {
	account := first(r.accounts(next), "id", r.member("to", "fund_id"))
	bank, _ := r.read(next, fmt.Sprintf("/banks/%v", account["bank_id"])).(map[string]any)
	return bank
}

// bankCurrencies returns the currencies that it receives.
func (r request) bankCurrencies(next ask) []any {
	currencies, _ := r.bank(next)["receiving_currency"].([]any)
	return currencies
}

func bankReceives(r request, next ask) bool {
	return slices.Contains(r.bankCurrencies(next), r.member("to_currency"))
}

// networkLimitMutants move the bounds of what a payer pays out, or do not look at them. The checks ask them of 1.00, so that
// a rate is what is paid out.
func networkLimitMutants() []mutant {
	const limit = "transactions.network-limit"
	cash := func(r request) bool { return r.method() == "CASH_PICKUP" && !r.receiverAmount() }
	refuses := func(name string, outside func(paid, least, most *big.Rat) bool) mutant {
		return broken(name, limit, refusing("AMOUNT_NOT_ALLOWED", func(r request, next ask) bool {
			for _, l := range objects(r.payer(next)["network_limit"]) {
				return outside(r.pays(), rational(l["min_amount"]), rational(l["max_amount"]))
			}
			return false
		}))
	}
	accepts := func(name string, fits func(r request) bool, cents int64) mutant {
		return broken(name, limit, overlooking("AMOUNT_NOT_ALLOWED",
			where(func(r request, _ ask) bool { return fits(r) }, func(r request, next ask) answer {
				rate := number(new(big.Rat).Add(r.amount("exchange_rate"), big.NewRat(cents, 100)), 2)
				if r = r.set(rate, "exchange_rate"); r.receiverAmount() {
					r = r.set(rate, "to_amount")
				}
				return next(r)
			})))
	}
	return []mutant{
		refuses("The minimum of a network limit is excluded", func(paid, least, _ *big.Rat) bool { return paid.Cmp(least) == 0 }),
		refuses("The maximum of a network limit is excluded", func(paid, _, most *big.Rat) bool { return paid.Cmp(most) == 0 }),
		refuses("A network limit is held against what is not rounded yet", func(paid, least, _ *big.Rat) bool { return paid.Cmp(least) < 0 }),
		accepts("The minimum of a network limit is a cent too low", cash, 1),
		accepts("The maximum of a network limit is a cent too high", cash, -1),
		accepts("The network limit of a wallet's payer is a cent too high", func(r request) bool { return r.method() == "WALLET" }, -1),
		accepts("The network limit is a cent too high for an amount that is given", request.receiverAmount, -1),
		broken("Network limits are held against hundredths, whatever the currency", limit,
			refusing("AMOUNT_NOT_ALLOWED", func(r request, next ask) bool {
				for _, l := range objects(r.payer(next)["network_limit"]) {
					hundredths := func(x *big.Rat) *big.Rat {
						return new(big.Rat).Quo(new(big.Rat).Mul(x, power(2)), power(decimals(r.text("to_currency"))))
					}
					return r.pays().Cmp(hundredths(rational(l["min_amount"]))) < 0 || r.pays().Cmp(hundredths(rational(l["max_amount"]))) > 0
				}
				return false
			})),
		broken("A network limit of thousandths is a unit too high", limit,
			overlooking("AMOUNT_NOT_ALLOWED", where(func(r request, _ ask) bool {
				return r.method() == "CASH_PICKUP" && decimals(r.text("to_currency")) == 3 && r.pays().Cmp(big.NewRat(100, 1)) > 0
			}, func(r request, next ask) answer {
				return next(r.set(number(new(big.Rat).Sub(r.amount("exchange_rate"), big.NewRat(1, 1000)), 3), "exchange_rate"))
			}))),
		broken("Network limits are not looked at", limit,
			overlooking("AMOUNT_NOT_ALLOWED", where(func(r request, _ ask) bool { return r.method() != "BANK_DEPOSIT" },
				func(r request, next ask) answer {
					r = r.set(json.Number("1000"), "exchange_rate")
					if r.receiverAmount() {
						r = r.set(json.Number("1000"), "to_amount")
					}
					return next(r)
				}))),
	}
}

// receivingBoundMutants move the bounds of all receiving amounts (D-42).
func receivingBoundMutants() []mutant {
	most := new(big.Rat).SetInt64(1e12)
	atPar := with(constant(1), "exchange_rate")
	return []mutant{
		broken("For the smallest sending amount something is paid out in any case", "transactions.receiving-amount.refused",
			overlooking("AMOUNT_NOT_ALLOWED", where(func(r request, _ ask) bool {
				return r.amount("from_amount").Cmp(big.NewRat(1, 100)) == 0
			}, atPar))),
		broken("A receiving amount has no upper bound", "transactions.receiving-amount.refused",
			overlooking("AMOUNT_NOT_ALLOWED", where(func(r request, _ ask) bool { return r.pays().Cmp(most) > 0 }, atPar))),
		broken("A sending amount of more than 10^9 is malformed", "transactions.receiving-amount.most", transacting(func(r request, next ask) answer {
			a := next(r)
			if a.code() == "LIMIT_EXCEEDED" && r.amount("from_amount").Cmp(new(big.Rat).SetInt64(1e9)) > 0 {
				a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
			}
			return a
		})),
		broken("The upper bound of receiving amounts is excluded", "transactions.receiving-amount.most",
			refusing("AMOUNT_NOT_ALLOWED", func(r request, _ ask) bool { return r.pays().Cmp(most) == 0 })),
		broken("A transaction whose receiving amount is refused is written all the same", "transactions.refused.not-listed",
			transacting(func(r request, next ask) answer {
				a := next(r)
				// At the smallest rate it is another rule: that it uses nothing.
				if a.code() == "AMOUNT_NOT_ALLOWED" && rational(r.member("exchange_rate")).Cmp(big.NewRat(1, 1_000_000)) > 0 {
					atPar(r.aside(), next)
				}
				return a
			})),
	}
}
