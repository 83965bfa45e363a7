package monitoring_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Values that can be searched for.
const (
	canaryWord    = "Canary"
	canaryToken   = "CANARY"
	canaryMail    = "canary@example.com"
	canaryNumber  = "8675309867"
	canaryAddress = "203.0.113.231"
	canaryDate    = "1971-07-23"
)

var canaryContent = base64.StdEncoding.EncodeToString([]byte("Canary document content"))

// canaryUser is a registration full of canaries.
func canaryUser() servertest.Members {
	word := `"` + canaryWord + `"`
	return servertest.Members{
		"first_name": word, "last_name": word, "email": `"` + canaryMail + `"`, "gender": `"` + canaryToken + `"`,
		"date_of_birth": `"` + canaryDate + `"`, "address_line1": word, "mobile_phone": `"` + canaryNumber + `"`, "city": word,
		"zipcode": word, "state": `"CA"`, "country": `"US"`, "ip_address": `"` + canaryAddress + `"`, "type": `"SEND"`,
		"physical_documents": `[{"document_type":"STATE_ID","document_value":"data:image/png;base64,` + canaryContent + `"}]`,
		"virtual_documents":  `[{"document_type":"SSN","document_value":"` + canaryNumber + `","id_issuing_authority":` + word + `}]`,
	}
}

// payOutCanaries runs a whole payout into a bank account and into a wallet.
func payOutCanaries(t testing.TB, s *servertest.Server) {
	t.Helper()
	create := func(path, body string) (id string) {
		a := servertest.Call(t, s, http.MethodPost, path, []byte(body), "X-Idempotency-Key", canaryWord+path)
		var created struct{ ID string }
		if err := json.Unmarshal(a.Body, &created); err != nil || a.Status != http.StatusOK {
			t.Fatalf("%s answers %d %s", path, a.Status, a.Body)
		}
		return created.ID
	}
	w := servertest.World{"user_id": create("/users", canaryUser().With())}
	user := "/users/" + w["user_id"]
	create("/sandbox"+user+"/verification", `{"kyc_status":"VERIFIED"}`)
	w["funding_account_id"] = create(user+"/funding-accounts", `{"funding_source_type":"CANARY","label":"Canary"}`)
	create("/sandbox"+user+"/funding-accounts/"+w["funding_account_id"]+"/status", `{"status":"ACTIVE"}`)
	w["receive_user_id"] = create(user+"/receive-users", servertest.Members{
		"first_name": `"Canary"`, "last_name": `"Canary"`, "email": `"` + canaryMail + `"`, "mobile_phone": `"` + canaryNumber + `"`,
		"address_line1": `"Canary"`, "city": `"Canary"`, "state": `"P3"`, "zipcode": `"Canary"`, "country": `"NP"`,
	}.With())
	receiver := user + "/receive-users/" + w["receive_user_id"]
	bank := create(receiver+"/bank-accounts", `{"bank_id":2001,"account_number":"`+canaryNumber+`","currency":"NPR"}`)
	wallet := create(receiver+"/wallet-accounts", `{"payer_id":1004,"wallet_number":"`+canaryMail+`","currency":"NPR"}`)
	notes := `"note":"Canary","custom_purpose":"Canary","remittance_purpose":"Canary","purpose":"CANARY","ip_address":"` + canaryAddress +
		`","physical_documents":[{"document_type":"INVOICE","document_value":"data:application/pdf;base64,` + canaryContent + `"}],`
	create(user+"/transactions", "{"+notes+w.Transfer("BANK_DEPOSIT", bank)[1:])
	for _, path := range []string{user, user + "/cip-info", user + "/transactions", user + "/receive-users", receiver + "/bank-accounts"} {
		if a := servertest.Call(t, s, http.MethodGet, path, nil); a.Status != http.StatusOK {
			t.Fatalf("%s answers %d %s", path, a.Status, a.Body)
		}
	}
	if a := servertest.Call(t, s, http.MethodPost, user+"/transactions", []byte("{"+notes+w.Transfer("WALLET", wallet)[1:])); a.Status != http.StatusOK {
		t.Fatalf("wallet: %d %s", a.Status, a.Body)
	}
}

