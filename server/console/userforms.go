package console

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// Members of a registration that only one kind of user has, and those of both, in the order of the form.
var (
	addressMembers  = []string{"address_line1", "city", "state", "zipcode"}
	personMembers   = []string{"middle_name", "gender", "date_of_birth", "occupation", "mobile_phone", "ip_address"}
	businessMembers = []string{
		"business_type", "user_scope", "company_website", "number_of_employee", "source_of_fund", "txn_frequency", "no_of_txn_per_month",
		"date_of_birth", "mobile_phone", "ip_address",
	}
	mailingMembers = []string{
		"mailing_address/address_line1", "mailing_address/address_line2", "mailing_address/city", "mailing_address/state", "mailing_address/zipcode",
		"mailing_address/country",
	}
	numberMembers = []string{
		"virtual_documents/0/document_type", "virtual_documents/0/document_value", "virtual_documents/0/id_issuing_authority",
		"virtual_documents/0/expiry_date", "virtual_documents/0/country", "virtual_documents/0/state",
	}
	copyMembers = []string{
		"physical_documents/0/document_type", "physical_documents/0/document_value", "physical_documents/0/expiry_date",
		"physical_documents/0/country", "physical_documents/0/state",
	}
)

// newUser is the form to register a user, an individual or a business.
func newUser(v *visit) (*sheet, error) {
	business := v.URL.Query().Get("kind") == "business"
	here, kind := v.base()+"/users/new", ""
	if business {
		kind = "kind=business&"
	}
	o := v.operation("createUser")
	names, details := []string{"first_name", "last_name", "email", "country", "type"}, personMembers
	if business {
		names, details = []string{"first_name", "email", "country", "type"}, businessMembers
	}
	var body api.UserRequest
	s := &sheet{
		Title: "New user", Lead: "Only the first fields are needed. Each that you fill in is verified later, and higher limits need more of them.",
		Submit: "Register", section: "users", op: o, body: &body, Crumbs: []link{{Label: "Users", To: v.base() + "/users"}},
		Tabs:  []link{{"Individual", here, !business}, {"Business", here + "?kind=business", business}},
		Fills: []link{{"what is needed", here + "?" + kind + "fill=least", false}, {"everything", here + "?" + kind + "fill=all", false}},
		Groups: []group{
			{Fields: o.fields(names...)}, {Legend: "Address", Folded: true, Fields: o.fields(addressMembers...)},
			{Legend: "About the person", Folded: true, Fields: o.fields(details...)},
		},
	}
	if business {
		s.fixed = map[string]any{"business": true}
		s.Groups[2].Legend = "About the business"
		s.Groups = append(s.Groups, group{Legend: "Mailing address", Folded: true, Fields: o.fields(mailingMembers...)})
		s.named("first_name").Label, s.named("first_name").Example = "Name of the business", "Sample Software LLC"
	}
	s.Groups = append(s.Groups,
		group{Legend: "Number of a document", Folded: true, Fields: o.fields(numberMembers...)},
		group{Legend: "Your reference", Folded: true, Fields: o.fields("client_reference")})
	for _, f := range s.Groups[len(s.Groups)-2].Fields {
		f.Required = false // the whole document is optional
	}
	s.named("country").Suggest = originCountries()
	s.named("type").Help = "SEND: the user may send payouts. Its country must be one of " + strings.Join(originCountries(), ", ") + " in this sandbox."
	s.named("country").Value, s.named("type").Value = originCountries()[0], string(api.UserTypeSend)
	s.named("country").Example = ""
	if fill := v.URL.Query().Get("fill"); fill != "" {
		s.fill(kindOfUser(business), fill == "all")
	}
	s.send = func(options ...client.CallOption) (string, error) {
		u, err := v.sdk().CreateUser(v.Context(), body, options...)
		if err != nil {
			return "", err
		}
		return "/users/" + u.ID.String() + "?done=registered", nil
	}
	v.typed(s.fields())
	return s, nil
}

// sheetOf is the form of something that belongs to the user of the path.
func (v *visit) sheetOf(operation, title, submit string, body any) (*sheet, *api.User, error) {
	id, err := v.uuidOf("user")
	if err != nil {
		return nil, nil, err
	}
	u, err := v.sdk().GetUser(v.Context(), id)
	if err != nil {
		return nil, nil, err
	}
	return &sheet{
		Title: title, Submit: submit, section: "users", op: v.operation(operation), ids: []string{id.String()}, body: body,
		Crumbs: []link{{Label: "Users", To: v.base() + "/users"}, {Label: nameOf(u.FirstName, u.LastName), To: v.base() + "/users/" + id.String()}},
	}, u, nil
}

