package mutants_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// transactionEchoMutants do not answer what was sent.
func transactionEchoMutants() []mutant {
	all := []mutant{
		{
			name: "The fee of a bank deposit is kept as a binary float of 32 bits", by: "transactions.creation.echo",
			fault: shown(ofDeposits(func(x map[string]any) {
				fee, _ := rational(x["fee_amount"]).Float32()
				x["fee_amount"] = fee
			})),
		},
		{
			name: "Transactions are dated in the time of Nepal", by: "transactions.creation.new",
			fault: shown(func(x map[string]any) {
				if at, err := time.Parse("2006-01-02T15:04:05.000000", text(x["created_at"])); err == nil {
					x["created_at"] = at.Add(5*time.Hour + 45*time.Minute).Format("2006-01-02T15:04:05.000000")
				}
			}),
		},
		{
			name: "With a bank deposit the funding source type of the account wins over the one that was sent", by: "transactions.creation.echo",
			fault: shownTo(func(r request, next func(request) answer, x map[string]any) {
				if !isDeposit(x) {
					return
				}
				x["funding_source_type"] = first(r.below(next, "/funding-accounts"), "id", x["from_fund_id"])["funding_source_type"]
			}),
		},
		{
			name: "The note of a bank deposit loses the characters beyond the basic multilingual plane", by: "transactions.creation.echo-texts",
			fault: shown(func(x map[string]any) {
				if note, ok := x["note"].(string); ok && isDeposit(x) {
					x["note"] = strings.Map(func(c rune) rune {
						if c > 0xFFFF {
							return -1
						}
						return c
					}, note)
				}
			}),
		},
		{
			name: "A note is trimmed, and its lines are joined", by: "transactions.creation.echo-texts",
			fault: shown(func(x map[string]any) {
				if note, ok := x["note"].(string); ok {
					x["note"] = strings.ReplaceAll(strings.TrimSpace(note), "\n", " ")
				}
			}),
		},
		{
			name: "A transaction is refused to an IPv6 address", by: "transactions.creation.echo-texts",
			fault: narrow("createTransaction", func(r request) bool { return strings.Contains(r.text("ip_address"), ":") }),
		},
		{
			name: "remittance_purpose is taken for custom_purpose where that is not sent", by: "transactions.creation.not-returned",
			fault: transacting(func(r request, next func(request) answer) answer {
				return next(r).object(func(x map[string]any) {
					if purpose := r.text("remittance_purpose"); purpose != "" && x["to"] != nil && x["custom_purpose"] == nil {
						x["custom_purpose"] = purpose
					}
				})
			}),
		},
	}
	for _, name := range []string{"note", "purpose", "custom_purpose", "ip_address"} {
		all = append(all, mutant{
			name: name + " of a bank deposit is lost", by: "transactions.creation.echo-texts",
			fault: shown(ofDeposits(func(x map[string]any) { delete(x, name) })),
		})
	}
	for _, name := range []string{"note", "custom_purpose"} {
		all = append(all, mutant{
			name: name + " of a transaction that is an empty text is none", by: "transactions.creation.echo-texts",
			fault: shown(func(x map[string]any) {
				if x[name] == "" {
					delete(x, name)
				}
			}),
		}, mutant{
			name: name + " of a transaction is an empty text where none was sent", by: "transactions.creation.absent",
			fault: shown(func(x map[string]any) {
				if x[name] == nil {
					x[name] = ""
				}
			}),
		})
	}
	return all
}

// transactionDefaultMutants answer another value where none was sent, or give a new transaction another state.
func transactionDefaultMutants() []mutant {
	return []mutant{
		{
			name: "The sender is the owner of the funding account, and not the user of the path", by: "errors.not-found",
			fault: knowing(func(of known) func() fault {
				return transacting(func(r request, next func(request) answer) answer {
					a := next(r)
					if owner := of(r.text("from_fund_id")); a.status == http.StatusNotFound && owner.by == "createFundingAccount" {
						inner := r.to(http.MethodPost, "/users/"+owner.user+"/transactions")
						inner.body = r.body
						return next(inner)
					}
					return a
				})
			}),
		},
		{
			name: "A fee that is left out is 1", by: "transactions.creation.new",
			fault: shown(func(x map[string]any) {
				if rational(x["fee_amount"]).Sign() == 0 {
					x["fee_amount"] = 1
				}
			}),
		},
		{
			name: "A calculation mode that is left out is RECEIVER_AMOUNT", by: "transactions.creation.new",
			fault: shown(func(x map[string]any) {
				if to, ok := x["to"].(map[string]any); ok {
					to["calculation_mode"] = "RECEIVER_AMOUNT"
				}
			}),
		},
		{
			name: "A funding source type that is left out is CARD", by: "transactions.creation.funding-source",
			fault: transacting(func(r request, next func(request) answer) answer {
				return next(r).object(func(x map[string]any) {
					if x["funding_source_type"] != nil && r.member("funding_source_type") == nil {
						x["funding_source_type"] = "CARD"
					}
				})
			}),
		},
	}
}

