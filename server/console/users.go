package console

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// usersView is a page of users.
type usersView struct {
	Users                    []api.User
	Email, Status, Reference string
	Next                     string
	Statuses                 []api.KycStatus
}

func users(v *visit) (*view, error) {
	shown := usersView{Email: v.input("email"), Status: v.input("status"), Reference: v.input("reference"), Statuses: v.lists.kyc}
	params := &api.ListUsersParams{
		Email: v.optional("email"), ClientReference: v.optional("reference"), Limit: new(int32(rowsOfPage)), Cursor: v.optional("cursor"),
	}
	if shown.Status != "" {
		params.Status = new(api.KycStatus(shown.Status))
	}
	page, err := v.sdk().ListUsers(v.Context(), params)
	if v.problem = problemOf(err); err == nil { // a filter may be invalid
		shown.Users, shown.Next = page.Items, following(v.URL, page.NextCursor)
	}
	return &view{"users.html", "Users", "users", shown}, nil
}

// userView is one user.
type userView struct {
	*api.User
	Name         string
	Tags         []tag
	Statuses     []api.KycStatus
	TagStatuses  []api.CipStatus
	Accounts     []api.FundingAccount
	Payees       []payee
	Payouts      []api.Transaction
	Limits       *limits
	Destinations []string
	Requested    bool // some tags are
}

type tag struct {
	Name   string
	Status api.CipStatus
}

// payee is a receive user with its accounts.
type payee struct {
	api.ReceiveUser
	Name    string
	Banks   []api.BankAccount
	Wallets []api.WalletAccount
}

// Numbers of what the page of a user shows.
const (
	maxPayees        = 20
	payoutsOfUser    = 10
	countedOfUser    = 1000 // payouts of the present year that are added up
	maxLinkedDestins = 12
)

func user(v *visit) (*view, error) {
	id, err := uuid.Parse(v.PathValue("user"))
	if err != nil {
		return nil, errNoPage
	}
	u, err := v.sdk().GetUser(v.Context(), id)
	if err != nil {
		return nil, err
	}
	shown := userView{User: u, Name: nameOf(u.FirstName, u.LastName), Statuses: v.lists.kyc, TagStatuses: v.lists.tags}
	info, err := v.sdk().GetCipInfo(v.Context(), id)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(info.CipInfo)) {
		shown.Tags = append(shown.Tags, tag{name, info.CipInfo[name]})
		shown.Requested = shown.Requested || info.CipInfo[name] == api.CipStatusRequested
	}
	if shown.Accounts, err = v.sdk().ListFundingAccounts(v.Context(), id); err != nil {
		return nil, err
	}
	if shown.Payees, err = v.payees(id); err != nil {
		return nil, err
	}
	page, err := v.sdk().ListTransactions(v.Context(), id, &api.ListTransactionsParams{Limit: new(int32(payoutsOfUser))})
	if err != nil {
		return nil, err
	}
	shown.Payouts = page.Items
	if shown.Destinations, err = v.destinations(shown.Payees); err != nil {
		return nil, err
	}
	if len(shown.Destinations) > 0 && u.Type != nil {
		to := shown.Destinations[0]
		if wanted := v.URL.Query().Get("to"); slices.Contains(shown.Destinations, wanted) {
			to = wanted
		}
		if shown.Limits, err = v.limits(id, to); err != nil && !isMissing(err) {
			return nil, err
		}
	}
	return &view{"user.html", shown.Name, "users", shown}, nil
}

// payees returns the newest receive users of a user, with their accounts.
func (v *visit) payees(user uuid.UUID) ([]payee, error) {
	all, err := v.sdk().ListReceiveUsers(v.Context(), user)
	if err != nil {
		return nil, err
	}
	var shown []payee
	for _, r := range slices.Backward(all) {
		if len(shown) == maxPayees {
			break
		}
		p := payee{ReceiveUser: r, Name: nameOf(r.FirstName, r.LastName)}
		if p.Banks, err = v.sdk().ListBankAccounts(v.Context(), user, r.ID); err != nil {
			return nil, err
		}
		if p.Wallets, err = v.sdk().ListWalletAccounts(v.Context(), user, r.ID); err != nil {
			return nil, err
		}
		shown = append(shown, p)
	}
	return shown, nil
}

// destinations returns the countries of the payees, then the others that are enabled.
func (v *visit) destinations(payees []payee) (countries []string, err error) {
	add := func(country string) {
		if !slices.Contains(countries, country) {
			countries = append(countries, country)
		}
	}
	for _, p := range payees {
		add(p.Country)
	}
	all, err := v.countries()
	if err != nil {
		return nil, err
	}
	for _, country := range all {
		add(country)
	}
	return countries[:min(len(countries), maxLinkedDestins)], nil
}

