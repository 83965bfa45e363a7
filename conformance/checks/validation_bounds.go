package checks

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// boundChecks returns one check for each operation of which a parameter or a member has bounds.
func boundChecks() []probe.Check {
	var all []probe.Check
	for _, op := range operations() {
		inParameters := slices.ContainsFunc(op.parameters, func(p *openapi3.Parameter) bool { return len(edges(p)) > 0 })
		if inBody := op.takesBody() && hasBounds(op.body); !inParameters && !inBody {
			continue
		}
		all = append(all, probe.Check{
			ID: "validation." + op.id + ".bounds", Title: op.name() + " accepts each value at a bound of its schema, and any text within, and keeps them whole",
			Clauses: boundClauses(op), Operations: []string{op.id}, Needs: op.needs(),
			Fix: "Accept what is exactly as short, as long, as little or as much as the contract allows, and cut nothing.",
			Run: func(t *probe.T) { acceptsBounds(t, op) },
		})
	}
	return all
}

// hasBounds reports whether anything in a body has bounds.
func hasBounds(schema *openapi3.Schema) bool {
	if schema.MinLength > 0 || schema.MaxLength != nil || schema.Pattern != "" || schema.Min != nil || schema.Max != nil || schema.Discriminator != nil {
		return true
	}
	for _, member := range schema.Properties {
		if hasBounds(member.Value) {
			return true
		}
	}
	return schema.Items != nil && hasBounds(schema.Items.Value)
}

func boundClauses(op operation) []string {
	if !op.takesBody() {
		return parameterClauses(op)
	}
	return valueClauses(op)
}

// acceptsBounds sends parameters, texts and numbers at their bounds, and expects the answer that other values get.
func acceptsBounds(t *probe.T, op operation) {
	n := existing(t, op)
	for _, p := range op.parameters {
		for _, value := range edges(p) {
			others := madeUpWith(t, p, n)
			want, got := op.with(t, others, nil), op.with(t, others, []wrongParameter{{p, "", []string{value}}})
			if op.takesBody() {
				want.Body = op.ordinary(t)[0]
				got.Body = want.Body
			}
			likewise(t, op, want, got, p.In+" "+p.Name)
		}
	}
	if op.takesBody() {
		acceptsBodyBounds(t, op, n)
	}
}

func acceptsBodyBounds(t *probe.T, op operation, n pathValues) {
	request := func(body any) probe.Request {
		r := op.request(t, n)
		r.Body = body
		return r
	}
	texts := func(body map[string]any) {
		for _, most := range []bool{false, true} {
			likewise(t, op, request(body), request(atEdge(op.body, body, most, textAt)), "texts")
		}
		likewise(t, op, request(body), request(atEdge(op.body, body, false, untidy)), "texts with white space around them")
	}
	for _, body := range op.ordinary(t) {
		texts(body)
	}
	if op.id == "updateUser" {
		n = maps.Clone(n)
		n["user_id"] = t.NewUser(asBusiness(t)).ID.String()
		texts(op.ofBusiness(t))
	}
	for _, variant := range variantsOf(op.body) {
		body := op.sample(t, variant, allMembers)
		s := sampler{variant: variant}
		for _, most := range []bool{false, true} {
			likewise(t, op, request(body), request(s.atEdge(op.body, body, most, numberAt)), "numbers")
		}
	}
}

// madeUpWith returns existing values in which that of a parameter of the path was never there, as those at a bound.
func madeUpWith(t *probe.T, p *openapi3.Parameter, n pathValues) pathValues {
	n = maps.Clone(n)
	if p.In == openapi3.ParameterInPath {
		n[p.Name] = madeUp(t)[p.Name]
	}
	return n
}

// likewise expects that a request gets the status of another one and the same fields, and that no text comes back changed.
func likewise(t *probe.T, op operation, ordinary, edge probe.Request, what string) {
	want, got := t.Send(ordinary), t.Send(edge)
	if want.Status >= 500 {
		t.Brokenf("set-up: %s answered %d to ordinary values", op.id, want.Status)
	}
	if got.Status == http.StatusConflict && edge.Header != nil { // a key of one character may be used already
		t.Refused(got, nil, http.StatusConflict, api.ErrorCodeIdempotencyKeyReused)
		return
	}
	t.Expect(got.Status == want.Status && slices.Equal(named(got), named(want)),
		"%s at a bound were answered %d (%s), others %d (%s)", what, got.Status, strings.Join(named(got), ", "), want.Status, strings.Join(named(want), ", "))
	if got.Status == http.StatusOK && edge.Body != nil && edge.Header == nil {
		for _, pointer := range changedTexts("", edge.Body, jsonValue(t, got)) {
			t.Failf("%s was sent at a bound and did not come back the same", pointer)
		}
	}
}

