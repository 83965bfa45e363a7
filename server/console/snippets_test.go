package console_test

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// programs run the code that the form shows.
var programs = map[string]struct {
	file string
	run  []string
}{
	"curl":             {"send.sh", []string{"bash"}},
	"Go, with the SDK": {"main.go", []string{"go", "run"}},
	"Python":           {"send.py", []string{"python3"}},
	"TypeScript":       {"send.mjs", []string{"node"}}, // it has no types
}

// The code that the form shows creates the payout that the form describes, in every language and for every payout method, whatever the
// texts are.
func TestTheCodeWorks(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	form := b.demo()
	ctx, c := t.Context(), sdk(t, s, 0)
	sender := uuid.MustParse(form.Get("user"))
	payee := uuid.MustParse(strings.Split(form.Get("to"), "/")[2])
	wallet, err := c.CreateWalletAccount(ctx, sender, payee, api.WalletAccountRequest{PayerID: 1004, WalletNumber: "9800000000", Currency: "NPR"})
	if err != nil {
		t.Fatal(err)
	}
	ways := map[string]string{
		"BANK_DEPOSIT": form.Get("to"), "WALLET": "WALLET/NPR/" + payee.String() + "/" + wallet.ID.String(),
		"CASH_PICKUP": "CASH_PICKUP/NPR/" + payee.String() + "/1001", "HOME_DELIVERY": "HOME_DELIVERY/NPR/" + payee.String() + "/1006",
	}
	const note = "It's `so` ${HOME} \"cheap\" \\n ''' é 😀"
	for method, to := range ways {
		form.Set("do", "preview")
		form.Set("to", to)
		form.Set("note", note)
		form.Set("client_reference", method+" 'a'")
		form.Set("from_amount", "10.10")
		form.Set("mode", "RECEIVER_AMOUNT")
		form.Set("to_amount", "1335.73")
		form.Set("fee_amount", "0.50")
		for name := range programs {
			key := "key-" + method + "-" + name
			form.Set("key", key)
			b.send(sandbox+"/payouts/new", form)
			b.shows(http.StatusOK, "Preview")
			code := html.UnescapeString(b.first(`<summary>` + name + `</summary><pre[^>]*><code>(.*?)</code>`))
			t.Run(method+" "+name, func(t *testing.T) {
				t.Parallel()
				run(t, name, code, "INITIATED")
				check(t, s, method, key, note)
			})
		}
	}
}

func run(t *testing.T, name, code, shows string) {
	t.Helper()
	p := programs[name]
	if _, err := exec.LookPath(p.run[0]); err != nil {
		t.Skipf("*** %s IS NOT TESTED: there is no %s ***", name, p.run[0])
	}
	file := filepath.Join(t.TempDir(), p.file)
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), p.run[0], append(p.run[1:], file)...)
	output, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(output), shows) {
		t.Fatalf("%v\n%s\n%s", err, output, code)
	}
}

// check finds the payout by its key, as the console does.
func check(t *testing.T, s *servertest.Server, method, key, note string) {
	t.Helper()
	b := open(t, s)
	b.visit(sandbox + "/search?q=" + url.QueryEscape(key))
	sender, payout := b.ids()
	got, err := sdk(t, s, 0).GetTransaction(context.Background(), sender, payout)
	if err != nil {
		t.Fatal(err)
	}
	if string(got.To.PayoutMethod) != method || got.FromAmount.String() != "10.10" || got.ToAmount.String() != "1335.73" ||
		got.FeeAmount.String() != "0.50" || got.Note == nil || *got.Note != note || got.ClientReference == nil || *got.ClientReference != method+" 'a'" {
		t.Errorf("the payout is %+v", got)
	}
}