func transactionDocumentMutants() []mutant {
	documents := func(check, name string, edit func(all []any) []any) mutant {
		return mutant{name: name, by: check, fault: shown(func(x map[string]any) {
			all, _ := x["physical_documents"].([]any)
			x["physical_documents"] = edit(all)
		})}
	}
	each := func(edit func(d map[string]any)) func(all []any) []any {
		return func(all []any) []any {
			for _, d := range objects(all) {
				edit(d)
			}
			return all
		}
	}
	nobody := "00000000-0000-4000-8000-000000000000"
	return []mutant{
		documents("transactions.documents.kept", "Of the documents of a transaction the first ten are kept", func(all []any) []any { return all[:min(10, len(all))] }),
		documents("transactions.documents.kept", "The documents of a transaction are in the order of their types", func(all []any) []any {
			slices.SortFunc(all, func(a, b any) int {
				return strings.Compare(fmt.Sprint(member(a, "document_type")), fmt.Sprint(member(b, "document_type")))
			})
			return all
		}),
		documents("transactions.documents.kept", "All documents of a transaction have one id", each(func(d map[string]any) { d["id"] = nobody })),
		documents("transactions.creation.absent", "A transaction without documents has one that says so", func(all []any) []any {
			if len(all) == 0 {
				all = append(all, map[string]any{"id": nobody, "document_type": "NONE"})
			}
			return all
		}),
		{
			name: "The content of a document is answered as a note where none was sent", by: "transactions.creation.not-returned",
			fault: transacting(func(r request, next func(request) answer) answer {
				return next(r).object(func(x map[string]any) {
					if sent, _ := r.member("physical_documents").([]any); len(sent) > 0 && x["to"] != nil && x["note"] == nil {
						x["note"] = member(sent[0], "document_value")
					}
				})
			}),
		},
	}
}

// receiveSideMutants answer another receive side than was sent, or than the receive user has.
func receiveSideMutants() []mutant {
	side := func(name, check string, edit func(x, to map[string]any)) mutant {
		return mutant{name: name, by: check, fault: shown(func(x map[string]any) {
			if to, ok := x["to"].(map[string]any); ok {
				edit(x, to)
			}
		})}
	}
	var all []mutant
	for _, method := range []string{"BANK_DEPOSIT", "WALLET", "CASH_PICKUP", "HOME_DELIVERY"} {
		const check = "transactions.creation.echo"
		all = append(all, side("A "+method+" answers the funding account for the receive user", check, func(x, to map[string]any) {
			if to["payout_method"] == method {
				to["id"] = x["from_fund_id"]
			}
		}))
		if method == "BANK_DEPOSIT" || method == "WALLET" {
			m := side("A "+method+" answers a payer_id", check, func(_, to map[string]any) {
				if to["payout_method"] == method {
					to["payer_id"] = 1004
				}
			})
			all = append(all, m)
			continue
		}
		all = append(all, side("A "+method+" answers the payer_id before", check, func(_, to map[string]any) {
			if to["payout_method"] == method {
				id, _ := strconv.Atoi(fmt.Sprint(to["payer_id"]))
				to["payer_id"] = id - 1
			}
		}))
	}
	for _, name := range []string{"last_name", "email", "mobile_phone", "address_line1"} {
		all = append(all, side(name+" of the receive user of a bank deposit is not answered", "transactions.creation.echo", func(x, to map[string]any) {
			if isDeposit(x) {
				delete(to, name)
			}
		}))
	}
	for _, name := range []string{"last_name", "address_line1"} {
		all = append(all, side(name+" that the receive user does not have is an empty text", "transactions.creation.absent", func(_, to map[string]any) {
			if to[name] == nil {
				to[name] = ""
			}
		}))
	}
	return append(all, mutant{
		name: "The receive side of a bank deposit has the first name of the sender", by: "transactions.creation.echo",
		fault: shownTo(func(r request, next func(request) answer, x map[string]any) {
			if to, ok := x["to"].(map[string]any); ok && isDeposit(x) {
				to["first_name"] = member(r.read(next, "/users/"+r.user()), "first_name")
			}
		}),
	})
}

func isDeposit(x map[string]any) bool { return member(x, "to", "payout_method") == "BANK_DEPOSIT" }

// ofDeposits changes bank deposits alone.
func ofDeposits(edit func(x map[string]any)) func(x map[string]any) {
	return func(x map[string]any) {
		if isDeposit(x) {
			edit(x)
		}
	}
}
