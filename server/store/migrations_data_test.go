package store_test

import (
	"testing"
	"time"

	"github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// What the files in testdata/migrations say.

var migratedClients = []payout.Client{
	{
		ID: "acme", Name: "Acme", Corridors: []payout.Corridor{{Country: "US", Currency: "USD"}},
		Destinations: []payout.Destination{{Country: "NP", Tiers: []payout.Tier{{
			Limits:       []payout.TierLimit{{Currency: "USD", Daily: 100000, Monthly: 300000, Annual: 1000000}},
			RequiredTags: payout.RequiredTags{Individual: []string{"ID_DOC"}, Business: []string{"EIN_DOC"}},
		}}}},
	},
	{ID: "closed", Name: "Closed", Disabled: true},
}

var migratedStates = []payout.State{
	{ID: 414006, Country: "KW", Code: "MU", Name: "Mubārak al Kabīr"}, {ID: 524001, Country: "NP", Code: "P1", Name: "Koshi"},
}

var migratedPayers = []payout.Payer{
	{
		ID: 1001, Code: "CP1", Name: "Cash", Country: "NP", Method: payout.CashPickup, Currency: "NPR",
		NetworkLimits:   []payout.NetworkLimit{{Currency: "NPR", Min: 10000, Max: 10000000}},
		PickupLocations: []payout.PickupLocation{{ID: 30001, Name: "Counter", AddressLine1: "1 Street", City: "Kathmandu"}},
	},
	{ID: 1004, Code: "WL1", Name: "Wallet", Country: "NP", Method: payout.Wallet, Currency: "NPR"},
}

var migratedBanks = []payout.Bank{{
	ID: 2001, Name: "Bank", Country: "NP", Branches: []payout.Branch{{ID: 20010, Name: "Branch"}},
	TxnSupportedTypes: []string{"C2C", "B2C"}, Currencies: []string{"NPR", "USD"},
}}

var migratedUsers = []payout.User{
	{
		ID: "u-1", CreatedAt: time.Date(2026, 3, 14, 15, 9, 26, 535897000, time.UTC), Status: payout.KYCVerified,
		Sending: true, Country: "US",
		Profile: payout.UserProfile{
			FirstName: "Asha", LastName: "Example", Email: "asha@example.com", Gender: "F", DateOfBirth: "1990-01-31",
			AddressLine1: "1 Road", MobilePhone: "15550100", City: "Town", Zipcode: "00001", State: "CA",
			IPAddress: "192.0.2.1",
		},
		Documents: []payout.Document{
			{
				ID: "d-1", Kind: payout.PhysicalDocument, Type: "PASSPORT", MediaType: "image/png",
				ExpiryDate: "2030-12-31", IssuingAuthority: "Authority", Country: "US", State: "CA",
			},
			{ID: "d-2", Kind: payout.VirtualDocument, Type: "SSN", Value: "000-00-0000", Country: "US"},
		},
	},
	{
		ID: "u-2", CreatedAt: time.Date(2026, 3, 14, 15, 9, 26, 535899000, time.UTC), Status: payout.KYCInProgress,
		Business: true, Country: "US",
		Profile: payout.UserProfile{
			FirstName: "Example Ltd", Email: "office@example.com", BusinessType: "LLC", UserScope: "RETAIL",
			CompanyWebsite: "https://example.com", NumberOfEmployee: "10",
			MailingAddress: &payout.MailingAddress{
				Country: "US", City: "Town", AddressLine1: "2 Road", AddressLine2: payout.NullableText{Sent: true},
				Zipcode: "00002", State: "NY",
			},
		},
	},
}

var migratedTags = map[string]map[string]payout.CIPStatus{
	"u-1": {"EMAIL": payout.CIPSubmit, "ID_DOC": payout.CIPVerified}, "u-2": {"EIN_DOC": payout.CIPRequested},
}

// migratedTransactions returns the transactions, newest first.
func migratedTransactions(at time.Time) []payout.Transaction {
	text := func(s string) *string { return &s }
	base := payout.Transaction{
		UserID: "u-1", CreatedAt: at, UpdatedAt: at, Status: payout.StatusInitiated, DeliveryStatus: payout.DeliveryNone,
		FromCurrency: "USD", ToCurrency: "NPR", ExchangeRate: decimal.MustParse("132.25"), FromFundID: "f-1",
		FundingType: "CARD", Destination: "NP", Receiver: payout.Receiver{FirstName: "Bina"},
	}
	deposit, wallet, cash := base, base, base
	deposit.ID, deposit.FromAmount, deposit.ToAmount, deposit.FeeAmount = "t-1", 10000, 1322500, 199
	deposit.ExchangeRate = decimal.MustParse("132.250")
	deposit.Notes = payout.Notes{
		Note: text("n"), Purpose: text("GIFT"), CustomPurpose: text(""), RemittancePurpose: text("FAMILY"),
		IPAddress: text("192.0.2.1"),
	}
	deposit.Documents = []payout.Document{{ID: "d-3", Type: "INVOICE"}}
	deposit.To = payout.ReceiveSide{
		ReceiveUserID: "r-1", Method: payout.BankDeposit, Mode: payout.SenderAmount, FundID: "b-1",
	}
	deposit.Receiver = payout.Receiver{
		FirstName: "Bina", LastName: "Example", Email: "bina@example.com", MobilePhone: "9779800000000", AddressLine1: "3 Road",
	}
	wallet.ID, wallet.FromAmount, wallet.ToAmount, wallet.FundingType = "t-2", 20000, 2645000, "BANK"
	wallet.CreatedAt = at.Add(time.Microsecond)
	wallet.UpdatedAt = wallet.CreatedAt
	wallet.To = payout.ReceiveSide{
		ReceiveUserID: "r-1", Method: payout.Wallet, Mode: payout.ReceiverAmount, FundID: "w-1", PayerID: 1004,
	}
	cash.ID, cash.FromAmount, cash.ToAmount = "t-3", 10123, 1338767
	cash.CreatedAt = at.Add(2 * time.Microsecond)
	cash.UpdatedAt = cash.CreatedAt
	cash.To = payout.ReceiveSide{
		ReceiveUserID: "r-1", Method: payout.CashPickup, Mode: payout.SenderAmount, PayerID: 1001, PickupLocation: 30001,
	}
	return []payout.Transaction{cash, wallet, deposit}
}

// readsWebhooks reads what there is since version 7.
func readsWebhooks(t *testing.T, url string) {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	at := time.Date(2026, 3, 14, 15, 9, 26, 535897000, time.UTC)
	endpoints, err := s.WebhookEndpoints(t.Context(), "acme", payout.Page{})
	reads(t, "webhook endpoints", endpoints, []payout.WebhookEndpoint{{
		ID: "e-1", URL: "https://example.com/webhooks", EventTypes: []payout.EventType{payout.TransactionCreated}, Description: "Payouts", Disabled: true,
		DisabledReason: payout.EndpointGone, FailingSince: at, CreatedAt: at, UpdatedAt: at.Add(time.Microsecond),
		Secrets: payout.SealedWebhookSecrets{Current: []byte("sealed"), Old: []byte("sealed before"), OldExpires: at.AddDate(0, 0, 1)},
	}}, true, err)
	deliveries, err := s.WebhookDeliveries(t.Context(), "acme", "e-1", payout.WebhookCanceled, payout.Page{})
	reads(t, "webhook deliveries", deliveries, []payout.WebhookDelivery{{
		EndpointID: "e-1", EventID: "v-1", EventType: "ping", Payload: []byte(`{"type":"ping"}`), Status: payout.WebhookCanceled,
		NextAttemptAt: at.Add(5 * time.Second), CreatedAt: at, Attempts: []payout.WebhookAttempt{
			{Number: 1, At: at.Add(2 * time.Microsecond), Duration: 12 * time.Millisecond, HTTPStatus: 500, Error: "HTTP_STATUS"},
		},
	}}, true, err)
}
