package console_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

var inputs = regexp.MustCompile(`(?s)<(input|select|textarea) id="[^"]+" name="([^"]+)"([^>]*)>`)

// rules returns the attributes of the inputs of the open page, by name.
func (b *browser) rules() map[string]string {
	found := map[string]string{}
	for _, match := range inputs.FindAllStringSubmatch(b.page, -1) {
		found[match[2]] = html.UnescapeString(match[3])
	}
	delete(found, "q") // of the search
	if strings.Contains(b.page, `name="event_types"`) {
		found["event_types"] = ""
	}
	return found
}

// A form has every member of its request, and each input the length, the pattern and the duty of the contract.
func TestFormsFollowTheContract(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	demo := b.demo()
	user := "/users/" + demo.Get("user")
	account := user + "/payees/" + strings.Split(demo.Get("to"), "/")[2] + "/accounts/new"
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	for schema, c := range map[string]struct {
		pages []string
		not   string // members that no form has
	}{
		"UserRequest":            {[]string{"/users/new", "/users/new?kind=business"}, "business physical_documents"},
		"UserUpdateRequest":      {[]string{user + "/information"}, "business_type user_scope company_website number_of_employee source_of_fund txn_frequency no_of_txn_per_month mailing_address"},
		"UserDocumentsRequest":   {[]string{user + "/documents", user + "/documents?form=number"}, ""},
		"FundingAccountRequest":  {[]string{user + "/funding-accounts/new"}, ""},
		"ReceiveUserRequest":     {[]string{user + "/payees/new"}, ""},
		"BankAccountRequest":     {[]string{account}, ""},
		"WalletAccountRequest":   {[]string{account + "?method=WALLET"}, ""},
		"WebhookEndpointRequest": {[]string{"/webhooks/new"}, "disabled"},
		"TransactionRequest":     {[]string{"/payouts/new"}, "custom_purpose remittance_purpose physical_documents ip_address funding_source_type to_currency"},
	} {
		found := map[string]string{}
		for _, page := range c.pages {
			b.visit(sandbox + page)
			b.shows(http.StatusOK)
			maps.Copy(found, b.rules())
		}
		check := func(name string, required bool, s *openapi3.Schema) {
			attributes, shown := found[name]
			if !shown {
				t.Errorf("%s: there is no input for %s", schema, name)
			}
			if required != strings.Contains(attributes, " required") {
				t.Errorf("%s: %s is required: %t in the contract", schema, name, required)
			}
			text := s.MaxLength != nil && s.Format != "date" && s.Format != "data-uri" && s.Format != "uuid" && !strings.Contains(attributes, "data-choose")
			if text && len(s.Enum) == 0 && !strings.Contains(b.page, `<select id="`+name) && !strings.Contains(attributes, fmt.Sprintf(`maxlength="%d"`, *s.MaxLength)) {
				t.Errorf("%s: %s may have %d characters: %s", schema, name, *s.MaxLength, attributes)
			}
			if s.Pattern == `^[0-9]{4,20}$` && !strings.Contains(attributes, `pattern="^[0-9]{4,20}$"`) {
				t.Errorf("%s: %s has no pattern: %s", schema, name, attributes)
			}
		}
		of := document.Components.Schemas[schema].Value
		for name, member := range of.Properties {
			if slices.Contains(strings.Fields(c.not), name) {
				continue
			}
			switch m := member.Value; {
			case name == "event_types", name == "to":
				if _, shown := found[name]; !shown {
					t.Errorf("%s: there is no input for %s", schema, name)
				}
			case m.Type.Is(openapi3.TypeObject):
				for below, s := range m.Properties {
					check(name+"/"+below, false, s.Value)
				}
			case m.Type.Is(openapi3.TypeArray):
				for below, s := range m.Items.Value.Properties {
					check(name+"/0/"+below, schema == "UserDocumentsRequest" && slices.Contains(m.Items.Value.Required, below), s.Value)
				}
			default:
				check(name, slices.Contains(of.Required, name), m)
			}
		}
	}
}

