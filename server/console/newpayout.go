package console

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// payoutSheet is the form for a payout.
type payoutSheet struct {
	op   *operation
	body api.TransactionRequest

	User, Account, Payee, To, Pickup, Mode *field
	Amounts, Texts                         []*field
	Key                                    *field
	Currency                               string // that arrives
	Preview                                *api.TransactionPreview
	Code                                   []snippet
	NoSender, NoAddress                    bool
	NewAccount                             string // address of the form for an account of the payee
}

// choice is an option of a list.
type choice struct {
	Value, Label string
	Selected     bool
}

// way is how a payee is paid: the value of an option, such as BANK_DEPOSIT/NPR/payee/account.
type way struct {
	Method   api.PayoutMethod
	Currency string
	Payee    uuid.UUID
	Account  uuid.UUID       // of a bank or a wallet
	Payer    api.ReferenceID // of cash
}

func (w way) String() string {
	last := w.Account.String()
	if w.Account == uuid.Nil {
		last = strconv.FormatInt(w.Payer, 10)
	}
	return strings.Join([]string{string(w.Method), w.Currency, w.Payee.String(), last}, "/")
}

func parseWay(text string) (w way, ok bool) {
	parts := strings.Split(text, "/")
	if len(parts) != 4 {
		return w, false
	}
	w.Method, w.Currency = api.PayoutMethod(parts[0]), parts[1]
	var err error
	if w.Payee, err = uuid.Parse(parts[2]); err != nil {
		return w, false
	}
	if w.Method == api.PayoutMethodBankDeposit || w.Method == api.PayoutMethodWallet {
		w.Account, err = uuid.Parse(parts[3])
	} else {
		w.Payer, err = strconv.ParseInt(parts[3], 10, 64)
	}
	return w, err == nil
}

// side returns the receive side of a request, as JSON has it.
func (w way) side(mode, pickup string) map[string]any {
	side := map[string]any{"payout_method": w.Method, "id": w.Payee}
	if w.Account != uuid.Nil {
		side["fund_id"] = w.Account
	} else {
		side["payer_id"] = w.Payer
	}
	if mode == string(api.CalculationModeReceiverAmount) {
		side["calculation_mode"] = mode
	}
	if place, err := strconv.ParseInt(pickup, 10, 64); err == nil && w.Method == api.PayoutMethodCashPickup {
		side["pickup_location"] = place
	}
	return side
}

// Values that the form begins with. The rates are samples: a rate is the caller's own.
var (
	sampleRates = map[string]string{
		"NPR": "132.25", "INR": "83.10", "MXN": "17.05", "PHP": "56.20", "NGN": "1550.00", "JPY": "150.25", "KWD": "0.308",
	}
	currencies = map[string]string{"US": "USD", "GB": "GBP"} // of the corridors of the sandbox
)

// originCountries are those of the corridors of the sandbox, the one that is proposed first.
func originCountries() []string {
	countries := slices.Sorted(maps.Keys(currencies))
	slices.Reverse(countries)
	return countries
}

// maxSenders is how many of the newest senders can be chosen.
const maxSenders = 50

// list is a field that no member of the body has.
func list(name, label string, redraw bool) *field {
	return &field{Name: name, Label: label, Kind: "select", Required: true, Redraw: redraw}
}

// fields of the form.
func (s *payoutSheet) fields() []*field {
	return slices.Concat([]*field{s.User, s.Account, s.Payee, s.To, s.Pickup, s.Mode}, s.Amounts, s.Texts, []*field{s.Key})
}

// buildPayout makes the form with what was typed, or with what it begins with.
func buildPayout(v *visit) (*payoutSheet, *api.User, way, error) {
	o := v.operation("createTransaction")
	s := &payoutSheet{
		op: o, User: list("user", "Sender", true), Account: o.field("from_fund_id"), Payee: list("payee", "Payee", true), To: list("to", "How it is paid", true),
		Pickup: list("pickup_location", "Pick-up location", false), Mode: list("mode", "What is fixed", false), Key: &field{Name: "key", Label: "Idempotency key", Kind: "text", Max: o.keyMax},
		Amounts: o.fields("from_amount", "from_currency", "exchange_rate", "fee_amount", "to_amount"), Texts: o.fields("client_reference", "purpose", "custom_purpose", "remittance_purpose", "note", "funding_source_type", "ip_address"),
	}
	s.Mode.Options = []choice{{Value: string(api.CalculationModeSenderAmount), Label: "the amount sent"}, {Value: string(api.CalculationModeReceiverAmount), Label: "the amount received"}}
	s.Amounts[4].Label = "Received, if it is fixed"
	for _, f := range slices.Concat(s.Amounts, s.Texts) {
		f.Example = ""
	}
	v.typed(s.fields())
	s.Pickup.Required = false
	if v.Method != http.MethodPost {
		s.User.Value, s.Payee.Value = v.input("user"), v.input("payee")
		s.Amounts[0].Value, s.Mode.Value, s.Key.Value = "100.00", string(api.CalculationModeSenderAmount), freshKey()
	}
	sender, err := v.senders(s)
	if err != nil || sender == nil {
		s.NoSender = sender == nil
		return s, nil, way{}, err
	}
	if err := v.accounts(s.Account, sender.ID); err != nil {
		return nil, nil, way{}, err
	}
	chosen, err := v.ways(s, sender)
	return s, sender, chosen, err
}

