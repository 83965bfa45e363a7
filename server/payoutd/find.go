package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// mostFound is how many results of one kind are printed for a client.
const mostFound = 20

// find is `payoutd find`.
type find struct {
	database
	listing
	Text   string `arg:"" help:"An id of anything but payers, banks and states, an idempotency key, a request id, a client_reference, an email address of a user or a receive user, or a name of a user."`
	Client string `help:"Search the rows of one client; those of all, and payout files, if left out."`
	Names  int    `help:"How many users of each client are searched for a name, or an email address in other case, the newest first: there is no index. 0: none." default:"10000"`
}

// foundJSON is something that was found, and the command that shows it. Payout is set for a transaction.
type foundJSON struct {
	Client  string      `json:"client"`
	What    string      `json:"what"`
	ID      string      `json:"id"`
	Command string      `json:"command"`
	Payout  *payoutJSON `json:"payout,omitempty"`
}

// hit is a row that was found, and by which of its members; none if by its id.
type hit struct {
	store.Found
	by []string
}

func (h hit) what() string {
	if len(h.by) == 0 {
		return string(h.Kind)
	}
	return string(h.Kind) + ", by its " + strings.Join(h.by, " and ")
}

// hits are what was found, each row once.
type hits []hit

// add adds rows that were found by a member; "" is their id.
func (all *hits) add(by string, found ...store.Found) {
	for _, v := range found {
		i := slices.IndexFunc(*all, func(h hit) bool { return h.Found == v })
		if i < 0 {
			i = len(*all)
			*all = append(*all, hit{Found: v})
		}
		if h := &(*all)[i]; by != "" && !slices.Contains(h.by, by) {
			h.by = append(h.by, by)
		}
	}
}

// The members by which rows are found.
const (
	byKey       = "idempotency key"
	byRequest   = "request id"
	byReference = "client_reference"
	byEmail     = "email address"
	byName      = "name"
)

// Run searches by everything that the text may be.
func (f find) Run(ctx context.Context, std streams) error {
	if f.Text == "" {
		return usageError{"<text>", errors.New("must not be empty")}
	}
	if f.Names < 0 {
		return usageError{"names", errors.New("must not be negative")}
	}
	return f.with(ctx, func(db *store.Store) error {
		clients, err := f.clients(ctx, db)
		if err != nil {
			return err
		}
		all, err := f.search(ctx, std, db, clients)
		if err != nil {
			return inWords(err)
		}
		if len(all) == 0 {
			return f.nothing(len(clients))
		}
		payouts, err := f.payouts(ctx, std, db, all)
		if err != nil {
			return inWords(err)
		}
		return f.tell(ctx, std, db, all, payouts)
	})
}

// clients returns whose rows are searched.
func (f find) clients(ctx context.Context, db *store.Store) ([]payout.ClientID, error) {
	if f.Client == "" {
		return db.ClientIDs(ctx)
	}
	row, err := clientNamed(ctx, db, f.Client)
	return []payout.ClientID{row.ID}, err
}

// nothing says what was searched.
func (f find) nothing(clients int) error {
	of := fmt.Sprintf("all %d clients", clients)
	if f.Client != "" {
		of = "client " + f.Client
	}
	return errors.New("nothing was found. Of " + of + ", these were searched: all ids, idempotency keys, client_references, email addresses and " +
		"names, and the ids of requests that created a user or a payout. Those of other requests are in the log of the service alone")
}