// Each member of the information of a user shows the status of the tag that it becomes.
func TestTagsOfMembers(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	for _, kind := range []string{"individual", "business"} {
		b.visit(sandbox + "/users/new?kind=" + kind)
		b.send(sandbox+"/users/new?kind="+kind, url.Values{"first_name": {"Greta"}, "email": {"greta@example.com"}, "country": {"US"}, "type": {"SEND"}})
		b.shows(http.StatusOK, "The user was registered.")
		here := b.path + "/information"
		b.visit(here)
		for name := range b.rules() {
			if name == "first_name" || name == "email" || strings.Contains(name, "/") && name != "mailing_address/city" {
				continue
			}
			value := map[string]string{"date_of_birth": "1990-04-12", "mobile_phone": "14155550100", "ip_address": "203.0.113.7", "state": "CA"}[name]
			if value == "" {
				value = "ABC"
			}
			b.visit(here)
			form := url.Values{name: {value}}
			b.send(here, form)
			b.shows(http.StatusOK, "The information was sent.")
			b.visit(here)
			if marked := strings.Contains(b.page, `<label for="`+name+`">`) && regexp.MustCompile(`<label for="`+name+`">[^\n]*SUBMIT`).MatchString(b.page); !marked &&
				name != "ip_address" && name != "mailing_address/city" {
				t.Errorf("%s of a %s shows no tag: %s", name, kind, b.text())
			}
			b.send(here, nil)
			b.shows(http.StatusBadRequest, "Nothing was changed.")
		}
	}
}

// The code that a form shows does what the form does, in every language.
func TestTheCodeOfForms(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	demo := b.demo()
	user := "/users/" + demo.Get("user")
	account := user + "/payees/" + strings.Split(demo.Get("to"), "/")[2] + "/accounts/new"
	for page, created := range map[string]string{
		"/users/new?kind=business&fill=all": "Sample Software LLC", "/users/new?fill=least": "asha@example.com", user + "/funding-accounts/new": "PENDING",
		user + "/payees/new?fill=all": "Kathmandu", account: "0001234567", account + "?method=WALLET": "9800000000", user + "/documents": "STATE_ID",
		user + "/documents?form=number": "000000000", user + "/information": "Devi", "/webhooks/new": "127.0.0.1:9000",
	} {
		for name := range programs {
			b.visit(sandbox + page)
			b.shows(http.StatusOK, "The request")
			code := html.UnescapeString(b.first(`<summary>` + name + `</summary><pre[^>]*><code>(.*?)</code>`))
			if name == "Go, with the SDK" && !strings.Contains(page, "business") && !strings.Contains(page, "documents") && page != account {
				continue // the same code writes all of them, and each takes seconds to compile
			}
			t.Run(page+" "+name, func(t *testing.T) {
				t.Parallel()
				run(t, name, code, created)
			})
		}
	}
}

