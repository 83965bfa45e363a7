package concurrency_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// raceInformation sends information about one user concurrently, to servers that share a database: whatever is accepted is
// kept, and nothing else (D-72).
func raceInformation(t *testing.T, servers ...*servertest.Server) {
	t.Helper()
	s := servers[0]
	members := []string{"first_name", "last_name", "gender", "address_line1", "city", "zipcode", "date_of_birth", "mobile_phone"}
	for round := range rounds(20) {
		user := servertest.Parse[api.User](t, servertest.OKBody(t, servertest.Call(t, s, "POST", "/users",
			[]byte(`{"first_name":"Asha","email":"asha@example.com","country":"US","city":"Reno"}`)))).ID.String()
		values := map[string]string{"date_of_birth": fmt.Sprintf("19%02d-01-01", round%100), "mobile_phone": fmt.Sprintf("1415555%04d", round)}
		answers := atOnce(t, callers, func(_ context.Context, i int) (servertest.Answer, error) {
			name, at := members[i%len(members)], servers[i/len(members)%len(servers)]
			value := values[name]
			if value == "" {
				value = fmt.Sprint(name, round)
			}
			return servertest.Call(t, at, "PATCH", "/users/"+user, fmt.Appendf(nil, `{%q:%q}`, name, value)), nil
		})
		for _, a := range answers {
			servertest.OKBody(t, a)
		}
		got := servertest.Parse[map[string]any](t, servertest.Get(t, s, "/users/"+user))
		for _, name := range members {
			if want := values[name]; got[name] != want && got[name] != fmt.Sprint(name, round) {
				t.Fatalf("%s is %v", name, got[name])
			}
		}
		raceVerification(t, user, servers...)
	}
	servertest.WantSound(t, s.Database)
}

// raceVerification lets the operator verify a value while the client changes it: either the change comes first and is what was
// verified, or it is refused.
func raceVerification(t *testing.T, user string, servers ...*servertest.Server) {
	t.Helper()
	answers := atOnce(t, 2, func(_ context.Context, i int) (servertest.Answer, error) {
		at := servers[i%len(servers)]
		if i == 0 {
			return servertest.Call(t, at, "PATCH", "/users/"+user, []byte(`{"city":"Elko"}`)), nil
		}
		return servertest.Call(t, at, "POST", "/sandbox/users/"+user+"/verification", []byte(`{"cip_info":{"CITY":"VERIFIED"}}`)), nil
	})
	servertest.OKBody(t, answers[1])
	city := *servertest.Parse[api.User](t, servertest.Get(t, servers[0], "/users/"+user)).City
	tag := servertest.Parse[api.CipInfo](t, servertest.Get(t, servers[0], "/users/"+user+"/cip-info")).CipInfo["CITY"]
	switch {
	case tag == api.CipStatusVerified && answers[0].Status == http.StatusUnprocessableEntity && city != "Elko":
	case tag == api.CipStatusVerified && answers[0].Status == http.StatusOK && city == "Elko":
	default:
		t.Fatalf("the change was answered %d, the city is %s and %s", answers[0].Status, city, tag)
	}
}

// raceDocuments sends more documents at once than a user may have: exactly as many as fit are added.
func raceDocuments(t *testing.T, servers ...*servertest.Server) {
	t.Helper()
	s := servers[0]
	w := servertest.NewWorld(t, s.Client)
	number := `{"document_value":"1","document_type":"SSN"}`
	body := []byte(`{"virtual_documents":[` + number + `,` + number + `,` + number + `,` + number + `,` + number + `,` + number + `,` + number + `]}`)
	added := 0
	for range 3 {
		for _, a := range atOnce(t, callers, func(_ context.Context, i int) (servertest.Answer, error) {
			return servertest.Call(t, servers[i%len(servers)], "POST", "/users/"+w["user_id"]+"/documents", body), nil
		}) {
			if a.Status == http.StatusOK {
				added++
			} else {
				a.Refusal(t, http.StatusUnprocessableEntity, api.ErrorCodeTooManyDocuments)
			}
		}
	}
	u := servertest.Parse[api.User](t, servertest.Get(t, s, "/users/"+w["user_id"]))
	if added != 14 || len(u.VirtualDocuments) != 98 {
		t.Errorf("%d requests were accepted, and the user has %d documents", added, len(u.VirtualDocuments))
	}
}

func TestConcurrentInformation(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	raceInformation(t, s)
	raceDocuments(t, s)
}

// The same at two replicas.
func TestConcurrentInformationAtReplicas(t *testing.T) {
	t.Parallel()
	both := newReplicas(t)
	raceInformation(t, both[:]...)
	raceDocuments(t, both[:]...)
}
