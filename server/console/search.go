package console

import (
	"strings"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
)

type searchView struct {
	Query string
	Found []hit
}

// hit is a thing that was found.
type hit struct {
	What, Title, Link, Says string
}

const maxHits = 20

// search leads to the page of what a text identifies, of either client.
func search(v *visit) (*view, error) {
	shown := searchView{Query: v.input("q")}
	if shown.Query == "" {
		return &view{"search.html", "Where is my payout?", "", shown}, nil
	}
	order := []*tenant{v.tenant}
	for _, t := range v.tenants {
		if t != v.tenant {
			order = append(order, t)
		}
	}
	for _, t := range order {
		found, err := (&visit{Request: v.Request, Console: v.Console, tenant: t}).find(shown.Query)
		if err != nil {
			return nil, err
		}
		shown.Found = append(shown.Found, found...)
	}
	for _, e := range v.seen.find(func(r Request) bool { return r.RequestID == shown.Query || r.Key == shown.Query }) {
		link := e.Link()
		if link == "" {
			link = v.base() + "/requests?id=" + e.RequestID
		}
		shown.add(hit{"Request", e.Method + " " + e.Path, link, "It was answered with " + strings.TrimSpace(e.Code+" "+statusText(e.Status)) + "."})
	}
	if len(shown.Found) == 1 {
		return nil, redirect(shown.Found[0].Link)
	}
	return &view{"search.html", "Where is my payout?", "", shown}, nil
}

// add leaves out what leads to a page that another hit leads to.
func (s *searchView) add(h hit) {
	for _, other := range s.Found {
		if other.Link == h.Link {
			return
		}
	}
	if len(s.Found) < maxHits {
		s.Found = append(s.Found, h)
	}
}

// find asks the API as one client.
func (v *visit) find(text string) ([]hit, error) {
	var s, around searchView
	if id, err := uuid.Parse(text); err == nil {
		if err := v.findID(&s, &around, id); err != nil {
			return nil, err
		}
	} else if strings.Contains(text, "@") {
		page, err := v.sdk().ListUsers(v.Context(), &api.ListUsersParams{Email: &text, Limit: new(int32(maxHits))})
		if err == nil { // otherwise it is no email
			v.addUsers(&s, page.Items)
		}
	}
	if len(text) <= 64 {
		page, err := v.sdk().ListClientTransactions(v.Context(), &api.ListClientTransactionsParams{ClientReference: &text, Limit: new(int32(maxHits))})
		if err == nil { // otherwise it is no reference
			v.addPayouts(&s, page.Items)
		}
		users, err := v.sdk().ListUsers(v.Context(), &api.ListUsersParams{ClientReference: &text, Limit: new(int32(maxHits))})
		if err == nil {
			v.addUsers(&s, users.Items)
		}
	}
	if len(s.Found) == 0 { // what no filter of the API finds
		lower := strings.ToLower(text)
		found, err := v.scan(v.Context(), maxHits, func(t *api.Transaction) bool {
			return t.ID.String() == lower || t.To.ID.String() == lower || t.FromFundID.String() == lower ||
				t.To.FundID != nil && t.To.FundID.String() == lower || strings.EqualFold(plain(t.To.Email), text)
		})
		if err != nil {
			return nil, err
		}
		v.addPayouts(&s, found)
		for _, h := range around.Found {
			s.add(h)
		}
	}
	return s.Found, nil
}

// findID finds what has this id, and around it the user that it belongs to. What the API reads only below a user is found by its
// events, and by the request that created it.
func (v *visit) findID(s, around *searchView, id uuid.UUID) error {
	u, err := v.sdk().GetUser(v.Context(), id)
	switch {
	case err == nil:
		v.addUsers(s, []api.User{*u})
		return nil
	case !isMissing(err):
		return err
	}
	if e, err := v.sdk().GetWebhookEndpoint(v.Context(), id); err == nil {
		s.add(hit{"Webhook endpoint", e.URL, v.base() + "/webhooks/" + id.String(), ""})
		return nil
	}
	text := id.String()
	events, err := v.tenant.feed.since(v.Context(), v.sdk(), func(h happened) bool {
		return h.ID == text || h.Transaction == text || h.FundingAccount == text
	})
	if err != nil {
		return err
	}
	for _, h := range events {
		userID, err := uuid.Parse(h.User)
		if err != nil {
			continue
		}
		if transactionID, err := uuid.Parse(h.Transaction); err == nil {
			t, err := v.sdk().GetTransaction(v.Context(), userID, transactionID)
			if err != nil {
				return err
			}
			v.addPayouts(s, []api.Transaction{*t})
			continue
		}
		if err := v.addUser(around, userID); err != nil {
			return err
		}
	}
	for _, e := range v.seen.find(func(r Request) bool { return r.Client == v.tenant.ID && r.Created == text }) {
		if userID, err := uuid.Parse(e.IDs["user_id"]); err == nil {
			if err := v.addUser(around, userID); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *visit) addUser(s *searchView, id uuid.UUID) error {
	u, err := v.sdk().GetUser(v.Context(), id)
	if err == nil {
		v.addUsers(s, []api.User{*u})
	}
	return err
}

func (v *visit) addUsers(s *searchView, users []api.User) {
	for _, u := range users {
		s.add(hit{"User", nameOf(u.FirstName, u.LastName), v.base() + "/users/" + u.ID.String(), "The user is " + string(u.Status) + "."})
	}
}

func (v *visit) addPayouts(s *searchView, payouts []api.Transaction) {
	for _, t := range payouts {
		w := v.waitingOf(&t, nil, nil)
		s.add(hit{
			"Payout, " + string(t.Status), t.FromAmount.String() + " " + t.FromCurrency + " to " + nameOf(t.To.FirstName, t.To.LastName), v.payoutPath(&t, ""),
			w.For + " " + w.Who(),
		})
	}
}
