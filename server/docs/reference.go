package docs

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// reference is the contract as pages show it. Descriptions are Markdown.
type reference struct {
	Title, Version, Description string
	Contact, License            link
	Servers, Credentials        []named
	Headers                     []*property // of answers
	Tags                        []*tag
	Failures                    []*failure
	Decisions                   []string // that shaped the whole contract
	Steps                       []*operation
	Resources                   map[string]resource // by the parameter that names one: user_id
	Examples                    map[string]string   // that parameter, by each id in the examples of the contract
}

type link struct{ Text, URL string }

type named struct{ Name, Description string }

type tag struct {
	Name, Description string
	Operations        []*operation
}

// resource is something that an operation creates.
type resource struct {
	Label     string `json:"label"`
	Operation string `json:"operation"` // that creates or lists it
}

type operation struct {
	ID, Method, Path, Summary, Description string
	Origin                                 string // document, decision or extension
	Deprecated                             bool
	Decisions                              []string
	Parameters                             []*property
	Body                                   *content
	Answers                                []*answer // of success
	Refusals                               []refusal
	Resource                               string // whose ids answers have, as in reference.Resources
	Next                                   *operation

	responses []*response
}

// content is a body with its schema and named examples.
type content struct {
	MediaType string
	Name      string     // of the schema, or its type
	Component string     // the schema, or that of each item
	ShownBy   *operation // an earlier operation, whose answer has the same component
	Required  bool
	Schema    *property
	Examples  []example
}

type example struct{ ID, Summary, Text string }

type answer struct {
	Status, Description string
	Headers             []*property
	Content             *content
}

// refusal is a status of an operation that is no success.
type refusal struct {
	Status, Description string
	Codes               []named
	Everywhere          bool // every operation has it
}

// failure is an error code in all operations.
type failure struct {
	Status, Code string // no Status: no operation answers it
	Causes       []string
	Message      string // of the example
	Example      string
}

// property is a parameter, a header, a member or a whole schema.
type property struct {
	Name, In, Type       string
	Required, Deprecated bool
	Description, Example string
	Facts                []fact
	Decisions            []string
	Properties           []*property // of an object, or of the objects in an array
	Variants             []*property // of which exactly one applies
	Fresh                bool        // an idempotency key: new for each request
}

// fact is a rule of a value: a text, or a list of literal values.
type fact struct {
	Label, Text string
	Values      []string
}

// walker reads the document of the contract.
type walker struct {
	root *node
	ref  *reference
	err  error // of the first reference without target
}

// read returns what the pages show of a contract. steps are the operations of a first payout, in order; those that the contract
// does not have are left out.
func read(root *node, steps []string) (*reference, error) {
	info := root.at("info")
	ref := &reference{
		Title: info.at("title").text(), Version: info.at("version").text(), Description: info.at("description").text(),
		Contact:   link{cmp.Or(info.at("contact", "name").text(), info.at("contact", "email").text()), info.at("contact", "url").text()},
		License:   link{info.at("license", "name").text(), info.at("license", "url").text()},
		Decisions: info.at("x-decision").texts(),
		Resources: map[string]resource{}, Examples: map[string]string{},
	}
	if email := info.at("contact", "email").text(); email != "" && ref.Contact.URL == "" {
		ref.Contact.URL = "mailto:" + email
	}
	w := &walker{root: root, ref: ref}
	for _, server := range root.at("servers").list() {
		ref.Servers = append(ref.Servers, named{server.at("url").text(), server.at("description").text()})
	}
	for _, scheme := range root.at("components", "securitySchemes").members() {
		ref.Credentials = append(ref.Credentials, named{scheme.at("name").text(), scheme.at("description").text()})
	}
	for _, t := range root.at("tags").list() {
		ref.Tags = append(ref.Tags, &tag{Name: t.at("name").text(), Description: t.at("description").text()})
	}
	for path, item := range root.at("paths").members() {
		for method, op := range item.members() {
			if slices.Contains([]string{"get", "put", "post", "delete", "patch"}, method) {
				w.operation(strings.ToUpper(method), path, item, op)
			}
		}
	}
	w.refusals()
	w.resources()
	ref.share()
	for _, id := range steps {
		if op := ref.operation(id); op != nil {
			if n := len(ref.Steps); n > 0 {
				ref.Steps[n-1].Next = op
			}
			ref.Steps = append(ref.Steps, op)
		}
	}
	return ref, w.err
}

// operations are all operations, in the order of their tags.
func (r *reference) operations() []*operation {
	var all []*operation
	for _, t := range r.Tags {
		all = append(all, t.Operations...)
	}
	return all
}

