package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// Whatever support is asked about is found, with the command that shows it, and that command works. A payout is told at length.
func TestFind(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.withWebhooks(t)
		paymentDocument := unknownID[:35] + "e"
		for text, want := range map[string]string{
			ashaID: "user", strings.ToUpper(ashaID): "user", fundID: "funding account", receiverID: "receive user",
			unknownID: "document of a user", "asha@example.com": "user, by its email address", "ram@example.com": "receive user, by its email address",
			"ASHA@Example.com": "user, by its email address", hookID: "webhook endpoint", rotationID: "rotation of a webhook secret",
			"rotation": "rotation of a webhook secret, by its idempotency key", "acme": "client", "request-asha": "user, by its request id",
			"customer-1": "user, by its client_reference", "sign\x1bup": "user, by its idempotency key",
			"card\t1": "funding account, by its idempotency key", "firm kk": "user, by its name", "ASHA": "user, by its name",
			"asha exa\x1bmple": "user, by its name", "asha devi exa\x1bmple": "user, by its name", paymentDocument: "document of a transaction",
		} {
			for _, args := range [][]string{{"find", text}, {"find", "--client=acme", text}} {
				out := o.done(t, args...)
				lines := strings.Split(out, "\n")
				if len(lines) < 2 || !strings.HasPrefix(lines[1], want+"  ") {
					t.Errorf("%q: %s", text, out)
					continue
				}
				_, command, _ := strings.Cut(lines[1], "payoutd ")
				o.done(t, strings.Fields(command)...)
			}
			o.refused(t, exitFailure, "nothing was found. Of client beta, these were searched: ...", "find", "--client=beta", text)
		}
		for text, by := range map[string]string{
			transferID: "", strings.ToUpper(transferID): "", "order-2": "client_reference", "order-1": "idempotency key and client_reference",
			"request-transfer": "request id", paymentDocument: "",
		} {
			out := squeezed(o.done(t, "find", text))
			if !strings.Contains(out, "PAYOUT 01990000-0000-7000-8000-00000000000") || strings.Contains(out, "FOUND BY") != (by != "") ||
				by != "" && !strings.Contains(out, "FOUND BY "+by+"\n") {
				t.Errorf("%q: %s", text, out)
			}
		}
		o.refused(t, exitFailure, "nothing was found. Of all 2 clients, these were searched: ...", "find", "nobody@example.com")
		// An address that was registered in another case is not in the index as the text is.
		o.registered(t, "Third@Example.com")
		if out := o.done(t, "find", "third@EXAMPLE.com"); !strings.Contains(out, "\nuser, by its email address  ") || strings.Count(out, "\n") != 2 {
			t.Errorf("%s", out)
		}
		if code, _, errs := o.run(t, "find", "--names=1", "Asha"); code != exitFailure || !strings.Contains(errs, "only the newest 1 users of acme") {
			t.Errorf("code %d, %s", code, errs)
		}
	})
}

// Several payouts are listed, the newest first, and at most 20 of them.
func TestSeveralPayoutsAreFound(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		var newest payout.Transaction
		for range 2 {
			newest = d.pay(t, "1")
		}
		other := created(d.CreateReceiveUser(t.Context(), d.client, payout.Idempotency{}, payout.ReceiveUser{UserID: d.user, FirstName: "Other", Email: "other@example.com", Country: "NP"}))(t)
		for text, rows := range map[string]int{
			"asha@example.com": 4, "BINA@example.com": 4, string(d.user): 4, string(d.fund): 4, string(d.account): 4, string(d.receiver): 4,
			string(d.wallet): 2, string(other.ID): 2, "other@example.com": 2,
		} {
			code, out, errs := d.run(t, "find", text)
			if code != exitOK || strings.Count(out, "\n") != rows || strings.Contains(errs, "payoutd find ID says") != (rows == 4) || strings.Contains(errs, "There are more") {
				t.Errorf("%s: code %d, %s%s", text, code, out, errs)
			}
			if lines := strings.Split(out, "\n"); rows == 4 && !strings.Contains(lines[2], string(newest.ID)) {
				t.Errorf("%s: the newest is not the first: %s", text, out)
			}
		}
		for range mostFound {
			newest = d.pay(t, "1")
		}
		for _, text := range []string{string(d.user), string(d.receiver)} {
			_, out, errs := d.run(t, "find", text)
			if strings.Count(out, "\n") != 2+mostFound || !strings.Contains(strings.Split(out, "\n")[2], string(newest.ID)) || !strings.Contains(errs, "There are more payouts: payoutd transactions list has them all.") {
				t.Errorf("%s%s", out, errs)
			}
		}
	})
}

