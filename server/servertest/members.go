package servertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Members are the members of a JSON object, as raw JSON.
type Members map[string]string

// With returns the object as JSON with members changed or added; an empty text removes a member.
func (m Members) With(pairs ...string) string {
	all := map[string]json.RawMessage{}
	for name, value := range m {
		all[name] = json.RawMessage(value)
	}
	for i := 0; i < len(pairs); i += 2 {
		if delete(all, pairs[i]); pairs[i+1] != "" {
			all[pairs[i]] = json.RawMessage(pairs[i+1])
		}
	}
	parts := make([]string, 0, len(all))
	for name, value := range all {
		parts = append(parts, fmt.Sprintf("%q:%s", name, value))
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ",") + "}"
}

// Registration is a valid registration of an individual.
var Registration = Members{"first_name": `"Asha"`, "last_name": `"Example"`, "email": `"asha@example.com"`, "country": `"US"`}
