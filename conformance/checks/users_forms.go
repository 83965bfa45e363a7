package checks

import (
	"fmt"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// Forms that the contract allows and that rules of other systems refuse.
var (
	allowedEmails = []string{"asha+payouts@example.com", "o'asha_x.y@mail.example.co.uk"}
	allowedPhones = []string{"1415", "1415555010012345", "14155550100123456789"}
)

// allowedForms sends forms that rules of other systems refuse or change. Who does not send may be in any country, so that state
// codes of any length can be sent.
func allowedForms(t *probe.T) {
	for name, values := range map[string][]string{
		"first_name": {
			"A\u030agnes", // a letter and a combining mark, which have a form in one character too
			"\u0906\u0936\u093e \u0928\u0947\u092a\u093e\u0932\u0940", "\u5c71\u7530", "\u0639\u0644\u064a", "\U00020bb7\u91ce",
			"O\u2019Neill <&> \"x\" \\", " Asha ", "van  der Conformance ",
		},
		"city": {"Sample  City "}, "address_line1": {" 1 Conformance Road"}, "zipcode": {"02139", "00000"},
		"email":        append([]string{"Asha." + probe.NewKey() + "@Example.COM"}, allowedEmails...),
		"mobile_phone": allowedPhones,
		"ip_address":   {"2001:db8::7", "::1", "2001:db8:1111:2222:3333:4444:5555:6666"},
	} {
		for _, value := range values {
			body := probe.Object(t, t.UserRequest())
			body[name] = value
			keeps(t, body, name)
		}
	}
	for _, site := range []string{"www.example.com", "example.com/shop, soon"} {
		keeps(t, probe.Object(t, business(t, func(u *api.UserRequest) { u.CompanyWebsite = &site })), "company_website")
	}
	for country, code := range map[string]string{"GB": "ENG", "MX": "AGU", "AT": "9", "AR": "C"} {
		keeps(t, probe.Object(t, t.UserRequest(func(u *api.UserRequest) {
			u.Country, u.State, u.Type = country, &code, nil
			u.VirtualDocuments = []api.VirtualDocumentRequest{{DocumentType: "PASSPORT", DocumentValue: "1", Country: &country, State: &code}}
		})), "state")
	}
}

// keeps registers a user and expects a member as it was sent. Whether all others come back is checked elsewhere.
func keeps(t *probe.T, body map[string]any, name string) {
	t.Case(fmt.Sprintf("%s %q", name, body[name]), func() {
		reply := t.Send(probe.Request{Method: "POST", Path: "/users", Body: body})
		if reply.Status != 200 {
			t.Fatalf("answered %d, want 200", reply.Status)
		}
		t.Expect(members(t, reply)[name] == body[name], "came back with another value")
	})
}
