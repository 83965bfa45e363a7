package mutants_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// mending makes a fault in one member of the body: mend gives another value for it, and whether there is anything to mend.
func mending(id, name string, mend func(value any, sent bool) (any, bool)) func() fault {
	return asking(id, func(r request) request {
		body, ok := decode(r.body).(map[string]any)
		if !ok || !json.Valid(r.body) {
			return r
		}
		value, sent := body[name]
		if value, ok = mend(value, sent); !ok {
			return r
		}
		return r.as(func(body map[string]any) { body[name] = value })
	})
}

// vague makes a fault in refusals that name members of the body: the whole body is named for those that are such.
func vague(id string, such func(r request, name string) bool) func() fault {
	return answering(id, http.StatusBadRequest, func(r request, a answer) answer {
		return a.object(func(body map[string]any) {
			for _, d := range each(body["details"]) {
				d := d.(map[string]any)
				if name, ok := strings.CutPrefix(text(d["field"]), "/"); ok && d["in"] == "body" && such(r, name) {
					d["field"] = ""
				}
			}
		})
	})
}

// typeMutants convert a value of another type, one operation each.
func typeMutants() []mutant {
	takes := func(id, name, what string, mend func(value any, sent bool) (any, bool)) mutant {
		return mutant{name: id + " takes " + what + " for " + name, by: "validation." + id + ".types", fault: mending(id, name, mend)}
	}
	number := func(v any, _ bool) (any, bool) {
		n, ok := v.(json.Number)
		return n.String(), ok
	}
	return []mutant{
		takes("createUser", "zipcode", "a number", number),
		takes("createUser", "business", "1 and 0", func(v any, _ bool) (any, bool) {
			n, ok := v.(json.Number)
			return n == "1", ok && (n == "1" || n == "0")
		}),
		takes("createUser", "business", "0", func(v any, _ bool) (any, bool) { return false, v == json.Number("0") }),
		takes("createReceiveUser", "zipcode", "a number", number),
		takes("createFundingAccount", "label", "a number", number),
		takes("createBankAccount", "account_number", "a number", number),
		takes("createWalletAccount", "wallet_number", "a number", number),
		takes("createTransaction", "from_amount", "a text", func(v any, _ bool) (any, bool) {
			digits, ok := v.(string)
			return json.Number(digits), ok && json.Valid([]byte(digits))
		}),
		takes("setVerification", "kyc_status", "null", func(v any, sent bool) (any, bool) { return "VERIFIED", sent && v == nil }),
		{
			name: "setFundingAccountStatus does not name a status that is a number", by: "validation.setFundingAccountStatus.types",
			fault: vague("setFundingAccountStatus", func(r request, name string) bool {
				_, number := r.member(name).(json.Number)
				return number
			}),
		},
	}
}

// valueMutants put a value right that breaks its schema, one operation each.
func valueMutants() []mutant {
	takes := func(id, name, what string, mend func(value string) string) mutant {
		return mutant{
			name: id + " takes " + what + " for " + name, by: "validation." + id + ".values",
			fault: mending(id, name, func(v any, _ bool) (any, bool) {
				sent, ok := v.(string)
				right := mend(sent)
				return right, ok && right != sent
			}),
		}
	}
	return []mutant{
		takes("createUser", "date_of_birth", "30 February", func(v string) string {
			if first, ok := strings.CutSuffix(v, "-02-30"); ok {
				return first + "-03-02"
			}
			return v
		}),
		takes("createUser", "email", "two addresses", func(v string) string {
			first, _, _ := strings.Cut(v, ",")
			return first
		}),
		takes("createReceiveUser", "state", "lower case", strings.ToUpper),
		takes("createFundingAccount", "funding_source_type", "lower case", strings.ToUpper),
		takes("createBankAccount", "currency", "lower case", strings.ToUpper),
		takes("createWalletAccount", "currency", "lower case", strings.ToUpper),
		takes("createTransaction", "ip_address", "an address with a port", func(v string) string { return strings.TrimSuffix(v, ":80") }),
		takes("setVerification", "kyc_status", "lower case", strings.ToUpper),
		takes("setFundingAccountStatus", "status", "lower case", strings.ToUpper),
	}
}

