package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Outside of sandbox mode there is no console.
func TestProductionHasNoConsole(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.Sandbox = false })
	b := open(t, s)
	for _, path := range []string{"/console", "/console/", sandbox, sandbox + "/payouts", sandbox + "/requests"} {
		if b.visit(path); b.status != http.StatusNotFound || !strings.Contains(b.page, "NOT_FOUND") {
			t.Errorf("%s answers %d %s", path, b.status, b.page)
		}
	}
	if b.visit("/"); strings.Contains(b.page, "/console") {
		t.Error("the landing page names the console")
	}
}

// A page of the console loads nothing from elsewhere, is in no frame and in no cache; what it loads never changes.
func TestHeadersOfPages(t *testing.T) {
	t.Parallel()
	b := open(t, servertest.New(t))
	b.visit(sandbox + "/payouts")
	policy := b.header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'self';") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the policy is %s", policy)
	}
	if caching := b.header.Get("Cache-Control"); caching != "no-store" {
		t.Errorf("a page is cached: %s", caching)
	}
	loaded := regexp.MustCompile(`(?:href|src)="(/(?:docs|console/assets)/[^"]+\.(?:css|js|svg))"`).FindAllStringSubmatch(b.page, -1)
	if len(loaded) < 4 {
		t.Fatalf("the page loads %q", loaded)
	}
	for _, asset := range loaded {
		if b.visit(asset[1]); b.status != http.StatusOK || !strings.Contains(b.header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s answers %d, cached %s", asset[1], b.status, b.header.Get("Cache-Control"))
		}
	}
}

// A form of another site changes nothing, nor does one without the token of the page.
func TestFormsOfOtherSites(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	b.visit(sandbox + "/payouts")
	token := b.token()
	for name, c := range map[string]struct {
		token   string
		headers []string
	}{
		"no token":                     {"", nil},
		"another token":                {strings.Repeat("A", len(token)), nil},
		"from another site":            {token, []string{"Sec-Fetch-Site", "cross-site"}},
		"from another host":            {token, []string{"Sec-Fetch-Site", "same-site"}},
		"from another site, old style": {token, []string{"Origin", "https://attacker.example"}},
	} {
		if b.send(sandbox+"/demo", url.Values{"token": {c.token}}, c.headers...); b.status != http.StatusForbidden {
			t.Errorf("%s: answers %d", name, b.status)
		}
	}
	page, err := sdk(t, s, 0).ListUsers(t.Context(), nil)
	if err != nil || len(page.Items) != 0 {
		t.Errorf("there are %d users, %v", len(page.Items), err)
	}
	if b.send(sandbox+"/demo", url.Values{"token": {token}}, "Sec-Fetch-Site", "same-origin"); b.status != http.StatusOK {
		t.Errorf("the form of the page answers %d", b.status)
	}
}

// What is not there is a page that says so.
func TestMissingPages(t *testing.T) {
	t.Parallel()
	b := open(t, servertest.New(t))
	for _, path := range []string{"/console/nobody/payouts", sandbox + "/nothing", sandbox + "/users/x", sandbox + "/payouts/x/y"} {
		b.visit(path)
		b.shows(http.StatusNotFound, "There is no such page.")
	}
	b.visit(sandbox + "/users/0198c0de-0000-7000-8000-000000000000")
	b.shows(http.StatusNotFound, "NOT_FOUND")
}

// A payout goes its way by the buttons of its page, and each client sees its own alone.
func TestAPayoutByForms(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	form := b.demo()
	b.create(form)
	b.shows(http.StatusOK, "100.00 USD → 13225.00 NPR", "waits for the operator to release it", "The client can cancel it. The operator can release it, or cancel it.", form.Get("key"))
	here := b.path
	for _, move := range []struct{ form, says string }{
		{"status=PROCESSING", "It is on its way."}, {"status=COMPLETED", "It is paid out and waits for nothing."},
		{"status=RETURNED&reason=PAYOUT_RETURNED", "The funds came back"},
	} {
		fields, err := url.ParseQuery(move.form)
		if err != nil {
			t.Fatal(err)
		}
		b.send(here+"/status", fields)
		b.shows(http.StatusOK, "The payout was moved.", move.says)
	}
	b.shows(http.StatusOK, "Nobody can move it any more.", "PAYOUT_RETURNED", "Created as INITIATED", "Delivery is DELIVERED")
	sender, payout := b.ids()
	if got := read(t, s, sender, payout); got.Status != api.TransactionStatusReturned {
		t.Errorf("the payout is %s", got.Status)
	}
	b.visit(strings.Replace(here, "/sandbox/", "/sandbox-2/", 1))
	b.shows(http.StatusNotFound, "NOT_FOUND")
	b.visit("/console/sandbox-2/payouts")
	b.shows(http.StatusOK, "No payouts yet")
	for _, path := range []string{"/payouts", "/payouts/all", "/users"} {
		b.visit(sandbox + path)
		b.shows(http.StatusOK, "Example")
		if strings.Contains(b.text(), "0x") {
			t.Errorf("%s shows an address in memory: %s", path, b.text())
		}
	}
}

