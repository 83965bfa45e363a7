package checks

import (
	"maps"
	"slices"
	"strings"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// The tags of section 2.7.
var (
	individualTags = strings.Fields(`GENDER COUNTRY STATE LAST_NAME OCCUPATION CITY ZIP_CODE DATE_OF_BIRTH ID_DOC PHONE_NUMBER EMAIL
		ADDRESS_LINE1 MIDDLE_NAME FIRST_NAME IP_ADDRESS`)
	businessTags = strings.Fields(`NATURE_OF_BUSINESS COMPANY_TYPE EIN_NUMBER ACCOUNT_OPERATOR_INFO ZIP_CODE EMAIL
		CERTIFICATE_OF_INCORPORATION TXN_FREQUENCY NO_OF_EMPLOYEE DATE_OF_BIRTH EIN_DOC FIRST_NAME NO_OF_TXN_PER_MONTH
		MAILING_ADDRESS STATE SOURCE_OF_FUND ADDRESS_LINE1 COUNTRY PHONE_NUMBER COMPANY_WEBSITE CITY`)
	businessDocumentTags = strings.Fields("EIN_DOC EIN_NUMBER CERTIFICATE_OF_INCORPORATION ACCOUNT_OPERATOR_INFO")
)

// Statuses as the interface document lists them.
var (
	kycStatuses = []api.KycStatus{api.KycStatusInProgress, api.KycStatusSuspended, api.KycStatusVerified, api.KycStatusUnverified}
	cipStatuses = []api.CipStatus{
		api.CipStatusSubmit, api.CipStatusReviewing, api.CipStatusVerified, api.CipStatusFailed, api.CipStatusRequested,
	}
)

// verification is about what is known of a user, and about the sandbox operation that stands in for the operator.
func verification() []probe.Check {
	return slices.Concat(verificationReported(), verificationSet())
}

func verificationReported() []probe.Check {
	reading := []string{"createUser", "getCipInfo"}
	return []probe.Check{
		{
			ID: "verification.new-user", Title: "The verification information of a new user names the user and is UNVERIFIED",
			Clauses: []string{"2.7", "3-user", "4-cip-info", "4-param-user-id"}, Operations: reading,
			Fix: "Answer the id of the user in the path, and UNVERIFIED after the registration.",
			Run: func(t *probe.T) {
				u := t.NewUser()
				info := cipInfo(t, u.ID)
				t.Expect(info.UserID == u.ID && info.KycStatus == api.KycStatusUnverified,
					"answered user %s, want %s, with kyc_status %q", info.UserID, u.ID, info.KycStatus)
			},
		},
		{
			ID: "verification.individual-tags", Title: "Each field and document of an individual becomes its tag, with SUBMIT",
			Clauses: []string{"2.7-individual", "3-cip", "D-11", "D-25", "D-39"}, Operations: reading,
			Fix: "Give each submitted field the tag of D-39 with the status SUBMIT.",
			Run: func(t *probe.T) {
				submitted(t, individual(t, withDocuments), `FIRST_NAME LAST_NAME EMAIL GENDER DATE_OF_BIRTH ADDRESS_LINE1 PHONE_NUMBER CITY
					ZIP_CODE STATE COUNTRY IP_ADDRESS ID_DOC`)
			},
		},
		{
			ID: "verification.business-tags", Title: "Each field and document of a business becomes its tag, with SUBMIT",
			Clauses: []string{"2.7-business", "3-cip", "D-11", "D-25", "D-39"}, Operations: reading,
			Fix: "Give each submitted field the tag of D-39 with the status SUBMIT.",
			Run: func(t *probe.T) {
				submitted(t, business(t, func(u *api.UserRequest) {
					u.PhysicalDocuments = []api.PhysicalDocumentRequest{
						{DocumentType: "EIN", DocumentValue: documentPDF}, {DocumentType: "CERTIFICATE_OF_INCORPORATION", DocumentValue: documentPDF},
					}
					u.VirtualDocuments = []api.VirtualDocumentRequest{
						{DocumentType: "EIN_NUMBER", DocumentValue: "000000001"}, {DocumentType: "PASSPORT", DocumentValue: "000000002"},
					}
				}), `FIRST_NAME EMAIL DATE_OF_BIRTH ADDRESS_LINE1 PHONE_NUMBER CITY ZIP_CODE STATE COUNTRY COMPANY_TYPE NATURE_OF_BUSINESS
					COMPANY_WEBSITE NO_OF_EMPLOYEE MAILING_ADDRESS EIN_NUMBER EIN_DOC CERTIFICATE_OF_INCORPORATION ACCOUNT_OPERATOR_INFO`)
			},
		},
		{
			ID: "verification.document-tags", Title: "Each document becomes exactly its tag, whatever its form and type",
			Clauses: []string{"2.7-individual", "2.7-business", "D-39"}, Operations: reading,
			Fix: "Give any document of an individual but an invoice the tag ID_DOC, and STATE_ID, PASSPORT and SSN of a business ACCOUNT_OPERATOR_INFO.",
			Run: documentTags,
		},
		{
			ID: "verification.submitted-only", Title: "Nothing is reported that was not submitted",
			Clauses: []string{"2.7", "D-11"}, Operations: reading,
			Fix: "Report the tags of submitted or requested information only, not all tags of the kind.",
			Run: func(t *probe.T) {
				exactly(t, t.UserRequest(func(u *api.UserRequest) { u.LastName = nil }), "COUNTRY EMAIL FIRST_NAME")
			},
		},
		{
			ID: "verification.fields-without-tag", Title: "An invoice, and the IP address of a business, become no tag",
			Clauses: []string{"D-39"}, Operations: reading,
			Fix: "Give no tag to fields and documents for which D-39 names none.",
			Run: func(t *probe.T) {
				without(t, t.UserRequest(withScan("INVOICE")), "ID_DOC")
				from := func(u *api.UserRequest) { u.IPAddress = probe.Ptr("203.0.113.8") }
				without(t, t.UserRequest(asCompany, withScan("INVOICE"), from), append([]string{"IP_ADDRESS"}, businessDocumentTags...)...)
			},
		},
		{
			ID: "verification.documents-by-form", Title: "EIN, EIN_NUMBER and CERTIFICATE_OF_INCORPORATION of a business become a tag in one form only",
			Clauses: []string{"2.7-business", "D-39"}, Operations: reading,
			Fix: "Give EIN_NUMBER for a virtual document, EIN_DOC and CERTIFICATE_OF_INCORPORATION for physical ones, and no tag for the other form.",
			Run: func(t *probe.T) {
				for _, document := range []func(*api.UserRequest){withNumber("EIN"), withNumber("CERTIFICATE_OF_INCORPORATION"), withScan("EIN_NUMBER")} {
					without(t, t.UserRequest(asCompany, document), businessDocumentTags...)
				}
			},
		},
		{
			ID: "verification.other-documents", Title: "A document of a business that the list of tags does not name becomes no tag",
			Clauses: []string{"2.7-business", "D-39"}, Operations: reading,
			Fix: "Give ACCOUNT_OPERATOR_INFO for STATE_ID, PASSPORT and SSN of a business only: any document but an invoice is a rule of individuals.",
			Run: func(t *probe.T) {
				for _, document := range []func(*api.UserRequest){withNumber(unseen), withScan(unseen)} {
					without(t, t.UserRequest(asCompany, document), businessDocumentTags...)
				}
			},
		},
	}
}

func verificationSet() []probe.Check {
	setting := []string{"setVerification", "getCipInfo"}
	return []probe.Check{
		{
			ID: "verification.one-status", Title: "status of a user and kyc_status are one value, and each of the four can be set",
			Clauses: []string{"2.7", "3-user", "D-11", "D-24"}, Operations: []string{"setVerification", "getCipInfo", "getUser"}, Needs: probe.Extensions,
			Fix: "Keep one status per user and answer it in both places; IN PROGRESS is written with a space.",
			Run: oneStatus,
		},
		{
			ID: "verification.five-values", Title: "A tag can have each of the five values",
			Clauses: []string{"3-cip", "D-11"}, Operations: setting, Needs: probe.Extensions,
			Fix: "Keep and report SUBMIT, REVIEWING, VERIFIED, FAILED and REQUESTED.",
			Run: func(t *probe.T) {
				want := map[string]api.CipStatus{}
				for i, tag := range individualTags[:len(cipStatuses)] {
					want[tag] = cipStatuses[i]
				}
				setTags(t, t.NewUser().ID, want)
			},
		},
		{
			ID: "verification.all-tags", Title: "All tags of the user's kind can be set, also those that no field submits",
			Clauses: []string{"2.7-individual", "2.7-business", "D-39"}, Operations: setting, Needs: probe.Extensions,
			Fix: "Accept every tag that section 2.7 lists for the kind of user.",
			Run: func(t *probe.T) {
				setTags(t, t.NewUser().ID, tagsWith(individualTags, api.CipStatusReviewing))
				register, err := t.Client().CreateUserWithResponse(t.Context(), nil, business(t))
				setTags(t, probe.Setup(t, register, err).ID, tagsWith(businessTags, api.CipStatusReviewing))
			},
		},
		{
			ID: "verification.other-tags", Title: "A tag that is none of the user's kind is refused with 400",
			Clauses: []string{"D-39"}, Operations: []string{"setVerification"}, Needs: probe.Extensions,
			Fix: "Refuse tags of the other kind, and those that nobody knows.",
			Run: func(t *probe.T) {
				refused := func(user openapi_types.UUID, tag string) {
					r, err := t.Client().SetVerificationWithResponse(t.Context(), user,
						api.VerificationRequest{CipInfo: map[string]api.CipStatus{tag: api.CipStatusVerified}})
					t.Refused(r, err, 400, api.ErrorCodeBadRequest)
				}
				person := t.NewUser().ID
				refused(person, "EIN_DOC")
				refused(person, "SHOE_SIZE")
				register, err := t.Client().CreateUserWithResponse(t.Context(), nil, business(t))
				refused(probe.Setup(t, register, err).ID, "LAST_NAME")
			},
		},
		{
			ID: "verification.partial", Title: "What is not sent to the verification stays as it is",
			Clauses: []string{"D-20", "D-24", "D-25"}, Operations: setting, Needs: probe.Extensions,
			Fix: "Change the status and the tags that are sent, and no others: neither follows from the other.",
			Run: partialVerification,
		},
		{
			ID: "verification.answer", Title: "The verification answers the tags as they are read afterwards, also those that were not sent",
			Clauses: []string{"2.7", "D-20"}, Operations: setting, Needs: probe.Extensions,
			Fix: "Answer all tags of the user as they are after the change.",
			Run: func(t *probe.T) {
				user := t.NewUser().ID
				r, err := t.Client().SetVerificationWithResponse(t.Context(), user, api.VerificationRequest{
					CipInfo: map[string]api.CipStatus{"EMAIL": api.CipStatusFailed, "OCCUPATION": api.CipStatusReviewing},
				})
				answered, read := probe.OK(t, r, err), cipInfo(t, user)
				t.Expect(answered.UserID == user, "the answer names another user")
				t.Expect(len(answered.CipInfo) == len(read.CipInfo), "%d tags are answered, and %d are read", len(answered.CipInfo), len(read.CipInfo))
				for tag, status := range read.CipInfo {
					t.Expect(answered.CipInfo[tag] == status, "tag %s is answered with %q and read with %q", tag, answered.CipInfo[tag], status)
				}
			},
		},
	}
}

// documentTags sends documents one by one, copies and numbers.
func documentTags(t *probe.T) {
	for _, document := range []func(*api.UserRequest){withNumber("SSN"), withNumber(unseen), withScan("STATE_ID"), withScan(unseen)} {
		submitted(t, t.UserRequest(document), "ID_DOC")
	}
	for _, document := range []func(*api.UserRequest){withNumber("SSN"), withNumber("PASSPORT"), withScan("STATE_ID")} {
		submitted(t, t.UserRequest(asCompany, document), "ACCOUNT_OPERATOR_INFO")
	}
}

// withNumber adds one virtual document.
func withNumber(kind string) func(*api.UserRequest) {
	return func(u *api.UserRequest) {
		u.VirtualDocuments = []api.VirtualDocumentRequest{{DocumentType: kind, DocumentValue: "000000001"}}
	}
}

// withScan adds one physical document.
func withScan(kind string) func(*api.UserRequest) {
	return func(u *api.UserRequest) {
		u.PhysicalDocuments = []api.PhysicalDocumentRequest{{DocumentType: kind, DocumentValue: documentPDF}}
	}
}

// asCompany makes a business with required fields only.
func asCompany(u *api.UserRequest) { u.Business, u.LastName = probe.Ptr(true), nil }

func oneStatus(t *probe.T) {
	user := t.NewUser().ID
	for _, status := range kycStatuses {
		set, err := t.Client().SetVerificationWithResponse(t.Context(), user, api.VerificationRequest{KycStatus: &status})
		answered := probe.OK(t, set, err).KycStatus
		read, err := t.Client().GetUserWithResponse(t.Context(), user)
		u, info := probe.OK(t, read, err), cipInfo(t, user)
		t.Expect(answered == status && u.Status == status && info.KycStatus == status,
			"%q was set: answered %q, the user has %q, the verification information %q", status, answered, u.Status, info.KycStatus)
	}
}

func partialVerification(t *probe.T) {
	user := t.NewUser().ID
	t.Verify(user, api.KycStatusSuspended, nil)
	before := union(cipInfo(t, user).CipInfo, nil)
	t.Verify(user, "", map[string]api.CipStatus{"EMAIL": api.CipStatusFailed})
	info := cipInfo(t, user)
	t.Expect(info.KycStatus == api.KycStatusSuspended, "a tag was set, and kyc_status became %q", info.KycStatus)
	before["EMAIL"] = api.CipStatusFailed
	wantTags(t, info.CipInfo, before)
	for _, status := range kycStatuses {
		t.Verify(user, status, nil)
		wantTags(t, cipInfo(t, user).CipInfo, before)
	}
	t.Verify(user, "", tagsWith(individualTags, api.CipStatusVerified))
	got, want := cipInfo(t, user).KycStatus, kycStatuses[len(kycStatuses)-1]
	t.Expect(got == want, "all tags became VERIFIED, and kyc_status %q became %q", want, got)
}

// cipInfo reads the verification information; that is what the check is about.
func cipInfo(t *probe.T, user openapi_types.UUID) api.CipInfo {
	r, err := t.Client().GetCipInfoWithResponse(t.Context(), user)
	return probe.OK(t, r, err)
}

// submitted registers a user and expects these tags with SUBMIT.
func submitted(t *probe.T, body api.UserRequest, tags string) {
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
	info := cipInfo(t, probe.Setup(t, r, err).ID).CipInfo
	for _, tag := range strings.Fields(tags) {
		t.Expect(info[tag] == api.CipStatusSubmit, "tag %s has %q", tag, info[tag])
	}
}

// without registers a user and expects none of these tags.
func without(t *probe.T, body api.UserRequest, tags ...string) {
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
	info := cipInfo(t, probe.Setup(t, r, err).ID).CipInfo
	for _, tag := range tags {
		t.Expect(info[tag] == "", "tag %s has %q", tag, info[tag])
	}
}

// exactly registers a user and expects these tags, in the order of the alphabet, and no others.
func exactly(t *probe.T, body api.UserRequest, tags string) {
	r, err := t.Client().CreateUserWithResponse(t.Context(), nil, body)
	info := cipInfo(t, probe.Setup(t, r, err).ID).CipInfo
	got := strings.Join(slices.Sorted(maps.Keys(info)), " ")
	t.Expect(got == tags, "reported are %s, want %s", got, tags)
}

// setTags sets tags and reads them.
func setTags(t *probe.T, user openapi_types.UUID, want map[string]api.CipStatus) {
	r, err := t.Client().SetVerificationWithResponse(t.Context(), user, api.VerificationRequest{CipInfo: want})
	probe.OK(t, r, err)
	info := cipInfo(t, user).CipInfo
	for _, tag := range slices.Sorted(maps.Keys(want)) {
		t.Expect(info[tag] == want[tag], "tag %s has %q, want %q", tag, info[tag], want[tag])
	}
}

func wantTags(t *probe.T, got, want map[string]api.CipStatus) {
	for _, tag := range slices.Sorted(maps.Keys(union(got, want))) {
		t.Expect(got[tag] == want[tag], "tag %s has %q, want %q", tag, got[tag], want[tag])
	}
}

func union(a, b map[string]api.CipStatus) map[string]api.CipStatus {
	all := map[string]api.CipStatus{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// tagsWith returns all these tags with one status.
func tagsWith(tags []string, status api.CipStatus) map[string]api.CipStatus {
	all := map[string]api.CipStatus{}
	for _, tag := range tags {
		all[tag] = status
	}
	return all
}
