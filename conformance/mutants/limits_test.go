package mutants_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
)

func limitMutants() []mutant {
	return slices.Concat(limitReadingMutants(), limitUseMutants(), tierMutants(), highestTierMutants())
}

func limitReadingMutants() []mutant {
	return []mutant{
		broken("A destination that is not enabled is a bad request", "limits.destination",
			after(func(op string, r request, a answer, next ask) answer {
				if op == "getTransactionLimit" && a.status == 404 && look(r, next, "").status == 200 {
					return a.failure(400, "BAD_REQUEST")
				}
				return a
			})),
		broken("Who may not send is in tier 1", "limits.without-sending",
			limits(func(_ request, _ ask, l map[string]any) { l["current_tier"] = max(1, tier(l)) })),
	}
}

func limitUseMutants() []mutant {
	return []mutant{
		broken("The annual limit is rounded up to whole amounts", "limits.used", limits(func(_ request, _ ask, l map[string]any) {
			left := remaining(l)
			if annual := rational(left["annual_limit"]); !annual.IsInt() {
				whole := new(big.Int).Quo(annual.Num(), annual.Denom())
				left["annual_limit"] = json.Number(whole.Add(whole, big.NewInt(1)).String())
			}
		})),
		broken("Fees count against the limits", "limits.used", limits(func(r request, next ask, l map[string]any) {
			for _, t := range r.transactions(next) {
				lower(l, rational(t["fee_amount"]))
			}
		})),
		broken("With RECEIVER_AMOUNT the calculated sending amount counts", "limits.used", limits(func(r request, next ask, l map[string]any) {
			for _, t := range r.transactions(next) {
				if member(t, "to", "calculation_mode") == "RECEIVER_AMOUNT" {
					calculated := new(big.Rat).Quo(rational(t["to_amount"]), rational(t["exchange_rate"]))
					lower(l, calculated.Sub(calculated, rational(t["from_amount"])))
				}
			}
		})),
		broken("A transaction counts before its currency is judged", "limits.used-by-creations-only", refusedCounts("CURRENCY_NOT_SUPPORTED")),
		broken("A transaction counts before its receiving amount is judged", "limits.used-by-creations-only", refusedCounts("AMOUNT_NOT_ALLOWED")),
		broken("A repeat counts, unless the first request is still under way", "limits.used-by-creations-only", replayCounts),
		broken("A user without receive users shares the counters of the client", "limits.used", sharedCounters),
		broken("One purse serves all destinations", "limits.used", limits(func(r request, next ask, l map[string]any) {
			if receivers := each(decode(look(r, next, "/receive-users").body)); len(receivers) > 0 {
				l["remaining_limit"] = limitOf(r, next, fmt.Sprint(member(receivers[0], "country")))["remaining_limit"]
			}
		})),
	}
}

// refusedCounts remembers the sending amounts that were refused with a code, by user.
func refusedCounts(code string) func() fault {
	return func() fault {
		var mu sync.Mutex
		refused := map[string]*big.Rat{}
		return func(op string, r request, next ask) answer {
			a := next(r)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case op == "createTransaction" && a.code() == code:
				refused[r.user()] = plus(refused[r.user()], rational(r.member("from_amount")))
			case op == "getTransactionLimit" && a.status == 200:
				a = a.object(func(l map[string]any) { lower(l, plus(refused[r.user()])) })
			}
			return a
		}
	}
}

// replayCounts counts the repeats of keys that no two requests used at the same time.
func replayCounts() fault {
	keys, repeated := &memory{}, map[string]*big.Rat{} // by user and key
	lowered := limits(func(r request, _ ask, l map[string]any) {
		keys.mu.Lock()
		defer keys.mu.Unlock()
		for name, sum := range repeated {
			if strings.HasPrefix(name, r.user()) && !keys.named[name].crowded {
				lower(l, sum)
			}
		}
	})()
	return func(op string, r request, next ask) answer {
		if op != "createTransaction" || r.key() == "" {
			return lowered(op, r, next)
		}
		name := r.user() + r.key()
		return keys.pass(name, r, func(past) answer {
			a := next(r)
			keys.mu.Lock()
			defer keys.mu.Unlock()
			if a.isReplay() {
				repeated[name] = plus(repeated[name], rational(r.member("from_amount")))
			}
			return a
		})
	}
}

// sharedCounters counts what a client sends from when a user without receive users first asks for the limits.
func sharedCounters() fault {
	var mu sync.Mutex
	sent, before := new(big.Rat), map[string]*big.Rat{}
	return func(op string, r request, next ask) answer {
		a := next(r)
		if a.status != 200 {
			return a
		}
		mu.Lock()
		defer mu.Unlock()
		switch {
		case op == "createTransaction":
			sent = plus(sent, rational(r.member("from_amount")))
		case op == "getTransactionLimit" && len(each(decode(look(r, next, "/receive-users").body))) == 0:
			if before[r.user()] == nil {
				before[r.user()] = sent
			}
			a = a.object(func(l map[string]any) { lower(l, new(big.Rat).Sub(sent, before[r.user()])) })
		}
		return a
	}
}

func tier(l map[string]any) int {
	n, _ := l["current_tier"].(json.Number).Int64()
	return int(n)
}

func remaining(l map[string]any) map[string]any { return l["remaining_limit"].(map[string]any) }

// lower takes an amount from all remaining limits, down to 0.
func lower(l map[string]any, by *big.Rat) {
	for name, left := range remaining(l) {
		after := new(big.Rat).Sub(rational(left), by)
		if after.Sign() < 0 {
			after = new(big.Rat)
		}
		remaining(l)[name] = json.Number(after.FloatString(2))
	}
}

// least is the smallest of the remaining limits.
func least(l map[string]any) *big.Rat {
	var smallest *big.Rat
	for _, left := range remaining(l) {
		if a := rational(left); smallest == nil || a.Cmp(smallest) < 0 {
			smallest = a
		}
	}
	return smallest
}

// plus adds amounts; none is 0.
func plus(amounts ...*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, a := range amounts {
		if a != nil {
			sum.Add(sum, a)
		}
	}
	return sum
}
