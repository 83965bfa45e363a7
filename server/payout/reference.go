package payout

// PayoutMethod is how the receive user receives the funds (section 1, rule 4).
type PayoutMethod string

// The payout methods of section 1, rule 4.
const (
	BankDeposit  PayoutMethod = "BANK_DEPOSIT"
	Wallet       PayoutMethod = "WALLET"
	CashPickup   PayoutMethod = "CASH_PICKUP"
	HomeDelivery PayoutMethod = "HOME_DELIVERY"
)

// PayoutMethods returns all of them, in the order of the document.
func PayoutMethods() []PayoutMethod {
	return []PayoutMethod{BankDeposit, Wallet, CashPickup, HomeDelivery}
}

// Country is one entry of ISO 3166-1.
type Country struct {
	Alpha2  string // NP
	Alpha3  string // NPL
	Numeric string // 524, with leading zeros; the country_id of a v2 state (D-03)
	Name    string
}

// State is a first-level subdivision of a country, ISO 3166-2 (sections 2.3 and 2.4).
type State struct {
	ID      int64 // stable
	Country string
	Code    string // without the country prefix: CA, not US-CA
	Name    string
}

// Payer pays out to receive users in one country by one method (section 2.1).
type Payer struct {
	ID              int64
	Code            string
	Name            string
	Country         string // alpha-2
	Method          PayoutMethod
	Currency        string // receiving currency, ISO 4217
	NetworkLimits   []NetworkLimit
	PickupLocations []PickupLocation
}

// paysOut reports whether a payer pays out by a method in a country.
func (p Payer) paysOut(m PayoutMethod, country string) bool {
	return p.Method == m && p.Country == country
}

// NetworkLimit bounds the receiving amount of one transaction through a payer, both ends included (D-21).
type NetworkLimit struct {
	Currency string
	Min, Max int64 // minor units of Currency
}

// PickupLocation is a place where a payer hands out cash (D-21).
type PickupLocation struct {
	ID           int64
	Name         string
	AddressLine1 string
	City         string
}

// Bank is a bank that receives bank deposits (section 2.2).
type Bank struct {
	ID                int64
	Name              string
	Country           string // alpha-2
	Branches          []Branch
	TxnSupportedTypes []string // C2C, B2B, B2C
	Currencies        []string // receiving currencies, ISO 4217
}

// Branch is a branch of a bank.
type Branch struct {
	ID   int64
	Name string
}
