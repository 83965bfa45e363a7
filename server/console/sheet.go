package console

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// sheet is a page with a form for one operation of the contract. What was typed is kept in its fields alone, for one answer.
type sheet struct {
	Title, Lead, Submit string
	Crumbs, Tabs, Fills []link
	Groups              []group
	Missing             string // what must be there first, instead of a form
	Key                 string // the idempotency key
	Code                []snippet
	Secret              *secret // what was created, instead of the form
	Next                link    // the page of that

	section string
	op      *operation
	ids     []string          // of the path
	fixed   map[string]any    // members without a field
	have    map[string]string // values that need not be sent again
	body    any               // a pointer to the request of the SDK
	// send makes the call of the SDK with the body, and returns the path of the page that follows, below that of the client; empty to
	// show Secret.
	send func(options ...client.CallOption) (string, error)
}

type link struct {
	Label, To string
	Current   bool
}

// group is some fields of a form, folded unless something in them is wrong or filled in.
type group struct {
	Legend string
	Folded bool
	Fields []*field
}

// Open reports whether a group that can be folded is shown unfolded.
func (g group) Open() bool {
	return slices.ContainsFunc(g.Fields, func(f *field) bool { return f.Value != "" || f.Error != "" || f.Tag == string(api.CipStatusRequested) })
}

// Upload reports whether the form has a file.
func (s *sheet) Upload() bool {
	return slices.ContainsFunc(s.fields(), func(f *field) bool { return f.Kind == "file" })
}

// Partial reports whether nothing of the form is required, because it changes what is there.
func (s *sheet) Partial() bool { return s.have != nil }

func (s *sheet) fields() (all []*field) {
	for _, g := range s.Groups {
		all = append(all, g.Fields...)
	}
	return all
}

// fields reads several members of the body.
func (o *operation) fields(names ...string) (all []*field) {
	for _, name := range names {
		all = append(all, o.field(name))
	}
	return all
}

// named returns a field of a form.
func (s *sheet) named(name string) *field {
	for _, f := range s.fields() {
		if f.Name == name {
			return f
		}
	}
	panic("console: the form has no field " + name)
}

// choose makes a field a list.
func (f *field) choose(options []choice) {
	f.Kind, f.Options, f.Pattern = "select", options, ""
	if !f.Required {
		f.Options = append([]choice{{Label: "None"}}, options...)
	}
}

// chosen is the value of a list: what was typed, or the first of it.
func (f *field) chosen() string {
	for _, o := range f.Options {
		if o.Value == f.Value {
			return f.Value
		}
	}
	if len(f.Options) == 0 {
		return ""
	}
	return f.Options[0].Value
}

// shows serves a form: empty, filled in, or with what was tried.
func shows(build func(*visit) (*sheet, error)) func(*visit) (*view, error) {
	return func(v *visit) (*view, error) {
		s, tried := v.outcome.(*sheet)
		if !tried {
			var err error
			if s, err = build(v); err != nil {
				return nil, err
			}
			s.Key = freshKey()
		}
		mark(v.problem, s.fields())
		if s.op != nil && s.Missing == "" && s.Code == nil {
			s.sample()
			s.Code = v.codeOf(s.op, s.ids, s.body, s.Key)
		}
		return &view{"form.html", s.Title, s.section, s}, nil
	}
}

func freshKey() string { return "console-" + strings.ToLower(rand.Text()[:12]) }

// sends serves the button of a form: it makes the call, or only shows the request.
func sends(build func(*visit) (*sheet, error)) func(*visit) error {
	return func(v *visit) error {
		s, err := build(v)
		if err != nil {
			return err
		}
		s.Key, v.outcome = v.input("key"), s
		if v.input("do") == "choose" {
			return nil
		}
		if err := read(s.fields(), s.fixed, s.have, s.body, v); err != nil {
			return err
		}
		s.Code = v.codeOf(s.op, s.ids, shown(s.body), s.Key)
		if v.input("do") == "show" {
			return nil
		}
		var options []client.CallOption
		if s.Key != "" && s.op.creates {
			options = append(options, client.IdempotencyKey(s.Key))
		}
		to, err := s.send(options...)
		if err != nil || to == "" {
			return err
		}
		return redirect(v.base() + to)
	}
}

