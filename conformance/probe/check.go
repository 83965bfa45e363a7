package probe

// Check is one rule of the contract and how to find out whether a server keeps it.
type Check struct {
	ID         string   // stable, such as transactions.idempotency.same-request; the part before the first dot is its group
	Title      string   // the rule as a sentence
	Clauses    []string // clauses of the interface document (checks.Clauses) and decisions (D-nn) that it holds
	Operations []string // operationIds that it is about; none where it is about paths or the whole server
	Fix        string   // tells an implementer what to put right
	Needs      Need
	Condition  Condition // the state the server must be in; Normal for almost all
	Run        func(*T)
}

// Need is what a check cannot do without.
type Need uint8

// Needs, to be combined.
const (
	Extensions  Need = 1 << iota // operations that the interface document does not show: disabled in profile document
	OtherClient                  // credentials of a second client: skipped without them
)

// Condition is a state that the operator has put the server in for a run.
type Condition string

// Conditions. The checks of each are disabled in all others.
const (
	Normal      Condition = "normal"
	RateLimited Condition = "rate-limited" // a low rate limit
	Unavailable Condition = "unavailable"  // the database is away
	Broken      Condition = "broken"       // an internal fault: every operation fails in a way that nobody foresaw
)

// Profile is what part of the contract a run looks at.
type Profile string

// Profiles.
const (
	Full     Profile = "full"     // extensions and sandbox too; the suite creates all it needs
	Document Profile = "document" // only what the interface document shows; what cannot be created comes from fixtures
)