// A payout above the limit says what it waits for, and a button brings it there.
func TestAHeldPayout(t *testing.T) {
	t.Parallel()
	b := open(t, servertest.New(t))
	b.create(b.demo(), "from_amount", "1500.00")
	b.shows(http.StatusOK, "It is held", "these must be VERIFIED: ADDRESS_LINE1, DATE_OF_BIRTH, ID_DOC.",
		"The client can send information for DATE_OF_BIRTH, ID_DOC, or cancel it. The operator can verify ADDRESS_LINE1, or cancel it.")
	here := b.path
	b.send(here+"/status", url.Values{"status": {"PROCESSING"}})
	b.shows(http.StatusUnprocessableEntity, "INFORMATION_REQUIRED", "It is held")
	b.send(here+"/verify", nil)
	b.shows(http.StatusOK, "The verification was set.", "waits for the operator to release it")
	b.send(here+"/status", url.Values{"status": {"PROCESSING"}})
	b.shows(http.StatusOK, "It is on its way.")
}

// Canceling asks for no reason; with one, it is the operator's.
func TestCanceling(t *testing.T) {
	t.Parallel()
	b := open(t, servertest.New(t))
	form := b.demo()
	for i, reason := range []string{"", "COMPLIANCE_REJECTED"} {
		b.create(form, "key", fmt.Sprintf("key-%d", i))
		b.send(b.path+"/status", url.Values{"status": {"CANCELED"}, "reason": {reason}})
		b.shows(http.StatusOK, "It was canceled before it was released.", reason)
	}
}

// A refusal of the API is shown with its code and details, beside the form with what was typed.
func TestErrorsKeepTheInput(t *testing.T) {
	t.Parallel()
	b := open(t, servertest.New(t))
	form := b.demo()
	for _, c := range []struct {
		field, value string
		status       int
		shown        []string
	}{
		{"from_amount", "1.005", http.StatusBadRequest, []string{"BAD_REQUEST", "/from_amount", "decimals"}},
		{"from_amount", "1e3", http.StatusBadRequest, []string{"amount sent must be a number such as 100.00", "nothing was sent"}},
		{"from_currency", "GBP", http.StatusUnprocessableEntity, []string{"CURRENCY_NOT_SUPPORTED"}},
		{"from_amount", "99999999", http.StatusUnprocessableEntity, []string{"LIMIT_EXCEEDED"}},
	} {
		for _, do := range []string{"create", "preview"} {
			tried := url.Values{}
			for name, values := range form {
				tried[name] = values
			}
			tried.Set("do", do)
			tried.Set("note", `School "fees" <2026>`)
			tried.Set(c.field, c.value)
			b.send(sandbox+"/payouts/new", tried)
			b.shows(c.status, c.shown...)
			if got := b.first(`name="` + c.field + `"[^>]*value="([^"]*)"`); got != c.value {
				t.Errorf("%s is %q after the error", c.field, got)
			}
			if got := b.first(`name="note" value="([^"]*)"`); got != `School "fees" <2026>` {
				t.Errorf("the note is %q after the error", got)
			}
		}
	}
}

// A preview creates nothing.
func TestPreview(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	form := b.demo()
	form.Set("do", "preview")
	b.send(sandbox+"/payouts/new", form)
	b.shows(http.StatusOK, "13225.00 NPR", "It was not created yet", "900.00 today", "curl -sS")
	page, err := sdk(t, s, 0).ListClientTransactions(t.Context(), nil)
	if err != nil || len(page.Items) != 0 {
		t.Errorf("there are %d payouts, %v", len(page.Items), err)
	}
}