// named returns the places that an error names.
func named(reply probe.Reply) []string {
	var body api.Error
	if reply.Status < 400 || json.Unmarshal(reply.Body, &body) != nil {
		return nil
	}
	return slices.Sorted(slices.Values(ids(body.Details, func(d api.ErrorDetail) string { return string(d.In) + " " + d.Field })))
}

// The members of a user that only one kind of user has.
var (
	individualMembers = []string{"middle_name", "last_name", "gender", "occupation"}
	businessMembers   = []string{
		"business_type", "user_scope", "company_website", "number_of_employee", "source_of_fund", "txn_frequency", "no_of_txn_per_month",
		"mailing_address",
	}
)

// ordinary returns bodies with all members that go together.
func (op operation) ordinary(t *probe.T) []map[string]any {
	body := op.sample(t, bankDeposit, allMembers)
	country := t.Target().Facts.Destination
	switch op.id {
	case "createUser":
		business := maps.Clone(body)
		business["business"] = true
		for _, name := range individualMembers {
			delete(business, name)
		}
		for _, name := range businessMembers {
			delete(body, name)
		}
		return []map[string]any{body, business}
	case "updateUser": // of an individual; see ofBusiness
		for _, name := range businessMembers {
			delete(body, name)
		}
	case "createBankAccount":
		bank := t.Bank(country)
		body["bank_id"], body["currency"] = bank.ID, bank.ReceivingCurrency[0]
		delete(body, "branch_id")
	case "createWalletAccount":
		payer := t.AnyPayer(api.PayoutMethodWallet)
		body["payer_id"], body["currency"] = payer.ID, payer.ReceivingCurrency
	}
	return []map[string]any{body}
}

// ofBusiness returns the further information of a business with all its members.
func (op operation) ofBusiness(t *probe.T) map[string]any {
	body := op.sample(t, bankDeposit, allMembers)
	for _, name := range individualMembers {
		delete(body, name)
	}
	return body
}

// edges returns the values of a parameter at its bounds. The longest key has a check of its own, and nobody can make a
// cursor.
func edges(p *openapi3.Parameter) (all []string) {
	schema := p.Schema.Value
	switch {
	case p.In == openapi3.ParameterInHeader:
		return []string{string(rune('a' + rand.IntN(26)))}
	case strings.HasSuffix(p.Name, "ountry"), p.Name == "countryCode", p.Name == "destination", p.Name == "cursor", p.Name == "after":
		return nil
	}
	for _, most := range []bool{false, true} {
		value := fmt.Sprint(textAt(schema, "", most))
		if schema.Type.Is(openapi3.TypeInteger) {
			value = fmt.Sprint(numberAt(schema, json.Number(""), most))
		}
		if value != "" {
			all = append(all, value)
		}
	}
	return all
}

// atEdge returns a value with every scalar at its least or its greatest, as at returns them.
func atEdge(schema *openapi3.Schema, value any, most bool, at func(s *openapi3.Schema, v any, most bool) any) any {
	return sampler{variant: bankDeposit}.atEdge(schema, value, most, at)
}

func (s sampler) atEdge(schema *openapi3.Schema, value any, most bool, at func(s *openapi3.Schema, v any, most bool) any) any {
	schema = s.chosen(schema)
	switch v := value.(type) {
	case map[string]any:
		edged := map[string]any{}
		for name, member := range v {
			below := schema.AdditionalProperties.Schema
			if p := schema.Properties[name]; p != nil {
				below = p
			}
			edged[name] = s.atEdge(below.Value, member, most, at)
		}
		return edged
	case []any:
		items := []any{s.atEdge(schema.Items.Value, v[0], most, at)}
		if most && schema.MaxItems != nil {
			items = slices.Repeat(items, int(*schema.MaxItems))
		}
		return items
	}
	return at(schema, value, most)
}

