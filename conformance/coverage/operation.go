package coverage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// operation is what there is to exercise in an operation.
type operation struct {
	id         string
	parameters []*openapi3.Parameter
	request    *openapi3.Schema // nil: no body
	response   *openapi3.Schema // of 200
	wanted     map[string]bool
}

// never has members of responses that the contract rules out.
var never = map[string]bool{
	"cancelTransaction /required_information/*": true, // a canceled transaction waits for none (D-66)

	// Only the answers to a creation and to a rotation have the secret, and no new endpoint has failed yet (D-68).
	"getWebhookEndpoint /secret": true, "updateWebhookEndpoint /secret": true, "deleteWebhookEndpoint /secret": true,
	"listWebhookEndpoints /items/*/secret": true, "createWebhookEndpoint /disabled_reason": true,

	// It answers before the first attempt (D-69).
	"testWebhookEndpoint /attempts/*": true, "testWebhookEndpoint /attempts/*/at": true, "testWebhookEndpoint /attempts/*/duration_ms": true,
	"testWebhookEndpoint /attempts/*/error": true, "testWebhookEndpoint /attempts/*/http_status": true,
}

// Never reports whether an operation never answers 200 with a member, as "/items/*/secret".
func Never(operation, member string) bool { return never[operation+" "+member] }

func newOperation(item *openapi3.PathItem, spec *openapi3.Operation) *operation {
	op := &operation{id: spec.OperationID, wanted: map[string]bool{}}
	for _, ref := range slices.Concat(item.Parameters, spec.Parameters) {
		p := ref.Value
		op.parameters = append(op.parameters, p)
		op.want("valid "+place(p), "invalid "+place(p))
		if p.Required && p.In != openapi3.ParameterInPath { // without it, the path is a different one
			op.want("missing " + place(p))
		}
	}
	if spec.RequestBody != nil {
		op.request = jsonSchema(spec.RequestBody.Value.Content)
		op.want("valid body", "invalid body")
		wantRequest(op.request, "", func(kind, label string) { op.want(kind + inBody(label)) })
	}
	for status, ref := range spec.Responses.Map() {
		if status != "200" {
			op.want(codes(status, ref.Value)...)
			continue
		}
		op.want(status)
		takesKey := spec.Parameters.GetByInAndName(openapi3.ParameterInHeader, "X-Idempotency-Key") != nil
		for name, header := range ref.Value.Headers {
			// Required ones are judged in every response, and a replay needs a key.
			if !header.Value.Required && (name != "Idempotent-Replayed" || takesKey) {
				op.want("response header " + http.CanonicalHeaderKey(name))
			}
		}
		op.response = jsonSchema(ref.Value.Content)
		wantResponse(op.response, "", func(label string) {
			if !Never(op.id, label) {
				op.want("response " + label)
			}
		})
	}
	return op
}

// outside is what there is to exercise besides the operations: declared errors that no operation has.
func outside(doc *openapi3.T) *operation {
	op := &operation{wanted: map[string]bool{}}
	used := map[*openapi3.Response]bool{}
	for _, item := range doc.Paths.Map() {
		for _, spec := range item.Operations() {
			for _, ref := range spec.Responses.Map() {
				used[ref.Value] = true
			}
		}
	}
	for _, ref := range doc.Components.Responses {
		if !used[ref.Value] {
			op.want(codes("", ref.Value)...)
		}
	}
	return op
}

func (op *operation) want(items ...string) {
	for _, item := range items {
		op.wanted[item] = true
	}
}

func place(p *openapi3.Parameter) string { return p.In + " " + p.Name }

func inBody(label string) string {
	if label == "" {
		return " body"
	}
	return " body " + label
}

func jsonSchema(content openapi3.Content) *openapi3.Schema {
	return content["application/json"].Schema.Value
}

// codes returns "status code" for each example of a declared error; without a status, that of the example is used.
func codes(status string, r *openapi3.Response) []string {
	media := r.Content["application/json"]
	if media == nil { // 304
		return []string{status}
	}
	var all []string
	for _, ref := range media.Examples {
		if example, ok := ref.Value.Value.(map[string]any); ok {
			if status == "" {
				status = fmt.Sprint(example["status"])
			}
			all = append(all, fmt.Sprint(status, " ", example["code"]))
		}
	}
	if len(all) == 0 {
		return []string{status}
	}
	return all
}

// touchedBy returns the items that an exchange exercises, including ones that the contract does not have.
func (op *operation) touchedBy(x probe.Exchange) []string {
	sent, query := decode(x.Body), url.Values{}
	if u, err := url.Parse(x.URL); err == nil {
		query = u.Query()
	}
	given := func(p *openapi3.Parameter) bool {
		switch p.In {
		case openapi3.ParameterInQuery:
			return query.Has(p.Name)
		case openapi3.ParameterInHeader:
			return len(x.Header.Values(p.Name)) > 0
		}
		return true
	}
	if x.Status == http.StatusOK {
		return op.accepted(x, sent, given)
	}
	var answer api.Error
	if json.Unmarshal(x.ResponseBody, &answer) != nil {
		return []string{strconv.Itoa(x.Status)}
	}
	touched := []string{strconv.Itoa(x.Status), fmt.Sprint(x.Status, " ", answer.Code)}
	if x.Status != http.StatusBadRequest {
		return touched
	}
	kinds := map[bool]string{true: "invalid", false: "missing"}
	for _, d := range answer.Details {
		for _, p := range op.parameters {
			if p.In == string(d.In) && p.Name == d.Field {
				touched = append(touched, kinds[given(p)]+" "+place(p))
			}
		}
		if d.In == api.ErrorDetailInBody && op.request != nil {
			if label, present, ok := locate(op.request, sent, tokens(d.Field)); ok {
				touched = append(touched, kinds[present]+inBody(label))
			}
		}
	}
	return touched
}

// accepted returns the items that a request with a 200 exercises.
func (op *operation) accepted(x probe.Exchange, sent any, given func(*openapi3.Parameter) bool) []string {
	touched := []string{"200", "valid body"}
	for _, p := range op.parameters {
		if given(p) {
			touched = append(touched, "valid "+place(p))
		}
	}
	for name := range x.ResponseHeader {
		touched = append(touched, "response header "+name)
	}
	if op.request != nil {
		visit(op.request, sent, "", func(label string) { touched = append(touched, "valid"+inBody(label)) })
	}
	if op.response != nil {
		visit(op.response, decode(x.ResponseBody), "", func(label string) { touched = append(touched, "response "+label) })
	}
	return touched
}

// decode returns a JSON value with numbers as written, or nil.
func decode(text []byte) any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return nil
	}
	return value
}

// tokens returns the tokens of a JSON pointer.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	list := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, token := range list {
		list[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	}
	return list
}
