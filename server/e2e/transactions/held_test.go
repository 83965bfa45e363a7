package transactions_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
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

// Nothing but the caller's requests and the verification is needed for a payout above the second tier: each tag that it waits
// for has a member or a document that submits it.
func TestWhatTheHighestTierNeedsCanBeSent(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sdk, err := client.New(s.URL, server.SandboxClients[0].ID, server.SandboxClients[0].Secret, client.WithHTTPClient(s.HTTP))
	if err != nil {
		t.Fatal(err)
	}
	copied := func(kind string) api.PhysicalDocumentRequest {
		return api.PhysicalDocumentRequest{DocumentType: kind, DocumentValue: "data:image/png;base64,iVBORw0KGgo="}
	}
	for name, row := range map[string]struct {
		business  bool
		members   api.UserUpdateRequest
		documents api.UserDocumentsRequest
		tags      []string
	}{
		"individual": {
			false, api.UserUpdateRequest{
				DateOfBirth: &openapi_types.Date{Time: time.Date(1990, 4, 12, 0, 0, 0, 0, time.UTC)}, AddressLine1: servertest.Ptr("1 Sample Street"), Occupation: servertest.Ptr("Nurse"),
			},
			api.UserDocumentsRequest{PhysicalDocuments: []api.PhysicalDocumentRequest{copied("STATE_ID")}},
			[]string{"ADDRESS_LINE1", "DATE_OF_BIRTH", "ID_DOC", "OCCUPATION"},
		},
		"business": {
			true, api.UserUpdateRequest{BusinessType: servertest.Ptr("LLC"), SourceOfFund: servertest.Ptr("Sale of software")},
			api.UserDocumentsRequest{
				PhysicalDocuments: []api.PhysicalDocumentRequest{copied("EIN"), copied("CERTIFICATE_OF_INCORPORATION")},
				VirtualDocuments:  []api.VirtualDocumentRequest{{DocumentType: "EIN_NUMBER", DocumentValue: "000000000"}},
			},
			[]string{"CERTIFICATE_OF_INCORPORATION", "COMPANY_TYPE", "EIN_DOC", "EIN_NUMBER", "SOURCE_OF_FUND"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			user, err := sdk.CreateUser(ctx, api.UserRequest{
				FirstName: "A", Email: "a@example.com", Country: "US", Type: servertest.Ptr(api.UserTypeSend), Business: &row.business,
			})
			if err != nil {
				t.Fatal(err)
			}
			servertest.Verify(t, s.Client, user.ID, api.KycStatusVerified)
			sender := servertest.Sender{ID: user.ID, Fund: servertest.NewFundingAccount(t, s.Client, user.ID, api.FundingAccountStatusActive)}
			receiver := servertest.NewReceiveUser(t, s.Client, user.ID, "NP")
			held, err := sdk.CreateTransaction(ctx, user.ID, servertest.PickupAt(t, sender, receiver, servertest.CashPayer, "6000", "1", "NPR"))
			if err != nil || !slices.Equal(held.RequiredInformation, row.tags) {
				t.Fatalf("%+v, %v, want a transaction that requires %q", held, err, row.tags)
			}
			release := func() (*api.Transaction, error) {
				return sdk.SetTransactionStatus(ctx, user.ID, held.ID, api.TransactionMoveRequest{Status: api.TransactionStatusProcessing})
			}
			if _, err := sdk.UpdateUser(ctx, user.ID, row.members); err != nil {
				t.Fatal(err)
			}
			if _, err := sdk.CreateDocuments(ctx, user.ID, row.documents); err != nil {
				t.Fatal(err)
			}
			info, err := sdk.GetCipInfo(ctx, user.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, tag := range row.tags {
				if info.CipInfo[tag] != api.CipStatusSubmit {
					t.Errorf("%s was sent and is %q", tag, info.CipInfo[tag])
				}
			}
			var refused *client.Error
			if _, err := release(); !errors.As(err, &refused) || refused.Code != client.InformationRequired {
				t.Errorf("released before the verification: %v", err)
			}
			servertest.VerifyTags(t, s.Client, user.ID, row.tags...)
			if v, err := release(); err != nil || v.Status != api.TransactionStatusProcessing || len(v.RequiredInformation) > 0 {
				t.Errorf("not released: %+v, %v", v, err)
			}
			servertest.WantLimit(t, s.Client, user.ID, "NP", "3: 14000.00 54000.00 244000.00")
		})
	}
}