// refuseCanaries sends requests full of canaries that are rejected for many reasons.
func refuseCanaries(t testing.TB, s *servertest.Server) {
	t.Helper()
	user, nowhere := canaryUser(), servertest.Nowhere()
	bodies := []string{
		user.With() + canaryWord, user.With()[:200], user.With("country", `"ZZ"`), user.With("country", `"FR"`), user.With("business", "true"),
		strings.ReplaceAll(user.With(), `"`, `'`), `"` + canaryMail + `"`, `["` + canaryMail + `"]`, "{}" + canaryMail, "\xff" + user.With(),
	}
	for name := range user {
		for _, wrong := range []string{
			"null", "true", `["Canary"]`, `{"x":"Canary"}`, `"Canary\u0000"`, `"` + strings.Repeat(canaryWord, 500) + `"`, canaryNumber + canaryNumber + canaryNumber,
		} {
			bodies = append(bodies, user.With(name, wrong))
		}
		bodies = append(bodies, fmt.Sprintf(`{%q:"Canary",`, name)+user.With()[1:])
	}
	for _, name := range []string{"email", "date_of_birth", "mobile_phone", "state", "country", "ip_address", "type"} {
		bodies = append(bodies, user.With(name, `"Canary `+canaryNumber+`"`))
	}
	for _, body := range bodies {
		if a := servertest.Call(t, s, http.MethodPost, "/users", []byte(body)); a.Status < http.StatusBadRequest {
			t.Fatalf("accepted: %s", body)
		}
	}
	servertest.Call(t, s, http.MethodPost, "/users", []byte(user.With()), "Content-Type", "text/"+canaryWord)
	servertest.Call(t, s, http.MethodPost, "/users", []byte(user.With()), "X-Client-Secret", canaryWord)
	servertest.Call(t, s, http.MethodPost, "/users", []byte(user.With()), "X-Client-Id", canaryWord)
	for _, path := range []string{
		"/" + canaryWord, "/users/" + canaryMail, "/users/" + canaryWord + "/transactions", "/payers/" + canaryWord, "/payers?country=" + canaryWord,
		"/payers?country=NP&country=" + canaryWord, "/payers?payout_method=" + canaryWord, "/banks?country=" + canaryWord + "%zz",
		"/countries/" + canaryWord + "/states", "/countries/US/states/" + canaryWord, "/v2/states/" + canaryNumber, "/users/" + nowhere["user_id"] + "/" + canaryWord,
		"/users/" + nowhere["user_id"] + "/transactions?cursor=" + canaryWord, "/users/" + nowhere["user_id"] + "/transactions?limit=" + canaryNumber,
	} {
		servertest.Call(t, s, http.MethodGet, path, nil)
	}
	transfer := nowhere.Transfer("BANK_DEPOSIT", nowhere["bank"])
	for _, wrong := range []string{
		strings.Replace(transfer, "1.00", `"`+canaryNumber+`"`, 1), strings.Replace(transfer, "1.00", canaryNumber+".123456789012", 1),
		strings.Replace(transfer, "USD", canaryWord, 1), strings.Replace(transfer, "BANK_DEPOSIT", canaryToken, 1),
		strings.Replace(transfer, nowhere["bank"], canaryNumber, 1), strings.Replace(transfer, "{", `{"note":"Canary","purpose":"Canary",`, 1),
	} {
		servertest.Call(t, s, http.MethodPost, "/users/"+nowhere["user_id"]+"/transactions", []byte(wrong), "X-Idempotency-Key", canaryWord)
	}
	servertest.Call(t, s, http.MethodPost, "/users/"+nowhere["user_id"]+"/transactions", []byte(transfer), "X-Idempotency-Key", strings.Repeat(canaryWord, 100))
}