// newFundingAccount is the form for an account that a user pays from.
func newFundingAccount(v *visit) (*sheet, error) {
	var body api.FundingAccountRequest
	s, u, err := v.sheetOf("createFundingAccount", "New funding account", "Add account", &body)
	if err != nil {
		return nil, err
	}
	s.Lead = "A payout is paid from it, once it is ACTIVE. In production, the operator confirms it; here you set its status on the page of the user."
	s.Groups = []group{{Fields: s.op.fields("funding_source_type", "label")}}
	s.fill("card", true)
	s.send = func(options ...client.CallOption) (string, error) {
		_, err := v.sdk().CreateFundingAccount(v.Context(), u.ID, body, options...)
		return "/users/" + u.ID.String() + "?done=funding#accounts", err
	}
	v.typed(s.fields())
	return s, nil
}

// newPayee is the form for a receive user.
func newPayee(v *visit) (*sheet, error) {
	var body api.ReceiveUserRequest
	s, u, err := v.sheetOf("createReceiveUser", "New payee", "Add payee", &body)
	if err != nil {
		return nil, err
	}
	here := v.base() + "/users/" + u.ID.String() + "/payees/new"
	s.Lead = "Who gets the money. A payee cannot be changed later, and home delivery needs an address and a city."
	s.Fills = []link{{Label: "what is needed", To: here + "?fill=least"}, {Label: "everything", To: here + "?fill=all"}}
	s.Groups = []group{
		{Fields: s.op.fields("first_name", "last_name", "country")}, {Legend: "Address", Fields: s.op.fields(addressMembers...)},
		{Legend: "Contact and reference", Folded: true, Fields: s.op.fields("email", "mobile_phone", "client_reference")},
	}
	countries, err := v.countries()
	if err != nil {
		return nil, err
	}
	s.named("country").choose(choicesOf(countries))
	s.named("state").Example = "" // of another country
	if fill := v.URL.Query().Get("fill"); fill != "" {
		s.fill("nepal", fill == "all")
	}
	s.send = func(options ...client.CallOption) (string, error) {
		r, err := v.sdk().CreateReceiveUser(v.Context(), u.ID, body, options...)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("/users/%s/payees/%s/accounts/new?done=payee", u.ID, r.ID), nil
	}
	v.typed(s.fields())
	return s, nil
}

func choicesOf(values []string) (all []choice) {
	for _, value := range values {
		all = append(all, choice{Value: value, Label: value})
	}
	return all
}

// newAccount is the form for a bank account or a wallet of a payee.
func newAccount(v *visit) (*sheet, error) {
	id, err := v.uuidOf("payee")
	if err != nil {
		return nil, err
	}
	method := api.PayoutMethodBankDeposit
	if v.URL.Query().Get("method") == string(api.PayoutMethodWallet) {
		method = api.PayoutMethodWallet
	}
	var (
		bank   api.BankAccountRequest
		wallet api.WalletAccountRequest
		s      *sheet
		u      *api.User
	)
	if method == api.PayoutMethodWallet {
		s, u, err = v.sheetOf("createWalletAccount", "New account", "Add wallet", &wallet)
	} else {
		s, u, err = v.sheetOf("createBankAccount", "New account", "Add bank account", &bank)
	}
	if err != nil {
		return nil, err
	}
	payee, err := v.receiver(u.ID, id)
	if err != nil {
		return nil, err
	}
	name := nameOf(payee.FirstName, payee.LastName)
	here := fmt.Sprintf("%s/users/%s/payees/%s/accounts/new", v.base(), u.ID, id)
	s.ids = append(s.ids, id.String())
	s.Lead = "Where " + name + " in " + payee.Country + " is paid. Cash pickup and home delivery need no account."
	s.Tabs = []link{{"Bank account", here, method != api.PayoutMethodWallet}, {"Wallet", here + "?method=WALLET", method == api.PayoutMethodWallet}}
	if method == api.PayoutMethodWallet {
		err = v.walletFields(s, payee.Country)
	} else {
		err = v.bankFields(s, payee.Country)
	}
	s.send = func(options ...client.CallOption) (string, error) {
		to := fmt.Sprintf("/payouts/new?user=%s&payee=%s&done=account-added", u.ID, id)
		if method == api.PayoutMethodWallet {
			_, err := v.sdk().CreateWalletAccount(v.Context(), u.ID, id, wallet, options...)
			return to, err
		}
		_, err := v.sdk().CreateBankAccount(v.Context(), u.ID, id, bank, options...)
		return to, err
	}
	return s, err
}

