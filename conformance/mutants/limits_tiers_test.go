package mutants_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"sync"

	"github.com/google/uuid"
)

func tierMutants() []mutant {
	return []mutant{
		broken("A transaction of exactly the rest requests a document", "limits.tier.boundary",
			creating(func(r request, next ask, before map[string]any, create func() answer) answer {
				a := create()
				if tier(before) == 1 && a.status == 200 && rational(r.member("from_amount")).Cmp(least(before)) == 0 {
					setTags(r, next, "REQUESTED", "ID_DOC")
				}
				return a
			})),
		broken("A cent remains of a limit that is used up", "limits.tier.above-counts-whole", limits(func(_ request, _ ask, l map[string]any) {
			for name, left := range remaining(l) {
				if tier(l) > 0 && rational(left).Sign() == 0 {
					remaining(l)[name] = json.Number("0.01")
				}
			}
		})),
		broken("What is above the limit of a lower tier is refused", "limits.tier.boundary",
			creating(func(r request, _ ask, before map[string]any, create func() answer) answer {
				if tier(before) == 1 && rational(r.member("from_amount")).Cmp(least(before)) > 0 {
					return refused(422, "LIMIT_EXCEEDED")
				}
				return create()
			})),
		broken("The last tier but one is taken for the highest", "limits.tier.climbs",
			creating(func(r request, _ ask, before map[string]any, create func() answer) answer {
				if tier(before) == 2 && rational(r.member("from_amount")).Cmp(least(before)) > 0 {
					return refused(422, "LIMIT_EXCEEDED")
				}
				return create()
			})),
		broken("What is above the limits of the highest tier is created in a lower one", "limits.tier.far-above",
			overlooking("LIMIT_EXCEEDED", where(func(r request, next ask) bool {
				l := limitOf(r, next, "NP")
				return l != nil && tier(l) < 3
			}, with(constant(json.Number("0.01")), "from_amount")))),
		broken("What is above the limit of the day does not count for the month and the year", "limits.tier.above-counts-whole", excessForgotten),
		broken("A document is requested before the receiving amount is judged", "limits.tier.requests-with-creation-only",
			creating(func(r request, next ask, before map[string]any, create func() answer) answer {
				a := create()
				if tier(before) == 1 && a.code() == "AMOUNT_NOT_ALLOWED" && rational(r.member("from_amount")).Cmp(least(before)) > 0 {
					setTags(r, next, "REQUESTED", "ID_DOC")
				}
				return a
			})),
		broken("The requested tags do not raise the tier of an individual, only those of the highest do", "limits.tier.climbs",
			limits(func(r request, next ask, l map[string]any) {
				if tier(l) == 2 && !isBusiness(r, next) {
					l["current_tier"] = 1
				}
			})),
		broken("All tags of the highest tier are requested", "limits.tier.each-tag-needed", afterCreation(func(r request, next ask, _ answer) {
			info := look(r, next, "/cip-info")
			if status := info.member("cip_info", "OCCUPATION"); len(tagsWith(info, "REQUESTED")) > 0 && (status == nil || status == "FAILED") {
				setTags(r, next, "REQUESTED", "OCCUPATION")
			}
		})),
		broken("A tag that is REVIEWING is requested again", "limits.tier.requests-what-is-missing",
			afterCreation(func(r request, next ask, _ answer) {
				setTags(r, next, "REQUESTED", tagsWith(look(r, next, "/cip-info"), "REVIEWING")...)
			})),
		broken("A tag that is FAILED is not requested again", "limits.tier.requests-what-is-missing",
			stateless(func(op string, r request, next ask) answer {
				if op != "createTransaction" {
					return next(r)
				}
				failed := tagsWith(look(r, next, "/cip-info"), "FAILED")
				a := next(r)
				setTags(r, next, "FAILED", failed...)
				return a
			})),
		broken("A document is requested before the currency is judged", "limits.tier.requests-with-creation-only",
			creating(func(r request, next ask, before map[string]any, create func() answer) answer {
				a := create()
				if tier(before) == 1 && a.code() == "CURRENCY_NOT_SUPPORTED" && rational(r.member("from_amount")).Cmp(least(before)) > 0 {
					setTags(r, next, "REQUESTED", "ID_DOC")
				}
				return a
			})),
		broken("A repeat requests what has FAILED since", "limits.tier.requests-with-creation-only",
			answered("createTransaction", func(r request, next ask, a answer) {
				if a.isReplay() {
					setTags(r, next, "REQUESTED", tagsWith(look(r, next, "/cip-info"), "FAILED")...)
				}
			})),
		broken("A business is asked for the tags of individuals", "limits.tier.climbs",
			then("getCipInfo", func(r request, a answer, next ask) answer {
				if !isBusiness(r, next) || len(r.transactions(next)) == 0 || len(tagsWith(a, "REQUESTED")) == 0 {
					return a
				}
				return a.object(func(info map[string]any) { info["cip_info"].(map[string]any)["OCCUPATION"] = "REQUESTED" })
			})),
		broken("A business that has sent something is in no higher tier than the first", "limits.tier.climbs",
			limits(func(r request, next ask, l map[string]any) {
				if isBusiness(r, next) && len(r.transactions(next)) > 0 {
					l["current_tier"] = min(1, tier(l))
				}
			})),
		broken("The tier never falls", "limits.tier.changes", highestSoFar),
		broken("Every tier begins to count at 0", "limits.tier.changes", countedPerTier),
	}
}