// requiredMutants have a default for a member that is required, one operation each.
func requiredMutants() (mutants []mutant) {
	for _, of := range []struct {
		id, name string
		value    any
	}{
		{"createUser", "first_name", "Unknown"},
		{"createReceiveUser", "first_name", "Unknown"},
		{"createFundingAccount", "funding_source_type", "CARD"},
		{"createBankAccount", "currency", "NPR"},
		{"createWalletAccount", "currency", "NPR"},
		{"createTransaction", "to_currency", "NPR"},
		{"setFundingAccountStatus", "status", "ACTIVE"},
	} {
		mutants = append(mutants, mutant{
			name: of.id + " has a default for " + of.name, by: "validation." + of.id + ".required",
			fault: mending(of.id, of.name, func(_ any, sent bool) (any, bool) { return of.value, !sent }),
		})
	}
	return mutants
}

// unknownMutants overlook members that they do not know, or do not name them.
func unknownMutants() (mutants []mutant) {
	// below overlooks them in an object, or in a list of such.
	below := func(id, name string, known ...string) mutant {
		return mutant{
			name: id + " overlooks members that it does not know below " + name, by: "validation." + id + ".unknown",
			fault: mending(id, name, func(v any, _ bool) (any, bool) {
				before := encode(v)
				objects := each(v)
				if object, ok := v.(map[string]any); ok {
					objects = []any{object}
				}
				for _, o := range objects {
					if object, ok := o.(map[string]any); ok {
						keep(object, known...)
					}
				}
				return v, !bytes.Equal(before, encode(v))
			}),
		}
	}
	mutants = []mutant{
		below("createUser", "mailing_address", "country", "city", "address_line1", "address_line2", "zipcode", "state"),
		below("createTransaction", "to", "id", "payout_method", "calculation_mode", "fund_id", "payer_id", "pickup_location"),
		below("createTransaction", "physical_documents", "document_type", "document_value"),
	}
	for _, id := range []string{
		"createReceiveUser", "createFundingAccount", "createBankAccount", "createWalletAccount", "setVerification", "setFundingAccountStatus",
	} {
		_, known := declared(id)
		mutants = append(mutants, mutant{
			name: id + " does not name members that it does not know", by: "validation." + id + ".unknown",
			fault: vague(id, func(_ request, name string) bool {
				return !strings.Contains(name, "/") && !slices.Contains(known, name)
			}),
		})
	}
	return append(mutants, mutant{
		name: "Members that are not known are overlooked",
		by:   "validation.createUser.unknown",
		fault: stateless(func(op string, r request, next func(request) answer) answer {
			a := next(r)
			if _, known := declared(op); a.status == http.StatusBadRequest && len(known) > 0 {
				return next(r.as(func(body map[string]any) { keep(body, known...) }))
			}
			return a
		}),
	})
}

var (
	comment  = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n"]*\n`)
	bareName = regexp.MustCompile(`([{,])([a-z_]+[0-9]?):`)
)

