package mutants_test

import (
	"net/http"
	"net/url"
)

// look asks the real server for what can be read below the user in the path.
func look(r request, next ask, path string) answer {
	return next(r.to(http.MethodGet, "/users/"+r.user()+path))
}

// limitOf asks the real server for the limits of the user in the path; nil where it returns none.
func limitOf(r request, next ask, destination string) map[string]any {
	r = r.to(http.MethodGet, "/users/"+r.user()+"/transaction-limit")
	r.URL.RawQuery = url.Values{"destination": {destination}}.Encode()
	a := next(r)
	if a.status != 200 {
		return nil
	}
	l, _ := decode(a.body).(map[string]any)
	return l
}

// tagsWith returns the tags that have a status in verification information.
func tagsWith(info answer, status string) (tags []string) {
	all, _ := info.member("cip_info").(map[string]any)
	for tag, has := range all {
		if has == status {
			tags = append(tags, tag)
		}
	}
	return tags
}

// setTags sets tags of the user in the path to a status.
func setTags(r request, next ask, status string, tags ...string) {
	all := map[string]string{}
	for _, tag := range tags {
		all[tag] = status
	}
	r = r.to(http.MethodPost, "/sandbox/users/"+r.user()+"/verification").header(keyHeader, "")
	r.body = encode(map[string]any{"cip_info": all})
	next(r)
}

// limits changes what is answered about the limits of a user.
func limits(edit func(r request, next ask, l map[string]any)) func() fault {
	return stateless(func(op string, r request, next ask) answer {
		a := next(r)
		if op == "getTransactionLimit" && a.status == 200 {
			a = a.object(func(l map[string]any) { edit(r, next, l) })
		}
		return a
	})
}

// creating stands round the creation of transactions to Nepal and knows the limits before it.
func creating(round func(r request, next ask, before map[string]any, create func() answer) answer) func() fault {
	return stateless(func(op string, r request, next ask) answer {
		create := func() answer { return next(r) }
		if op == "createTransaction" {
			if before := limitOf(r, next, "NP"); before != nil {
				return round(r, next, before, create)
			}
		}
		return create()
	})
}

// answered acts after the answer of an operation.
func answered(id string, act func(r request, next ask, a answer)) func() fault {
	return stateless(func(op string, r request, next ask) answer {
		a := next(r)
		if op == id {
			act(r, next, a)
		}
		return a
	})
}

// afterCreation acts after the creation of a transaction, not after a repeat.
func afterCreation(act func(r request, next ask, a answer)) func() fault {
	return answered("createTransaction", func(r request, next ask, a answer) {
		if a.status == 200 && !a.isReplay() {
			act(r, next, a)
		}
	})
}
