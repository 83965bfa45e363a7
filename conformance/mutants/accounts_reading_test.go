package mutants_test

import "net/http"

// shortMutants cut what is long, or refuse it.
func shortMutants() (mutants []mutant) {
	for _, list := range []string{"listFundingAccounts", "listReceiveUsers", "listBankAccounts", "listWalletAccounts"} {
		mutants = append(mutants, mutant{
			name: list + " ends after 25", by: "accounts.complete",
			fault: answering(list, http.StatusOK, func(_ request, a answer) answer {
				return a.list(func(list []any) []any { return list[:min(25, len(list))] })
			}),
		})
	}
	return append(mutants, []mutant{
		{
			name: "The label of a funding account is cut after 100 bytes", by: "accounts.longest",
			fault: everywhere([]string{"createFundingAccount", "listFundingAccounts"}, func(body map[string]any) {
				if label := text(body["label"]); len(label) > 100 {
					body["label"] = label[:100]
				}
			}),
		},
		{
			name: "The number of a bank account has at most 34 characters, as an IBAN", by: "accounts.longest",
			fault: then("createBankAccount", func(r request, a answer, _ func(request) answer) answer {
				if a.status == http.StatusOK && len(text(r.member("account_number"))) > 34 {
					a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
				}
				return a
			}),
		},
	}...)
}

func readingMutants() []mutant {
	without := func(id, check, name string, drop func(body map[string]any)) mutant {
		return mutant{name: id + " leaves out " + name, by: check, fault: answering(id, http.StatusOK, func(_ request, a answer) answer {
			return a.object(drop)
		})}
	}
	payer := func(x any) {
		if to, ok := member(x, "to").(map[string]any); ok {
			delete(to, "payer_id")
		}
	}
	return []mutant{
		without("getUser", "users.business.read", "the mailing address", func(body map[string]any) { delete(body, "mailing_address") }),
		without("getUser", "users.business.read", "the documents of a business", func(body map[string]any) {
			if body["business"] == true {
				delete(body, "physical_documents")
				delete(body, "virtual_documents")
			}
		}),
		without("getUser", "users.business.read", "the second line of an address that is null", func(body map[string]any) {
			if address, ok := body["mailing_address"].(map[string]any); ok && address["address_line2"] == nil {
				delete(address, "address_line2")
			}
		}),
		without("listReceiveUsers", "accounts.receive-users.read", "the postcode", func(body map[string]any) { delete(body, "zipcode") }),
		without("listBankAccounts", "accounts.bank.read-branch", "the branch", func(body map[string]any) { delete(body, "branch_id") }),
		without("getTransaction", "transactions.reading.payer", "the payer", func(body map[string]any) { payer(body) }),
		without("listTransactions", "transactions.reading.payer", "the payer", func(body map[string]any) {
			items, _ := body["items"].([]any)
			for _, x := range items {
				payer(x)
			}
		}),
	}
}