// where is what `payoutd find` says of a payout.
type where struct {
	What   string
	ID     string
	Payout *payoutJSON
}

// find returns the one payout that a text finds.
func (d *desk) find(t *testing.T, text string) payoutJSON {
	t.Helper()
	var all []where
	if err := json.Unmarshal([]byte(d.done(t, "find", "--json", text)), &all); err != nil || len(all) != 1 || all[0].Payout == nil {
		t.Fatalf("%q finds %+v, %v", text, all, err)
	}
	return *all[0].Payout
}

// At each step of its way, one command says what a payout waits for and who can move it; what it names next is done, and moves it.
func TestWhereIsMyPayout(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		id := created(d.CreateTransaction(t.Context(), d.client, payout.Idempotency{Key: "pay-1", Fingerprint: "f"}, d.user, payout.NewTransaction{
			FromAmount: decimal.MustParse("1500"), ExchangeRate: decimal.MustParse("132.25"), FromCurrency: "USD", ToCurrency: "NPR",
			FromFundID: d.fund, RequestID: "01990000-0000-7000-8000-00000000beef", ClientReference: "order-17",
			To: payout.ReceiveSide{ReceiveUserID: d.receiver, Method: payout.BankDeposit, Mode: payout.SenderAmount, FundID: d.account},
		}))(t).ID
		user := string(d.user)
		of := func(text string) string { return strings.NewReplacer("USER", user, "PAYOUT", string(id)).Replace(text) }
		reads := func(step, waits string, client, operator []string, next ...string) {
			t.Helper()
			for _, text := range []string{string(id), "pay-1", "order-17", "01990000-0000-7000-8000-00000000BEEF"} {
				got := d.find(t, text)
				want := append(slices.Clone(next), "payoutd transactions show --client wide PAYOUT")
				for i := range want {
					want[i] = of(want[i])
				}
				if got.WaitsFor != waits || !slices.Equal(got.Client, client) || !slices.Equal(got.Operator, operator) || !slices.Equal(got.Next, want) {
					t.Errorf("%s, by %s:\n%q\n%q\n%q\n%q\nwant\n%q\n%q\n%q\n%q", step, text, got.WaitsFor, got.Client, got.Operator, got.Next, waits, client, operator, want)
				}
			}
		}
		cancel := []string{"cancel it"}
		reads("ready", "It waits for the operator to release it.", cancel, []string{"release it", "cancel it"},
			"payoutd transactions export FILE --ready --client wide", "payoutd transactions release FILE")

		d.done(t, "users", "verify", user, "--kyc-status=IN PROGRESS", "--tag=ID_DOC=REVIEWING,GENDER=REQUESTED")
		d.verifyOthers(t)
		reads("of a sender in progress", "The sender is IN PROGRESS and must be VERIFIED before it can be released.",
			[]string{"send information for GENDER", "cancel it"}, []string{"verify ID_DOC", "verify the sender", "cancel it"},
			"the client calls PATCH /users/USER or POST /users/USER/documents", "payoutd users documents list --client wide USER",
			"payoutd users verify --client wide USER --tag ID_DOC=VERIFIED --kyc-status VERIFIED")
		d.done(t, strings.Fields(of("users verify --client wide USER --tag ID_DOC=VERIFIED --kyc-status VERIFIED"))...)

		d.done(t, "clients", "apply", "-f", file(t, wide, "country: US, currency: USD", "country: GB, currency: USD"))
		reads("of a country that was disabled", "The profile of the client no longer allows the country of the sender.", cancel,
			[]string{"allow that country in the profile of the client", "cancel it"})
		d.done(t, "clients", "apply", "-f", file(t, wide, "", ""))

		export := filepath.Join(t.TempDir(), "payouts.csv")
		d.done(t, "transactions", "export", export, "--ready", "--client", "wide")
		d.done(t, "transactions", "release", export)
		reads("on its way", "It is on its way. The operator records what the bank or payer reports.", []string{},
			[]string{"record it as COMPLETED or FAILED"}, "payoutd transactions settle FILE")
		d.done(t, "transactions", "settle", d.lines(t, string(id)+",FAILED,ACCOUNT_INVALID"))
		reads("failed", "It could not be paid out. This is final; send it again as a new payout.", []string{}, []string{})

		got := d.find(t, string(id))
		if got.Status != "FAILED" || got.Reason != "ACCOUNT_INVALID" || !got.Since.After(got.CreatedAt) || got.IdempotencyKey != "pay-1" || len(got.Files) != 3 || len(got.Events) != 5 ||
			got.Events[0].Type != "transaction.created" || got.Events[0].Status != "INITIATED" || got.Events[4].Delivery != "FAILED" || !got.Events[4].Queued {
			t.Errorf("%+v", got)
		}
		out := squeezed(d.done(t, "find", string(id)))
		for _, want := range []string{
			"STATUS FAILED since 20", ", delivery FAILED, because of ACCOUNT_INVALID\n", "\nWHO Nobody can move it any more.\n",
			"\nEVENT 20", " transaction.created: INITIATED, delivery NONE", "\nRELEASE line 2 of payouts.csv", "\nREQUEST 01990000-0000-7000-8000-00000000beef\n",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing from\n%s", want, out)
			}
		}
		for _, personal := range []string{"Asha", "Devi", "Bina", "example.com", "0001234567", "000000000,", "9779800000000", "Road"} {
			if strings.Contains(out, personal) || strings.Contains(d.done(t, "find", "--json", string(id)), personal) {
				t.Errorf("%q is printed: %s", personal, out)
			}
		}
	})
}