// typed takes what was typed into a form that was sent.
func (v *visit) typed(fields []*field) {
	if v.Method != http.MethodPost {
		return
	}
	for _, f := range fields {
		f.Value = v.input(f.Name)
		for i := range f.Options {
			f.Options[i].Selected = f.Kind == "checks" && slices.Contains(v.PostForm[f.Name], f.Options[i].Value)
		}
	}
}

// fill fills in an example of the contract: all of it, or what is required and decides about the rest.
func (s *sheet) fill(example string, all bool) {
	if s.op.examples[example] == nil {
		panic("console: " + s.op.id + " has no example " + example)
	}
	given := flat("", s.op.examples[example].Value.Value)
	for _, f := range s.fields() {
		if all || f.Required || f.Kind == "select" {
			f.Value = given[f.Name]
		}
	}
}

// flat returns the texts of a JSON value by their pointers, without the first slash.
func flat(at string, value any) map[string]string {
	switch value := value.(type) {
	case map[string]any:
		all := map[string]string{}
		for name, member := range value {
			maps.Copy(all, flat(strings.TrimPrefix(at+"/"+name, "/"), member))
		}
		return all
	case []any:
		if len(value) == 0 {
			return nil
		}
		return flat(at+"/0", value[0])
	case nil:
		return nil
	}
	return map[string]string{at: fmt.Sprint(value)}
}

// sample fills the body of a form that was not sent yet, for the request that is shown: with what is filled in, and examples for the
// rest of what is required.
func (s *sheet) sample() {
	copies := make([]*field, 0, len(s.fields()))
	empty := s.have != nil // of what changes
	for _, f := range s.fields() {
		c := *f
		if c.Value == "" && (c.Required || c.Kind == "file" || empty && c.Example != "") {
			empty, c.Value = false, c.Example
		}
		if c.Kind == "select" && c.Required {
			c.Value = c.chosen()
		}
		c.Kind = strings.Replace(c.Kind, "file", "text", 1)
		copies = append(copies, &c)
	}
	_ = read(copies, s.fixed, s.have, s.body, nil) // an incomplete sample is shown as it is
}

// read writes the values of fields into the body, whose members are in fixed and have already. It returns what cannot be written.
func read(fields []*field, fixed map[string]any, have map[string]string, body any, v *visit) error {
	var wrong invalid
	tree := maps.Clone(fixed)
	if tree == nil {
		tree = map[string]any{}
	}
	sent := 0
	changed := map[string]bool{} // members of the body
	for _, f := range fields {
		member, _, _ := strings.Cut(f.Name, "/")
		old, known := have[f.Name]
		changed[member] = changed[member] || f.Value != "" && (!known || old != f.Value)
	}
	for _, f := range fields {
		value, reason := f.read(v)
		member, _, _ := strings.Cut(f.Name, "/")
		switch {
		case reason != "":
			wrong = append(wrong, api.ErrorDetail{In: api.ErrorDetailInBody, Field: "/" + f.Name, Reason: reason})
		case value != nil && (have == nil || changed[member]):
			put(tree, strings.Split(f.Name, "/"), value)
			sent++
		}
	}
	if have != nil && sent == 0 && wrong == nil {
		wrong = invalid{{Reason: "Nothing was changed."}}
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return fmt.Errorf("console: write a form: %w", err)
	}
	if err := json.Unmarshal(text, body); err != nil && wrong == nil {
		return fmt.Errorf("console: read a form: %w", err)
	}
	if wrong != nil {
		return wrong
	}
	return nil
}

