package mutants_test

func referenceBankMutants() []mutant {
	const list, one = "listBanks", "getBank"
	return []mutant{
		{
			name: "The bank list takes a country for a question whether there are any, and lists all", by: "reference.banks.country",
			fault: whereListed(list, true, allCountries),
		},
		{
			name: "The bank list without a country leaves out banks for persons only", by: "reference.banks.all-countries",
			fault: listing(list, "country", "", leaveOut(func(bank map[string]any) bool {
				types := each(bank["txn_supported_types"])
				return len(types) == 1 && types[0] == "C2C"
			})),
		},
		{
			name: "The bank list of a country without banks is that of all countries", by: "reference.disabled-country",
			fault: whereListed(list, false, allCountries),
		},
		{
			name: "The bank list without a country ends after 50", by: "reference.banks.all-countries",
			fault: listing(list, "country", "", first50),
		},
		{
			name: "The bank list without a country is in descending order", by: "reference.banks.order",
			fault: listing(list, "country", "", reversed),
		},
		{
			name: "The bank list of a country is in descending order", by: "reference.banks.order",
			fault: listingOf(list, "country", reversed),
		},
		{
			name: "A single bank has its name in capitals", by: "reference.banks.single",
			fault: answering(one, 200, inCapitals),
		},
		{
			name: "The bank list has the receiving currencies too",
			by:   "reference.banks.receiving-currency",
			fault: answering(list, 200, func(_ request, a answer) answer {
				return a.object(func(bank map[string]any) { bank["receiving_currency"] = []any{"USD"} })
			}),
		},
		{
			name: "No single bank receives a currency", by: "reference.banks.receiving-currency",
			fault: answering(one, 200, func(_ request, a answer) answer {
				return a.object(func(bank map[string]any) { bank["receiving_currency"] = []any{} })
			}),
		},
		{
			name: "All branches of a bank have the id of the first", by: "reference.banks.branches",
			fault: sameIDs("branches", list, one),
		},
		{name: "An unknown bank is a bad request", by: "reference.banks.unknown", fault: unknownIsBad(one)},
	}
}