// textMutants read more than JSON.
func textMutants() []mutant {
	reads := func(name, check string, mend func(text []byte) []byte) mutant {
		return mutant{
			name: name, by: "validation.json." + check,
			fault: stateless(func(op string, r request, next func(request) answer) answer {
				if op != "" && r.Method == http.MethodPost && len(r.body) <= mostBytes {
					if r.body = mend(r.body); len(r.body) > 0 && r.ContentLength == 0 {
						r = r.header("Content-Type", "application/json") // what was not there has no other
					}
				}
				return next(r)
			}),
		}
	}
	return []mutant{
		reads("A body without its last bracket is completed", "cut-off", func(text []byte) []byte {
			if whole := append(slices.Clone(text), '}'); !json.Valid(text) && json.Valid(whole) {
				return whole
			}
			return text
		}),
		reads("A comma before the last bracket is overlooked", "cut-off", func(text []byte) []byte {
			if begin, ok := bytes.CutSuffix(text, []byte(",}")); ok {
				return append(slices.Clone(begin), '}')
			}
			return text
		}),
		reads("What follows the first JSON text is not read", "two-values", func(text []byte) []byte {
			d := json.NewDecoder(bytes.NewReader(text))
			var first, second json.RawMessage
			if d.Decode(&first) == nil && d.Decode(&second) == nil {
				return first
			}
			return text
		}),
		reads("Bytes that are no UTF-8 are replaced", "utf-8", func(text []byte) []byte {
			return bytes.ToValidUTF8(text, []byte(string(utf8.RuneError)))
		}),
		reads("null is taken for an empty object", "top-level", func(text []byte) []byte {
			if string(text) == "null" {
				return []byte("{}")
			}
			return text
		}),
		reads("An array without elements is taken for an empty object", "top-level", func(text []byte) []byte {
			if string(text) == "[]" {
				return []byte("{}")
			}
			return text
		}),
		reads("No body is taken for an empty object", "empty", func(text []byte) []byte {
			if len(text) == 0 {
				return []byte("{}")
			}
			return text
		}),
		reads("A body may have comments", "relaxed", func(text []byte) []byte {
			if without := comment.ReplaceAll(text, nil); !json.Valid(text) && json.Valid(without) {
				return without
			}
			return text
		}),
		reads("Quotes may be single", "relaxed", func(text []byte) []byte {
			if double := bytes.ReplaceAll(text, []byte("'"), []byte(`"`)); !json.Valid(text) && json.Valid(double) {
				return double
			}
			return text
		}),
		reads("Names need no quotes", "relaxed", func(text []byte) []byte {
			if quoted := bareName.ReplaceAll(text, []byte(`$1"$2":`)); !json.Valid(text) && json.Valid(quoted) {
				return quoted
			}
			return text
		}),
		reads("Names of members may be in capitals", "case", func(text []byte) []byte {
			body, ok := decode(text).(map[string]any)
			if !ok || !json.Valid(text) {
				return text
			}
			folded, changed := map[string]any{}, false
			for name, value := range body {
				lower := strings.ToLower(name)
				folded[lower], changed = value, changed || lower != name
			}
			if !changed {
				return text
			}
			return encode(folded)
		}),
		reads("Of two members with one name the last one counts", "twice", func(text []byte) []byte {
			d := jsontext.NewDecoder(bytes.NewReader(text))
			if _, err := d.ReadValue(); !errors.Is(err, jsontext.ErrDuplicateName) {
				return text
			}
			return encode(decode(text))
		}),
	}
}

// numberMutants read numbers in other ways than digit by digit.
func numberMutants() []mutant {
	of := func(member, name, check string, mend func(n string) (any, bool)) mutant {
		return mutant{
			name: name, by: "validation.numbers." + check,
			fault: mending("createTransaction", member, func(v any, _ bool) (any, bool) {
				n, ok := v.(json.Number)
				if !ok {
					return nil, false
				}
				return mend(n.String())
			}),
		}
	}
	binary := func(v any) (any, error) {
		var f any
		err := json.Unmarshal(encode(v), &f) // numbers become float64
		return f, err
	}
	rounded := func(n string) (any, bool) {
		f, err := binary(json.Number(n))
		return f, err == nil && len(n) > 20 && !strings.ContainsAny(n, "eE")
	}
	return []mutant{
		of("exchange_rate", "A rate may have an exponent", "exponent", func(n string) (any, bool) {
			f, err := binary(json.Number(n))
			return f, err == nil && strings.ContainsAny(n, "eE")
		}),
		of("exchange_rate", "A rate with more than 19 digits is rounded", "digits", rounded),
		of("from_amount", "A sending amount with more than 19 digits is rounded", "digits", rounded),
		of("fee_amount", "A fee with more than 19 digits is rounded", "digits", rounded),
		{
			name: "The numbers of a request are read as float64", by: "validation.numbers.exponent",
			fault: asking("createTransaction", func(r request) request {
				if !json.Valid(r.body) {
					return r
				}
				if body, err := binary(decode(r.body)); err == nil {
					r.body = encode(body)
				}
				return r
			}),
		},
	}
}