func (v *visit) bankFields(s *sheet, country string) error {
	banks, err := v.sdk().ListBanks(v.Context(), &api.ListBanksParams{Country: &country})
	if err != nil || len(banks) == 0 {
		s.Missing = "No bank of " + country + " takes part. Choose another way to pay."
		return err
	}
	s.Groups = []group{{Fields: s.op.fields("bank_id", "branch_id", "account_number", "currency")}}
	v.typed(s.fields())
	chosen, branch, currency := s.named("bank_id"), s.named("branch_id"), s.named("currency")
	var names []choice
	for _, b := range banks {
		names = append(names, choice{Value: strconv.FormatInt(b.ID, 10), Label: b.Name})
	}
	chosen.choose(names)
	chosen.Redraw, chosen.Value = true, chosen.chosen()
	id, _ := strconv.ParseInt(chosen.Value, 10, 64) // of the list
	bank, err := v.sdk().GetBank(v.Context(), id)
	if err != nil {
		return err
	}
	var branches []choice
	for _, b := range bank.Branches {
		branches = append(branches, choice{Value: strconv.FormatInt(b.ID, 10), Label: b.Name})
	}
	branch.choose(branches)
	branch.Value = branch.chosen()
	currency.choose(choicesOf(bank.ReceivingCurrency))
	currency.Value = currency.chosen()
	s.named("account_number").Example = s.op.example("nepal", "account_number")
	return nil
}

func (v *visit) walletFields(s *sheet, country string) error {
	payers, err := v.sdk().ListPayers(v.Context(), &api.ListPayersParams{Country: &country, PayoutMethod: new(api.PayoutMethodWallet)})
	if err != nil || len(payers) == 0 {
		s.Missing = "No payer of " + country + " pays to wallets. Choose another way to pay."
		return err
	}
	s.Groups = []group{{Fields: s.op.fields("payer_id", "wallet_number", "currency")}}
	v.typed(s.fields())
	chosen, currency := s.named("payer_id"), s.named("currency")
	var names []choice
	for _, p := range payers {
		names = append(names, choice{Value: strconv.FormatInt(p.ID, 10), Label: p.Name})
	}
	chosen.choose(names)
	chosen.Redraw, chosen.Value = true, chosen.chosen()
	id, _ := strconv.ParseInt(chosen.Value, 10, 64) // of the list
	payer, err := v.sdk().GetPayer(v.Context(), id)
	if err != nil {
		return err
	}
	currency.choose(choicesOf([]string{payer.ReceivingCurrency}))
	currency.Value = currency.chosen()
	s.named("wallet_number").Example = s.op.example("nepal", "wallet_number")
	return nil
}

// example is the value of a member in an example of the contract.
func (o *operation) example(name, member string) string {
	if o.examples[name] == nil {
		panic("console: " + o.id + " has no example " + name)
	}
	return flat("", o.examples[name].Value.Value)[member]
}

// kindOfUser is the name of the examples of a kind.
func kindOfUser(business bool) string {
	if business {
		return "business"
	}
	return "individual"
}

// receiver returns a payee, which the API only lists.
func (v *visit) receiver(user, id uuid.UUID) (*api.ReceiveUser, error) {
	for r, err := range v.sdk().ReceiveUsers(v.Context(), user, nil) {
		if err != nil {
			return nil, err
		}
		if r.ID == id {
			return &r, nil
		}
	}
	return nil, errNoPage
}

// tagsOf has the CIP tags of members that are not named after them (D-39).
var tagsOf = map[string]string{
	"mobile_phone": "PHONE_NUMBER", "zipcode": "ZIP_CODE", "business_type": "COMPANY_TYPE", "user_scope": "NATURE_OF_BUSINESS",
	"number_of_employee": "NO_OF_EMPLOYEE",
}