// Amounts are shown with the digits that the API sends.
func TestAmountsAreExact(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	form := b.demo()
	c, ctx := sdk(t, s, 0), t.Context()
	sender := uuid.MustParse(form.Get("user"))
	for _, to := range []struct {
		country, currency, rate, shown string
	}{{"JP", "JPY", "150.25", "15025 JPY"}, {"KW", "KWD", "0.30812345678901", "30.812 KWD"}} {
		payee, err := c.CreateReceiveUser(ctx, sender, api.ReceiveUserRequest{FirstName: "Chika", Country: to.country})
		if err != nil {
			t.Fatal(err)
		}
		banks, err := c.ListBanks(ctx, &api.ListBanksParams{Country: &to.country})
		if err != nil {
			t.Fatal(err)
		}
		account, err := c.CreateBankAccount(ctx, sender, payee.ID, api.BankAccountRequest{BankID: banks[0].ID, AccountNumber: "12345678", Currency: to.currency})
		if err != nil {
			t.Fatal(err)
		}
		b.create(form, "to", "BANK_DEPOSIT/"+to.currency+"/"+payee.ID.String()+"/"+account.ID.String(), "rate", to.rate, "key", "to-"+to.currency)
		b.shows(http.StatusOK, to.shown, to.rate)
		b.visit(sandbox + "/payouts")
		b.shows(http.StatusOK, to.shown)
	}
}

// What is left and what is used are the limit of the tier.
func TestLimits(t *testing.T) {
	t.Parallel()
	b := open(t, servertest.New(t))
	form := b.demo()
	b.create(form, "from_amount", "250.50", "key", "one")
	b.create(form, "from_amount", "100", "key", "two")
	b.create(form, "from_amount", "300", "key", "three")
	b.send(b.path+"/status", url.Values{"status": {"CANCELED"}})
	b.visit(sandbox + "/users/" + form.Get("user"))
	b.shows(http.StatusOK, "Limits to NP tier 1", "Today 649.50 USD left 350.50 USD used", "This year 9649.50 USD left 350.50 USD used")
	b.visit(sandbox + "/users/" + form.Get("user") + "?to=IN")
	b.shows(http.StatusOK, "Limits to IN tier 1", "Today 1000.00 left 0 used")
}

// The forms of a user do what the operator does.
func TestVerificationAndAccounts(t *testing.T) {
	t.Parallel()
	b := open(t, servertest.New(t))
	form := b.demo()
	here := sandbox + "/users/" + form.Get("user")
	b.send(here+"/verification", url.Values{"status": {"SUSPENDED"}, "token": form["token"]})
	b.shows(http.StatusOK, "The verification was set.", "SUSPENDED")
	b.send(here+"/verification", url.Values{"tag": {"ID_DOC"}, "tag_status": {"REQUESTED"}})
	b.shows(http.StatusOK, "ID_DOC REQUESTED")
	b.send(here+"/verification", url.Values{"requested": {"all"}})
	b.shows(http.StatusOK, "ID_DOC VERIFIED")
	b.send(here+"/verification", url.Values{"tag": {"NO_TAG"}, "tag_status": {"VERIFIED"}})
	b.shows(http.StatusBadRequest, "BAD_REQUEST", "NO_TAG")
	if kept := b.first(`name="tag" [^>]*value="([^"]*)"`); kept != "NO_TAG" {
		t.Errorf("the tag is %q after the error", kept)
	}
	b.send(here+"/funding-accounts/"+form.Get("account")+"/status", url.Values{"status": {"INACTIVE"}})
	b.shows(http.StatusOK, "INACTIVE")
	form.Del("token")
	b.visit(sandbox + "/payouts/new")
	b.send(sandbox+"/payouts/new", form)
	b.shows(http.StatusUnprocessableEntity, "KYC_NOT_ELIGIBLE")
}

// The lists can be filtered, and have pages.
func TestLists(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	form := b.demo()
	for i := range 26 {
		b.create(form, "from_amount", "1.00", "key", fmt.Sprintf("key-%d", i), "reference", fmt.Sprintf("order-%d", i))
	}
	b.visit(sandbox + "/payouts/all")
	b.shows(http.StatusOK, "order-25", "Older payouts")
	if strings.Contains(b.text(), "order-0 ") {
		t.Error("the first page has all payouts")
	}
	b.visit(b.path + b.first(`href="(\?cursor=[^"]+)"`))
	b.shows(http.StatusOK, "order-0 ")
	b.visit(sandbox + "/payouts/all?reference=order-7")
	b.shows(http.StatusOK, "order-7")
	if strings.Contains(b.text(), "order-8") {
		t.Error("the filter finds others")
	}
	b.visit(sandbox + "/payouts")
	b.shows(http.StatusOK, "8+", "Show all")
	b.visit(sandbox + "/users?email=asha@example.com&status=VERIFIED")
	b.shows(http.StatusOK, "Asha Example")
	b.visit(sandbox + "/users?email=nobody@example.com")
	b.shows(http.StatusOK, "No user meets the filter.")
	b.visit(sandbox + "/users?status=NONSENSE")
	b.shows(http.StatusBadRequest, "BAD_REQUEST")
}