// upload sends a form with a file.
func (b *browser) upload(path, mediaType string, content []byte, fields url.Values) {
	b.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	fields.Set("token", b.token())
	for name, values := range fields {
		if err := w.WriteField(name, values[0]); err != nil {
			b.t.Fatal(err)
		}
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="physical_documents/0/document_value"; filename="card.png"`}, "Content-Type": {mediaType},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := part.Write(content); err != nil {
		b.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.do(http.MethodPost, path, &body, []string{"Content-Type", w.FormDataContentType()})
}

// A file becomes a document of the user, and is not shown again; what is no document is explained beside its field.
func TestDocumentsByForm(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	user := b.demo().Get("user")
	here := sandbox + "/users/" + user + "/documents"
	picture := append([]byte("\x89PNG\r\n\x1a\n"), "unmistakable content"...)
	form := func() url.Values { return url.Values{"physical_documents/0/document_type": {"PASSPORT"}} }
	b.visit(here)
	b.upload(here, "image/png", picture, form())
	b.shows(http.StatusOK, "The information was sent.", "ID_DOC SUBMIT")
	u, err := sdk(t, s, 0).GetUser(t.Context(), uuid.MustParse(user))
	if err != nil || len(u.PhysicalDocuments) != 1 || u.PhysicalDocuments[0].DocumentType != "PASSPORT" {
		t.Fatalf("the user is %+v, %v", u, err)
	}
	for name, c := range map[string]struct {
		mediaType string
		content   []byte
		says      string
	}{
		"none":    {"application/octet-stream", nil, "Is required: choose a file."},
		"text":    {"text/plain", []byte("hello"), "Must be an image, but not SVG, or a PDF"},
		"drawing": {"image/svg+xml", []byte("<svg></svg>"), "Must be an image, but not SVG, or a PDF"},
		"liar":    {"image/png", []byte("%PDF-1.7"), "Must be an image, but not SVG, or a PDF"},
	} {
		b.visit(here)
		b.upload(here, c.mediaType, c.content, form())
		if b.shows(http.StatusBadRequest, c.says); !strings.Contains(b.page, `value="PASSPORT"`) {
			t.Errorf("%s: the kind of the document is lost", name)
		}
	}
	b.visit(here)
	shown := form()
	shown.Set("do", "show")
	b.upload(here, "image/png", picture, shown)
	b.shows(http.StatusOK, "PASSPORT", "data:image/png;base64,iVBORw0KGgo=")
	if strings.Contains(b.page, base64.StdEncoding.EncodeToString([]byte("unmistakable"))) || strings.Contains(b.page, "unmistakable") {
		t.Error("the page shows the document")
	}
	b.visit(here)
	b.upload(here, "image/png", append(picture, make([]byte, 16<<20)...), form())
	b.shows(http.StatusBadRequest, "too long")
}

// What is wrong in a form is said beside the field, by the console as by the API, and what was typed stays.
func TestMistakesInForms(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	here := sandbox + "/users/new"
	good := url.Values{"first_name": {`Greta "G"`}, "email": {"greta@example.com"}, "country": {"US"}, "type": {"SEND"}}
	for _, c := range []struct{ field, value, says string }{
		{"first_name", "", "Is required."}, {"email", "no email", "Must be an email address"}, {"date_of_birth", "yesterday", "Must be a date such as 2026-01-31."},
		{"mobile_phone", "+1 415", "Must be 4 to 20 digits."}, {"country", "XX", "Must be"}, {"virtual_documents/0/expiry_date", "2030", "Must be a date"},
	} {
		tried := maps.Clone(good)
		tried[c.field] = []string{c.value}
		b.visit(here)
		b.send(here, tried)
		b.shows(http.StatusBadRequest, c.says)
		id := strings.ReplaceAll(c.field, "/", "-")
		if !strings.Contains(b.page, `href="#`+id+`"`) || !strings.Contains(b.page, `id="`+id+`-error"`) {
			t.Errorf("%s: nothing is said beside the field: %s", c.field, b.text())
		}
		if kept := b.first(`id="` + id + `"[^>]*value="([^"]*)"`); kept != c.value {
			t.Errorf("%s: the input is %q", c.field, kept)
		}
		if kept := b.first(`id="email"[^>]*value="([^"]*)"`); c.field != "email" && kept != "greta@example.com" {
			t.Errorf("%s: the email is %q", c.field, kept)
		}
	}
	page, err := sdk(t, s, 0).ListUsers(t.Context(), nil)
	if err != nil || len(page.Items) != 0 {
		t.Errorf("there are %d users, %v", len(page.Items), err)
	}
	b.visit(sandbox + "/requests")
	if strings.Contains(b.text(), "Greta") || strings.Contains(b.text(), "greta@") {
		t.Errorf("the console keeps what was typed: %s", b.text())
	}
}

// The pick-up location of a payout in cash is one of its payer.
func TestPickupLocation(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	b := open(t, s)
	form := b.demo()
	payee := strings.Split(form.Get("to"), "/")[2]
	form.Set("do", "choose")
	form.Set("to", "CASH_PICKUP/NPR/"+payee+"/1002")
	b.send(sandbox+"/payouts/new", form)
	b.shows(http.StatusOK, "Sample Birch Counter Kathmandu 1, Kathmandu")
	place, err := strconv.ParseInt(b.first(`<select id="pickup_location".*?<option value="([0-9]+)"`), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	form.Set("do", "preview")
	form.Set("pickup_location", strconv.FormatInt(place, 10))
	b.send(sandbox+"/payouts/new", form)
	b.shows(http.StatusOK, "Preview", fmt.Sprintf(`"pickup_location": %d`, place), fmt.Sprintf("client.PickupLocation(%d)", place))
	form.Set("do", "create")
	b.create(form)
	form.Set("key", "another")
	form.Set("to", "CASH_PICKUP/NPR/"+payee+"/1003")
	b.visit(sandbox + "/payouts/new")
	b.send(sandbox+"/payouts/new", form)
	b.shows(http.StatusUnprocessableEntity, "PICKUP_LOCATION_NOT_FOUND")
}