// newPayout shows the form: with what it begins with, for another choice, or with the input that was tried.
func newPayout(v *visit) (*view, error) {
	s, tried := v.outcome.(*payoutSheet)
	if !tried {
		var (
			sender *api.User
			chosen way
			err    error
		)
		if s, sender, chosen, err = buildPayout(v); err != nil {
			return nil, err
		}
		if !s.NoSender {
			s.begin(v, sender, chosen)
			if s.read(chosen) == nil {
				s.Code = v.codeOf(s.op, []string{s.User.Value}, &s.body, s.Key.Value)
			}
		}
	}
	mark(v.problem, s.fields())
	return &view{"new.html", "New payout", "new", s}, nil
}

// begin proposes the currency of the sender and a rate, unless they were typed for the present choice.
func (s *payoutSheet) begin(v *visit, sender *api.User, chosen way) {
	s.Amounts[1].Value = currencies[sender.Country]
	if v.Method != http.MethodPost || v.input("currency") != chosen.Currency { // the currency that the rate was for
		s.Amounts[2].Value = sampleRates[chosen.Currency]
	}
}

// senders lists whom the payout can come from, and returns the chosen one: by default the newest. It is nil if there is none.
func (v *visit) senders(s *payoutSheet) (*api.User, error) {
	var all []api.User
	for u, err := range v.sdk().Users(v.Context(), nil) {
		if err != nil {
			return nil, err
		}
		if u.Type == nil {
			continue
		}
		all = append(all, u)
		if len(all) == maxSenders {
			break
		}
	}
	chosen := 0
	if id, err := uuid.Parse(s.User.Value); err == nil {
		chosen = slices.IndexFunc(all, func(u api.User) bool { return u.ID == id })
		if chosen < 0 { // an older one
			u, err := v.sdk().GetUser(v.Context(), id)
			if err != nil {
				return nil, err
			}
			chosen, all = len(all), append(all, *u)
		}
	}
	if len(all) == 0 {
		return nil, nil //nolint:nilnil // said above
	}
	for _, u := range all {
		s.User.Options = append(s.User.Options, choice{
			Value: u.ID.String(), Label: fmt.Sprintf("%s, %s, %s", nameOf(u.FirstName, u.LastName), u.Country, u.Status),
		})
	}
	s.User.Value = all[chosen].ID.String()
	return &all[chosen], nil
}

func (v *visit) accounts(f *field, sender uuid.UUID) error {
	all, err := v.sdk().ListFundingAccounts(v.Context(), sender)
	var options []choice
	for _, a := range all {
		label := a.FundingSourceType
		if a.Label != nil {
			label += ", " + *a.Label
		}
		options = append(options, choice{Value: a.ID.String(), Label: label + ", " + string(a.Status)})
	}
	f.choose(options)
	f.Value = f.chosen()
	return err
}

