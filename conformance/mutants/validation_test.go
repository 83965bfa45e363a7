package mutants_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// validationMutants read a request more or less strictly than the contract says where no schema says it.
func validationMutants() []mutant {
	return slices.Concat(textMutants(), deceptionMutants(), numberMutants(), queryMutants(), refusalMutants(), openSetMutants())
}

var (
	comment  = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n"]*\n`)
	bareName = regexp.MustCompile(`([{,])([a-z_]+[0-9]?):`)
)

// textMutants read more than JSON.
func textMutants() []mutant {
	reads := func(name, check string, mend func(text []byte) []byte) mutant {
		return broken(name, "validation.json."+check, stateless(func(op string, r request, next ask) answer {
			if op != "" && r.Method == http.MethodPost && len(r.body) <= mostBytes {
				if r.body = mend(r.body); len(r.body) > 0 && r.ContentLength == 0 {
					r = r.header("Content-Type", "application/json") // what was not there has no other
				}
			}
			return next(r)
		}))
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
	mending := func(name, check, member string, mend func(digits string, f any) (any, bool)) mutant {
		return broken(name, "validation.numbers."+check, asking("createTransaction", func(r request) request {
			return r.as(func(body map[string]any) {
				n, _ := body[member].(json.Number)
				var f any
				if json.Unmarshal([]byte(n), &f) != nil { // numbers become float64
					return
				}
				if mended, ok := mend(n.String(), f); ok {
					body[member] = mended
				}
			})
		}))
	}
	all := []mutant{mending("A rate may have an exponent", "exponent", "exchange_rate", func(digits string, f any) (any, bool) {
		return f, strings.ContainsAny(digits, "eE")
	})}
	for _, member := range []string{"exchange_rate", "from_amount", "fee_amount"} {
		all = append(all, mending(member+" with more than 19 digits is rounded", "digits", member, func(digits string, f any) (any, bool) {
			return f, len(digits) > 20 && !strings.ContainsAny(digits, "eE")
		}))
	}
	return append(all,
		mending("Zeros at the end of an amount do not count", "written", "from_amount", func(digits string, _ any) (any, bool) {
			return json.Number(strings.TrimRight(digits, "0") + "0"), strings.Contains(digits, ".0")
		}),
		mending("A rate is cut to 19 decimals", "written", "exchange_rate", func(digits string, _ any) (any, bool) {
			_, fraction, _ := strings.Cut(digits, ".")
			return json.Number(digits[:len(digits)-max(0, len(fraction)-19)]), len(fraction) > 19
		}),
		broken("Half of a surrogate pair is replaced", "validation.json.surrogates", asking("createUser", func(r request) request {
			r.body = surrogate.ReplaceAll(r.body, []byte(`\ufffd`))
			return r
		})),
	)
}

var surrogate = regexp.MustCompile(`\\ud[89a-f][0-9a-f]{2}`)

// queryMutants read a query that they should refuse.
func queryMutants() []mutant {
	undecodable := func(name, id string, mend func(u *url.URL)) mutant {
		return broken(name, "validation.query-encoding", asking(id, func(r request) request {
			if _, err := url.ParseQuery(r.URL.RawQuery); err != nil {
				r.Request = r.Clone(r.Context())
				mend(r.URL)
			}
			return r
		}))
	}
	return []mutant{
		undecodable("A query that cannot be decoded is ignored", "listPayers", func(u *url.URL) { u.RawQuery = "" }),
		undecodable("What can be decoded of a query is used", "listStatesV2", func(u *url.URL) { u.RawQuery = u.Query().Encode() }),
		broken("Query parameters are read whatever their case", "validation.listPayers.query", asking("listPayers", func(r request) request {
			for name, values := range r.URL.Query() {
				if name != strings.ToLower(name) {
					r = r.query(name, "").query(strings.ToLower(name), values[0])
				}
			}
			return r
		})),
	}
}

// refusalMutants refuse what they should, and go wrong with what they say or do.
func refusalMutants() []mutant {
	return []mutant{
		broken("The body is judged only where the parameters are right", "validation.all-at-once",
			after(func(_ string, _ request, a answer, _ ask) answer {
				inBody := func(field string) bool { return strings.HasPrefix(field, "body ") }
				if a.status != http.StatusBadRequest || !slices.ContainsFunc(a.fields(), inBody) {
					return a
				}
				return a.object(func(body map[string]any) {
					body["details"] = slices.DeleteFunc(each(body["details"]), func(d any) bool { return member(d, "in") == "body" })
				})
			})),
		broken("The refusal of an identifier repeats it", "validation.no-values",
			answering("getBank", http.StatusBadRequest, func(r request, a answer) answer {
				return a.object(func(body map[string]any) { body["message"] = r.segment(1) + " is no bank." })
			})),
		broken("A refused email address is repeated", "validation.no-values",
			answering("createUser", http.StatusBadRequest, func(r request, a answer) answer {
				return a.object(func(body map[string]any) {
					for _, d := range each(body["details"]) {
						if d := d.(map[string]any); d["field"] == "/email" {
							d["reason"] = text(r.member("email")) + " is no email address"
						}
					}
				})
			})),
		broken("What is refused for a member that is not known is done", "validation.changes-nothing",
			after(func(_ string, r request, a answer, next ask) answer {
				if a.status == http.StatusBadRequest && r.user() != "" {
					next(r.as(func(body map[string]any) {
						maps.DeleteFunc(body, func(name string, _ any) bool { return slices.Contains(a.fields(), "body /"+name) })
					}))
				}
				return a
			})),
	}
}

// openSetMutants refuse what they should accept, or ignore what they should refuse.
func openSetMutants() []mutant {
	all := []mutant{
		broken("A fund_id is ignored where cash is handed out", "validation.other-payout-method",
			asking("createTransaction", func(r request) request {
				if method := r.method(); method == "CASH_PICKUP" || method == "HOME_DELIVERY" {
					r = r.set(nil, "to", "fund_id")
				}
				return r
			})),
		broken("A home delivery knows no calculation mode", "validation.calculation-mode", narrow("createTransaction", func(r request) bool {
			return r.method() == "HOME_DELIVERY" && r.text("to", "calculation_mode") == "SENDER_AMOUNT"
		})),
		broken("Names are measured in bytes", "validation.length-in-characters",
			narrow("createUser", func(r request) bool { return len(r.text("first_name")) > 200 })),
	}
	for _, of := range []struct{ check, id, member, known string }{
		{"users", "createUser", "gender", "FEMALE MALE OTHER"},
		{"users", "createUser", "business_type", "LLC CORPORATION PARTNERSHIP"},
		{"transactions", "createTransaction", "purpose", "OTHER FAMILY_SUPPORT EDUCATION GIFT"},
		{"funding-accounts", "createFundingAccount", "funding_source_type", "CARD BANK_ACCOUNT SAVINGS WIRE CASH"},
	} {
		all = append(all, broken("The values of "+of.member+" are a list", "validation.open-sets."+of.check, narrow(of.id, func(r request) bool {
			value := r.text(of.member)
			return value != "" && !slices.Contains(strings.Fields(of.known), value)
		})))
	}
	return all
}
