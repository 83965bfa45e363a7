package probe

// Check is a rule of the contract and the code that tests a server for it.
type Check struct {
	ID         string   // stable, such as transactions.idempotency.same-request; the part before the first dot is its group
	Title      string   // the rule as a sentence
	Clauses    []string // clauses of the interface document (checks.Clauses) and decisions (D-nn) that it enforces
	Operations []string // operationIds; none for paths or the whole server
	Fix        string   // tells an implementer how to fix a failure
	Needs      Need
	Condition  Condition // the state the server must be in; Normal for almost all
	Run        func(*T)
}

// Need is a requirement of a check.
type Need uint8

// Needs, to be combined.
const (
	Extensions      Need = 1 << iota // operations beyond the interface document: disabled in profile document
	OtherClient                      // credentials of a second client: skipped without them
	WebhookReceiver                  // an address that receives webhooks: skipped without it
)

// Condition is a state that the operator has put the server in for a run.
type Condition string

// Conditions. The checks of one are disabled in the others.
const (
	Normal      Condition = "normal"
	RateLimited Condition = "rate-limited" // its rate limit is low
	Unavailable Condition = "unavailable"  // its database cannot be reached
	Broken      Condition = "broken"       // every operation fails with an unexpected error
)

// Profile is the part of the contract that a run covers.
type Profile string

// Profiles.
const (
	Full     Profile = "full"     // all operations; the suite creates what it needs
	Document Profile = "document" // operations of the interface document; fixtures replace what cannot be created
)
