package client

// Version is the semantic version of this package. CHANGELOG.md lists what each version changes, and the versions of Go, the
// systems and the services that it supports. [ContractVersion] is that of the contract, which has numbers of its own.
const Version = "1.2.0"

// agent names this package in the header User-Agent, so that the operator can see who has to upgrade.
const agent = "payouts-go/" + Version + " contract/" + ContractVersion
