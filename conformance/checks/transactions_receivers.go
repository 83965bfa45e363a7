package checks

import (
	"slices"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// Short names of the payout methods, for tables.
const (
	deposit = api.PayoutMethodBankDeposit
	wallet  = api.PayoutMethodWallet
	cash    = api.PayoutMethodCashPickup
	home    = api.PayoutMethodHomeDelivery
)

// transactionReceivers are rules 3c and 4 of section 1.
func transactionReceivers() []probe.Check {
	create := []string{"createTransaction"}
	return []probe.Check{
		{
			ID: "transactions.receive-user.not-found", Title: "A receive user that does not exist, or is another user's, receives nothing, whatever the payout method",
			Clauses: []string{"1-rule-3c", "D-09", "D-10"}, Operations: create,
			Fix: "Look for to.id among the receive users of the sender, and answer RECEIVE_USER_NOT_FOUND where it is none of them.",
			Run: refused(unknownReceivers()...),
		},
		{
			ID: "transactions.receive-account.not-found", Title: "An account that does not exist, or is another receive user's, or of the other kind, receives nothing",
			Clauses: []string{"1-rule-4-bank-deposit", "1-rule-4-wallet", "D-09"}, Operations: create,
			Fix: "Look for to.fund_id among the bank accounts of to.id, or with WALLET its wallet accounts, and answer RECEIVE_ACCOUNT_NOT_FOUND where it is none of them.",
			Run: refused(unknownAccounts()...),
		},
		{
			ID: "transactions.receive-account.each", Title: "A transaction goes to the account that it names, whichever of the receive user's that is, and at any bank",
			Clauses: []string{"1-rule-4-bank-deposit", "1-rule-4-wallet", "2.2", "2.6-to-response", "D-20", "D-49", "D-53"}, Operations: create, Needs: probe.Extensions,
			Fix: "Take the account of to.fund_id, in its own currency; do not look at txn_supported_types of the bank.",
			Run: anyAccounts,
		},
		{
			ID: "transactions.payer.not-found", Title: "A payer that does not exist, or is of another method or country, carries out nothing; nor does one that is not the wallet's",
			Clauses: []string{"1-rule-4-cash-pickup", "1-rule-4-home-delivery", "1-rule-4-wallet", "1-rule-5", "D-09", "D-36"}, Operations: create,
			Fix: "Answer PAYER_NOT_FOUND unless to.payer_id is an enabled payer of the payout_method in the country of the receive user, and with WALLET that of the account.",
			Run: refused(wrongPayers()...),
		},
		{
			ID: "transactions.wallet.payer-own", Title: "A wallet payout may name the payer of the wallet account",
			Clauses: []string{"2.6-to-request", "D-36"}, Operations: create, Needs: probe.Extensions,
			Fix: "Accept to.payer_id with WALLET where it is the payer of the wallet account.",
			Run: func(t *probe.T) {
				s := t.Sender()
				body := t.Payout(s, t.Receiver(s, wallet), "1.00")
				body.To = withMember(t, body.To, "payer_id", t.AnyPayer(wallet).ID)
				createTransaction(t, s, body)
			},
		},
		{
			ID: "transactions.pickup-location.not-found", Title: "A pick-up location that does not exist, or is another payer's, is refused, also where the payer has none at all",
			Clauses: []string{"2.6-to-request", "D-09", "D-21"}, Operations: create,
			Fix: "Look for to.pickup_location among the locations of to.payer_id, and answer PICKUP_LOCATION_NOT_FOUND where it is none of them.",
			Run: refused(wrongLocations()...),
		},
		{
			ID: "transactions.pickup-location.own", Title: "Any pick-up location of the payer is accepted, and none",
			Clauses: []string{"1-rule-4-cash-pickup", "2.6-to-request", "D-21"}, Operations: create,
			Fix: "Accept each id of the payer's pickup_location, the last one too; rule 4 asks for the payer_id only.",
			Run: func(t *probe.T) {
				s, p := t.Sender(), payerWithLocations(t)
				body := t.Payout(s, t.At(t.Receiver(s, cash).ID, p), "1.00")
				t.Case("none", func() { createTransaction(t, s, body) })
				body.To = withMember(t, body.To, "pickup_location", p.PickupLocation[len(p.PickupLocation)-1].ID)
				t.Case("the last one", func() { createTransaction(t, s, body) })
			},
		},
		{
			ID: "transactions.home-delivery.address", Title: "Nothing is delivered to a receive user without address_line1 or city, who can collect cash",
			Clauses: []string{"1-rule-4-home-delivery", "1-rule-4-cash-pickup", "D-09", "D-51"}, Operations: create, Needs: probe.Extensions,
			Fix: "Answer ADDRESS_REQUIRED to HOME_DELIVERY where the receive user has no address_line1 or no city, and to no other method.",
			Run: func(t *probe.T) {
				without := func(edit func(*api.ReceiveUserRequest)) func(attempt) {
					return func(a attempt) { a.to("id", a.NewReceiveUser(a.sender.UserID, a.Target().Facts.Destination, edit)) }
				}
				refused(
					refusal{"no address_line1", 0, home, api.ErrorCodeAddressRequired, without(func(r *api.ReceiveUserRequest) { r.AddressLine1 = nil })},
					refusal{"no city", 0, home, api.ErrorCodeAddressRequired, without(func(r *api.ReceiveUserRequest) { r.City = nil })},
				)(t)
				t.Case("CASH_PICKUP", func() {
					s := t.NewSender()
					id := t.NewReceiveUser(s.UserID, t.Target().Facts.Destination, func(r *api.ReceiveUserRequest) { r.AddressLine1, r.City = nil, nil })
					createTransaction(t, s, t.Payout(s, t.At(id, t.AnyPayer(cash)), "1.00"))
				})
			},
		},
	}
}

func unknownReceivers() (all []refusal) {
	for _, m := range allMethods {
		all = append(all,
			refusal{"unknown, " + string(m), 0, m, api.ErrorCodeReceiveUserNotFound, func(a attempt) { a.to("id", unknownID()) }},
			refusal{"of another user, " + string(m), probe.Extensions, m, api.ErrorCodeReceiveUserNotFound, func(a attempt) {
				a.body.To = a.Receiver(a.NewSender(), m).To
			}})
	}
	return all
}

func unknownAccounts() (all []refusal) {
	const code = api.ErrorCodeReceiveAccountNotFound
	for _, m := range []api.PayoutMethod{deposit, wallet} {
		all = append(all,
			refusal{"unknown, " + string(m), 0, m, code, func(a attempt) { a.to("fund_id", unknownID()) }},
			refusal{"of another receive user, " + string(m), probe.Extensions, m, code, func(a attempt) {
				a.to("fund_id", probe.Object(a.T, a.Receiver(a.sender, m).To)["fund_id"])
			}})
	}
	return append(all,
		refusal{"of the other kind, BANK_DEPOSIT", probe.Extensions, deposit, code, func(a attempt) {
			a.to("fund_id", a.NewWalletAccount(a.sender.UserID, a.receiver.ID, a.AnyPayer(wallet)))
		}},
		refusal{"of the other kind, WALLET", probe.Extensions, wallet, code, func(a attempt) {
			a.to("fund_id", a.NewBankAccount(a.sender.UserID, a.receiver.ID, a.Bank(a.Target().Facts.Destination)))
		}})
}

func wrongPayers() (all []refusal) {
	const code = api.ErrorCodePayerNotFound
	for _, m := range []api.PayoutMethod{cash, home, wallet} {
		all = append(all, refusal{"unknown, " + string(m), 0, m, code, func(a attempt) { a.to("payer_id", unknownPayer(a.T)) }})
	}
	for _, m := range []api.PayoutMethod{cash, home} {
		all = append(all,
			refusal{"of another method, " + string(m), 0, m, code, func(a attempt) {
				a.to("payer_id", a.Payer("of another method in the destination", func(p api.PayerDetail) bool {
					return p.Country == a.Target().Facts.Destination && p.DeliveryMethod != m
				}).ID)
			}},
			refusal{"of another country, " + string(m), 0, m, code, func(a attempt) {
				a.to("payer_id", a.Payer("of this method in another destination", func(p api.PayerDetail) bool {
					return p.Country != a.Target().Facts.Destination && p.DeliveryMethod == m
				}).ID)
			}})
	}
	return append(all, refusal{"not the wallet's, WALLET", probe.Extensions, wallet, code, func(a attempt) {
		own := a.AnyPayer(wallet).ID
		a.to("payer_id", a.Payer("beside that of the wallet account", func(p api.PayerDetail) bool {
			return p.ID != own && p.Country == a.Target().Facts.Destination
		}).ID)
	}})
}

func wrongLocations() []refusal {
	const code = api.ErrorCodePickupLocationNotFound
	at := func(a attempt, p api.PayerDetail, location int64) {
		r := a.At(a.receiver.ID, p)
		a.body.To, a.body.ToCurrency, a.body.ExchangeRate = withMember(a.T, r.To, "pickup_location", location), r.Currency, r.Rate
	}
	return []refusal{
		{"unknown", 0, cash, code, func(a attempt) { at(a, payerWithLocations(a.T), unknownLocation(a.T)) }},
		{"of another payer", 0, cash, code, func(a attempt) {
			own := payerWithLocations(a.T)
			at(a, own, a.Payer("with pick-up locations beside the first", func(p api.PayerDetail) bool {
				return p.ID != own.ID && len(p.PickupLocation) > 0
			}).PickupLocation[0].ID)
		}},
		{"the payer has none", 0, cash, code, func(a attempt) {
			at(a, a.Payer("of CASH_PICKUP without pick-up locations in the destination", func(p api.PayerDetail) bool {
				return p.DeliveryMethod == cash && p.Country == a.Target().Facts.Destination && len(p.PickupLocation) == 0
			}), unknownLocation(a.T))
		}},
	}
}

// anyAccounts sends to two accounts of one receive user, to one in the second currency of its bank, and to one at a bank whose
// transaction types do not name people.
func anyAccounts(t *probe.T) {
	country := t.Target().Facts.Destination
	for _, m := range []api.PayoutMethod{deposit, wallet} {
		t.Case("each account, "+string(m), func() {
			s := t.NewSender()
			r := t.Receiver(s, m)
			body := t.Payout(s, r, "1.00")
			second := func() any {
				if m == wallet {
					return t.NewWalletAccount(s.UserID, r.ID, t.AnyPayer(m))
				}
				return t.NewBankAccount(s.UserID, r.ID, t.Bank(country))
			}()
			for _, to := range []api.ReceiveSide{body.To, withMember(t, body.To, "fund_id", second)} {
				body.To = to
				got := probe.Object(t, createTransaction(t, s, body).To)
				t.Expect(sameValue(probe.Object(t, to)["fund_id"], got["fund_id"]), "answered another to.fund_id than was sent")
			}
		})
	}
	t.Case("in the second currency of the bank", func() { depositAt(t, bankOfTwoCurrencies(t), 1) })
	t.Case("at a bank without C2C", func() {
		depositAt(t, t.BankWhere("without C2C in "+country, func(b api.BankDetail) bool {
			return b.Country == country && len(b.ReceivingCurrency) > 0 && !slices.Contains(b.TxnSupportedTypes, "C2C")
		}), 0)
	})
}

// depositAt creates a deposit to an account in one of the currencies of a bank.
func depositAt(t *probe.T, b api.BankDetail, currency int) {
	s := t.NewSender()
	b.ReceivingCurrency = b.ReceivingCurrency[currency:]
	id := t.NewReceiveUser(s.UserID, b.Country)
	fund := t.NewBankAccount(s.UserID, id, b)
	createTransaction(t, s, t.Payout(s, probe.Receiver{ID: id, To: t.To(deposit, id, &fund, 0), Currency: b.ReceivingCurrency[0]}, "1.00"))
}

// payerWithLocations returns a cash payer in the destination with pick-up locations.
func payerWithLocations(t *probe.T) api.PayerDetail {
	return t.PreferUnrestricted("of CASH_PICKUP with pick-up locations in the destination", func(p api.PayerDetail) bool {
		return p.DeliveryMethod == cash && p.Country == t.Target().Facts.Destination && len(p.PickupLocation) > 0
	})
}

// unknownLocation is an identifier that no pick-up location has, as far as the client can see.
func unknownLocation(t *probe.T) int64 {
	id := int64(1)
	for _, p := range t.Payers() {
		for _, l := range p.PickupLocation {
			id = max(id, l.ID+1)
		}
	}
	return id
}
