package mutants_test

import (
	"context"
	"encoding/json"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/crossborder-payouts/payouts/server/payout"
)

func transactionMutants() []mutant {
	return slices.Concat(
		transactionEchoMutants(), transactionDefaultMutants(),
		transactionSenderMutants(), transactionReceiverMutants(), currencyMutants(), networkLimitMutants(),
		receivingBoundMutants(), rateMutants(), transactionOrderMutants(), senderAmountMutants(), receiverAmountMutants(), decimalsMutants(),
		transactionReadingMutants(), transactionPagingMutants(), transactionMethodMutants(),
	)
}

// transacting makes a fault in the creation of transactions without an idempotency key. What is done with keys has mutants
// of its own.
func transacting(f func(r request, next ask) answer) func() fault {
	return stateless(func(op string, r request, next ask) answer {
		if op != "createTransaction" || r.Header.Values(keyHeader) != nil || r.Context().Value(aside{}) != nil {
			return next(r)
		}
		return f(r, next)
	})
}

// aside marks the requests of attempts: other faults leave them alone, else many of them together would make too many.
type aside struct{}

// attempt sends a request in another way. A status of 0 says that there is none.
type attempt func(r request, next ask) answer

// overlooking creates a transaction that is to be refused with a code, if the attempt does: so that nothing else is wrong with it.
func overlooking(code string, try attempt) func() fault {
	return transacting(func(r request, next ask) answer {
		a := next(r)
		if a.code() != code {
			return a
		}
		if b := try(r.aside(), next); b.status == http.StatusOK {
			return b
		}
		return a
	})
}

// hasty answers the second of two rules that a transaction breaks, which the attempt shows by keeping the first one.
func hasty(first string, try attempt, second string) func() fault {
	return transacting(func(r request, next ask) answer {
		a := next(r)
		if a.code() != first {
			return a
		}
		if b := try(r.aside(), next); b.code() == second {
			return b
		}
		return a
	})
}

// refusing refuses a transaction that is to be created.
func refusing(code string, refuses func(r request, next ask) bool) func() fault {
	return transacting(func(r request, next ask) answer {
		a := next(r)
		if a.status == http.StatusOK && refuses(r, next) {
			a = a.failure(http.StatusUnprocessableEntity, code)
		}
		return a
	})
}

// miscalls answers another code than the right one.
func miscalls(code string, when func(r request, next ask) bool, wrong string) func() fault {
	return transacting(func(r request, next ask) answer {
		a := next(r)
		if a.code() == code && when(r, next) {
			a = a.failure(http.StatusUnprocessableEntity, wrong)
		}
		return a
	})
}

// where tries something in some cases only.
func where(fits func(r request, next ask) bool, try attempt) attempt {
	return func(r request, next ask) answer {
		if !fits(r, next) {
			return answer{}
		}
		return try(r, next)
	}
}

// with tries another value of a member; nil leaves it out.
func with(value func(r request, next ask) any, names ...string) attempt {
	return func(r request, next ask) answer { return next(r.set(value(r, next), names...)) }
}

// constant is a value that depends on nothing.
func constant(v any) func(request, ask) any {
	return func(request, ask) any { return v }
}

// created is what was created before: by which operation, for which user, and for which receive user where there is one.
type created struct{ by, user, receiver string }

// known returns what has an id, if the server was asked to create it.
type known func(id string) created

// knowing makes a fault that knows what was created.
func knowing(build func(of known) func() fault) func() fault {
	return func() fault {
		var all sync.Map
		inner := build(func(id string) created {
			c, _ := all.Load(id)
			made, _ := c.(created)
			return made
		})()
		return func(op string, r request, next ask) answer {
			a := inner(op, r, next)
			if !strings.HasPrefix(op, "create") || a.status != http.StatusOK {
				return a
			}
			c := created{by: op, user: r.user()}
			if strings.Contains(r.URL.Path, "/receive-users/") {
				c.receiver = r.segment(3)
			}
			all.Store(a.member("id"), c)
			return a
		}
	}
}

// shown changes a transaction wherever it is answered.
func shown(edit func(x map[string]any)) func() fault {
	return shownTo(func(_ request, _ ask, x map[string]any) { edit(x) })
}

func shownTo(edit func(r request, next ask, x map[string]any)) func() fault {
	return stateless(func(op string, r request, next ask) answer {
		a := next(r)
		switch {
		case a.status != http.StatusOK:
		case op == "createTransaction" || op == "getTransaction":
			a = a.object(func(x map[string]any) { edit(r, next, x) })
		case op == "listTransactions":
			a = a.object(func(page map[string]any) {
				for _, x := range objects(page["items"]) {
					edit(r, next, x)
				}
			})
		}
		return a
	})
}

