package main

// fundingAccounts is `payoutd funding-accounts`.
type fundingAccounts struct{}