// numberAt returns the least or the greatest number of a schema, or the value that is given where there is none.
func numberAt(schema *openapi3.Schema, v any, most bool) any {
	_, isNumber := v.(json.Number)
	switch {
	case isNumber && most && schema.Max != nil:
		return json.Number(fmt.Sprintf("%.0f", *schema.Max))
	case isNumber && !most && schema.Min != nil && !schema.ExclusiveMin.IsTrue():
		return json.Number(fmt.Sprintf("%.0f", *schema.Min))
	}
	return v
}

// Texts of the greatest length that have a format.
var longestOf = map[string]string{
	"email": strings.Repeat("d", 64) + "@" + strings.Repeat(strings.Repeat("e", 60)+".", 3) + "ab.com",
	"ip":    "2001:0db8:1111:2222:3333:4444:255.255.255.255",
}

// textAt returns the shortest or the longest text of a schema, or the value that is given where there is none.
func textAt(schema *openapi3.Schema, v any, most bool) any {
	_, isText := v.(string)
	switch {
	case !isText || len(schema.Enum) > 0:
	case isAddress(schema):
		if most {
			return receiverURL + strings.Repeat("p", int(*schema.MaxLength)-len(receiverURL))
		}
		return "http://a.b"
	case schema.Pattern != "" && !isFreeText(schema):
		least, greatest := spelled(schema, false), spelled(schema, true)
		if len(least) == len(greatest) {
			break
		}
		if most {
			return greatest
		}
		return least
	case schema.Format != "":
		if longest, ok := longestOf[schema.Format]; ok && most {
			return longest
		}
	case most && schema.MaxLength != nil && *schema.MaxLength < longest:
		return strings.Repeat("é", int(*schema.MaxLength))
	case !most && schema.Nullable:
		return nil
	case !most && schema.MinLength > 0:
		return strings.Repeat("a", int(schema.MinLength))
	}
	return v
}

const untidyText = " é  \U00010437 "

// untidy returns a text that is easily tidied up, where any text is allowed.
func untidy(schema *openapi3.Schema, v any, _ bool) any {
	if _, isText := v.(string); isText && isFreeText(schema) {
		return untidyText
	}
	return v
}

// isFreeText reports whether a schema of a text allows all that people write.
func isFreeText(schema *openapi3.Schema) bool {
	fits, err := regexp.MatchString(schema.Pattern, untidyText)
	return err == nil && fits && schema.Format == "" && len(schema.Enum) == 0
}

// isAddress reports whether a schema is of a URL: which hosts and ports it may have is more than its pattern says.
func isAddress(schema *openapi3.Schema) bool { return strings.HasPrefix(schema.Pattern, "^https?://") }

// spelled returns a shortest or a longest text of the pattern of a schema.
func spelled(schema *openapi3.Schema, most bool) string {
	return spell(schema.Pattern, func(r *syntax.Regexp) int {
		switch {
		case r.Op == syntax.OpPlus && most && schema.MaxLength != nil:
			return int(*schema.MaxLength)
		case r.Op == syntax.OpRepeat && most:
			return r.Max
		case r.Op == syntax.OpRepeat:
			return r.Min
		}
		return 1
	})
}

// spell returns a text of a pattern in which each repetition is repeated as often as times says.
func spell(pattern string, times func(*syntax.Regexp) int) string {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(err) // the contract is part of the program
	}
	var text func(r *syntax.Regexp) string
	text = func(r *syntax.Regexp) string {
		switch r.Op {
		case syntax.OpLiteral:
			return string(r.Rune)
		case syntax.OpCharClass:
			for i := 0; i < len(r.Rune); i += 2 {
				if r.Rune[i] <= 'A' && 'A' <= r.Rune[i+1] {
					return "A"
				}
			}
			return string(r.Rune[0])
		case syntax.OpRepeat, syntax.OpPlus, syntax.OpStar, syntax.OpQuest:
			return strings.Repeat(text(r.Sub[0]), max(0, times(r)))
		}
		var all strings.Builder
		for _, sub := range r.Sub {
			all.WriteString(text(sub))
		}
		return all.String()
	}
	return text(parsed)
}
