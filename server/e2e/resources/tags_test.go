package resources_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// referencePaths has a path of each operation about reference data.
var referencePaths = []string{
	"/payers?country=NP", "/payers/1003", "/banks", "/banks/2001", "/countries/US/states", "/countries/US/states/CA", "/v2/states", "/v2/states/840002",
}

// eachMemory runs a test of servers that remember answers, and of ones that do not.
func eachMemory(t *testing.T, run func(t *testing.T, configure func(*server.Config))) {
	t.Helper()
	for name, keep := range map[string]time.Duration{"remembered": 5 * time.Second, "made anew": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, func(c *server.Config) { c.ClientsFor = keep })
		})
	}
}

// D-75: who has the answer is told so, by each replica, whatever they remember.
func TestReferenceDataIsNotSentTwice(t *testing.T) {
	t.Parallel()
	eachMemory(t, func(t *testing.T, configure func(*server.Config)) {
		s := servertest.New(t, configure)
		replica := servertest.New(t, configure, func(c *server.Config) { c.Database = s.Database })
		tags := map[string]string{}
		for _, path := range referencePaths {
			whole := servertest.Call(t, s, http.MethodGet, path, nil)
			tag := whole.Header.Get("ETag")
			if before, ok := tags[tag]; ok || tag == "" {
				t.Errorf("%s has the tag %s, as %s", path, tag, before)
			}
			tags[tag] = path
			for given, want := range map[string]int{
				tag: 304, "W/" + tag: 304, `"other",` + tag: 304, `"a,b" , W/"" ,` + tag + ` , "other"`: 304, "*": 304,
				"": 200, `"other"`: 200, strings.Trim(tag, `"`): 200, strings.ToLower(tag): 200, `*, "other"`: 200, tag[:len(tag)-1]: 200, `"x` + tag[1:]: 200, tag[:len(tag)-1] + `x"`: 200,
				strings.Repeat("x", 1000): 200, strings.Repeat("x", 1001): 400,
			} {
				for _, asked := range []*servertest.Server{s, replica} {
					for _, method := range []string{http.MethodGet, http.MethodHead} {
						a := servertest.Call(t, asked, method, path, nil, "If-None-Match", given)
						empty := want == 304 || method == http.MethodHead
						if a.Status != want || empty != (len(a.Body) == 0) || want == 200 && !empty && string(a.Body) != string(whole.Body) {
							t.Errorf("%s %s, If-None-Match %s: status %d and %d bytes, want %d", method, path, given, a.Status, len(a.Body), want)
						}
						caching := a.Header.Get("Cache-Control")
						if got := a.Header.Get("ETag"); want != 400 && (got != tag || caching != "private, no-cache") || want == 400 && (got != "" || caching != "no-store") {
							t.Errorf("%s %s, If-None-Match %s: ETag %s, Cache-Control %s", method, path, given, got, caching)
						}
					}
				}
			}
		}
	})
}

// A condition is looked at last: whoever may not have the answer does not learn its tag either.
func TestARefusalIsNoMatch(t *testing.T) {
	t.Parallel()
	eachMemory(t, func(t *testing.T, configure func(*server.Config)) {
		s := servertest.New(t, configure, func(c *server.Config) { c.RateLimit = 4 })
		call := func(path string, headers ...string) servertest.Answer {
			t.Helper()
			return servertest.Call(t, s, http.MethodGet, path, nil, append(headers, "If-None-Match", "*")...)
		}
		if a := call("/payers/1001"); a.Status != http.StatusNotModified {
			t.Fatalf("status %d", a.Status)
		}
		call("/payers/1001", "X-Client-Secret", "wrong").Refusal(t, 401, api.ErrorCodeUnauthorized)
		call("/payers/1001?x=1").Refusal(t, 400, api.ErrorCodeBadRequest)
		call("/payers/999999999").Refusal(t, 404, api.ErrorCodeNotFound)
		for a := call("/payers/1001"); a.Status != http.StatusTooManyRequests; a = call("/payers/1001") {
			if a.Status != http.StatusNotModified {
				t.Fatalf("status %d, want 304 until the limit is reached", a.Status)
			}
		}
	})
}

// Another body has another tag: after a change, and for another client.
func TestAnotherAnswerHasAnotherTag(t *testing.T) {
	t.Parallel()
	const path, one, keep = "/payers", "/payers/1001", 5 * time.Second
	s := servertest.New(t, func(c *server.Config) { c.ClientsFor = keep })
	list, payer := servertest.Call(t, s, http.MethodGet, path, nil).Header.Get("ETag"), servertest.Call(t, s, http.MethodGet, one, nil).Header.Get("ETag")
	if a := servertest.Call(t, s, http.MethodGet, path, nil, slices.Concat(servertest.AsOther, []string{"If-None-Match", list})...); a.Status != http.StatusOK || a.Header.Get("ETag") == list {
		t.Errorf("the second client, whose list is shorter, is answered %d", a.Status)
	}
	if a := servertest.Call(t, s, http.MethodGet, one, nil, slices.Concat(servertest.AsOther, []string{"If-None-Match", payer})...); a.Status != http.StatusNotModified {
		t.Errorf("the second client, for whom the payer is the same, is answered %d", a.Status)
	}
	servertest.Exec(t, s.Beside(t), `update payers set name = 'Renamed' where id = 1001`)
	s.Clock.Set(s.Clock.Now().Add(keep))
	for path, before := range map[string]string{path: list, one: payer} {
		a := servertest.Call(t, s, http.MethodGet, path, nil, "If-None-Match", before)
		if a.Status != http.StatusOK || a.Header.Get("ETag") == before || !strings.Contains(string(a.Body), "Renamed") {
			t.Errorf("%s is answered %d after a change", path, a.Status)
		}
	}
}