func tagOf(member string) string {
	member, _, _ = strings.Cut(member, "/")
	if tag := tagsOf[member]; tag != "" {
		return tag
	}
	return strings.ToUpper(member)
}

// information is the form for what is still to be sent about a user: what is requested comes first.
func information(v *visit) (*sheet, error) {
	var body api.UserUpdateRequest
	s, u, err := v.sheetOf("updateUser", "Send information", "Send", &body)
	if err != nil {
		return nil, err
	}
	info, err := v.sdk().GetCipInfo(v.Context(), u.ID)
	if err != nil {
		return nil, err
	}
	names := slices.Concat([]string{"first_name", "last_name", "email"}, personMembers, addressMembers)
	if u.Business {
		names = slices.Concat([]string{"first_name", "email"}, businessMembers, addressMembers, mailingMembers)
	}
	text, err := json.Marshal(u)
	if err != nil {
		return nil, fmt.Errorf("console: write a user: %w", err)
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("console: read a user: %w", err)
	}
	s.have = flat("", members)
	var requested, others, mailing group
	for _, f := range s.op.fields(names...) {
		f.Value, f.Tag, f.Help = s.have[f.Name], string(info.CipInfo[tagOf(f.Name)]), ""
		switch {
		case f.Tag == string(api.CipStatusRequested):
			requested.Fields = append(requested.Fields, f)
		case strings.HasPrefix(f.Name, "mailing_address/"):
			f.Tag = ""
			mailing.Fields = append(mailing.Fields, f)
		default:
			others.Fields = append(others.Fields, f)
		}
	}
	s.Lead = "What you change is sent and reviewed again; what is VERIFIED stays as it is."
	for tag, status := range info.CipInfo {
		if status == api.CipStatusRequested && !slices.ContainsFunc(requested.Fields, func(f *field) bool { return tagOf(f.Name) == tag }) {
			s.Lead += " A document is requested too: " + tag + "."
		}
	}
	for _, g := range []struct {
		*group
		legend string
	}{{&requested, "Requested"}, {&others, "Details"}, {&mailing, "Mailing address"}} {
		if g.Legend = g.legend; len(g.Fields) > 0 {
			s.Groups = append(s.Groups, *g.group)
		}
	}
	here := v.base() + "/users/" + u.ID.String()
	s.Tabs = []link{{"Details", here + "/information", true}, {"Copy of a document", here + "/documents", false}, {"Number of a document", here + "/documents?form=number", false}}
	s.send = func(...client.CallOption) (string, error) {
		_, err := v.sdk().UpdateUser(v.Context(), u.ID, body)
		return "/users/" + u.ID.String() + "?done=sent", err
	}
	v.typed(s.fields())
	return s, nil
}

// documents is the form for a document of a user: a copy, or its number alone.
func documents(v *visit) (*sheet, error) {
	var body api.UserDocumentsRequest
	s, u, err := v.sheetOf("createDocuments", "Send information", "Send document", &body)
	if err != nil {
		return nil, err
	}
	number := v.URL.Query().Get("form") == "number"
	here := v.base() + "/users/" + u.ID.String()
	s.Tabs = []link{
		{"Details", here + "/information", false}, {"Copy of a document", here + "/documents", !number},
		{"Number of a document", here + "/documents?form=number", number},
	}
	s.Lead = "An image or a PDF, of at most 15 MiB. The request shows a small sample in its place. Do not use a real document in a sandbox."
	s.Groups = []group{{Fields: s.op.fields(copyMembers...)}}
	if number {
		s.Lead = "A document of which only the number is known."
		s.Groups = []group{{Fields: s.op.fields(numberMembers...)}}
	} else {
		f := s.named("physical_documents/0/document_value")
		f.Label, f.Example = "File", sampleDocument
	}
	for _, f := range s.fields() {
		f.Required = f.needed
		switch {
		case strings.HasSuffix(f.Name, "/document_type"):
			f.Value = v.operation("createUser").example(kindOfUser(u.Business), f.Name)
		case strings.HasSuffix(f.Name, "/country"):
			f.Example = u.Country
		}
	}
	s.send = func(options ...client.CallOption) (string, error) {
		_, err := v.sdk().CreateDocuments(v.Context(), u.ID, body, options...)
		return "/users/" + u.ID.String() + "?done=sent", err
	}
	v.typed(s.fields())
	return s, nil
}