// share finds what several answers have, because it is shown once: schemas and headers.
func (r *reference) share() {
	schemas, headers := map[string]*operation{}, map[string]bool{}
	for _, op := range r.operations() {
		for _, a := range op.Answers {
			for _, h := range a.Headers {
				if !headers[h.Name] {
					headers[h.Name] = true
					r.Headers = append(r.Headers, h)
				}
			}
			if a.Content == nil || a.Content.Component == "" {
				continue
			}
			if a.Content.ShownBy = schemas[a.Content.Component]; a.Content.ShownBy == nil {
				schemas[a.Content.Component] = op
			}
		}
	}
}

// Lead is the first paragraph of the description.
func (r *reference) Lead() string {
	for paragraph := range strings.SplitSeq(r.Description, "\n\n") {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" && !strings.HasPrefix(paragraph, "#") {
			return paragraph
		}
	}
	return r.Title
}

func (r *reference) operation(id string) *operation {
	for _, op := range r.operations() {
		if op.ID == id {
			return op
		}
	}
	return nil
}

func (w *walker) follow(n *node) (*node, string) {
	target, name, err := n.follow(w.root)
	if err != nil && w.err == nil {
		w.err = err
	}
	return target, name
}

func (w *walker) operation(method, path string, item, n *node) {
	op := &operation{
		ID: n.at("operationId").text(), Method: method, Path: path, Summary: n.at("summary").text(),
		Description: n.at("description").text(), Origin: n.at("x-origin").text(), Decisions: n.at("x-decision").texts(),
		Deprecated: n.at("deprecated").text() == "true",
	}
	for _, p := range append(item.at("parameters").list(), n.at("parameters").list()...) {
		parameter, _ := w.follow(p)
		op.Parameters = append(op.Parameters, w.parameter(parameter.at("name").text(), parameter))
	}
	if body, _ := w.follow(n.at("requestBody")); body != nil {
		op.Body = w.content(body, op.ID+"-request")
		op.Body.Required = body.at("required").text() == "true"
	}
	for status, reply := range n.at("responses").members() {
		target, name := w.follow(reply)
		op.responses = append(op.responses, &response{status, name, target})
		if !strings.HasPrefix(status, "2") {
			continue
		}
		a := &answer{Status: status, Description: target.at("description").text(), Content: w.content(target, op.ID+"-answer")}
		for name, header := range target.at("headers").members() {
			header, _ = w.follow(header)
			a.Headers = append(a.Headers, w.parameter(name, header))
		}
		op.Answers = append(op.Answers, a)
	}
	name := "Other"
	if tags := n.at("tags").texts(); len(tags) > 0 {
		name = tags[0]
	}
	for _, t := range w.ref.Tags {
		if t.Name == name {
			t.Operations = append(t.Operations, op)
			return
		}
	}
	w.ref.Tags = append(w.ref.Tags, &tag{Name: name, Operations: []*operation{op}})
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// parameter also reads headers, which have no name of their own.
func (w *walker) parameter(name string, n *node) *property {
	p := w.schema(n.at("schema"), name)
	p.In, p.Required = n.at("in").text(), n.at("required").text() == "true"
	p.Description = cmp.Or(n.at("description").text(), p.Description)
	p.Deprecated = p.Deprecated || n.at("deprecated").text() == "true"
	p.Decisions = union(n.at("x-decision").texts(), p.Decisions)
	first := n.at("example")
	for _, named := range n.at("examples").members() {
		named, _ = w.follow(named)
		first = named.at("value")
		break
	}
	if p.Example = cmp.Or(first.compact(), p.Example); uuid.MatchString(p.Example) {
		p.Example = "" // nothing has this id, and the format is known
	}
	p.Fresh = p.In == "header" && strings.EqualFold(name, "X-Idempotency-Key")
	return p
}

// Prefill is what a form has for a parameter before anything is known: the example if a value is required. Examples of ids
// that are created are left out; those of reference data are the same in every sandbox.
func (p *property) Prefill() string {
	if !p.Required {
		return ""
	}
	return p.Example
}

func (w *walker) content(n *node, id string) *content {
	for mediaType, media := range n.at("content").members() {
		c := &content{MediaType: mediaType, Schema: w.schema(media.at("schema"), "")}
		schema := w.facets(media.at("schema"))
		c.Name = cmp.Or(schema.name, c.Schema.Type)
		if c.Component = schema.name; schema.at("items") != nil {
			c.Component = w.facets(schema.at("items")).name
		}
		for name, named := range media.at("examples").members() {
			named, _ = w.follow(named)
			c.Examples = append(c.Examples, example{id + "-" + name, cmp.Or(named.at("summary").text(), name), named.at("value").pretty()})
		}
		if only := media.at("example"); only != nil {
			c.Examples = append(c.Examples, example{id, "Example", only.pretty()})
		}
		return c
	}
	return nil
}

func union(a, b []string) []string {
	all := map[string]bool{}
	for _, s := range append(slices.Clone(a), b...) {
		all[s] = true
	}
	return slices.Sorted(maps.Keys(all))
}
