package checks

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// damage is one place of a body with one thing that is wrong there.
type damage struct {
	path   []string // tokens of the JSON pointer that has to be named
	what   string   // what is wrong there, for messages
	value  any
	remove bool
	alone  bool // nothing beside it is judged: it is the discriminator of a oneOf
}

// kind is a kind of damage. It is told the schema of a member with a value that keeps it.
type kind func(path []string, schema *openapi3.Schema, sample any) []damage

// damages returns what is wrong of a kind for each member of a body: nested objects, items of arrays and the variant of a
// oneOf that is in the sample included.
func damages(of kind, s sampler, schema *openapi3.Schema, sample any, path ...string) []damage {
	discriminator := ""
	if d := schema.Discriminator; d != nil {
		discriminator = d.PropertyName
	}
	schema = s.chosen(schema)
	found := of(path, schema, sample)
	for i, d := range found {
		found[i].alone = len(d.path) > len(path) && d.path[len(path)] == discriminator
	}
	switch sample := sample.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(sample)) {
			member := schema.Properties[name]
			if member == nil {
				member = schema.AdditionalProperties.Schema
			}
			below := damages(of, s, member.Value, sample[name], append(slices.Clone(path), name)...)
			for i := range below {
				below[i].alone = below[i].alone || name == discriminator
			}
			found = append(found, below...)
		}
	case []any:
		found = append(found, damages(of, s, schema.Items.Value, sample[0], append(slices.Clone(path), "0")...)...)
	}
	return found
}

// meets reports whether two damages cannot be in one body.
func (d damage) meets(other damage) bool {
	a, b := d.scope(), other.scope()
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

func (d damage) scope() []string {
	if d.alone {
		return d.path[:len(d.path)-1]
	}
	return d.path
}

func (d damage) pointer() string {
	var pointer strings.Builder
	for _, token := range d.path {
		pointer.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	return pointer.String()
}

// to returns a copy of a value with the damage.
func (d damage) to(value any, path ...string) any {
	if len(path) == 0 {
		return d.value
	}
	switch value := value.(type) {
	case map[string]any:
		object := maps.Clone(value)
		if len(path) == 1 && d.remove {
			delete(object, path[0])
		} else {
			object[path[0]] = d.to(object[path[0]], path[1:]...)
		}
		return object
	case []any:
		array := slices.Clone(value)
		if i, err := strconv.Atoi(path[0]); err == nil && i < len(array) {
			array[i] = d.to(array[i], path[1:]...)
		}
		return array
	}
	return value
}

// packed puts damages into as few bodies as they fit in.
func packed(all []damage) [][]damage {
	var bodies [][]damage
next:
	for _, d := range all {
		for i, body := range bodies {
			if !slices.ContainsFunc(body, d.meets) {
				bodies[i] = append(body, d)
				continue next
			}
		}
		bodies = append(bodies, []damage{d})
	}
	return bodies
}

// namesEach sends a body with each of these damages, in as few requests as possible, and expects that a 400 names each.
func namesEach(t *probe.T, op operation, n pathValues, of kind) {
	for i, variant := range variantsOf(op.body) {
		body := op.sample(t, variant, allMembers)
		all := damages(of, sampler{variant: variant}, op.body, body)
		if i > 0 { // what is beside the oneOf was sent with its first variant
			all = slices.DeleteFunc(all, func(d damage) bool {
				member := op.body.Properties[d.path[0]]
				return member == nil || member.Value.Discriminator == nil
			})
		}
		for _, together := range packed(all) {
			damaged := any(body)
			for _, d := range together {
				damaged = d.to(damaged, d.path...)
			}
			r := op.request(t, n)
			r.Body = damaged
			namesAll(t, t.Send(r), together)
		}
	}
}

// namesAll expects a 400 with a detail for each damage.
func namesAll(t *probe.T, reply probe.Reply, sent []damage) {
	var places []string
	for _, d := range sent {
		places = append(places, d.pointer()+" "+d.what)
	}
	if reply.Status != 400 {
		t.Failf("answered %d, want 400, to a body with %s", reply.Status, strings.Join(places, ", "))
		return
	}
	var body api.Error
	if err := json.Unmarshal(reply.Body, &body); err != nil || body.Code != api.ErrorCodeBadRequest {
		t.Failf("answered 400 without the code BAD_REQUEST")
		return
	}
	for i, d := range sent {
		t.Expect(slices.ContainsFunc(body.Details, func(e api.ErrorDetail) bool {
			return e.In == api.ErrorDetailInBody && e.Field == d.pointer()
		}), "answered 400 without a detail for %s", places[i])
	}
}
