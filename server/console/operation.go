package console

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/openapi"
)

// operation is an operation of the contract that the console sends.
type operation struct {
	id, method, path string
	schema           *openapi3.Schema // of the body; nil without one
	examples         openapi3.Examples
	creates          bool   // takes an idempotency key
	keyMax           uint64 // characters of the key
}

// readOperations returns the operations by their id.
func readOperations(contract *openapi3.T) map[string]*operation {
	all := map[string]*operation{}
	for path, item := range contract.Paths.Map() {
		for method, o := range item.Operations() {
			read := &operation{id: o.OperationID, method: method, path: path}
			if o.RequestBody != nil {
				content := o.RequestBody.Value.Content.Get("application/json")
				read.schema, read.examples = content.Schema.Value, content.Examples
			}
			for _, p := range o.Parameters {
				if p.Value.Name == "X-Idempotency-Key" {
					read.creates, read.keyMax = true, *p.Value.Schema.Value.MaxLength
				}
			}
			all[o.OperationID] = read
		}
	}
	return all
}

// operation returns one that the contract has.
func (c *Console) operation(id string) *operation {
	o := c.operations[id]
	if o == nil {
		panic("console: the contract has no operation " + id)
	}
	return o
}

// at is the path with its parameters filled in.
func (o *operation) at(ids []string) string {
	next := 0
	return parameter.ReplaceAllStringFunc(o.path, func(string) string { next++; return ids[next-1] })
}

var parameter = regexp.MustCompile(`\{[^}]+\}`)

// values returns the closed set of values of a schema of the contract, as T.
func values[T ~string](contract *openapi3.T, schema string) (all []T) {
	for _, value := range openapi.KnownValues(contract.Components.Schemas[schema].Value) {
		all = append(all, T(fmt.Sprint(value)))
	}
	return all
}

// field is an input of a form, with the rules of the member of the body that it is for.
type field struct {
	Name         string // of the member: its JSON pointer without the first slash, such as mailing_address/city
	Label, Help  string
	Kind         string // text, email, date, decimal, prose, file, select, check, checks
	Required     bool
	Min, Max     uint64 // characters
	Pattern, Say string // a regular expression as HTML has it, and what it asks for
	Example      string // shown in an empty input
	Suggest      []string
	Options      []choice
	Redraw       bool   // another choice changes the rest of the form
	Tag          string // the status of its CIP tag
	Value        string
	Error        string

	integer   bool
	needed    bool // in its own object, which may be optional
	keepEmpty bool // an empty value is sent
}

// ID identifies the input on its page.
func (f *field) ID() string { return strings.ReplaceAll(f.Name, "/", "-") }

// Wide reports whether the field takes a whole row.
func (f *field) Wide() bool {
	return f.Kind == "prose" || f.Kind == "file" || f.Kind == "checks" || f.Kind == "check" || f.Redraw
}

// token is the pattern of open sets of values (D-12), whose known values are in their descriptions.
const token = `^[A-Z][A-Z0-9_]{0,63}$`

var knownTokens = regexp.MustCompile(`\b[A-Z][A-Z0-9_]{2,}\b`)

// field reads the rules of a member of the body from the contract.
func (o *operation) field(name string) *field {
	schema, required, needed := o.schema, true, false
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "0" {
			schema = schema.Items.Value
			continue
		}
		needed = slices.Contains(schema.Required, segment)
		required = required && needed
		if schema.Properties[segment] == nil {
			panic("console: " + o.id + " has no member " + name)
		}
		schema = schema.Properties[segment].Value
	}
	f := &field{
		Name: name, Label: labelOf(name[strings.LastIndexByte(name, '/')+1:]), Kind: kindOf(schema), Required: required, Min: schema.MinLength,
		Pattern: htmlPattern(schema.Pattern), integer: schema.Type.Is(openapi3.TypeInteger), needed: needed,
	}
	if schema.MaxLength != nil {
		f.Max = *schema.MaxLength
	}
	f.Say, _ = schema.Extensions["x-reason"].(string)
	if schema.Pattern == token {
		f.Suggest = knownTokens.FindAllString(schema.Description, -1)
	}
	if schema.Example != nil && f.Kind != "select" && f.Kind != "check" {
		f.Example = fmt.Sprint(schema.Example)
	}
	if f.Kind == "date" || f.Kind == "email" {
		f.Example = map[string]string{"date": "1990-04-12", "email": "asha@example.com"}[f.Kind]
	}
	switch listed := openapi.KnownValues(schema); {
	case f.Kind == "checks":
		for _, value := range openapi.KnownValues(schema.Items.Value) {
			f.Options = append(f.Options, choice{Value: fmt.Sprint(value), Label: fmt.Sprint(value)})
		}
	case listed != nil && !required:
		f.Options = []choice{{Label: "None"}}
		fallthrough
	case listed != nil:
		for _, value := range listed {
			f.Options = append(f.Options, choice{Value: fmt.Sprint(value), Label: fmt.Sprint(value)})
		}
	}
	return f
}

func kindOf(s *openapi3.Schema) string {
	prose, _ := s.Extensions["x-text"].(string)
	switch {
	case len(s.Enum) > 0:
		return "select"
	case s.Type.Is(openapi3.TypeBoolean):
		return "check"
	case s.Type.Is(openapi3.TypeArray):
		return "checks"
	case s.Type.Is(openapi3.TypeNumber):
		return "decimal"
	case s.Format == "date", s.Format == "email":
		return s.Format
	case s.Format == "data-uri":
		return "file"
	case prose == "prose":
		return "prose"
	}
	return "text"
}

// labels are the names of members that do not read well as they are.
var labels = map[string]string{
	"address_line1": "Address", "address_line2": "Address, second line", "business_type": "Legal form", "client_reference": "Client reference",
	"custom_purpose": "Purpose in your words", "document_value": "Number", "email": "Email", "expiry_date": "Valid until", "fee_amount": "Fee",
	"from_amount": "Amount sent", "from_currency": "Currency of the sender", "from_fund_id": "Funding account", "funding_source_type": "Kind",
	"id_issuing_authority": "Issued by", "ip_address": "IP address", "mobile_phone": "Mobile phone", "no_of_txn_per_month": "Payouts in a month",
	"number_of_employee": "Employees", "source_of_fund": "Source of the money", "to_amount": "Amount received", "txn_frequency": "How often it sends",
	"url": "Address", "user_scope": "What it does", "zipcode": "Postal code", "event_types": "Events", "bank_id": "Bank", "branch_id": "Branch", "payer_id": "Payer",
}

func labelOf(member string) string {
	if label := labels[member]; label != "" {
		return label
	}
	return strings.ToUpper(member[:1]) + strings.ReplaceAll(member[1:], "_", " ")
}

// htmlPattern writes a pattern of the contract for the attribute, whose regular expressions have the flag v: inside of brackets, some
// signs need a backslash that they need not have elsewhere.
func htmlPattern(pattern string) string {
	var out strings.Builder
	inside := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern):
			out.WriteByte(c)
			i++
			c = pattern[i]
		case !inside && c == '[':
			inside = true
		case inside && c == ']':
			inside = false
		case inside && strings.IndexByte("/(){}|", c) >= 0, inside && c == '-' && (pattern[i-1] == '[' || pattern[i+1] == ']'):
			out.WriteByte('\\')
		}
		out.WriteByte(c)
	}
	return out.String()
}
