package mutants_test

import (
	"math/big"
	"net/http"
	"slices"
	"strings"
	"time"
)

// transactionEchoMutants return something else than was sent, or than is known of the receive user.
func transactionEchoMutants() []mutant {
	nobody := "00000000-0000-4000-8000-000000000000"
	documents := func(edit func(all []any) []any) func(r request, next ask, x map[string]any) {
		return func(_ request, _ ask, x map[string]any) {
			x["physical_documents"] = edit(each(x["physical_documents"]))
		}
	}
	var all []mutant
	for _, of := range []struct {
		name, check string
		edit        func(r request, next ask, x map[string]any)
	}{
		{"Transactions are dated in the time of Nepal", "creation.new", func(_ request, _ ask, x map[string]any) { x["created_at"] = inNepal(x["created_at"]) }},
		{"The funding source type of the account wins over the one that was sent", "creation.echo", func(r request, next ask, x map[string]any) {
			x["funding_source_type"] = first(r.below(next, "/funding-accounts"), "id", x["from_fund_id"])["funding_source_type"]
		}},
		{"A fee that is left out is 1", "creation.new", func(_ request, _ ask, x map[string]any) {
			if rational(x["fee_amount"]).Sign() == 0 {
				x["fee_amount"] = 1
			}
		}},
		{"A note that is an empty text is lost", "creation.echo-texts", func(_ request, _ ask, x map[string]any) {
			if x["note"] == "" {
				delete(x, "note")
			}
		}},
		{"The first name of the receive user is that of the sender", "creation.echo", func(r request, next ask, x map[string]any) {
			if to, ok := x["to"].(map[string]any); ok {
				to["first_name"] = member(r.read(next, "/users/"+r.user()), "first_name")
			}
		}},
		{"The documents of a transaction are in the order of their types", "documents.kept", documents(func(all []any) []any {
			slices.SortFunc(all, func(a, b any) int {
				return strings.Compare(text(member(a, "document_type")), text(member(b, "document_type")))
			})
			return all
		})},
		{"All documents of a transaction have one id", "documents.kept", documents(func(all []any) []any {
			for _, d := range objects(all) {
				d["id"] = nobody
			}
			return all
		})},
		{"A transaction without documents has one that says so", "creation.absent", documents(func(all []any) []any {
			if len(all) == 0 {
				all = append(all, map[string]any{"id": nobody, "document_type": "NONE"})
			}
			return all
		})},
	} {
		all = append(all, broken(of.name, "transactions."+of.check, shownTo(of.edit)))
	}
	return all
}

func inNepal(timestamp any) string {
	const layout = "2006-01-02T15:04:05.000000"
	at, err := time.Parse(layout, text(timestamp))
	if err != nil {
		panic(err)
	}
	return at.Add(5*time.Hour + 45*time.Minute).Format(layout)
}

// transactionDefaultMutants fill in what was not sent.
func transactionDefaultMutants() []mutant {
	filled := func(name, check string, fill func(r request, x map[string]any)) mutant {
		return broken(name, "transactions."+check, transacting(func(r request, next ask) answer {
			return next(r).object(func(x map[string]any) {
				if x["to"] != nil { // it is a transaction
					fill(r, x)
				}
			})
		}))
	}
	return []mutant{
		filled("remittance_purpose is taken for custom_purpose where that is not sent", "creation.not-returned", func(r request, x map[string]any) {
			if purpose := r.text("remittance_purpose"); purpose != "" && x["custom_purpose"] == nil {
				x["custom_purpose"] = purpose
			}
		}),
		filled("A funding source type that is left out is CARD", "creation.funding-source", func(r request, x map[string]any) {
			if r.member("funding_source_type") == nil {
				x["funding_source_type"] = "CARD"
			}
		}),
		filled("The content of a document is returned as a note where none was sent", "creation.not-returned", func(r request, x map[string]any) {
			if sent := each(r.member("physical_documents")); len(sent) > 0 && x["note"] == nil {
				x["note"] = member(sent[0], "document_value")
			}
		}),
		broken("The sender is the owner of the funding account, and not the user of the path", "errors.not-found",
			knowing(func(of known) func() fault {
				return transacting(func(r request, next ask) answer {
					a := next(r)
					if owner := of(r.text("from_fund_id")); a.status == http.StatusNotFound && owner.by == "createFundingAccount" {
						inner := r.to(http.MethodPost, "/users/"+owner.user+"/transactions")
						inner.body = r.body
						return next(inner)
					}
					return a
				})
			})),
	}
}

// transactionMethodMutants have a fault with one payout method alone.
func transactionMethodMutants() []mutant {
	return slices.Concat(receiverAmountMethodMutants(), echoMethodMutants(), secondAccountMutants())
}

func receiverAmountMethodMutants() (all []mutant) {
	for _, method := range []string{"BANK_DEPOSIT", "WALLET", "CASH_PICKUP", "HOME_DELIVERY"} {
		of := "transactions.receiver-amount.methods"
		all = append(all, broken("A "+method+" with RECEIVER_AMOUNT may be of any sending amount", of,
			overlooking("BAD_REQUEST", where(func(r request, _ ask) bool { return r.receiverAmount() && r.method() == method }, asCalculated))), broken("A "+method+" pays out what is calculated in both modes", of, shown(func(x map[string]any) {
			if member(x, "to", "payout_method") == method && member(x, "to", "calculation_mode") == "RECEIVER_AMOUNT" {
				paid := new(big.Rat).Mul(rational(x["from_amount"]), rational(x["exchange_rate"]))
				x["to_amount"] = number(paid, decimals(x["to_currency"]))
			}
		})))
	}
	return all
}

// asCalculated tries a transaction with the sending amount that its receiving amount comes to.
func asCalculated(r request, next ask) answer {
	return next(r.set(number(r.calculated(), 2), "from_amount"))
}

func echoMethodMutants() []mutant {
	lost := func(name, method string, edit func(x map[string]any)) mutant {
		return broken(name, "transactions.creation.echo", shown(func(x map[string]any) {
			if member(x, "to", "payout_method") == method {
				edit(x)
			}
		}))
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

func secondAccountMutants() []mutant {
	var all []mutant
	for _, m := range [][2]string{{"BANK_DEPOSIT", "bank-account"}, {"WALLET", "wallet-account"}} {
		method := m[0]
		all = append(all, broken("A "+method+" goes to the first account of the receive user", "transactions.receive-account.each",
			transacting(func(r request, next ask) answer {
				a := next(r)
				if accounts := r.accounts(next); a.status == http.StatusOK && r.method() == method && len(accounts) > 0 {
					a = a.object(func(x map[string]any) { x["to"].(map[string]any)["fund_id"] = accounts[0]["id"] })
				}
				return a
			})))
	}
	return all
}
