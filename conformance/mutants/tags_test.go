package mutants_test

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"

	"github.com/crossborder-payouts/payouts/server"
)

// tagMutants make wrong tags of reference data, or compare them wrong.
func tagMutants() []mutant {
	const tag, condition = "ETag", "If-None-Match"
	const match, noMatch, last, another = "reference.tags.match", "reference.tags.no-match", "reference.tags.last", "reference.tags.another-body"
	tagged := func(edit func(r request, a answer, next ask) answer) func() fault {
		return after(func(_ string, r request, a answer, next ask) answer {
			if a.header.Get(tag) != "" {
				a = edit(r, a, next)
			}
			return a
		})
	}
	notModified := func(a answer) answer {
		a.status, a.body = http.StatusNotModified, nil
		a.header.Del("Content-Type")
		return a
	}
	given := func(edit func(string) string) func() fault {
		return stateless(func(_ string, r request, next ask) answer {
			if list := r.Header.Get(condition); list != "" {
				r = r.header(condition, edit(list))
			}
			return next(r)
		})
	}
	// retagged gives every answer the tag that a function makes of the request.
	retagged := func(value func(r request) string) func() fault {
		return stateless(func(_ string, r request, next ask) answer {
			a := next(r.header(condition, ""))
			if a.header.Get(tag) == "" {
				return a
			}
			a = a.with(tag, value(r))
			if list := r.Header.Get(condition); list == "*" || strings.Contains(list, value(r)) {
				a = notModified(a)
			}
			return a
		})
	}
	// unjudged answers 304 to any condition where the answer has a status.
	unjudged := func(status int) func() fault {
		return after(func(_ string, r request, a answer, next ask) answer {
			if a.status != status || r.Header.Get(condition) == "" {
				return a
			}
			known := next(r.to(http.MethodGet, "/payers").signed(server.SandboxClients[0].ID, server.SandboxClients[0].Secret).header(condition, "*"))
			known.header.Set("X-Request-Id", a.header.Get("X-Request-Id"))
			return known
		})
	}
	return []mutant{
		broken("Conditions are ignored", match, given(func(string) string { return "" })),
		broken("A tag in a list is not found", match, given(func(list string) string {
			if strings.Count(list, `"`) > 2 {
				return ""
			}
			return list
		})),
		broken("The last tag of a list is not looked at", match, given(func(list string) string {
			if at := strings.LastIndex(list, ","); at >= 0 && strings.Count(list, `"`) > 2 {
				return list[:at]
			}
			return list
		})),
		broken("The first tag of a list is not looked at", match, given(func(list string) string {
			if _, rest, found := strings.Cut(list, ","); found {
				return rest
			}
			return list
		})),
		broken("A weak tag matches nothing", match, given(func(list string) string { return strings.ReplaceAll(list, `W/"`, `"no-`) })),
		broken("* is a tag like any other", match, given(func(list string) string { return strings.ReplaceAll(list, "*", "") })),
		broken("304 has another tag", match, tagged(func(_ request, a answer, _ ask) answer {
			if a.status == http.StatusNotModified {
				a = a.with(tag, `"304"`)
			}
			return a
		})),
		broken("304 has no tag", "contract.getPayer", tagged(func(_ request, a answer, _ ask) answer {
			if a.status == http.StatusNotModified {
				a.header.Del(tag)
			}
			return a
		})),
		broken("Each answer has another tag", match, func() fault {
			made := 0
			return retagged(func(request) string { made++; return fmt.Sprintf(`"%d"`, made) })()
		}),
		broken("Every condition is answered 304", noMatch, tagged(func(r request, a answer, _ ask) answer {
			if r.Header.Get(condition) != "" {
				a = notModified(a)
			}
			return a
		})),
		broken("What is no tag is refused", noMatch, tagged(func(r request, a answer, _ ask) answer {
			if list := r.Header.Get(condition); list != "" && list != "*" && !strings.Contains(list, `"`) {
				a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
			}
			return a
		})),
		broken("Tags need no quotation marks", noMatch, given(func(list string) string {
			if list != "*" && !strings.Contains(list, `"`) {
				list = `"` + list + `"`
			}
			return list
		})),
		broken("A tag need only begin like that of the answer", noMatch, tagged(func(r request, a answer, _ ask) answer {
			if strings.Contains(r.Header.Get(condition), strings.TrimSuffix(a.header.Get(tag), `"`)) {
				a = notModified(a)
			}
			return a
		})),
		broken("A condition is looked at before the credentials", last, unjudged(http.StatusUnauthorized)),
		broken("A condition is looked at before the request", last, unjudged(http.StatusBadRequest)),
		broken("What does not exist matches *", last, unjudged(http.StatusNotFound)),
		broken("All answers have the same tag", another, retagged(func(request) string { return `"1"` })),
		broken("The filters do not count in a tag", another, retagged(func(r request) string { return sum(r.URL.Path) })),
		broken("The tag is that of the address, whoever asks", "reference.tags.each-client", retagged(func(r request) string { return sum(r.URL.RequestURI()) })),
		broken("Any cache may keep an answer", "reference.tags.caches", tagged(func(_ request, a answer, _ ask) answer {
			return a.with("Cache-Control", "public, no-cache")
		})),
		broken("A cache need not ask", "reference.tags.caches", tagged(func(_ request, a answer, _ ask) answer {
			return a.with("Cache-Control", "private, max-age=3600")
		})),
		broken("304 is not for caches", "reference.tags.caches", tagged(func(_ request, a answer, _ ask) answer {
			if a.status == http.StatusNotModified {
				a = a.with("Cache-Control", "no-store")
			}
			return a
		})),
		broken("HEAD does not look at conditions", "reference.tags.head", stateless(func(_ string, r request, next ask) answer {
			if r.Method == http.MethodHead {
				r = r.header(condition, "")
			}
			return next(r)
		})),
		broken("HEAD has another tag", "reference.tags.head", tagged(func(r request, a answer, _ ask) answer {
			if r.Method == http.MethodHead {
				a = a.with(tag, `"head"`)
			}
			return a
		})),
	}
}

// sum returns a tag for a text.
func sum(text string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return fmt.Sprintf(`"%x"`, h.Sum64())
}