func (f find) search(ctx context.Context, std streams, db *store.Store, clients []payout.ClientID) (all hits, err error) {
	text := f.Text
	if id, err := uuid.Parse(f.Text); err == nil {
		text = id.String()
		found, err := db.Find(ctx, payout.ClientID(f.Client), text)
		if err != nil {
			return nil, err
		}
		all.add("", found...)
	}
	created, err := db.FindRequest(ctx, payout.ClientID(f.Client), text)
	if err != nil {
		return nil, err
	}
	all.add(byRequest, created...)
	found, err := db.FindKey(ctx, payout.ClientID(f.Client), f.Text)
	if err != nil {
		return nil, err
	}
	all.add(byKey, found...)
	for _, id := range clients {
		if string(id) == f.Text {
			all.add("", store.Found{ClientID: id, Kind: kindClient, ID: f.Text, Shown: f.Text})
		}
		if err := f.searchClient(ctx, std, db, id, &all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// kindClient is a client, which is no row of a client.
const kindClient store.Kind = "client"

// searchClient searches one client by what its indexes have, and for a name.
func (f find) searchClient(ctx context.Context, std streams, db *store.Store, id payout.ClientID, all *hits) error {
	page := payout.Page{Limit: mostFound}
	type search struct {
		by     string
		filter payout.UserFilter
	}
	emails := []string{f.Text}
	if lower := strings.ToLower(f.Text); lower != f.Text {
		emails = append(emails, lower)
	}
	searches := []search{{byReference, payout.UserFilter{ClientReference: f.Text}}}
	for _, email := range emails {
		searches = append(searches, search{byEmail, payout.UserFilter{Email: email}})
	}
	for _, s := range searches {
		users, next, err := db.Users(ctx, id, s.filter, page)
		if err != nil {
			return err
		}
		for _, u := range users {
			all.add(s.by, userFound(id, u))
		}
		f.more(std, id, s.by, next != payout.Position{})
	}
	for _, email := range emails {
		receivers, err := db.FindReceivers(ctx, id, email, mostFound+1)
		if err != nil {
			return err
		}
		all.add(byEmail, receivers[:min(len(receivers), mostFound)]...)
		f.more(std, id, byEmail, len(receivers) > mostFound)
	}
	transactions, next, err := db.ClientTransactions(ctx, id, payout.TransactionFilter{ClientReference: f.Text}, page)
	if err != nil {
		return err
	}
	for _, t := range transactions {
		all.add(byReference, transactionFound(id, t))
	}
	f.more(std, id, byReference, next != payout.Position{})
	return f.searchNewest(ctx, std, db, id, all)
}

func userFound(id payout.ClientID, u payout.User) store.Found {
	return store.Found{ClientID: id, Kind: store.KindUser, ID: string(u.ID), Shown: string(u.ID)}
}

func transactionFound(id payout.ClientID, t payout.Transaction) store.Found {
	return store.Found{ClientID: id, Kind: store.KindTransaction, ID: string(t.ID), Shown: string(t.ID)}
}

// matches returns what the text is of a user, in any case; "" if nothing, or what an index has found.
func (f find) matches(p payout.UserProfile) string {
	if strings.EqualFold(f.Text, p.Email) && p.Email != f.Text && p.Email != strings.ToLower(f.Text) {
		return byEmail
	}
	names := []string{p.FirstName, p.LastName, p.FirstName + " " + p.LastName, p.Name()}
	if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(f.Text, name) }) {
		return byName
	}
	return ""
}

// searchNewest compares the names and email addresses of the newest users.
func (f find) searchNewest(ctx context.Context, std streams, db *store.Store, id payout.ClientID, all *hits) error {
	page, found := payout.Page{Limit: 1000}, 0
	for read := 0; read < f.Names; {
		page.Limit = min(page.Limit, f.Names-read)
		users, next, err := db.Users(ctx, id, payout.UserFilter{}, page)
		if err != nil {
			return err
		}
		for _, u := range users {
			by := f.matches(u.Profile)
			if by == "" {
				continue
			}
			if found++; found > mostFound {
				f.more(std, id, by, true)
				return nil
			}
			all.add(by, userFound(id, u))
		}
		read += len(users)
		if next == (payout.Position{}) {
			return nil
		}
		page.After = next
	}
	if f.Names > 0 {
		fmt.Fprintf(std.errs, "Names: only the newest %d users of %s were searched; --names searches more.\n", f.Names, id)
	}
	return nil
}

// more says that not all results are printed.
func (f find) more(std streams, id payout.ClientID, by string, more bool) {
	if more {
		fmt.Fprintf(std.errs, "There are more of %s, by this %s.\n", id, by)
	}
}

// command returns the command that shows what was found, or what it belongs to.
func command(f store.Found) string {
	of := func(words string) string {
		return "payoutd " + words + " --client " + string(f.ClientID) + " " + f.Shown
	}
	switch f.Kind {
	case kindClient:
		return "payoutd clients show " + f.Shown
	case store.KindTransaction, store.KindPaymentDocument:
		return of("transactions show")
	case store.KindFundingAccount:
		return "payoutd funding-accounts list --client " + string(f.ClientID) + " --user " + f.Shown
	case store.KindUserDocument:
		return of("users documents list")
	case store.KindEvent:
		return "payoutd find --client " + string(f.ClientID) + " " + f.Shown
	case store.KindFile, store.KindAuditEntry:
		if f.ClientID == "" {
			return "payoutd audit list --object " + f.Shown
		}
		return "payoutd audit list --client " + string(f.ClientID) + " --object " + f.Shown
	case store.KindWebhookEndpoint, store.KindWebhookRotation:
		return of("webhooks show")
	}
	return of("users show")
}
