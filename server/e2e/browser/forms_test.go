package browser_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// forms adds the paths of the forms around a user, some of them after a mistake.
func (b *tab) forms(host, path string, pages map[string]string) {
	b.t.Helper()
	base := "/console/sandbox"
	pages["new-user"], pages["new-business"] = base+"/users/new?fill=all", base+"/users/new?kind=business"
	pages["new-endpoint"], pages["new-account"] = base+"/webhooks/new", path+"/funding-accounts/new"
	pages["new-payee"], pages["information"], pages["documents"] = path+"/payees/new?fill=all", path+"/information", path+"/documents"
	b.visit(host + path)
	b.follows(`//section[@aria-labelledby="payees"]//a[starts-with(., "Add an account")]`)
	pages["new-bank"] = eval[string](b, `location.pathname`)
	pages["new-wallet"] = pages["new-bank"] + "?method=WALLET"
}

// fillIn types into inputs, by their ids.
func (b *tab) fillIn(values ...string) {
	b.t.Helper()
	eval[any](b, unfold)
	for i := 0; i < len(values); i += 2 {
		b.run(chromedp.SetValue("#"+values[i], values[i+1], chromedp.ByQuery))
	}
}

// pick chooses from a list that changes the rest of the form, by the text of an option.
func (b *tab) pick(id, text string) {
	b.t.Helper()
	value := eval[string](b, fmt.Sprintf(`Array.from(document.getElementById(%q).options, o => o).find(o => o.text.includes(%q)).value`, id, text))
	if value == eval[string](b, fmt.Sprintf(`document.getElementById(%q).value`, id)) {
		return
	}
	b.leads(chromedp.Evaluate(fmt.Sprintf(`(() => {
		const list = document.getElementById(%q);
		list.value = %q;
		list.dispatchEvent(new Event("change"));
	})()`, id, value), nil))
}

// A newcomer registers a sender, adds everything that a payout needs, and pays in each way, by filling in forms alone.
func TestEveryPayoutMethodInTheConsole(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for name, width := range map[string]int64{"wide": 1280, "narrow": 390} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, s.URL)
			b.look(width, "light")
			b.visit(s.URL + "/console/sandbox/users")
			b.follows(`//main//a[starts-with(., "New user")]`)
			b.fillIn("first_name", "Greta", "email", "greta@example.com")
			b.press("Register")
			b.shows("The user was registered.")
			b.press("Verify")
			b.open("Add a funding account")
			b.press("Add account")
			b.press("Set ACTIVE")
			b.open("Add a payee")
			b.fillIn("first_name", "Bina", "country", "NP", "address_line1", "3 Sample Road", "city", "Kathmandu")
			b.press("Add payee")
			b.fillIn("account_number", "0001234567")
			b.press("Add bank account")
			b.shows("The account was added.")
			b.open("Add a wallet")
			b.fillIn("wallet_number", "9800000000")
			b.press("Add wallet")
			form := eval[string](b, `location.href`)
			for method, option := range map[api.PayoutMethod]string{
				api.PayoutMethodBankDeposit: "Bank deposit", api.PayoutMethodWallet: "Wallet", api.PayoutMethodCashPickup: "Cash pickup, NPR, Sample Birch",
				api.PayoutMethodHomeDelivery: "Home delivery",
			} {
				b.visit(form)
				b.pick("to", option)
				if method == api.PayoutMethodCashPickup {
					b.run(chromedp.SetValue("#pickup_location", eval[string](b, `document.getElementById("pickup_location").options[1].value`), chromedp.ByQuery))
				}
				b.fillIn("from_amount", "10.00")
				b.press("Create payout")
				b.shows("The payout was created.")
				b.shows(strings.ToLower(strings.ReplaceAll(string(method), "_", " ")))
				b.press("Release")
				b.press("Complete")
				b.shows("It is paid out and waits for nothing.")
			}
		})
	}
}

// What a held payout needs is sent and verified by forms: members and a file.
func TestInformationInTheConsole(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s.URL)
	b.look(1280, "light")
	b.visit(s.URL + "/console")
	b.press("Make demo data")
	b.fillIn("from_amount", "1500")
	b.press("Create payout")
	b.shows("It is held")
	b.follows(`//dt[.="Sender"]/following-sibling::dd/a`)
	b.open("Send what is requested")
	b.fillIn("date_of_birth", "1990-04-12")
	b.press("Send")
	b.shows("The information was sent.")
	b.open("Send what is requested")
	b.open("Copy of a document")
	picture, err := base64.StdEncoding.DecodeString("iVBORw0KGgo=")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "card.png")
	if err := os.WriteFile(file, picture, 0o600); err != nil {
		t.Fatal(err)
	}
	b.run(chromedp.SetUploadFiles("#physical_documents-0-document_value", []string{file}, chromedp.ByQuery))
	b.press("Send document")
	b.shows("The information was sent.")
	if tags := eval[string](b, `document.querySelector(".tags").innerText.replace(/\s+/g, " ")`); !strings.Contains(tags, "ID_DOC SUBMIT") ||
		!strings.Contains(tags, "DATE_OF_BIRTH SUBMIT") {
		t.Errorf("the tags are %s", tags)
	}
}

// A secret is rotated, and an endpoint is disabled, enabled, changed and deleted, by clicking; a click on what cannot be undone is asked
// about first.
func TestEndpointInTheConsole(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.WebhooksOff, c.Now = false, nil })
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	for _, width := range []int64{1280, 390} {
		b := open(t, s.URL)
		b.look(width, "dark")
		first := b.addEndpoint(s.URL, receiver.URL)
		b.open("Open the endpoint")
		here := eval[string](b, `location.href`)
		b.run(chromedp.Click(`//summary[.="Rotate the secret"]`, chromedp.BySearch))
		b.press("Make a new secret")
		if second := eval[string](b, `document.querySelector("main .notice pre").textContent`); second == first || !strings.HasPrefix(second, "whsec_") {
			t.Errorf("the new secret is %q", second)
		}
		b.accessible()
		b.visit(here)
		b.press("Disable")
		b.shows("DISABLED")
		b.press("Enable")
		b.shows("ENABLED")
		b.open("Change")
		b.fillIn("description", "Ledger")
		b.press("Save")
		b.shows("Ledger")
		b.run(chromedp.Click(`//summary[.="Delete"]`, chromedp.BySearch))
		b.press("Delete the endpoint")
		b.shows("The endpoint was deleted.")
	}
}

// A mistake is explained beside its field, which a link leads to; what was typed stays.
func TestMistakesInForms(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for _, scheme := range []string{"light", "dark"} {
		b := open(t, s.URL)
		b.look(390, scheme)
		b.visit(s.URL + "/console/sandbox/users/new?fill=all")
		b.fillIn("date_of_birth", "1850-01-01", "first_name", "Zelda")
		b.press("Register")
		b.shows("BAD_REQUEST")
		if wrong := eval[string](b, `document.getElementById(document.getElementById("date_of_birth").getAttribute("aria-describedby")).textContent`); wrong == "" {
			t.Error("nothing is said beside the field")
		}
		if kept := b.value("first_name"); kept != "Zelda" {
			t.Errorf("the name is %q", kept)
		}
		b.run(chromedp.Click(`.notice a[href="#date_of_birth"]`, chromedp.ByQuery))
		if place := eval[string](b, `location.hash`); place != "#date_of_birth" {
			t.Errorf("the link leads to %s", place)
		}
		b.picture("console-mistake-390-" + scheme)
		b.accessible()
	}
}