// Another payee or sender changes the currencies and the rate; the rest of the form stays.
func TestChoosing(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	form := b.demo()
	c, ctx := sdk(t, s, 0), t.Context()
	other, err := c.CreateUser(ctx, api.UserRequest{FirstName: "Greg", Email: "greg@example.com", Country: "GB", Type: new(api.UserTypeSend)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateReceiveUser(ctx, other.ID, api.ReceiveUserRequest{FirstName: "Isha", Country: "IN"}); err != nil {
		t.Fatal(err)
	}
	form.Set("do", "choose")
	form.Set("user", other.ID.String())
	form.Set("from_amount", "77.00")
	form.Set("currency", "NPR")
	b.send(sandbox+"/payouts/new", form)
	b.shows(http.StatusOK, "Isha: cash pickup, INR", "The sender has none.")
	for field, want := range map[string]string{"from_amount": "77.00", "from_currency": "GBP", "rate": "83.10", "currency": "INR"} {
		if got := b.first(`name="` + field + `"[^>]*value="([^"]*)"`); got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
}

// A full page is below 50 kB.
func TestPagesAreSmall(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	form := b.demo()
	c, ctx := sdk(t, s, 0), t.Context()
	payee, err := c.CreateReceiveUser(ctx, uuid.MustParse(form.Get("user")), api.ReceiveUserRequest{
		FirstName: strings.Repeat("Bina", 10), LastName: new(strings.Repeat("Example", 5)), Country: "NP",
	})
	if err != nil {
		t.Fatal(err)
	}
	to := "CASH_PICKUP/NPR/" + payee.ID.String() + "/1001"
	ways := []string{"", "PROCESSING", "PROCESSING COMPLETED", "PROCESSING FAILED", "CANCELED", "PROCESSING COMPLETED RETURNED"}
	for i := range 9 * len(ways) {
		b.create(form, "to", to, "from_amount", "1.00", "key", fmt.Sprintf("key-%d", i), "reference", fmt.Sprintf("%064d", i))
		for move := range strings.FieldsSeq(ways[i%len(ways)]) {
			fields := url.Values{"status": {move}}
			if move == "FAILED" || move == "RETURNED" {
				fields.Set("reason", "ACCOUNT_CANNOT_RECEIVE")
			}
			b.send(b.path+"/status", fields)
			b.shows(http.StatusOK, "The payout was moved.")
		}
		if i%4 == 0 {
			call(t, s, http.MethodPost, "/users", `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"first_name":1}`)
		}
	}
	for _, path := range []string{"/payouts", "/payouts/all", "/payouts/new", "/users", "/users/" + form.Get("user"), "/webhooks", "/requests", "/search?q=" + payee.ID.String()} {
		b.visit(sandbox + path)
		if b.status != http.StatusOK || len(b.page) > 50_000 {
			t.Errorf("%s answers %d with %d bytes", path, b.status, len(b.page))
		}
	}
}

// Cash is made ready for pickup before it is collected; no other payout can be.
func TestCashWaitsAtTheCounter(t *testing.T) {
	t.Parallel()
	b := open(t, servertest.New(t))
	form := b.demo()
	const ready = "Make ready for pickup"
	for to, cash := range map[string]bool{form.Get("to"): false, "CASH_PICKUP/NPR/" + strings.Split(form.Get("to"), "/")[2] + "/1001": true} {
		b.create(form, "to", to, "key", fmt.Sprintf("cash-%t", cash))
		b.send(b.path+"/status", url.Values{"status": {"PROCESSING"}})
		if strings.Contains(b.text(), ready) != cash {
			t.Errorf("%s: %s", to, b.text())
		}
		if cash {
			b.send(b.path+"/status", url.Values{"status": {"PROCESSING"}, "delivery": {"READY_FOR_PICKUP"}})
			b.shows(http.StatusOK, "The cash waits at the counter.")
			if strings.Contains(b.text(), ready) {
				t.Error("it can be made ready twice")
			}
		}
	}
}
