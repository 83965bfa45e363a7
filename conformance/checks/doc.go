// Package checks holds the rules: each check with its id, the clauses it holds and what it does to find out. The files of
// a group begin with its name, reading.go apart, which has some of users, accounts and transactions; clauses.go lists the
// clauses of the interface document, and what several groups need is in compare.go (answers), sample.go and damage.go
// (requests made from the schemas), operations.go and owner.go (what the contract has, and whose it is). How a check talks
// to a server is in probe.
package checks
