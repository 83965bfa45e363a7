package mutants_test

import (
	"math/big"
	"net/http"
	"slices"
)

// transactionMethodMutants have a fault with one payout method alone.
func transactionMethodMutants() []mutant {
	return slices.Concat(receiverAmountMethodMutants(), echoMethodMutants(), otherUsersReceiverMutants(), secondAccountMutants())
}

func receiverAmountMethodMutants() []mutant {
	takes := func(name, method string, fits func(r request) bool) mutant {
		return mutant{
			name: name, by: "transactions.receiver-amount.methods",
			fault: overlooking("BAD_REQUEST", where(func(r request, _ func(request) answer) bool {
				return r.receiverAmount() && r.method() == method && fits(r)
			}, asCalculated)),
		}
	}
	all := []mutant{
		takes("A CASH_PICKUP of less than 5.00 with RECEIVER_AMOUNT may be of any sending amount that is enough", "CASH_PICKUP", func(r request) bool {
			from := r.amount("from_amount")
			return from.Cmp(r.calculated()) > 0 && from.Cmp(big.NewRat(5, 1)) < 0
		}),
	}
	for _, method := range []string{"BANK_DEPOSIT", "WALLET", "HOME_DELIVERY"} {
		all = append(all,
			takes("A "+method+" with RECEIVER_AMOUNT may be of any sending amount", method, func(request) bool { return true }),
			mutant{
				name: "A " + method + " pays out what is calculated in both modes", by: "transactions.receiver-amount.methods",
				fault: shown(func(x map[string]any) {
					if member(x, "to", "payout_method") == method && member(x, "to", "calculation_mode") == "RECEIVER_AMOUNT" {
						paid := new(big.Rat).Mul(rational(x["from_amount"]), rational(x["exchange_rate"]))
						x["to_amount"] = number(paid, decimals(x["to_currency"]))
					}
				}),
			},
		)
	}
	return all
}

// asCalculated tries a transaction with the sending amount that its receiving amount comes to.
func asCalculated(r request, next func(request) answer) answer {
	return next(r.set(number(r.calculated(), 2), "from_amount"))
}

func echoMethodMutants() []mutant {
	lost := func(name, method string, edit func(x map[string]any)) mutant {
		return mutant{name: name, by: "transactions.creation.echo", fault: shown(func(x map[string]any) {
			if member(x, "to", "payout_method") == method {
				edit(x)
			}
		})}
	}
	return []mutant{
		lost("A CASH_PICKUP answers no email and phone of the receive user", "CASH_PICKUP", func(x map[string]any) {
			to, _ := x["to"].(map[string]any)
			delete(to, "email")
			delete(to, "mobile_phone")
		}),
		lost("A WALLET answers no purpose and IP address", "WALLET", func(x map[string]any) {
			delete(x, "purpose")
			delete(x, "ip_address")
		}),
		lost("A HOME_DELIVERY has no documents", "HOME_DELIVERY", func(x map[string]any) { x["physical_documents"] = []any{} }),
		lost("A HOME_DELIVERY has no fee", "HOME_DELIVERY", func(x map[string]any) { x["fee_amount"] = 0 }),
	}
}

func otherUsersReceiverMutants() []mutant {
	var all []mutant
	for _, method := range []string{"BANK_DEPOSIT", "WALLET", "HOME_DELIVERY"} {
		all = append(all, mutant{
			name: "A " + method + " may go to the receive user of another user", by: "transactions.receive-user.not-found",
			fault: knowing(func(of known) func() fault {
				return overlooking("RECEIVE_USER_NOT_FOUND", where(func(r request, next func(request) answer) bool {
					return r.method() == method && of.by("createReceiveUser", "to", "id")(r, next)
				}, asItsOwner(of)))
			}),
		})
	}
	return all
}

// asItsOwner tries a transaction as the user who has added its receive user.
func asItsOwner(of known) attempt {
	return func(r request, next func(request) answer) answer {
		inner := r.to(http.MethodPost, "/users/"+of(r.text("to", "id")).user+"/transactions")
		inner.body = r.body
		return activeFund(inner, next)
	}
}

func secondAccountMutants() []mutant {
	var all []mutant
	for _, method := range []string{"BANK_DEPOSIT", "WALLET"} {
		all = append(all, mutant{
			name: "A " + method + " goes to the first account of the receive user", by: "transactions.receive-account.each",
			fault: transacting(func(r request, next func(request) answer) answer {
				a := next(r)
				if accounts := r.accounts(next); a.status == http.StatusOK && r.method() == method && len(accounts) > 0 {
					a = a.object(func(x map[string]any) { x["to"].(map[string]any)["fund_id"] = accounts[0]["id"] })
				}
				return a
			}),
		})
	}
	return append(all, mutant{
		name: "A bank deposit goes to banks that support C2C only", by: "transactions.receive-account.each",
		fault: refusing("RECEIVE_ACCOUNT_NOT_FOUND", func(r request, next func(request) answer) bool {
			types, _ := r.bank(next)["txn_supported_types"].([]any)
			return r.method() == "BANK_DEPOSIT" && !slices.Contains(types, any("C2C"))
		}),
	})
}
