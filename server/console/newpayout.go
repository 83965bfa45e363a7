package console

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// newView is the form for a payout.
type newView struct {
	Senders  []choice
	Accounts []choice
	Payees   []group
	Receiver bool // the receiving amount is fixed
	In       map[string]string
	Preview  *api.TransactionPreview
	Code     []snippet
	NoSender bool // there is none to choose
	User     string
	Currency string // that arrives
}

// choice is an option of a list.
type choice struct {
	Value, Label string
	Selected     bool
}

// group is a payee with the ways to pay it.
type group struct {
	Label   string
	Choices []choice
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

// side returns the receive side of a request.
func (w way) side(receiverAmount bool) api.ReceiveSide {
	switch w.Method {
	case api.PayoutMethodBankDeposit:
		if receiverAmount {
			return client.BankDeposit(w.Payee, w.Account, client.ReceiverAmount)
		}
		return client.BankDeposit(w.Payee, w.Account)
	case api.PayoutMethodWallet:
		if receiverAmount {
			return client.Wallet(w.Payee, w.Account, client.ReceiverAmount)
		}
		return client.Wallet(w.Payee, w.Account)
	case api.PayoutMethodHomeDelivery:
		if receiverAmount {
			return client.HomeDelivery(w.Payee, w.Payer, client.ReceiverAmount)
		}
		return client.HomeDelivery(w.Payee, w.Payer)
	default:
		if receiverAmount {
			return client.CashPickup(w.Payee, w.Payer, client.ReceiverAmount)
		}
		return client.CashPickup(w.Payee, w.Payer)
	}
}

// Values that the form begins with. The rates are samples: a rate is the caller's own.
var (
	sampleRates = map[string]string{
		"NPR": "132.25", "INR": "83.10", "MXN": "17.05", "PHP": "56.20", "NGN": "1550.00", "JPY": "150.25", "KWD": "0.308",
	}
	currencies = map[string]string{"US": "USD", "GB": "GBP"} // of the corridors of the sandbox
)

// maxSenders is how many of the newest senders can be chosen.
const maxSenders = 50

// fields of the form, beside the sender, the account and the payee.
var payoutFields = []string{"from_amount", "from_currency", "rate", "to_amount", "fee", "reference", "note", "key", "mode"}

// newPayout shows the form: empty, for another sender, or with the input that was tried.
func newPayout(v *visit) (*view, error) {
	shown := newView{In: map[string]string{}, User: v.input("user")}
	for _, name := range payoutFields {
		shown.In[name] = v.input(name)
	}
	sender, err := v.senders(&shown)
	if err != nil {
		return nil, err
	}
	if sender == nil {
		shown.NoSender = true
		return &view{"new.html", "New payout", "new", shown}, nil
	}
	if err := v.accounts(&shown, sender.ID); err != nil {
		return nil, err
	}
	chosen, err := v.ways(&shown, sender)
	if err != nil {
		return nil, err
	}
	fresh, changed := v.Method != http.MethodPost, v.input("do") == "choose"
	if fresh {
		shown.In["from_amount"], shown.In["mode"] = "100.00", string(api.CalculationModeSenderAmount)
		shown.In["key"] = "console-" + strings.ToLower(rand.Text()[:12])
	}
	if fresh || changed {
		shown.In["from_currency"] = currencies[sender.Country]
	}
	if fresh || changed && v.input("currency") != chosen.Currency { // the currency that the rate was for
		shown.In["rate"] = sampleRates[chosen.Currency]
	}
	shown.Currency = chosen.Currency
	shown.Receiver = shown.In["mode"] == string(api.CalculationModeReceiverAmount)
	if tried, ok := v.outcome.(*tried); ok {
		shown.Preview, shown.Code = tried.preview, tried.code
	} else if v.problem == nil {
		shown.Code = v.codeOf(shown, chosen)
	}
	return &view{"new.html", "New payout", "new", shown}, nil
}

// codeOf returns the request of a form that was not sent yet; nil if something is missing.
func (v *visit) codeOf(shown newView, to way) []snippet {
	form := url.Values{"user": {shown.User}, "to": {to.String()}, "account": {v.input("account")}}
	for name, value := range shown.In {
		form.Set(name, value)
	}
	if v.input("account") == "" && len(shown.Accounts) > 0 {
		form.Set("account", shown.Accounts[0].Value)
	}
	_, request, w, err := payoutRequest(form)
	if err != nil {
		return nil
	}
	return snippets(v.address(), v.tenant.Client, uuid.MustParse(shown.User), request, w, shown.In["key"])
}

// senders lists whom the payout can come from, and returns the chosen one: by default the newest. It is nil if there is none.
func (v *visit) senders(shown *newView) (*api.User, error) {
	var chosen *api.User
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
	if id, err := uuid.Parse(shown.User); err == nil {
		i := slices.IndexFunc(all, func(u api.User) bool { return u.ID == id })
		if i < 0 { // an older one
			u, err := v.sdk().GetUser(v.Context(), id)
			if err != nil {
				return nil, err
			}
			i, all = len(all), append(all, *u)
		}
		chosen = &all[i]
	} else if len(all) > 0 {
		chosen = &all[0]
	}
	for _, u := range all {
		shown.Senders = append(shown.Senders, choice{
			u.ID.String(), fmt.Sprintf("%s, %s, %s", nameOf(u.FirstName, u.LastName), u.Country, u.Status), u.ID == chosen.ID,
		})
	}
	if chosen != nil {
		shown.User = chosen.ID.String()
	}
	return chosen, nil
}

func (v *visit) accounts(shown *newView, sender uuid.UUID) error {
	all, err := v.sdk().ListFundingAccounts(v.Context(), sender)
	for _, a := range all {
		label := a.FundingSourceType
		if a.Label != nil {
			label += ", " + *a.Label
		}
		shown.Accounts = append(shown.Accounts, choice{a.ID.String(), label + ", " + string(a.Status), a.ID.String() == v.input("account")})
	}
	return err
}

// ways lists how the payees of a sender can be paid, and returns the chosen way: by default the first.
func (v *visit) ways(shown *newView, sender *api.User) (chosen way, err error) {
	payees, err := v.payees(sender.ID)
	if err != nil {
		return chosen, err
	}
	wanted, ok := parseWay(v.input("to"))
	found := false
	add := func(g *group, w way, label string) {
		selected := ok && w == wanted
		if selected || chosen.Method == "" {
			chosen = w
		}
		found = found || selected
		g.Choices = append(g.Choices, choice{w.String(), label, selected})
	}
	payers := map[string][]api.PayerDetail{}
	for _, p := range payees {
		g := group{Label: p.Name + ", " + p.Country}
		for _, a := range p.Banks {
			add(&g, way{Method: api.PayoutMethodBankDeposit, Currency: a.Currency, Payee: p.ID, Account: a.ID},
				fmt.Sprintf("%s: bank deposit, %s, account ending %s", p.Name, a.Currency, ending(a.AccountNumber)))
		}
		for _, a := range p.Wallets {
			add(&g, way{Method: api.PayoutMethodWallet, Currency: a.Currency, Payee: p.ID, Account: a.ID},
				fmt.Sprintf("%s: wallet, %s, number ending %s", p.Name, a.Currency, ending(a.WalletNumber)))
		}
		if payers[p.Country] == nil {
			if payers[p.Country], err = v.payersOfCash(p.Country); err != nil {
				return chosen, err
			}
		}
		for _, payer := range payers[p.Country] {
			if payer.DeliveryMethod == api.PayoutMethodHomeDelivery && (p.AddressLine1 == nil || p.City == nil) {
				continue
			}
			add(&g, way{Method: payer.DeliveryMethod, Currency: payer.ReceivingCurrency, Payee: p.ID, Payer: payer.ID},
				fmt.Sprintf("%s: %s, %s, %s", p.Name, strings.ToLower(strings.ReplaceAll(string(payer.DeliveryMethod), "_", " ")), payer.ReceivingCurrency, payer.Name))
		}
		shown.Payees = append(shown.Payees, g)
	}
	return chosen, nil
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

// tried is what came of a form that created nothing: a preview, and the request in several languages.
type tried struct {
	preview *api.TransactionPreview
	code    []snippet
}

// createPayout previews or creates the payout of the form, or only shows the form for another choice.
func createPayout(v *visit) error {
	if v.input("do") == "choose" {
		return nil
	}
	user, request, w, err := payoutRequest(v.PostForm)
	if err != nil {
		return err
	}
	shown := &tried{code: snippets(v.address(), v.tenant.Client, user, request, w, v.input("key"))}
	v.outcome = shown
	if v.input("do") == "preview" {
		shown.preview, err = v.sdk().PreviewTransaction(v.Context(), user, request)
		return err
	}
	var options []client.CallOption
	if key := v.input("key"); key != "" {
		options = append(options, client.IdempotencyKey(key))
	}
	t, err := v.sdk().CreateTransaction(v.Context(), user, request, options...)
	if err != nil {
		return err
	}
	return redirect(v.payoutPath(t, "created"))
}

// payoutRequest reads the form.
func payoutRequest(form url.Values) (user uuid.UUID, request api.TransactionRequest, w way, err error) {
	input := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	if user, err = uuid.Parse(input("user")); err != nil {
		return user, request, w, invalid{"sender", "must be chosen"}
	}
	if request.FromFundID, err = uuid.Parse(input("account")); err != nil {
		return user, request, w, invalid{"funding account", "must be chosen"}
	}
	w, ok := parseWay(input("to"))
	if !ok {
		return user, request, w, invalid{"payee and account", "must be chosen"}
	}
	for _, f := range []struct {
		name, label string
		into        *api.Amount
	}{{"from_amount", "amount sent", &request.FromAmount}, {"rate", "exchange rate", &request.ExchangeRate}} {
		if *f.into, err = client.ParseAmount(input(f.name)); err != nil {
			return user, request, w, invalid{f.label, "must be a number such as 100.00"}
		}
	}
	receiver := input("mode") == string(api.CalculationModeReceiverAmount)
	for _, f := range []struct {
		name, label string
		wanted      bool
		into        **api.Amount
	}{{"to_amount", "amount received", receiver, &request.ToAmount}, {"fee", "fee", input("fee") != "", &request.FeeAmount}} {
		if !f.wanted {
			continue
		}
		amount, err := client.ParseAmount(input(f.name))
		if err != nil {
			return user, request, w, invalid{f.label, "must be a number such as 100.00"}
		}
		*f.into = &amount
	}
	request.FromCurrency, request.ToCurrency, request.To = input("from_currency"), w.Currency, w.side(receiver)
	if text := input("reference"); text != "" {
		request.ClientReference = &text
	}
	if text := input("note"); text != "" {
		request.Note = &text
	}
	return user, request, w, nil
}