// verifyOthers verifies the tags of the user that the story is not about.
func (d *desk) verifyOthers(t *testing.T) {
	t.Helper()
	info, err := d.CIPInfo(t.Context(), d.client, d.user)
	if err != nil {
		t.Fatal(err)
	}
	for tag, status := range info.Tags {
		if status == payout.CIPSubmit {
			d.done(t, "users", "verify", string(d.user), "--tag="+tag+"=VERIFIED")
		}
	}
}

// Webhooks of a payout that an endpoint did not take are told with the last answer; those that it took are counted.
func TestWebhooksOfAPayoutAreTold(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		id := string(d.pay(t, "1").ID)
		events, err := d.db.ResourceEvents(t.Context(), d.client.ID, id, mostEvents)
		if err != nil || len(events) != 1 {
			t.Fatalf("events %v, %v", events, err)
		}
		endpoint := func(id payout.WebhookEndpointID, disabled bool) payout.WebhookEndpoint {
			return payout.WebhookEndpoint{ID: id, URL: "https://example.com", Disabled: disabled, CreatedAt: seeded, UpdatedAt: seeded, Secrets: payout.SealedWebhookSecrets{Current: []byte("sealed")}}
		}
		if err := d.db.Write(t.Context(), func(tx payout.Tx) error {
			for _, v := range []struct {
				payout.WebhookEndpoint
				status   payout.WebhookDeliveryStatus
				attempts []payout.WebhookAttempt
			}{
				{endpoint(hookID, false), payout.WebhookPending, []payout.WebhookAttempt{{At: seeded, Error: "TIMEOUT"}, {At: seeded, HTTPStatus: 503, Error: "HTTP_STATUS"}}},
				{endpoint(goneHookID, true), payout.WebhookFailed, nil},
				{endpoint(betaHookID, false), payout.WebhookDelivered, []payout.WebhookAttempt{{At: seeded, HTTPStatus: 204}}},
			} {
				if _, err := tx.InsertWebhookEndpoint(t.Context(), d.client.ID, v.WebhookEndpoint, payout.MaxWebhookEndpoints); err != nil {
					return err
				}
				delivery := payout.WebhookDelivery{EndpointID: v.ID, EventID: events[0].ID, EventType: events[0].Type, Position: 1, Status: v.status, CreatedAt: seeded}
				if v.status == payout.WebhookPending {
					delivery.NextAttemptAt = seeded.Add(time.Hour)
				}
				if _, err := tx.InsertWebhookDelivery(t.Context(), d.client.ID, delivery); err != nil {
					return err
				}
				for _, a := range v.attempts {
					if err := tx.AddWebhookAttempt(t.Context(), d.client.ID, v.ID, events[0].ID, a); err != nil {
						return err
					}
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		out := squeezed(d.done(t, "find", id))
		for _, want := range []string{
			"\nWEBHOOK PENDING: transaction.created to " + hookID + ", attempt 2 at 2020-03-14T15:09:26Z answered 503 HTTP_STATUS, next attempt at 2020-03-14T16:09:26Z\n",
			"\nWEBHOOK FAILED: transaction.created to " + goneHookID + ", which is disabled\n", "\nWEBHOOKS 1 delivered\n",
			"\nNEXT payoutd webhooks show --client wide " + hookID + "\n",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing from\n%s", want, out)
			}
		}
		d.done(t, "webhooks", "show", "--client", "wide", hookID)
	})
}

// squeezed makes one space of the spaces between the columns.
func squeezed(out string) string { return regexp.MustCompile(` {2,}`).ReplaceAllString(out, " ") }

// registered writes a user of acme with an email address.
func (o operator) registered(t *testing.T, email string) {
	t.Helper()
	db, err := store.Connect(t.Context(), o.url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Write(t.Context(), func(tx payout.Tx) error {
		return tx.InsertUser(t.Context(), "acme", payout.User{
			ID: "01990000-0000-7000-8000-000000000005", CreatedAt: seeded.Add(2 * time.Hour), Status: payout.KYCUnverified, Country: "US",
			Profile: payout.UserProfile{FirstName: "Fifth", Email: email},
		})
	}); err != nil {
		t.Fatal(err)
	}
}

// A batch that an export prints, a file that a release prints, and an entry of the audit log are found by their ids.
func TestFindWhatOperatorsDid(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		d.pay(t, "1")
		export := filepath.Join(t.TempDir(), "payouts.csv")
		ids := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
		batch := ids.FindString(d.done(t, "transactions", "export", export))
		released := ids.FindString(d.done(t, "transactions", "release", export))
		var verified string
		for _, e := range d.auditLog(t) {
			if e.Command == "users verify" {
				verified = e.ID
			}
		}
		for id, want := range map[string][2]string{
			batch: {"payout file", "transactions export"}, released: {"payout file", "transactions release"}, verified: {"entry of the audit log", "users verify"},
		} {
			lines := strings.Split(strings.TrimSpace(d.done(t, "find", id)), "\n")
			_, command, _ := strings.Cut(lines[len(lines)-1], "payoutd ")
			if len(lines) != 2 || !strings.HasPrefix(lines[1], want[0]+"  ") {
				t.Errorf("%s: %q", want, lines)
			} else if out := d.done(t, strings.Fields(command)...); !strings.Contains(out, want[1]) {
				t.Errorf("%s: payoutd %s prints %s", want, command, out)
			}
		}
		d.done(t, "find", "--client=wide", verified)
		d.newClient(t, "second")
		for _, id := range []string{batch, verified} {
			d.refused(t, exitFailure, "nothing was found. Of client second, ...", "find", "--client=second", id)
		}
	})
}