// countries returns the destinations that are enabled.
func (v *visit) countries() (countries []string, err error) {
	payers, err := v.sdk().ListPayers(v.Context(), nil)
	for _, p := range payers {
		if !slices.Contains(countries, p.Country) {
			countries = append(countries, p.Country)
		}
	}
	return countries, err
}

// limits are what a user may still send to a country, and what it has sent.
type limits struct {
	*api.TransactionLimit
	Currency string // empty if nothing was sent there yet
	Periods  []period
}

// period is the limit of a day, a month or a year.
type period struct {
	Name            string
	Remaining, Used string
	Percent         int // of the limit that is used
}

// limits adds up what counts, because the API answers only what remains.
func (v *visit) limits(user uuid.UUID, to string) (*limits, error) {
	answer, err := v.sdk().GetTransactionLimit(v.Context(), user, to)
	if err != nil {
		return nil, err
	}
	receivers, err := v.sdk().ListReceiveUsers(v.Context(), user)
	if err != nil {
		return nil, err
	}
	there := map[uuid.UUID]bool{}
	for _, r := range receivers {
		there[r.ID] = r.Country == to
	}
	found := &limits{TransactionLimit: answer}
	now := v.now().UTC()
	starts := []time.Time{
		time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC),
		time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC), time.Date(now.Year(), 1, 1, 0, 0, 0, 0, time.UTC),
	}
	used, seen := make([]decimal.Decimal, len(starts)), 0
	for t, err := range v.sdk().Transactions(v.Context(), user, nil) {
		if err != nil {
			return nil, err
		}
		if seen++; seen > countedOfUser || t.CreatedAt.Before(starts[2]) {
			break
		}
		if !there[t.To.ID] || t.Status == api.TransactionStatusCanceled || t.Status == api.TransactionStatusFailed || t.Status == api.TransactionStatusReturned {
			continue
		}
		found.Currency = t.FromCurrency
		for i, start := range starts {
			if !t.CreatedAt.Before(start) {
				if used[i], err = used[i].Add(t.FromAmount.Decimal()); err != nil {
					return nil, fmt.Errorf("add up payouts: %w", err)
				}
			}
		}
	}
	left := answer.RemainingLimit
	for i, p := range []period{{Name: "Today", Remaining: left.DailyLimit.String()}, {Name: "This month", Remaining: left.MonthlyLimit.String()}, {Name: "This year", Remaining: left.AnnualLimit.String()}} {
		p.Used = used[i].String()
		p.Percent = percent(used[i], []api.Amount{left.DailyLimit, left.MonthlyLimit, left.AnnualLimit}[i].Decimal())
		found.Periods = append(found.Periods, p)
	}
	return found, nil
}

// percent returns how much of used and remaining together is used, 0 to 100.
func percent(used, remaining decimal.Decimal) int {
	whole, err := used.Add(remaining)
	if err != nil || whole.IsZero() {
		return 0
	}
	share, err := used.Quo(whole)
	if err != nil {
		return 0
	}
	hundredths, err := share.Mul(decimal.Hundred)
	if err != nil {
		return 0
	}
	n, _, _ := hundredths.Ceil(0).Int64(0)
	return int(n)
}

// setVerification sets the status of a user, or of tags: one by its name, or all that are requested.
func setVerification(v *visit) error {
	id, err := uuid.Parse(v.PathValue("user"))
	if err != nil {
		return errNoPage
	}
	request := api.VerificationRequest{}
	if text := v.optional("status"); text != nil {
		request.KycStatus = new(api.KycStatus(*text))
	}
	if name := v.input("tag"); name != "" {
		request.CipInfo = map[string]api.CipStatus{name: api.CipStatus(v.input("tag_status"))}
	}
	if v.input("requested") != "" {
		info, err := v.sdk().GetCipInfo(v.Context(), id)
		if err != nil {
			return err
		}
		request.CipInfo = map[string]api.CipStatus{}
		for name, status := range info.CipInfo {
			if status == api.CipStatusRequested {
				request.CipInfo[name] = api.CipStatusVerified
			}
		}
	}
	if _, err := v.sdk().SetVerification(v.Context(), id, request); err != nil {
		return err
	}
	return redirect(v.base() + "/users/" + id.String() + "?done=verified")
}

func setFundingAccount(v *visit) error {
	id, account, err := v.ids("user", "account")
	if err != nil {
		return err
	}
	if _, err := v.sdk().SetFundingAccountStatus(v.Context(), id, account, api.FundingAccountStatus(v.input("status"))); err != nil {
		return err
	}
	return redirect(v.base() + "/users/" + id.String() + "?done=account")
}