// read returns the JSON value of a field, nil for none, or why it has none.
func (f *field) read(v *visit) (value any, reason string) {
	switch {
	case f.Kind == "checks":
		var chosen []string
		for _, o := range f.Options {
			if o.Selected {
				chosen = append(chosen, o.Value)
			}
		}
		if chosen != nil || f.keepEmpty {
			value = append([]string{}, chosen...)
		}
		return value, ""
	case f.Kind == "file" && v != nil:
		return v.document(f.Name)
	case f.Value == "" && f.Required:
		return nil, "is required"
	case f.Value == "" && !f.keepEmpty:
		return nil, ""
	case f.Kind == "check":
		return f.Value == "true", ""
	case f.Kind == "date":
		if _, err := time.Parse(time.DateOnly, f.Value); err != nil {
			return nil, "must be a date such as 2026-01-31"
		}
	case f.integer:
		if _, err := strconv.ParseInt(f.Value, 10, 64); err != nil {
			return nil, "must be chosen"
		}
		return json.Number(f.Value), ""
	case f.Kind == "decimal":
		amount, err := client.ParseAmount(f.Value)
		if err != nil {
			return nil, "must be a number such as 100.00"
		}
		return amount, ""
	}
	return f.Value, ""
}

// put sets a member of a member.
func put(tree map[string]any, path []string, value any) {
	if len(path) == 1 {
		tree[path[0]] = value
		return
	}
	if path[1] == "0" {
		list, _ := tree[path[0]].([]any)
		if list == nil {
			list = []any{map[string]any{}}
			tree[path[0]] = list
		}
		put(list[0].(map[string]any), path[2:], value) //nolint:forcetypeassert // made above
		return
	}
	below, _ := tree[path[0]].(map[string]any)
	if below == nil {
		below = map[string]any{}
		tree[path[0]] = below
	}
	put(below, path[1:], value)
}

// document reads a file of the form as a data URI. It was kept in memory alone.
func (v *visit) document(name string) (value any, reason string) {
	if v.MultipartForm == nil || len(v.MultipartForm.File[name]) == 0 || v.MultipartForm.File[name][0].Size == 0 {
		return nil, "is required: choose a file"
	}
	part := v.MultipartForm.File[name][0]
	content, err := part.Open()
	if err != nil {
		return nil, "cannot be read"
	}
	defer content.Close() //nolint:errcheck // it was read
	mediaType := part.Header.Get("Content-Type")
	if mediaType == "application/octet-stream" {
		mediaType = "" // the browser does not know it
	}
	uri, err := client.DataURI(mediaType, content)
	if err != nil {
		return nil, "must be an image, but not SVG, or a PDF, and not empty"
	}
	return uri, ""
}

// shown is a body as it is shown: a copy of a document is replaced by a sample.
func shown(body any) any {
	d, ok := body.(*api.UserDocumentsRequest)
	if !ok || len(d.PhysicalDocuments) == 0 {
		return body
	}
	copied := *d
	copied.PhysicalDocuments = slices.Clone(d.PhysicalDocuments)
	copied.PhysicalDocuments[0].DocumentValue = sampleDocument
	return &copied
}

const sampleDocument = "data:image/png;base64,iVBORw0KGgo="

// mark puts what a problem says about members of the body beside their fields.
func mark(p *problem, fields []*field) {
	if p == nil {
		return
	}
	p.At = map[string]string{}
	for _, d := range p.Details {
		var best *field
		for _, f := range fields {
			if d.In != "" && d.In != api.ErrorDetailInBody {
				continue
			}
			if at := "/" + f.Name; d.Field == at || best == nil && strings.HasPrefix(d.Field+"/", at+"/") {
				best = f
			}
		}
		if best != nil {
			p.At[d.Field] = best.ID()
			best.Error = strings.TrimSpace(best.Error + " " + sentenceOf(d.Reason))
		}
	}
}

// uuidOf reads an identifier of the path.
func (v *visit) uuidOf(name string) (uuid.UUID, error) {
	id, err := uuid.Parse(v.PathValue(name))
	if err != nil {
		return id, errNoPage
	}
	return id, nil
}

func pretty(body any) string {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(body); err != nil {
		panic("console: a request: " + err.Error()) // its types can always be written
	}
	return strings.TrimSpace(text.String())
}
