package transactions_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// A payout above the tier is held until all that it needs was sent and verified, and is then released (D-66, D-72).
func TestAHeldPayoutIsReleasedOnceItsInformationIsVerified(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewCashSender(t, s, "US")
	held := servertest.Created(t, servertest.SendToNepal(t, w, "1500"))
	user := "/users/" + w.Sender.ID.String()
	payment := user + "/transactions/" + held.ID.String()
	required := func() []string {
		t.Helper()
		return slices.Sorted(slices.Values(servertest.Parse[struct {
			Required []string `json:"required_information"`
		}](t, servertest.Get(t, s, payment)).Required))
	}
	release := func() servertest.Answer {
		t.Helper()
		return servertest.Call(t, s, "POST", "/sandbox"+payment+"/status", []byte(`{"status":"PROCESSING"}`))
	}
	verify := func(tags string) {
		t.Helper()
		servertest.OKBody(t, servertest.Call(t, s, "POST", "/sandbox"+user+"/verification", []byte(`{"cip_info":{`+tags+`}}`)))
	}
	wantRequired := func(want ...string) {
		t.Helper()
		if got := required(); !slices.Equal(got, want) {
			t.Errorf("required are %q, want %q", got, want)
		}
	}
	wantRequired("ADDRESS_LINE1", "DATE_OF_BIRTH", "ID_DOC")
	release().Refusal(t, http.StatusUnprocessableEntity, "INFORMATION_REQUIRED")

	servertest.OKBody(t, servertest.Call(t, s, "PATCH", user, []byte(`{"address_line1":"1 Sample Street","date_of_birth":"1990-04-12"}`)))
	servertest.OKBody(t, servertest.Call(t, s, "POST", user+"/documents",
		[]byte(`{"physical_documents":[{"document_type":"STATE_ID","document_value":"data:image/png;base64,iVBORw0KGgo="}]}`)))
	info := servertest.Parse[api.CipInfo](t, servertest.Get(t, s, user+"/cip-info")).CipInfo
	for _, tag := range required() {
		if info[tag] != api.CipStatusSubmit {
			t.Errorf("%s was sent and is %s", tag, info[tag])
		}
	}
	release().Refusal(t, http.StatusUnprocessableEntity, "INFORMATION_REQUIRED") // sent is not verified
	verify(`"ADDRESS_LINE1":"VERIFIED","ID_DOC":"VERIFIED"`)
	wantRequired("DATE_OF_BIRTH")
	release().Refusal(t, http.StatusUnprocessableEntity, "INFORMATION_REQUIRED")
	verify(`"DATE_OF_BIRTH":"VERIFIED"`)
	wantRequired()
	released := servertest.Parse[map[string]any](t, servertest.OKBody(t, release()))
	if released["status"] != "PROCESSING" || released["delivery_status"] != "PENDING" {
		t.Errorf("released to %v, %v", released["status"], released["delivery_status"])
	}
	servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "2: 3500.00 13500.00 58500.00") // of the next tier
	servertest.WantSound(t, s.Database)
}
