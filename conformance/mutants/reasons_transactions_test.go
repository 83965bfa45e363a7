package mutants_test

// transactionsNeverAlone are those of the transactions.
var transactionsNeverAlone = map[string]string{
	"transactions.creation.initiated": "any other status breaks the contract too, which has no other",
}