// The id is enough: --client may be left out, and a wrong one finds nothing.
func TestTheClientOfAnID(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		o.prints(t, "users_show.txt", "users", "show", ashaID)
		o.prints(t, "transactions_show.txt", "transactions", "show", transferID)
		o.prints(t, "funding_list.txt", "funding-accounts", "list", "--user="+ashaID)
		o.prints(t, "users_documents.txt", "users", "documents", "list", ashaID)
		o.prints(t, "users_documents.json", "users", "documents", "list", "--json", ashaID)
		o.prints(t, "limits_show.txt", "limits", "show", ashaID)
		o.prints(t, "limits_show.json", "limits", "show", "--json", ashaID)
		o.prints(t, "limits_none.txt", "limits", "show", firmID)
		o.refused(t, exitFailure, "there is no such user", "users", "show", transferID)
		o.refused(t, exitFailure, "there is no such transaction", "transactions", "show", ashaID)
		o.refused(t, exitFailure, "there is no such user", "users", "documents", "list", "--client=beta", ashaID)
	})
}

// A tag for which nothing was submitted is verified by force only, and a request that names one changes nothing.
func TestVerifyWhatWasSubmitted(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		before := o.done(t, "users", "show", ashaID)
		o.refused(t, exitUsage, "--tag (or $PAYOUTD_TAG) CITY was not submitted; GENDER was not submitted", "users", "verify", ashaID,
			"--kyc-status=VERIFIED", "--tag=ID_DOC=VERIFIED,GENDER=VERIFIED,CITY=VERIFIED")
		if after := o.done(t, "users", "show", ashaID); after != before {
			t.Errorf("%s, before %s", after, before)
		}
		o.done(t, "users", "verify", ashaID, "--tag=ID_DOC=VERIFIED,GENDER=REQUESTED")
		o.refused(t, exitUsage, "--tag (or $PAYOUTD_TAG) GENDER was not submitted", "users", "verify", ashaID, "--tag=GENDER=VERIFIED")
		if out := o.done(t, "users", "verify", ashaID, "--force", "--tag=GENDER=VERIFIED"); !strings.Contains(out, "TAG GENDER  VERIFIED") {
			t.Errorf("%s", out)
		}
	})
}

