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
	Text   string `arg:"" help:"An id of anything but payers, banks and states, an idempotency key, a client_reference, or an email address or a name of a user."`
	Client string `help:"Search the rows of one client; those of all, and payout files, if left out."`
	Names  int    `help:"How many users of each client are searched for a name, or an email address in other case, the newest first: there is no index. 0: none." default:"10000"`
}

// foundJSON is something that was found, and the command that shows it.
type foundJSON struct {
	Client  string `json:"client"`
	What    string `json:"what"`
	ID      string `json:"id"`
	Command string `json:"command"`
}

// Run searches by everything that the text may be.
func (f find) Run(ctx context.Context, std streams) error {
	if f.Text == "" {
		return usageError{"<text>", errors.New("must not be empty")}
	}
	if f.Names < 0 {
		return usageError{"names", errors.New("must not be negative")}
	}
	return f.with(ctx, func(db *store.Store) error {
		if f.Client != "" {
			if _, err := clientNamed(ctx, db, f.Client); err != nil {
				return err
			}
		}
		all, err := f.search(ctx, std, db)
		if err != nil {
			return inWords(err)
		}
		if len(all) == 0 {
			return errors.New("nothing was found")
		}
		cells := make([][]string, len(all))
		for i, v := range all {
			cells[i] = []string{v.What, v.ID, v.Client, v.Command}
		}
		return f.print(std.out, all, []string{"WHAT", "ID", "CLIENT", "COMMAND"}, cells)
	})
}

func (f find) search(ctx context.Context, std streams, db *store.Store) ([]foundJSON, error) {
	var all []foundJSON
	add := func(as string, found ...store.Found) {
		for _, v := range found {
			all = append(all, foundJSON{string(v.ClientID), string(v.Kind) + as, v.ID, command(v)})
		}
	}
	if id, err := uuid.Parse(f.Text); err == nil {
		found, err := db.Find(ctx, payout.ClientID(f.Client), id.String())
		if err != nil {
			return nil, err
		}
		add("", found...)
	}
	found, err := db.FindKey(ctx, payout.ClientID(f.Client), f.Text)
	if err != nil {
		return nil, err
	}
	add(", by its idempotency key", found...)
	clients, err := db.ClientIDs(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range clients {
		if f.Client != "" && string(id) != f.Client {
			continue
		}
		if string(id) == f.Text {
			all = append(all, foundJSON{f.Text, "client", f.Text, "payoutd clients show " + f.Text})
		}
		if err := f.searchClient(ctx, std, db, id, add); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// searchClient searches one client by what its indexes have, and for a name.
func (f find) searchClient(
	ctx context.Context, std streams, db *store.Store, id payout.ClientID, add func(as string, found ...store.Found),
) error {
	page := payout.Page{Limit: mostFound}
	user := func(u payout.User) store.Found {
		return store.Found{ClientID: id, Kind: store.KindUser, ID: string(u.ID), Shown: string(u.ID)}
	}
	type search struct {
		as     string
		filter payout.UserFilter
	}
	all := []search{{byEmail, payout.UserFilter{Email: f.Text}}, {", by its client_reference", payout.UserFilter{ClientReference: f.Text}}}
	if lower := strings.ToLower(f.Text); lower != f.Text {
		all = append(all, search{byEmail, payout.UserFilter{Email: lower}})
	}
	for _, by := range all {
		users, next, err := db.Users(ctx, id, by.filter, page)
		if err != nil {
			return err
		}
		for _, u := range users {
			add(by.as, user(u))
		}
		f.more(std, id, by.as, next)
	}
	transactions, next, err := db.ClientTransactions(ctx, id, payout.TransactionFilter{ClientReference: f.Text}, page)
	if err != nil {
		return err
	}
	for _, t := range transactions {
		add(", by its client_reference", store.Found{ClientID: id, Kind: store.KindTransaction, ID: string(t.ID), Shown: string(t.ID)})
	}
	f.more(std, id, ", by its client_reference", next)
	return f.searchNewest(ctx, std, db, id, func(u payout.User, as string) { add(as, user(u)) })
}

const byEmail, byName = ", by its email address", ", by its name"

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
func (f find) searchNewest(
	ctx context.Context, std streams, db *store.Store, id payout.ClientID, add func(u payout.User, as string),
) error {
	page, found := payout.Page{Limit: 1000}, 0
	for read := 0; read < f.Names; {
		page.Limit = min(page.Limit, f.Names-read)
		users, next, err := db.Users(ctx, id, payout.UserFilter{}, page)
		if err != nil {
			return err
		}
		for _, u := range users {
			as := f.matches(u.Profile)
			if as == "" {
				continue
			}
			if found++; found > mostFound {
				f.more(std, id, as, payout.Position{ID: string(u.ID)})
				return nil
			}
			add(u, as)
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
func (f find) more(std streams, id payout.ClientID, as string, next payout.Position) {
	if next != (payout.Position{}) {
		fmt.Fprintf(std.errs, "There are more of %s%s.\n", id, as)
	}
}

// command returns the command that shows what was found, or what it belongs to.
func command(f store.Found) string {
	of := func(words string) string {
		return "payoutd " + words + " --client " + string(f.ClientID) + " " + f.Shown
	}
	switch f.Kind {
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