// ways lists the payees of a sender and how the chosen one can be paid, and returns the chosen way: by default the first.
func (v *visit) ways(s *payoutSheet, sender *api.User) (way, error) {
	wanted, ok := parseWay(s.To.Value)
	if ok && (s.Payee.Value == "" || v.input("do") != "choose") {
		s.Payee.Value = wanted.Payee.String()
	}
	var chosen *api.ReceiveUser
	payees, err := v.sdk().ListReceiveUsers(v.Context(), sender.ID)
	if err != nil {
		return way{}, err
	}
	for _, r := range slices.Backward(payees) {
		id := r.ID.String()
		if len(s.Payee.Options) == maxPayees && id != s.Payee.Value {
			continue
		}
		s.Payee.Options = append(s.Payee.Options, choice{Value: id, Label: nameOf(r.FirstName, r.LastName) + ", " + r.Country})
		if chosen == nil || id == s.Payee.Value {
			chosen = &r
		}
	}
	if chosen == nil {
		return way{}, nil
	}
	s.Payee.Value, s.NewAccount = chosen.ID.String(), fmt.Sprintf("%s/users/%s/payees/%s/accounts/new", v.base(), sender.ID, chosen.ID)
	s.NoAddress = chosen.AddressLine1 == nil || chosen.City == nil
	var (
		all    []way
		places = map[api.ReferenceID][]api.PickupLocation{}
	)
	add := func(w way, label string) {
		all = append(all, w)
		s.To.Options = append(s.To.Options, choice{Value: w.String(), Label: label})
	}
	banks, err := v.sdk().ListBankAccounts(v.Context(), sender.ID, chosen.ID)
	if err != nil {
		return way{}, err
	}
	for _, a := range banks {
		add(way{Method: api.PayoutMethodBankDeposit, Currency: a.Currency, Payee: chosen.ID, Account: a.ID},
			fmt.Sprintf("Bank deposit, %s, account ending %s", a.Currency, ending(a.AccountNumber)))
	}
	wallets, err := v.sdk().ListWalletAccounts(v.Context(), sender.ID, chosen.ID)
	if err != nil {
		return way{}, err
	}
	for _, a := range wallets {
		add(way{Method: api.PayoutMethodWallet, Currency: a.Currency, Payee: chosen.ID, Account: a.ID},
			fmt.Sprintf("Wallet, %s, number ending %s", a.Currency, ending(a.WalletNumber)))
	}
	payers, err := v.payersOfCash(chosen.Country)
	if err != nil {
		return way{}, err
	}
	for _, p := range payers {
		if p.DeliveryMethod == api.PayoutMethodHomeDelivery && s.NoAddress {
			continue
		}
		name := strings.ReplaceAll(strings.ToLower(string(p.DeliveryMethod)), "_", " ")
		places[p.ID] = p.PickupLocation
		add(way{Method: p.DeliveryMethod, Currency: p.ReceivingCurrency, Payee: chosen.ID, Payer: p.ID},
			fmt.Sprintf("%s, %s, %s", strings.ToUpper(name[:1])+name[1:], p.ReceivingCurrency, p.Name))
	}
	if len(all) == 0 {
		return way{}, nil
	}
	w := all[max(0, slices.Index(all, wanted))]
	s.To.Value, s.Currency = w.String(), w.Currency
	if w.Method == api.PayoutMethodCashPickup {
		for _, p := range places[w.Payer] {
			s.Pickup.Options = append(s.Pickup.Options, choice{Value: strconv.FormatInt(p.ID, 10), Label: p.Name + ", " + p.City})
		}
		if s.Pickup.Options != nil {
			s.Pickup.choose(s.Pickup.Options)
		}
	}
	s.Amounts[2].Label = "Exchange rate to " + w.Currency
	return w, nil
}

// payersOfCash returns the payers of a country that need no account.
func (v *visit) payersOfCash(country string) (found []api.PayerDetail, err error) {
	for _, method := range []api.PayoutMethod{api.PayoutMethodCashPickup, api.PayoutMethodHomeDelivery} {
		payers, err := v.sdk().ListPayers(v.Context(), &api.ListPayersParams{Country: &country, PayoutMethod: &method})
		if err != nil {
			return nil, err
		}
		for _, p := range payers {
			detail, err := v.sdk().GetPayer(v.Context(), p.ID)
			if err != nil {
				return nil, err
			}
			found = append(found, *detail)
		}
	}
	return found, nil
}

func ending(number string) string { return number[max(0, len(number)-4):] }

// createPayout previews or creates the payout of the form, or only shows the form for another choice.
func createPayout(v *visit) error {
	if v.input("do") == "choose" {
		return nil
	}
	s, sender, _, err := buildPayout(v)
	if err != nil {
		return err
	}
	v.outcome = s
	chosen, ok := parseWay(v.input("to"))
	if sender == nil || !ok {
		return invalid{{In: api.ErrorDetailInBody, Field: "/to", Reason: "must be chosen"}}
	}
	if err := s.read(chosen); err != nil {
		return err
	}
	s.Code = v.codeOf(s.op, []string{s.User.Value}, &s.body, s.Key.Value)
	if v.input("do") == "preview" {
		s.Preview, err = v.sdk().PreviewTransaction(v.Context(), sender.ID, s.body)
		return err
	}
	var options []client.CallOption
	if s.Key.Value != "" {
		options = append(options, client.IdempotencyKey(s.Key.Value))
	}
	t, err := v.sdk().CreateTransaction(v.Context(), sender.ID, s.body, options...)
	if err != nil {
		return err
	}
	return redirect(v.payoutPath(t, "created"))
}

// read fills the body.
func (s *payoutSheet) read(to way) error {
	amounts := s.Amounts
	if s.Mode.Value != string(api.CalculationModeReceiverAmount) {
		amounts = amounts[:4] // without the amount received
	} else {
		amounts[4].Required = true
	}
	err := read(slices.Concat([]*field{s.Account}, amounts, s.Texts), map[string]any{"to_currency": to.Currency, "to": to.side(s.Mode.Value, s.Pickup.Value)}, nil, &s.body, nil)
	amounts[len(amounts)-1].Required = false
	return err
}

// Texted reports whether a text beside the amounts is filled in or wrong.
func (s *payoutSheet) Texted() bool { return group{Fields: s.Texts}.Open() || s.Key.Error != "" }