func (r request) aside() request {
	r.Request = r.WithContext(context.WithValue(r.Context(), aside{}, true))
	return r
}

// set returns the request with another value of a member of its body; nil leaves it out.
func (r request) set(value any, names ...string) request {
	return r.as(func(body map[string]any) {
		last := len(names) - 1
		for _, name := range names[:last] {
			body, _ = body[name].(map[string]any)
		}
		switch {
		case body == nil:
		case value == nil:
			delete(body, names[last])
		default:
			body[names[last]] = value
		}
	})
}

// text returns a member of the body that is a text.
func (r request) text(names ...string) string {
	text, _ := r.member(names...).(string)
	return text
}

// amount returns a member of the body that is a number, 0 without one.
func (r request) amount(name string) *big.Rat { return rational(r.member(name)) }

// pays is what a body in SENDER_AMOUNT mode pays out, before it is rounded.
func (r request) pays() *big.Rat {
	return new(big.Rat).Mul(r.amount("from_amount"), r.amount("exchange_rate"))
}

func (r request) method() string { return r.text("to", "payout_method") }

func (r request) receiverAmount() bool { return r.text("to", "calculation_mode") == "RECEIVER_AMOUNT" }

// read returns what the caller of a request can read at a path.
func (r request) read(next ask, path string) any {
	path, query, _ := strings.Cut(path, "?")
	inner := r.to(http.MethodGet, path)
	inner.URL.RawQuery = query
	return decode(next(inner).body)
}

// below returns a list of the user in the path.
func (r request) below(next ask, path string) []map[string]any {
	return objects(r.read(next, "/users/"+r.user()+path))
}

// receiver returns the receive user that a transaction names, or nil.
func (r request) receiver(next ask) map[string]any {
	return first(r.below(next, "/receive-users"), "id", r.text("to", "id"))
}

// accounts returns those of the receive user that a transaction names, of its payout method.
func (r request) accounts(next ask) []map[string]any {
	path := map[string]string{"BANK_DEPOSIT": "/bank-accounts", "WALLET": "/wallet-accounts"}[r.method()]
	return r.below(next, "/receive-users/"+r.text("to", "id")+path)
}

// payer returns the payer that a transaction names, or nil.
func (r request) payer(next ask) map[string]any {
	id, _ := r.member("to", "payer_id").(json.Number)
	p, _ := r.read(next, "/payers/"+id.String()).(map[string]any)
	if p["id"] != id {
		return nil
	}
	return p
}

// objects returns the elements of a list that are objects.
func objects(list any) (all []map[string]any) {
	elements, _ := list.([]any)
	for _, e := range elements {
		if m, ok := e.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}

// first returns the first object that has a member with a value, or nil.
func first(all []map[string]any, name string, value any) map[string]any {
	for _, m := range all {
		if m[name] == value {
			return m
		}
	}
	return nil
}

// rational reads a number of JSON exactly, 0 without one.
func rational(v any) *big.Rat {
	n, _ := v.(json.Number)
	x, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return new(big.Rat)
	}
	return x
}

// number writes a number, rounded half up.
func number(x *big.Rat, digits int) json.Number { return json.Number(x.FloatString(digits)) }

// cut returns a number without its digits behind so many decimals.
func cut(x *big.Rat, digits int) *big.Rat {
	scaled := new(big.Rat).Mul(x, power(digits))
	whole := new(big.Int).Quo(scaled.Num(), scaled.Denom())
	return new(big.Rat).Quo(new(big.Rat).SetInt(whole), power(digits))
}

// toEven rounds half to the even neighbour.
func toEven(x *big.Rat, digits int) *big.Rat {
	scaled := new(big.Rat).Mul(x, power(digits))
	whole := cut(scaled, 0)
	if new(big.Rat).Sub(scaled, whole).Cmp(big.NewRat(1, 2)) == 0 && whole.Num().Bit(0) == 0 {
		return cut(x, digits)
	}
	return rational(number(x, digits))
}

func power(digits int) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
}

// decimals is how many a currency has, -1 where it does not exist.
func decimals(currency any) int {
	code, _ := currency.(string)
	digits, ok := payout.MinorDigits(code)
	if !ok {
		return -1
	}
	return digits
}