// excessForgotten remembers by how much each user went above a limit, from a whole amount on.
func excessForgotten() fault {
	var mu sync.Mutex
	excess := map[string]*big.Rat{}
	give := limits(func(r request, _ ask, l map[string]any) {
		mu.Lock()
		defer mu.Unlock()
		for _, name := range []string{"monthly_limit", "annual_limit"} {
			remaining(l)[name] = json.Number(plus(rational(remaining(l)[name]), excess[r.user()]).FloatString(2))
		}
	})()
	count := creating(func(r request, _ ask, before map[string]any, create func() answer) answer {
		a := create()
		over := new(big.Rat).Sub(rational(r.member("from_amount")), least(before))
		if a.status == 200 && !a.isReplay() && over.Cmp(big.NewRat(1, 1)) >= 0 {
			mu.Lock()
			defer mu.Unlock()
			excess[r.user()] = plus(excess[r.user()], over)
		}
		return a
	})()
	return func(op string, r request, next ask) answer {
		return give(op, r, func(r request) answer { return count(op, r, next) })
	}
}

// highestSoFar remembers the highest tier of each user.
func highestSoFar() fault {
	var mu sync.Mutex
	highest := map[string]int{}
	return limits(func(r request, _ ask, l map[string]any) {
		mu.Lock()
		defer mu.Unlock()
		highest[r.user()] = max(highest[r.user()], tier(l))
		l["current_tier"] = highest[r.user()]
	})()
}

// countedPerTier remembers what each user sent in which tier.
func countedPerTier() fault {
	var mu sync.Mutex
	sent := map[string]*big.Rat{} // by user and tier
	place := func(r request, tier int) string { return fmt.Sprint(r.user(), tier) }
	count := creating(func(r request, _ ask, before map[string]any, create func() answer) answer {
		a := create()
		if a.status == 200 {
			mu.Lock()
			defer mu.Unlock()
			sent[place(r, tier(before))] = plus(sent[place(r, tier(before))], rational(r.member("from_amount")))
		}
		return a
	})()
	give := limits(func(r request, _ ask, l map[string]any) {
		mu.Lock()
		defer mu.Unlock()
		for below := range tier(l) {
			lower(l, new(big.Rat).Neg(plus(sent[place(r, below)])))
		}
	})()
	return func(op string, r request, next ask) answer {
		return give(op, r, func(r request) answer { return count(op, r, next) })
	}
}

func highestTierMutants() []mutant {
	return []mutant{
		broken("The rest itself is above the limit of the highest tier", "limits.highest-tier.boundary",
			creating(func(r request, _ ask, before map[string]any, create func() answer) answer {
				if tier(before) == 3 && rational(r.member("from_amount")).Cmp(least(before)) == 0 {
					return refused(422, "LIMIT_EXCEEDED")
				}
				return create()
			})),
		broken("An amount above the rest is not allowed, after others", "limits.highest-tier.boundary",
			after(func(op string, r request, a answer, next ask) answer {
				if op == "createTransaction" && a.code() == "LIMIT_EXCEEDED" && len(r.transactions(next)) > 0 {
					return a.failure(422, "AMOUNT_NOT_ALLOWED")
				}
				return a
			})),
		broken("A transaction that the limit refuses requests a tag", "limits.highest-tier.refusal-leaves-all",
			answered("createTransaction", func(r request, next ask, a answer) {
				if a.code() == "LIMIT_EXCEEDED" {
					setTags(r, next, "REQUESTED", "MIDDLE_NAME")
				}
			})),
		broken("The limit is not held against transactions at the same time", "limits.highest-tier.at-once", unheldAtOnce),
	}
}

// refused returns an error without asking the real server.
func refused(status int, code string) answer {
	header := http.Header{}
	header.Set("X-Request-Id", uuid.NewString())
	header.Set("RateLimit", `"client";r=1;t=1`)
	header.Set("RateLimit-Policy", `"client";q=2;w=2`)
	return answer{header: header}.failure(status, code)
}

// unheldAtOnce creates, in the answer at least, what the limit refuses while another request of the user is not answered.
func unheldAtOnce() fault {
	users := &memory{}
	return func(op string, r request, next ask) answer {
		if op != "createTransaction" {
			return next(r)
		}
		return users.pass(r.user(), r, func(p past) answer {
			a := next(r)
			if a.code() != "LIMIT_EXCEEDED" || !p.hasCompany() {
				return a
			}
			all := look(r, next, "/transactions")
			for _, transaction := range each(all.member("items")) {
				transaction.(map[string]any)["id"] = uuid.NewString()
				all.body = encode(transaction)
				return all
			}
			return a
		})
	}
}