// Documents are exported to files that the operator alone can read, whose names are ids, and which nothing overwrites.
func TestExportDocuments(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		const copied = "01990000-0000-7000-8000-0000000000fc"
		db, err := store.Connect(t.Context(), o.url)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.Write(t.Context(), func(tx payout.Tx) error {
			return tx.InsertUserDocuments(t.Context(), "acme", ashaID, 1, []payout.Document{
				{ID: copied, Kind: payout.PhysicalDocument, Type: "STATE_ID", MediaType: "image/png", Content: []byte("\x89PNG")},
			})
		}); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "review")
		out := o.done(t, "users", "documents", "export", ashaID, dir)
		for name, want := range map[string]string{ashaID + "_" + unknownID: "123-45-6789", ashaID + "_" + copied: "\x89PNG"} {
			path := filepath.Join(dir, name)
			content, err := os.ReadFile(path)
			if err != nil || string(content) != want || !strings.Contains(out, path) || strings.Contains(out, want) {
				t.Errorf("%s has %q, %v; printed %s", name, content, err, out)
			}
			if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the directory: %v, %v", info.Mode(), err)
		}
		// All or nothing: the second file is in the way, so the first one is not left.
		first, second := filepath.Join(dir, ashaID+"_"+unknownID), filepath.Join(dir, ashaID+"_"+copied)
		if err := os.Remove(first); err != nil {
			t.Fatal(err)
		}
		o.refused(t, exitFailure, second+" exists already, and is not overwritten", "users", "documents", "export", ashaID, dir)
		if _, err := os.Stat(first); !os.IsNotExist(err) {
			t.Errorf("a file of a failed export is left: %v", err)
		}
		// A link is not followed, not even to nowhere.
		if err := os.Symlink(filepath.Join(dir, "elsewhere"), first); err != nil {
			t.Fatal(err)
		}
		o.refused(t, exitFailure, first+" exists already, and is not overwritten", "users", "documents", "export", ashaID, dir)
	})
}
